// Package suitebot is SuiteBot II, a contest game of mining with bombs on a
// torus, for two to eight players.
//
//	game, err := suitebot.New("my-suitebot", "", suitebot.Standard(), nil)
//	var s suitebot.State
//	plan := game.Plan()
//	plan.Deal(&s, env.Seed{Value: 7})
//	plan.Step(&s, []uint8{0, 1, 2, 5})
//
// Rules holds every number and switch, Plan what follows from them, State a
// running game as one comparable value, Match the last two together as the
// contract of package env. A step allocates nothing and draws nothing: once a game has begun,
// nothing in it is random but the players.
//
// # The game
//
// Each player has one agent and one home base on a plan of Width by Height
// fields whose left edge is joined to the right and the top to the bottom. The
// field at column x and row y is [x,y]; [0,0] is at the top left. Every
// field holds FieldPoints at first. A game has Rounds rounds; the most points
// win.
//
// # One round, in order
//
//  1. All agents move at once: up, down, left, right, or not at all (hold,
//     plant_bomb). Two may swap fields. Bombs and home bases block nothing.
//  2. Agents that share a field collide and die, all of them.
//  3. Living agents that plant put a bomb on their field. A bomb that lies there
//     is removed, whoever owns it and even if it would go off now; the new one
//     has its own countdown and owner.
//  4. Bombs planted BombDelay rounds ago go off, all at once. A bomb reaches
//     its own field and BlastRadius fields each way, in a cross or in a square;
//     nothing stops it, and a field reached twice around the torus counts once. Bombs
//     it reaches go off with it, and so on. Living agents it reaches die.
//     A field that is reached and still holds its points loses them: to
//     the owner of the bombs that reached it, or, if they have different owners,
//     to nobody. In the same way the owner of the bombs that reached another's
//     agent gets KillPoints, and nobody does if they have different owners, the
//     victim included. An agent killed by its own bombs alone gains and loses nothing.
//  5. The dead respawn on their home bases.
//  6. Agents on an enemy's home base die and respawn on their own, all of them
//     together. Nobody scores.
//
// An agent cannot die twice in a round: no two home bases share a field.
// After a round, agents therefore stand on fields of their own.
//
// # The end, and what it pays
//
// The player with the most points after the last round has won; players with
// equal points share the first place and have all won, unless all are equal,
// which is a tie. The outcome is +1 for winners, -1 for the others, 0 in a tie.
// The game's own reward ("reference") is the points of the round.
//
// # The document
//
// TestSentences has scenes for each sentence of the contest's document. What that leaves
// open is a field of [Rules]: TestReadings has scenes for each reading that [Standard]
// takes, and for those that the field can take instead.
package suitebot
