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
// # A data set
//
// is a folder. manifest.json says what the data's meaning depends on (game,
// rules, agents, seeds, versions, columns) and has the size and SHA-256 of every
// other file, and of itself. The data are Parquet files in data, compressed with
// zstd, in row groups of whole games. README.md is a data card for people.
//
// Of [Games] a row is a game: its start, as a saved state, and its actions. That
// is some 600 bytes, and all that a seat ever saw can be made from it again,
// byte for byte. Of [Steps] a row is a step of one seat: what it saw, did and
// was paid. Rows of all seats go on to the end of their game, and end with it
// together, as those of a vector environment do; alive says which seats were in.
// Rows of agents that search have what they chose by, see env.SearchReporter.
//
// # Determinism
//
// The same [Config], game and program give the same bytes, whatever the number
// of workers and however often the work was interrupted. Game i has seed
// Config.Seed + i, and nothing else decides it. Agents that break this promise
// have to be admitted ([Config.Unrepeatable]), and the manifest names them.
//
// # Faults
//
// [Generate] may be killed at any moment. A game that is over is written down at
// once, in a journal of its file; when a file has all of its games, they are
// encoded, and the file gets its name once it is whole and on the disk. The
// manifest comes last: a folder with one is complete. Calling Generate again
// goes on with what is there. What a full or failing disk does to a write is an
// error at once, and costs nothing that was finished. All this happens in the
// folder .generate, which is gone in the end.
//
// # Reading damaged files
//
// Parquet shows when a file is cut short, but not when a bit is flipped:
// [Verify] holds all bytes against the checksums. A panic of the Parquet library
// at damaged bytes is caught, and is an error.
//
// # Concurrency
//
// Generate uses several goroutines, and keeps other processes out of its folder
// by a lock. A [Set] may be read by many goroutines.
package dataset
