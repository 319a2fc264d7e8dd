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
// was rewarded with. Rows of all seats continue to the end of their game, as those
// of a vector environment do; alive says which seats were still in it.
// Rows of agents that search have their search statistics, see
// env.SearchReporter. Of [Dialogues] a row is such a step as chat, of seats that are in.
//
// # Determinism
//
// The same [Config], game and program give the same bytes, whatever the number
// of workers and however often the work was interrupted. Game i has seed
// Config.Seed + i, and nothing else decides it. Agents that cannot keep this
// promise are refused unless [Config.Unrepeatable] allows them, and the manifest
// names them.
//
// # Extension
//
// [Generate] with more games, or steps, in the folder of a finished or interrupted
// data set adds to it; the bytes are those of one run. A card that has been edited
// stays.
//
// # Faults
//
// [Generate] may be killed at any moment. A finished game is written at once to a
// log; when a file has all of its games, they are encoded, and the file gets its name
// once it is complete and on the disk, which the log then says. The manifest
// comes last: a folder with one is complete. Calling Generate again continues
// with what is there. A write that fails, as on a full disk, is an error at once
// and loses nothing that was finished. All this happens in the folder .generate,
// which is removed at the end.
//
// The files can be made in several places, see [Part]: each makes some, in a folder
// where the data set remains unfinished; then one takes the files of all parts, makes
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
// Generate uses several goroutines, and keeps other processes out of its folder
// by a lock. A [Set] may be read by many goroutines.
package dataset
