package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/match"
	"pommego/arena/picture"
	"pommego/arena/trace"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/llm/dialogue"
	"pommego/llm/model"
)

func newPlay() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play one match between agents, on screen or recorded",
		Long: `Play one match and print how it ended. Agents are named seat by seat; a single name
plays in every seat. An agent is
  a built-in one, with its options (simple, mcts:ticks=2000),
  exec:COMMAND, a program that reads observations and writes actions as lines of JSON
    (write \, for a comma in the command),
  library:PATH, a shared library with the functions of pommego_agent.h,
  llm:ADDRESS,model=NAME, a language model (docs/language-models.md has its options),
  http://host:port, a server with the protocol of the original's HTTP and Docker agents, or
  human: you.
arena/match/PROTOCOL.md describes the protocols of programs, libraries and servers.

People play in the browser, with the keyboard or by touch. The command prints an address
for each of them, which works on this machine alone. The page shows what the seat sees, and
the whole game once the match is over. The match waits for each move; human:speed=4 makes 4
moves a second. Once no person is in the game it goes on at the speed chosen. The page then offers
the record, a rematch, and another match. --web without --agents begins with that choice: the
page may seat you and built-in agents alone. --record takes the first match. The
command ends when the page, once opened, has been closed for five seconds.

--web with --agents that are all programs shows their match there, as it is played.

Remote agents (exec, library, http and llm) have a time limit for each move. Late and invalid
moves are replaced by stop, counted and recorded. With built-in agents the same seed gives
the same match.

--start begins from a saved game: the first game of a file of recorded games or of the
original's recordings, a state that an environment saved (bytes or JSON), or a saved game
of the original. A recorded game contains its rules; the others need --env, and --rules if
they differ from the id's.

A match that is stopped by Ctrl-C, SIGTERM, SIGHUP or a person exits with 1. Its record then holds what
was played until then.`,
		Example: `  pommego play --agents simple --show
  pommego play --env PommeTeamCompetition-v0 --agents simple,random,simple,static --seed 7
  pommego play --agents simple --seed 7 --record match.jsonl.gz --quiet
  pommego play --env BaseWarSides-v0 --agents simple,mcts
  pommego play --env PommeTeam-v0 --rules '{"agent_view_size": 2}' --agents simple,random,simple,random
  pommego play --web
  pommego play --agents human,simple,simple,simple --record mine.jsonl.gz
  pommego play --agents llm:http://127.0.0.1:8000/v1,model=qwen3,simple,simple,simple
  pommego play --start match.jsonl.gz --agents mcts:ticks=2000,simple,simple,simple
  pommego play --agents http://localhost:10080,simple,simple,simple
  pommego play --env OneVsOne-v0 --agents "exec:python3 agent.py,simple" --limit 50ms --json`,
		Args: o.args,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd)
	return cmd
}

// args checks the arguments and combinations of flags.
func (o *playOptions) args(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	o.seeded = given("seed")
	o.chosen = given("env") || o.rules != ""
	o.names = agentNames(o.agents)
	human := slices.ContainsFunc(o.names, play.Human)
	o.hosted = o.web || human
	switch o.web = o.web && !given("agents"); {
	case o.web && (o.rules != "" || o.start != ""):
		return usagef("--web without --agents plays by the rules of the id: give --agents with --rules or --start")
	case o.show && o.quiet:
		return usagef("--show and --quiet exclude each other")
	}
	if err := o.match.Validate(); err != nil {
		return usageError{err}
	}
	_, unknown := o.chosenGame.game()
	return cmp.Or(unknown, vacant(o.record, o.dialogues), exactly(0, "none")(cmd, args))
}

func (o *playOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.chosenGame.add(cmd, defaultEnv)
	f.StringVar(&o.agents, "agents", "simple", "the agents' names, by seat, with commas between")
	f.Uint64Var(&o.seed, "seed", 0, "decides all random draws; itself drawn and printed if not given")
	timeAgents(f, &o.match.Wait, &o.match.Limit)
	limitMemory(f, &o.match.Memory)
	f.StringVar(&o.record, "record", "", "a new file to write the match to (.gz compresses)")
	recordDialogues(f, &o.dialogues)
	f.StringVar(&o.start, "start", "", "a `FILE` with the saved game to begin from")
	f.BoolVar(&o.show, "show", false, "show every step, 5 a second on a terminal; with human, once that seat is out")
	f.BoolVar(&o.web, "web", false, "show the match in the browser; without --agents: choose it there")
	f.BoolVar(&o.quiet, "quiet", false, "print how it ended, no picture")
	f.BoolVar(&o.asJSON, "json", false, "print how the match ended, and how each seat did, as one JSON object")
}

