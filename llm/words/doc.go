// Package words tells positions in words, for language models: once the rules of a game and how to
// answer, and for each turn what a seat knows and what became of its last answer, as text or as JSON.
//
//	told := words.New(game, spec, match)
//	system := told.Prompt(words.Form{})
//	...
//	step := scene.Describe(spec, match, tracker, actions)
//	seen := step.Seen(&told.Head, seat)
//	match.Mask(seat, mask) // spec.MaskSize() bytes
//	told.Happens(&seen, seat, &last)
//	user := told.View(&seen, seat, mask, words.Fire(match, seat, 0), words.Form{}, &last)
//
// Text and JSON say the same of a position, and nothing but what is in the step that View is
// given: what a seat knows is for scene.Step.Seen to say. The same step gives the same bytes.
//
// # Names
//
// A figure on the board is a capital letter: A is seat 0's, B seat 1's. Where a seat moves several
// figures, the first of each seat come first: A, C and E are seat 0's of two. [Writer.Alias] is the
// letters of a seat. Cells are (row,column) from (0,0) at the top left.
//
// # Danger
//
// [Fire] tells which cells burn at which of the coming ticks, by what the seat sees now. Tick 1
// is the move to be made now: whoever is on a cell after the move of tick t and finds it burning
// then is hit. The danger grid has the first tick of each cell.
//
// # Concurrency
//
// A Writer is read-only and may be shared by goroutines.
package words
