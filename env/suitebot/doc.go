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
// # Where a rule lives
//
//	rules.go    numbers, switches, the standard
//	plan.go     the torus, what bombs reach, home bases, dealing
//	state.go    what a running game consists of, and its layout in memory
//	turn.go     one round: moves, collisions, planting, respawning; lanes.go compares players
//	blast.go    chains, what explosions collect and whom they kill
//	ending.go   when a game is over, who won, what it pays
//	view.go     what a seat may know
//	raw.go      the lossless encoding of that; planes.go the one for networks
//	match.go    the contract; table.go what a state holds; check.go what must fit
//	            together in it; save.go, json.go saved states
//	record.go   recorded games; dict.go observations for programs
//	forecast.go what the bombs on a plan are going to do, for agents
//	text.go     pictures for terminals; picture.go drawn ones; describe.go what there is to draw
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
// # Sentences and tests
//
// Each rule of the contest's document, in our words, and its test:
// TestSentences/S01 and so on.
//
//	S01 agents move about and plant bombs that go off after a while
//	S02 an explosion destroys what is around it, for points
//	S03 the aim is as many points as possible
//	S04 up, down, left, right, hold and plant_bomb are the legal actions, one a round
//	S05 hold stays where it is
//	S06 planting stays where it is
//	S07 stepping on home bases and on bombs does nothing
//	S08 two agents on one field collide and both die
//	S09 two agents may swap places
//	S10 an agent that dies respawns on its home base in the same round
//	S11 a game has 100 rounds
//	S12 the plan is a torus: an agent that leaves at one edge enters at the opposite one
//	S13 [0,0] is the field at the top left, [width-1,height-1] at the bottom right
//	S14 a bomb is planted on the planter's own field
//	S15 the planter has 4 rounds to get away; at the end of the 4th it goes off
//	S16 an explosion kills all agents in reach
//	S17 an explosion collects the fields in reach
//	S18 an explosion sets off every bomb in reach, and these others
//	S19 a bomb planted on a bomb replaces it, with a countdown of its own
//	S20 so a player can replace an opponent's bomb by one of its own
//	S21 every field has 1 point, for the first explosion that hits it
//	S22 a second explosion on the same field gives nothing
//	S23 killing an opponent gives 10 points
//	S24 dying in an explosion costs nothing
//	S25 the most points after the last round win
//	S26 a field reached in one round by bombs of two players is given to neither
//	S27 a field reached by two bombs of one player is given to that player
//	S28 the same holds for kills
//	S29 order: moves come before collisions
//	S30 order: collisions come before planting
//	S31 order: planting comes before explosions
//	S32 order: explosions come before respawning
//	S33 order: the dead respawn, and an agent on an enemy's home base dies and respawns
//	S34 an answer after more than 200 ms forfeits the move: package match, TestForfeit
//	S35 none within 1000 ms: hold to the end, not asked again: package match, TestGiveUp
//
// What the document leaves open is a field of the Rules. The readings, with
// what the fields can be instead, are tested in TestReadings/R01 and so on.
//
//	R01 size and players: 20 by 20 and 4; any from 5 to 32 and from 2 to 8
//	R02 home bases are spread evenly, the same for all by translation (home_layout)
//	R03 a bomb reaches three fields each way in a cross, or in a square (blast_radius, blast_shape)
//	R04 nothing stops a blast
//	R05 a field that a blast reaches twice around the torus counts once
//	R06 a bomb of round t goes off at the end of round t+4 (bomb_delay)
//	R07 an agent that died before planting does not plant (dead_plant)
//	R08 nobody scores for collisions and deaths on home bases (collision_points, home_points)
//	R09 the victim's own bomb contests a kill (own_bombs_contest)
//	R10 by its own bombs alone: nobody scores (self_kill_points)
//	R11 agents start on their home bases (start)
//	R12 everything is seen (view_radius)
//	R13 collided agents in a blast are dead already (dead_kills)
//	R14 the dead respawn first, then home bases are judged together (home_deaths)
//	R15 equal points share the first place (shared_first)
package suitebot
