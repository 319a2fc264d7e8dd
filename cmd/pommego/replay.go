package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pommego/arena/match"
	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/arena/web"
	"pommego/env"
	"pommego/env/record"
	"pommego/env/saved"
	"pommego/internal/disk"
)

func newReplay() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Show a recorded game in the terminal, or turn it into a GIF or a web page",
		Long: `Show a recorded game, made again from its start and its actions. On a terminal the
pictures follow each other in place; elsewhere they are written one below the
other. In the browser, view shows it. To see whether a recorded game agrees with the rules, use verify.

FILE may also be a data set that generate has made (its folder, or one of its files, which stands for the
whole set), a tournament's folder or log, or a recording of the original: a game_state.json, its folder, or a
folder of states.`,
		Example: `  pommego replay games.jsonl.gz
  pommego replay games.jsonl.gz --game 3 --fps 10
  pommego replay games.jsonl.gz --gif game.gif --html game.html
  pommego replay games.jsonl.gz --gif seat1.gif --seat 1
  pommego replay games.jsonl.gz --json
  pommego replay ffa --game 17`,
		Args: exactly(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	cmd.Flags().IntVar(&o.game, "game", 1,
		"which game: its line in the file, from 1, in a data set or tournament its number, from 0")
	cmd.Flags().Lookup("game").DefValue = "the first"
	cmd.Flags().Float64Var(&o.fps, "fps", 5, "pictures a second on a terminal (0: as fast as can be) and in a GIF")
	cmd.Flags().StringVar(&o.gif, "gif", "", "write the game to this new file as an animated picture")
	cmd.Flags().StringVar(&o.html, "html", "",
		"write the game to this new file as a web page that needs nothing else, the page of view")
	cmd.Flags().IntVar(&o.tile, "tile", 32, "with --gif, the size of a cell in pixels")
	cmd.Flags().IntVar(&o.seat, "seat", env.NoSeat,
		"show what this seat sees, fog included; -1: the whole game")
	cmd.Flags().BoolVar(&o.dark, "dark", false, "with --gif, in dark colours")
	cmd.Flags().BoolVar(&o.asJSON, "json", false,
		"print how the game went, with all events, as one JSON object, no pictures")
	return cmd
}

type replayOptions struct {
	game   int
	fps    float64
	asJSON bool
	gif    string
	html   string
	tile   int
	seat   int
	dark   bool
}

func (o *replayOptions) run(cmd *cobra.Command, path string) error {
	open, least := func(number int) (record.Replay, error) { return formats.Open(path, number) }, 1
	if inDataSet(path) != "" || tournamentAt(path) != "" {
		games, err := gamesAt(path)
		if err != nil {
			return err
		}
		open, least = games.Open, 0
	}
	if !cmd.Flags().Changed("game") {
		o.game = least
	}
	if err := o.check(least); err != nil {
		return err
	}
	game, err := open(o.game)
	if errors.Is(err, trace.ErrNoGame) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	out := cmd.OutOrStdout()
	if _, spec := game.Position(); o.seat >= spec.Seats {
		return usagef("--seat is %d, want 0 to %d for %s", o.seat, spec.Seats-1, game.Info().EnvID)
	}
	if o.gif != "" || o.html != "" {
		return o.save(ctx, out, path, game)
	}
	if !o.asJSON {
		if err := o.show(ctx, out, path, game); err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, match.OneLine(inWords(game.Status(), game.Info().Policies)))
		return err
	}
	return o.print(out, path, game)
}

// check returns an error if the flags do not fit together. least is the number of the first game.
func (o *replayOptions) check(least int) error {
	switch {
	case o.game < least:
		return usagef("--game is %d, want %d or more", o.game, least)
	case !(o.fps >= 0):
		return usagef("--fps is %v, want 0 or more", o.fps)
	case o.tile < 8 || o.tile > 128:
		return usagef("--tile is %d, want 8 to 128", o.tile)
	case o.seat < env.NoSeat:
		return usagef("--seat is %d, want a seat, or -1 for the whole game", o.seat)
	case o.fps == 0 && o.gif != "":
		return usagef("--fps is 0, want more with --gif")
	case o.asJSON && (o.gif != "" || o.html != ""):
		return usagef("--json prints the game and writes no file: leave out --gif and --html")
	}
	return vacant(o.gif, o.html)
}

// print prints the game's events and how it ended.
func (o *replayOptions) print(out io.Writer, path string, game record.Replay) error {
	var before, in env.SeatSet // the seats in before the last step, and after it
	events := []json.RawMessage{}
	err := game.Follow(func(at record.Moment) error {
		status := at.Match.Status()
		before, in = in, status.In
		for _, e := range at.Tracker.Events() {
			events = append(events, fmt.Appendf(nil, `{"step":%d,%s`, status.Steps, saved.JSON(e)[1:]))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: game %d: %w", path, o.game, err)
	}
	_, spec := game.Position()
	status := game.Status()
	return printJSON(out, struct {
		File string `json:"file"`
		Game int    `json:"game"`
		record.Info
		ended
		Results []env.SeatResult  `json:"result"` // by seat
		Events  []json.RawMessage `json:"events"`
	}{path, o.game, game.Info(), ended{status.Steps, status.Over, status.Winners},
		status.SeatResults(spec.Teams, before), events})
}

// show shows the game until its end, or until the user ends it.
func (o *replayOptions) show(ctx context.Context, out io.Writer, path string, replay record.Replay) error {
	pictures := newScreen(out, o.fps)
	info, note := replay.Info(), ""
	if info.Note != "" {
		note = "(" + info.Note + ")"
	}
	title := match.OneLine(string(printed(fmt.Appendf(nil, "%s, game %d: %s %s %s %s", path, o.game, info.EnvID, info.Name,
		note, strings.Join(info.Policies, ", ")))))
	err := replay.Follow(func(at record.Moment) error {
		text := picture.AppendMatch([]byte(title+"\n"), at.Game.Spec(), at.Match, at.Tracker, o.seat, pictures.colours)
		if err := pictures.show(text); err != nil || !pictures.rest(ctx) {
			return cmp.Or(err, errEnough)
		}
		return nil
	})
	if err == nil || errors.Is(err, errEnough) {
		return nil
	}
	return fmt.Errorf("%s: game %d: %w", path, o.game, err)
}

// save writes a game as a video and as a page, if the flags ask for them.
func (o *replayOptions) save(ctx context.Context, out io.Writer, path string, replay record.Replay) error {
	game, err := scene.Read(replay)
	if err != nil {
		return fmt.Errorf("%s: game %d: %w", path, o.game, err)
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

// ended is the status of a game, for JSON.
type ended struct {
	Steps   int         `json:"steps"`
	Over    bool        `json:"over"`
	Winners env.SeatSet `json:"winners"`
}

// inWords describes the status of a game, with the names of the agents that won.
func inWords(s env.Status, names []string) string {
	text, before := fmt.Sprintf("%s after %d steps", s.Result, s.Steps), ": "
	for _, seat := range s.Winners.List() {
		text += fmt.Sprintf("%sagent %d", before, seat)
		before = " and "
		if seat < len(names) {
			text += " (" + names[seat] + ")"
		}
	}
	return text
}
