// Package words describes games in words, for language models: once the rules of a game and how to
// answer, and for each turn what a seat knows and the effect of its last answer, as text or as JSON.
//
//	writer := words.New(game, spec, match)
//	system := writer.Prompt(words.Form{})
//	...
//	step := scene.Describe(spec, match, tracker, actions)
//	seen := step.Seen(&writer.Head, seat)
//	match.Mask(seat, mask) // spec.MaskSize() bytes
//	writer.Happens(&seen, seat, &last)
//	foresee := func(move uint8) []uint64 { return words.Fire(match, seat, move) }
//	user := writer.View(&seen, seat, mask, foresee, words.Form{}, &last)
//
// Text and JSON have the same content: what is in the step that View is given, and nothing else.
// scene.Step.Seen decides what a seat knows. The same step gives the same bytes.
//
// # Names
//
// A figure on the board is a capital letter: A is seat 0's, B seat 1's. Where a seat moves several
// figures, letters go round the seats: with two seats A, C and E are seat 0's. [Writer.Alias] is the
// letters of a seat. Cells are (row,column) from (0,0) at the top left.
//
// # Danger
//
// [Fire] says which cells burn at which of the coming ticks, as far as the seat sees now. Tick 1
// is the next move: a figure on a cell after the move of tick t is hit if the cell burns at
// tick t. The danger grid has the first tick of each cell.
//
// # Concurrency
//
// A Writer is read-only and may be shared by goroutines.
package words
