// Package picture turns positions into images and videos. It knows no game: games
// describe their positions (env.Scene).
//
//	pic := new(picture.Artist).Picture(game, match, tracker, env.NoSeat)
//	img := picture.NewPainter(32).Image(pic)
//	err := picture.WriteGIF(ctx, w, pictures, 24, 5)
package picture
