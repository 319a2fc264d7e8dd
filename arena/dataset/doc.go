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
// what agents did, from which a [Replay] finds everything else. The files are made from the log. Each
// gets its name once it is complete and on the disk; then the log lists it. The manifest comes last: a
// folder with one is complete. Calling Generate again plays the games and makes the files that are
// missing. A write that fails, as on a full disk, is an error at once, and what is finished stays.
// Unfinished work lies in the folder .generate, which Generate removes at the end.
//
// Several machines can share the games, see [ledger.Part]. Each plays some, in a folder of its own,
// where the data set remains unfinished. Then one run takes the games of all parts, plays
// those that are missing, and finishes the data set.
//
// # Reading damaged files
//
// Parquet shows when a file is cut short, but not when a bit is flipped:
// [Verify] checks all bytes against the checksums. A panic of the Parquet library
// on damaged bytes is caught, and is an error.
//
// # Concurrency
//
// All functions use several goroutines. Generate locks its folder against other processes, but not on Windows: there
// no two may work in one folder. A [Set] may be read by many goroutines.
package dataset
