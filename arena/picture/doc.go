// Package picture turns positions into images and videos. It knows no game: games
// describe their positions, see package scene.
//
//	pic := picture.OfStep(&head, &step, env.NoSeat)
//	img := picture.NewPainter(32, false).Image(&pic)
//	err := picture.WriteGIF(ctx, w, picture.NewPainter(32, true), pictures, 5)
//
// What things look like is data, sprites.json, from which the page in the browser draws too:
// outlines on a cell of 100 by 100, filled or drawn along, one over the other. A colour is
// a name of the theme, or seat and its shades, the colour of whose thing it is; label is
// what can be read on it. Texts are lists of glyphs, lines on 64 by 100.
//
// Where the sprites are is decided by OfStep here and by groundOf and marksOf in the
// page's board.js: a test compares what both draw while nothing moves.
package picture
