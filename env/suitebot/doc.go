// Package suitebot implements SuiteBot II, a contest game of mining with bombs on a
// torus, for two to eight players.
//
//	game, err := suitebot.New("my-suitebot", "", suitebot.Standard(), nil)
//	var s suitebot.State
//	game.Deal(&s, env.Seed{Value: 7})
//	game.Step(&s, []uint8{0, 1, 2, 5})
//
// Rules holds every number and switch, Game what follows from them, State a running
// game as one comparable value, and Match joins the last two to an env.Match. A step
// allocates nothing and draws nothing: once a game has begun, nothing in it is random
// but the players.
//
// docs/games/suitebot.md has the rules. The field at column x and row y is [x,y]; [0,0] is at
// the top left.
//
// # The document
//
// TestSentences has scenes for each sentence of the contest's document. Where the
// document leaves something open, there is a field of [Rules]: TestReadings has scenes
// for each reading that [Standard] takes, and for those that the field can take instead.
package suitebot
