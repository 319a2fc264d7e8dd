package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/match"
	"pommego/arena/picture"
	"pommego/arena/trace"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/internal/disk"
	"pommego/llm/dialogue"
)

func (o *playOptions) run(cmd *cobra.Command) error {
	if !o.seeded {
		o.drawSeed()
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	o.talks.Log = dialogue.NewLog(o.dialogues)
	if o.hosted {
		return o.host(ctx, cmd.OutOrStdout())
	}
	return o.once(ctx, cmd.OutOrStdout(), nil, func(_ *seated, err error) error { return err })
}

func (o *playOptions) drawSeed() {
	var random [4]byte // short enough to be typed again
	rand.Read(random[:])
	o.seed = uint64(binary.LittleEndian.Uint32(random[:]))
}

// once plays one match, at the table if there is one. It calls ready when the match can begin,
// or with the reason why it cannot.
func (o *playOptions) once(ctx context.Context, out io.Writer, table *play.Table,
	ready func(*seated, error) error) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	s, err := o.seat(table, leave)
	defer s.release()
	var file *trace.Writer
	var rec *match.Recording
	if err == nil {
		file, rec, err = o.recording(s)
	}
	if file != nil {
		defer file.Abort() // nothing, once it is closed
	}
	if err = ready(s, err); err != nil {
		return err
	}
	events := match.EventLog{Agents: s.names}
	report, err := o.play(ctx, out, s, rec, &events)
	if s.table != nil {
		defer s.table.End(s.howEnded(report, err))
	}
	stopped := errors.Is(err, errInterrupted) || errors.Is(err, errLeft)
	if err != nil && !stopped {
		return err
	}
	if stopped {
		err = errors.Join(err, o.talks.Record.End())
		return o.keepStopped(err, &events, file, rec)
	}
	if report.Void != "" {
		if err = o.talks.End(); rec != nil {
			err = errors.Join(err, rec.Stop())
		}
	}
	if err = errors.Join(err, o.keep(&events, file)); err != nil {
		return err
	}
	if err := o.report(out, s, report); err != nil || report.Void == "" {
		return err
	}
	return fmt.Errorf("%w: %s", match.ErrVoid, oneLine(report.Void))
}

// records are the places where a record is kept.
type records []interface{ Write(record []byte) error }

func (r records) Write(record []byte) (err error) {
	for _, out := range r {
		err = errors.Join(err, out.Write(record))
	}
	return err
}

// recording records the match in the file that was asked for, and for the page; nil where there
// is none.
func (o *playOptions) recording(s *seated) (file *trace.Writer, rec *match.Recording, err error) {
	var to records
	if s.table != nil {
		to = append(to, s.table)
	}
	if o.record != "" {
		if file, err = trace.Create(o.record); err != nil {
			return nil, nil, err
		}
		to = append(to, file)
	}
	if to == nil {
		return nil, nil, nil
	}
	if rec, err = match.NewRecording(s.game, s.players, obsEvery, to); err != nil {
		return file, nil, usagef("--record: %w", err)
	}
	if o.start != "" {
		rec.Setup = "saved"
	}
	return file, rec, nil
}

// errInterrupted says that the user ended the match.
var errInterrupted = errors.New("interrupted before the match was over")

// played is a match that is over.
type played struct {
	*match.Result
	last match.Moment
}

// play plays the match to its end, shows it and records it.
func (o *playOptions) play(ctx context.Context, out io.Writer, s *seated, rec *match.Recording,
	events *match.EventLog) (*played, error) {
	over := new(played)
	pictures := newScreen(out, showFPS)
	watch := func(at match.Moment) error {
		over.last = at
		if rec != nil {
			if err := rec.Watch(at); err != nil {
				return err
			}
		}
		if err := errors.Join(events.Watch(at), o.talks.Watch(at)); err != nil {
			return err
		}
		if s.table != nil {
			if err := s.table.Watch(at); err != nil {
				return err
			}
		}
		status := at.Match.Status()
		if !o.show || o.asJSON || status.In&s.people != 0 {
			return nil
		}
		text := picture.AppendMatch([]byte(o.title(s, at)+"\n"), at.Game.Spec(), at.Match, at.Tracker, env.NoSeat,
			pictures.colours)
		err := pictures.show(text)
		if more := pictures.rest(ctx); (err != nil || !more) && !status.Over {
			return errInterrupted
		}
		return nil
	}
	var err error
	o.match.Events = o.events != "" || s.table != nil
	over.Result, err = match.Play(ctx, s.game, s.players, env.Seed{Value: o.seed}, o.match, watch)
	switch cause := context.Cause(ctx); {
	case err == nil: // decided, whoever left after that
	case errors.Is(cause, errLeft):
		return nil, cause
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	}
	return over, err
}

// keep writes the files that were asked for.
func (o *playOptions) keep(events *match.EventLog, file *trace.Writer) error {
	if o.events != "" {
		err := disk.WriteFile(disk.OS, o.events, func(w io.Writer) error {
			_, err := w.Write(events.Lines)
			return err
		})
		if err != nil {
			return err
		}
	}
	if file == nil {
		return nil
	}
	return file.Close()
}

