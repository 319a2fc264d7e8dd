// Package picture turns positions into images and videos. It knows no game: games
// describe their positions, see package scene.
//
//	pic := picture.OfStep(&head, &step, env.NoSeat)
//	img := picture.NewPainter(32, false).Image(&pic)
//	err := picture.WriteGIF(ctx, w, picture.NewPainter(32, true), pictures, 5)
//
// What things look like is data, sprites.json, from which the page in the browser draws too:
// outlines on a cell of 100 by 100, filled or stroked, one over the other. A colour is a
// name of the theme, or seat and its shades, which stand for the owner's colour; label is
// the text on the thing. Texts are lists of glyphs, lines on 64 by 100.
//
// OfStep here, and groundOf and marksOf in the page's board.js, decide where sprites are. A
// test compares what both draw while nothing moves.
package picture
