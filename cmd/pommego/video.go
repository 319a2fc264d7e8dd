package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/arena/web"
	"pommego/env/record"
	"pommego/internal/disk"
)

// save writes a game as a video and as a page, if the flags ask for them.
func (o *replayOptions) save(ctx context.Context, out io.Writer, path string, replay record.Replay) error {
	game, err := scene.Read(replay)
	if err != nil {
		return fmt.Errorf("%s: line %d: %w", path, o.game, err)
	}
	write := func(file string, n int, what string, content func(io.Writer) error) error {
		if file == "" {
			return nil
		}
		if err := disk.WriteNew(disk.OS, file, content); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "%s: %d %s\n", file, n, what)
		return err
	}
	err = write(o.gif, len(game.Steps), "pictures", func(w io.Writer) error {
		return picture.WriteGIF(ctx, w, picture.NewPainter(o.tile, o.dark), picture.Film(game, o.seat), o.fps)
	})
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return fmt.Errorf("interrupted: %s was not written", o.gif)
	}
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s, game %d", filepath.Base(path), o.game)
	return write(o.html, len(game.Steps)-1, "steps", func(w io.Writer) error {
		return web.WriteFile(w, title, game, o.seat)
	})
}
