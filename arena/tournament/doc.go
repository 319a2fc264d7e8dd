// Package tournament plays many matches between agents and says what they
// show: how often each agent wins, which is stronger, and how sure that is.
//
//	game, err := catalog.Game("PommeFFA2018-v0")
//	t, err := tournament.New(game, tournament.Config{
//		Format: tournament.OneAgainstThree, Against: "simple",
//		Agents: []string{"simple", "heuristic"}, Games: 300, Seed: 1,
//	})
//	report, err := t.Run(ctx, tournament.Options{Log: "games.jsonl"})
//
// A tournament has tables and rounds. A table is a set of agents that meet ([Format] says which
// there are); in each round every table plays one game. The rounds of all tables are interleaved:
// at any time the games played are a fair sample of all. docs/matches.md has the schedule and
// the statistics.
//
// # Log
//
// Every finished game becomes one line of the log before it is counted. A kill costs no
// finished game, a power cut those of the last second. The log begins with a line that
// says what the games depend on; a run that would play other games refuses to continue
// it. A later run may ask for more games: those in the log are the first of them.
// Each line carries a checksum. A line that a killed program left half-written at the end
// is dropped, and that game is played again; damage anywhere else is an error. A game that
// was not finished when the program stopped starts again from its seed.
//
// # Determinism
//
// [Results] depend on the configuration alone: not on the number of workers,
// nor on the order in which games end, nor on interruptions. This holds if the agents
// repeat their moves. Agents whose search is limited in time, and agents outside the
// program with a time limit for moves, can play differently each time.
// Times are separate, in [Timing].
package tournament
