// Package tournament plays many matches between agents and says what they
// show: how often each agent wins, which is stronger, and how sure that is.
//
//	game, err := catalog.Game("PommeFFA2018-v0")
//	t, err := tournament.New(game, tournament.Config{
//		Format: tournament.OneAgainstThree, Against: "simple",
//		Agents: []string{"simple", "heuristic"}, Games: 300, Seed: 1,
//	})
//	report, err := t.Run(ctx, tournament.Options{Log: "games.jsonl", Resume: true})
//
// # Schedule
//
// A tournament has tables and rounds. A table is a set of agents that meet
// ([Format] says which there are); in each round every table plays one game.
// Round k has seed Seed+k at every table, so all agents get the same boards.
// From round to round the agents of a table move by one seat, and after each full
// turn they sit in another order, until all orders have been played.
// So each agent has had each seat equally often whenever the number of rounds
// is a multiple of the number of sides, and each neighbour too after all orders.
// With [Config.Mirrored] rounds on one board follow each other that differ in
// nothing but who sits where, as many as there are sides.
// The rounds of all tables are interleaved: the part that is played is always a
// fair part of the whole.
//
// # Log
//
// Every finished game becomes one line of the log, which is on the disk before
// it is counted. The log begins with a line that says what the
// games depend on; a run that would play other games refuses to continue it. More games
// may be asked for than before: those in the log are the first of them.
// Each line carries a checksum. What a killed program left half-written at the
// end is dropped and that game played again; damage anywhere else is an error.
// A game that was running when the program stopped was not finished, and starts
// again from its seed.
//
// # Determinism
//
// [Results] depend on the configuration alone: not on the number of workers,
// nor on the order in which games end, nor on interruptions. The same has to be true
// of the agents: with a time limit for moves, those whose search is limited in
// time, and those outside the program, can play differently each time.
// Times are kept apart, in [Timing].
//
// # Statistics
//
// A game that nobody wins is a tie for the agents that were in until its last
// step, and lost for those that were out before. In a rating a tie is a win
// shared by those who tied.
//
// Rates come with Wilson's interval, means with Student's. Two agents are compared on the
// games that exactly one of them won, by the exact binomial test, as if games were
// independent; those of mirrored boards share their luck, which makes the test more
// cautious. The rating is Bradley and Terry's, in Luce's form for more than two sides:
// agent i wins with odds proportional to exp(r_i). It is fitted by maximum likelihood;
// its error bars come from the observed information. Each agent is given one game more,
// half won and half lost against the rating 0, without which one that never lost would be
// rated infinite: the prior, in Bayes' words. All intervals are of 95 %.
package tournament
