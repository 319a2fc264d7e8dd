// Package basewar implements BaseWar, a contest of programs: two sides of three bombers
// each on 15x15 cells, which bomb boxes and each other for points, and the other side's
// base to win.
//
//	game, err := basewar.New("my-basewar", "", basewar.Standard(), nil)
//	var s basewar.State
//	game.Deal(&s, env.Seed{Value: 7})
//	game.Step(&s, []uint8{0, 1, 2, 5, 4, 0})
//
// Rules holds every number and switch, Game what follows from them, and State a running
// game as one comparable value. Match joins a state and its game to an env.Match. A
// step allocates nothing and draws nothing: once the map has been made, nothing in the
// game is random.
//
// docs/games/basewar.md has the rules.
//
// # Seats
//
// With [Standard] each of six seats moves one bomber; seats 0, 2 and 4 are blue,
// 1, 3 and 5 green, so that every other seat is a mate. With [StandardSides] each
// of two seats moves the three bombers of a side, A, B and C, and its action has
// three components. It is the same game: bombers are numbered as the six seats.
//
// # The document
//
// TestDocument has a drawn map for each sentence of the contest's document. Where the document
// leaves something open, there is a switch or number in [Rules]: TestReadings has a map for
// each question, with the reading that [Standard] takes and those that it can take instead.
package basewar