type playOptions struct {
	chosenGame
	chosen      bool // --env or --rules chose the game
	agents      string
	names       []string // by seat, or one for all
	web         bool     // the page chooses the first match
	hosted      bool     // there is a page
	match       match.Rules
	start       string
	seed        uint64
	seeded      bool
	record      string
	dialogues   string
	talks       model.Dialogues
	show, quiet bool
	asJSON      bool
}

// The steps between recorded observations, and the pictures per second on a terminal.
const (
	obsEvery = 20
	showFPS  = 5
)

func (o *playOptions) run(cmd *cobra.Command) error {
	if !o.seeded {
		o.drawSeed()
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // if nobody reads what is printed, the record is kept
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	o.talks.Log = dialogue.NewLog(o.dialogues)
	if o.hosted {
		return o.host(ctx, cmd.OutOrStdout())
	}
	return o.once(ctx, cmd.OutOrStdout(), nil, func(_ *seated, err error) error { return err })
}

// drawSeed draws a seed that is short enough to type again.
func (o *playOptions) drawSeed() { o.seed = uint64(rand.Uint32()) }

// once plays one match, at the table if there is one. It calls ready when the match begins,
// or with the error if it cannot begin.
func (o *playOptions) once(ctx context.Context, out io.Writer, table *play.Table,
	ready func(*seated, error) error) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	s, err := o.seat(table, leave)
	defer s.release()
	var rec *match.Recording
	if err == nil {
		rec, err = o.recording(s)
	}
	if err = ready(s, err); err != nil {
		return err
	}
	report, err := o.play(ctx, out, s, rec)
	if s.table != nil {
		defer s.table.End(s.howEnded(report, err))
	}
	switch {
	case errors.Is(err, errInterrupted) || errors.Is(err, errLeft):
		return o.keepStopped(errors.Join(err, o.talks.Record.End()), s, rec)
	case err != nil:
		return err
	case report.Void != "":
		err = errors.Join(fmt.Errorf("%w: %s", match.ErrVoid, match.OneLine(report.Void)), o.talks.End())
	}
	return errors.Join(o.report(out, s, report), err, o.keep(s, rec), o.talks.Log.Err())
}

// recording makes a recording of the match if a file or the page needs one.
func (o *playOptions) recording(s *seated) (rec *match.Recording, err error) {
	if o.record != "" {
		err = trace.Writable(o.record)
	} else if s.table == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if rec, err = match.NewRecording(s.game, s.players, obsEvery); err != nil {
		return nil, usagef("--record: %w", err)
	}
	if o.start != "" {
		rec.Setup = "saved"
	}
	return rec, nil
}

// keep stores the record of the match in the file and on the page, if they need it.
func (o *playOptions) keep(s *seated, rec *match.Recording) error {
	if rec == nil || rec.Steps() == 0 {
		return nil
	}
	line, err := rec.Record()
	if err == nil && s.table != nil {
		s.table.Keep(line)
	}
	if err == nil && o.record != "" {
		err = trace.Write(o.record, line)
	}
	return err
}

var errInterrupted = errors.New("interrupted before the match was over")

// played is a match that is over.
type played struct {
	*match.Report
	last match.Moment
}

