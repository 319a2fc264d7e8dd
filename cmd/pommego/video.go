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

func (o *replayOptions) video(ctx context.Context, out io.Writer, path string, game record.Replay) error {
	described, err := scene.Read(game)
	if err != nil {
		return fmt.Errorf("%s: line %d: %w", path, o.game, err)
	}
	pictures := picture.Film(described, o.seat)
	err = disk.WriteFile(disk.OS, o.gif, func(w io.Writer) error {
		return picture.WriteGIF(ctx, w, picture.NewPainter(o.tile, o.dark), pictures, o.fps)
	})
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return fmt.Errorf("interrupted: %s was not written", o.gif)
	}
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: %d pictures\n", o.gif, len(pictures))
	}
	return err
}

func (o *replayOptions) checkSeat(game record.Replay) error {
	if _, spec := game.Position(); o.seat >= spec.Seats {
		return usagef("--seat is %d, want 0 to %d for %s", o.seat, spec.Seats-1, spec.ID)
	}
	return nil
}

func (o *replayOptions) page(out io.Writer, path string, game record.Replay) error {
	described, err := scene.Read(game)
	if err != nil {
		return fmt.Errorf("%s: line %d: %w", path, o.game, err)
	}
	title := fmt.Sprintf("%s, game %d", filepath.Base(path), o.game)
	err = disk.WriteFile(disk.OS, o.html, func(w io.Writer) error { return web.WriteFile(w, title, described, o.seat) })
	if err == nil {
		_, err = fmt.Fprintf(out, "%s: %d steps\n", o.html, len(described.Steps)-1)
	}
	return err
}
