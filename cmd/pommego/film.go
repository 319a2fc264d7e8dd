package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"pommego/env"
	"pommego/env/picture"
	"pommego/env/trace"
)

// films tells whether the game is to be written as a film.
func (o *replayOptions) films() bool { return o.gif != "" || o.html != "" }

// film writes the game to the files asked for.
func (o *replayOptions) film(ctx context.Context, out io.Writer, path string, game trace.Replay) error {
	pictured, ok := game.(env.Pictured)
	if !ok {
		return fmt.Errorf("%s: line %d: games of %s cannot be drawn", path, o.game, game.Info().EnvID)
	}
	film := picture.NewFilm(o.tile)
	if err := film.Add(pictured.Picture()); err != nil {
		return err
	}
	for range game.Len() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("interrupted: nothing was written")
		}
		if err := game.Step(); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, o.game, err)
		}
		if err := film.Add(pictured.Picture()); err != nil {
			return err
		}
	}
	title := fmt.Sprintf("%s, game %d: %s", filepath.Base(path), o.game, about(game.Info()))
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{o.gif, func(w io.Writer) error { return film.WriteGIF(w, o.fps) }},
		{o.html, func(w io.Writer) error { return film.WriteHTML(w, title, o.fps) }},
	} {
		if f.path == "" {
			continue
		}
		if err := writeWhole(f.path, f.write); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d pictures\n", f.path, film.Len())
	}
	return nil
}

// writeWhole writes a file that has its name only once it is whole.
func writeWhole(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