// play plays the match to its end, shows it and records it.
func (o *playOptions) play(ctx context.Context, out io.Writer, s *seated, rec *match.Recording) (*played, error) {
	over := new(played)
	pictures := newScreen(out, showFPS)
	watch := func(at match.Moment) error {
		over.last = at
		if rec != nil {
			if err := rec.Watch(at); err != nil {
				return err
			}
		}
		if err := o.talks.Watch(at); err != nil {
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
		title := fmt.Appendf(nil, "%s, seed %d: %s\n", s.game.Spec().ID, o.seed, strings.Join(s.names, ", "))
		text := picture.AppendMatch(title, at.Game.Spec(), at.Match, at.Tracker, env.NoSeat,
			pictures.colours)
		err := pictures.show(text)
		switch more := pictures.rest(ctx); {
		case status.Over:
		case err != nil:
			return fmt.Errorf("%w: %w", errInterrupted, err)
		case !more:
			return errInterrupted
		}
		return nil
	}
	var err error
	o.match.Events = s.table != nil
	over.Report, err = match.Play(ctx, s.game, s.players, env.Seed{Value: o.seed}, o.match, watch)
	switch cause := context.Cause(ctx); {
	case err == nil: // decided, even if a person has left since
	case errors.Is(cause, errLeft):
		return nil, cause
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	}
	return over, err
}

// keepStopped stores the record of a match that was stopped, and says so in the error.
func (o *playOptions) keepStopped(why error, s *seated, rec *match.Recording) error {
	if err := o.keep(s, rec); err != nil {
		return err
	}
	switch {
	case o.record == "":
		return why
	case rec.Steps() == 0:
		return fmt.Errorf("%w; nothing was played, so nothing is recorded", why)
	}
	return fmt.Errorf("%w; the %d steps until then are recorded in %s", why, rec.Steps(), o.record)
}

func (o *playOptions) report(out io.Writer, s *seated, p *played) error {
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
			Counts  env.Counts         `json:"counts"`
			Seats   []match.SeatReport `json:"seats"`
			Record  string             `json:"record,omitempty"`
			Void    string             `json:"void,omitempty"`
		}{s.game.Spec().ID, s.game.Spec().Rules, o.seed, s.names, ended{p.End.Steps, p.End.Over, p.End.Winners}, p.Results,
			p.Outcome, rewards, p.Counts, p.Seats, o.record, p.Void})
	}
	if !o.quiet && !o.show {
		pictures := newScreen(out, 0)
		text := picture.AppendMatch(nil, p.last.Game.Spec(), p.last.Match, p.last.Tracker, env.NoSeat, pictures.colours)
		if _, err := pictures.out.Write(text); err != nil {
			return err
		}
	}
	for seat, report := range p.Seats {
		if a := report.Answers; report.Late+report.Failed > 0 || report.LastError != "" && a == (match.Answers{}) {
			more := ""
			if report.Gone > 0 {
				more = fmt.Sprintf(", for %d not asked", report.Gone)
			}
			fmt.Fprintf(out, "agent %d (%s): of %d moves %d late, %d failed%s; longest %v; %s\n", seat, report.Agent,
				report.Moves, report.Late, report.Failed, more, report.Longest.Round(time.Millisecond),
				match.OneLine(report.LastError))
		}
		if a := report.Answers; a != (match.Answers{}) {
			fmt.Fprintln(out, answersLine(seat, a), match.OneLine(report.LastError))
		}
	}
	if p.Counts != nil && !o.quiet {
		fmt.Fprintln(out, countsLine(s.game.Spec(), p.Counts))
	}
	_, err := fmt.Fprintf(out, "%s, seed %d: %s\n", s.game.Spec().ID, o.seed, inWords(p.End, s.names))
	return err
}

// answersLine says how a seat's answers were read, and what they cost if that is known.
func answersLine(seat int, a match.Answers) string {
	line := fmt.Sprintf("agent %d answered %d times legally, %d repaired, %d illegally, %d late; %d tokens in, %d out",
		seat, a.Legal, a.Repaired, a.Illegal, a.Late, a.TokensIn, a.TokensOut)
	if a.Cost > 0 {
		line += fmt.Sprintf("; cost %.4f", a.Cost)
	}
	return line
}

// countsLine lists what a game counted, by seat.
func countsLine(spec *env.Spec, c env.Counts) string {
	var parts []string
	for _, name := range spec.Counts {
		parts = append(parts, fmt.Sprintf("%s %s", strings.ReplaceAll(name.Name, "_", " "),
			strings.Trim(fmt.Sprint(c[name.Name]), "[]")))
	}
	return "by seat: " + strings.Join(parts, ", ")
}
