// Package picture turns positions into images, films and web pages. It knows
// no game: a game says what each tile shows (env.Pictured), and here is how
// that looks.
//
//	img := picture.Image(match.Picture(), 32)
//	film := picture.NewFilm(24); film.Add(match.Picture()); ...; film.WriteGIF(w, 5)
package picture
