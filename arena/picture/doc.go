// Package picture turns positions into images and videos. It knows no game: a game says
// what each tile shows (env.Pictured), this package how that looks.
//
//	img := picture.NewPainter(32).Image(match.Picture(env.NoSeat))
//	video := picture.NewVideo(24); video.Add(match.Picture(env.NoSeat)); ...; video.WriteGIF(w, 5)
package picture
