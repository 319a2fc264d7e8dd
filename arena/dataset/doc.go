// Package dataset stores played games, to learn from: it generates, checks and
// reads data sets.
//
//	game, err := catalog.Game("PommeFFACompetition-v0")
//	m, _, err := dataset.Generate(ctx, game, dataset.Config{
//		Agents: []string{"simple"}, Games: 100_000, Seed: 1,
//	}, "ffa", dataset.Options{})
//
//	set, err := dataset.Open("ffa")
//	err = set.Episodes(func(e *dataset.Episode) error { ... })
//
// docs/data.md says what is in a data set and what its bytes depend on.
//
// # Faults
//
// [Generate] may be killed at any moment. Games that are over are kept in a log (package ledger):
// what agents did, from which a [Replay] tells all else. The files are made of it. Each gets its
// name once it is complete and on the disk, which the log then says. The manifest comes last: a
// folder with one is complete. Calling Generate again plays the games and makes the files that are
// missing. A write that fails, as on a full disk, is an error at once and loses nothing that was
// finished. What is not finished lies in the folder .generate, which is removed at the end.
//
// The games can be played in several places, see [ledger.Part]: each plays some, in a folder
// where the data set remains unfinished; then one takes the games of all parts, plays
// those that are missing, and finishes it.
//
// # Reading damaged files
//
// Parquet shows when a file is cut short, but not when a bit is flipped:
// [Verify] checks all bytes against the checksums. A panic of the Parquet library
// on damaged bytes is caught, and is an error.
//
// # Concurrency
//
// All use several goroutines. Generate keeps other processes out of its folder
// by a lock. A [Set] may be read by many goroutines.
package dataset