// keepStopped keeps what was played before a match was stopped, and says so.
func (o *playOptions) keepStopped(why error, events *match.EventLog, file *trace.Writer, rec *match.Recording) error {
	if rec != nil {
		if err := rec.Stop(); err != nil {
			return err
		}
	}
	switch {
	case o.record == "" && o.events == "":
		return why
	case rec != nil && rec.Steps == 0, rec == nil && events.Lines == nil:
		return fmt.Errorf("%w; nothing was played, so nothing is recorded", why)
	}
	if err := o.keep(events, file); err != nil {
		return err
	}
	if file == nil {
		return fmt.Errorf("%w; what happened until then is in %s", why, o.events)
	}
	return fmt.Errorf("%w; the %d steps until then are recorded in %s", why, rec.Steps, o.record)
}

// title is what stands above a picture.
func (o *playOptions) title(s *seated, at match.Moment) string {
	title := fmt.Sprintf("%s, seed %d: %s", s.game.Spec().ID, o.seed, strings.Join(s.names, ", "))
	if at.Number > 0 {
		title += fmt.Sprintf(" (game %d, seed %d)", at.Number+1, at.Seed.Value)
	}
	return title
}

// report prints how the match ended.
func (o *playOptions) report(out io.Writer, s *seated, p *played) error {
	status := env.Status{Over: true, Result: p.Result.Result, Winners: p.Winners, Steps: p.Steps}
	if o.asJSON {
		rewards := make([]float64, len(s.players))
		p.last.Match.Rewards(rewards)
		return printJSON(out, struct {
			Env    string   `json:"env"`
			Rules  any      `json:"rules"`
			Seed   uint64   `json:"seed"`
			Agents []string `json:"agents"`
			ended
			Result  []env.SeatResult   `json:"result"`
			Outcome []float64          `json:"outcome"`
			Rewards []float64          `json:"rewards"`
			Ties    string             `json:"ties"`
			Games   int                `json:"games"`
			Total   int                `json:"total_steps"`
			Counts  env.Counts         `json:"counts"`
			Seats   []match.SeatReport `json:"seats"`
			Record  string             `json:"record,omitempty"`
			Void    string             `json:"void,omitempty"`
		}{s.game.Spec().ID, s.game.Spec().Rules, o.seed, s.names, newEnded(status), p.Results, p.Outcome, rewards,
			o.match.Ties.String(), p.Games, p.Total, p.Counts, p.Seats, o.record, p.Void})
	}
	if !o.quiet && !o.show {
		text := picture.AppendMatch(nil, p.last.Game.Spec(), p.last.Match, p.last.Tracker, env.NoSeat, colours())
		if _, err := newScreen(out, 0).out.Write(text); err != nil {
			return err
		}
	}
	for seat, report := range p.Seats {
		if report.Late+report.Failed+report.FailedNotices > 0 {
			more := ""
			if report.Gone > 0 {
				more = fmt.Sprintf(", for %d not asked", report.Gone)
			}
			if report.FailedNotices > 0 {
				more += fmt.Sprintf("; failed notices: %d", report.FailedNotices)
			}
			fmt.Fprintf(out, "agent %d (%s): of %d moves %d late, %d failed%s; longest %v; %s\n", seat, report.Agent,
				report.Moves, report.Late, report.Failed, more, report.Longest.Round(time.Millisecond),
				oneLine(report.LastError))
		}
		if a := report.Answers; a != (dialogue.Usage{}) {
			fmt.Fprintln(out, answersLine(seat, a), oneLine(report.LastError))
		}
	}
	if line := countsLine(s.game.Spec(), p.Counts); line != "" && !o.quiet {
		fmt.Fprintln(out, line)
	}
	again := ""
	if p.Games > 1 {
		again = fmt.Sprintf(" (game %d, after %d ties)", p.Games, p.Games-1)
	}
	_, err := fmt.Fprintf(out, "%s, seed %d: %s%s\n", s.game.Spec().ID, o.seed, inWords(status, s.names), again)
	return err
}

// answersLine says how a seat's answers were read, and what they cost where that is known.
func answersLine(seat int, a dialogue.Usage) string {
	line := fmt.Sprintf("agent %d answered %d times legally, %d repaired, %d illegally, %d late; %d tokens in, %d out",
		seat, a.Legal, a.Repaired, a.Illegal, a.Late, a.TokensIn, a.TokensOut)
	if a.Cost > 0 {
		line += fmt.Sprintf("; cost %.4f", a.Cost)
	}
	return line
}

// countsLine is what a game counted, by seat.
func countsLine(spec *env.Spec, c env.Counts) string {
	var parts []string
	for _, name := range spec.Counts {
		if c != nil {
			parts = append(parts, fmt.Sprintf("%s %s", strings.ReplaceAll(name.Name, "_", " "),
				strings.Trim(fmt.Sprint(c[name.Name]), "[]")))
		}
	}
	if parts == nil {
		return ""
	}
	return "by seat: " + strings.Join(parts, ", ")
}
