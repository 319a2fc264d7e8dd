// Package picture turns positions into images and videos. It knows no game: games
// describe their positions (env.Scene).
//
//	pic := new(picture.Artist).Picture(game, match, tracker, env.NoSeat)
//	img := picture.NewPainter(32).Image(pic)
//	video := picture.NewVideo(24); video.Add(pic); ...; video.WriteGIF(ctx, w, 5)
package picture
