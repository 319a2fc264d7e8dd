package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"pommego/arena/picture"
	"pommego/env"
	"pommego/env/record"
	"pommego/internal/disk"
)

// videos reports whether the game is to be written as a video.
func (o *replayOptions) videos() bool { return o.gif != "" || o.html != "" }

// video writes the game to the files asked for.
func (o *replayOptions) video(ctx context.Context, out io.Writer, path string, game record.Replay) error {
	pictured, ok := game.(env.Pictured)
	if !ok {
		return fmt.Errorf("%s: line %d: games of %s cannot be drawn", path, o.game, game.Info().EnvID)
	}
	if b, ok := game.(record.Beginning); ok {
		if _, spec := b.Position(); o.seat >= spec.Seats {
			return usagef("--seat is %d, want 0 to %d for %s", o.seat, spec.Seats-1, spec.ID)
		}
	}
	video := picture.NewVideo(o.tile)
	if err := video.Add(pictured.Picture(o.seat)); err != nil {
		return err
	}
	for range game.Len() {
		if ctx.Err() != nil {
			return errors.New("interrupted: nothing was written")
		}
		if err := game.Step(); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, o.game, err)
		}
		if err := video.Add(pictured.Picture(o.seat)); err != nil {
			return err
		}
	}
	title := fmt.Sprintf("%s, game %d: %s", filepath.Base(path), o.game, about(game.Info()))
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{o.gif, func(w io.Writer) error { return video.WriteGIF(ctx, w, o.fps) }},
		{o.html, func(w io.Writer) error { return video.WriteHTML(w, title, o.fps) }},
	} {
		if f.path == "" {
			continue
		}
		err := disk.WriteFile(disk.OS, f.path, f.write)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return fmt.Errorf("interrupted: %s was not written", f.path)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d pictures\n", f.path, video.Len())
	}
	return nil
}
