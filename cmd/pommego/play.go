package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/human"
	"pommego/arena/match"
	"pommego/arena/start"
	"pommego/arena/trace"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/env/catalog"
)

func newPlay() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play one match between agents, on screen or recorded",
		Long: `Play one match and print how it ended. Agents are named seat by seat; a single name
plays in every seat. An agent is a built-in one, with options where it has any
(simple, mcts:ticks=2000); http://host:port, a server that speaks the protocol of the
original's HTTP and Docker agents; or exec:COMMAND, a program that reads observations
and writes actions as lines of JSON (write \, for a comma in the command). Both
protocols are described in arena/match/PROTOCOL.md. Or it is you: human.

human plays at the terminal and sees what its seat sees. Arrows or w a s d move, space lays
a bomb, a dot stays, q leaves the match; digits before the move are words to the teammate,
and a side of BaseWar takes a key for each of its bombers. The match waits for each move;
human:speed=4 makes 4 decisions a second and stays if no key came. Where standard input is
no terminal, each line is a move by name or key, such as "up", "b", "left 3 5" with words
or "up bomb stop" for three bombers; an empty line stays. The end of input ends the match.

With --web, people play in the browser instead, each at an address of their own, with the keyboard
or by touch, turn by turn or at a speed that they choose there. The page shows what the seat
sees, and once the match is over the whole game. Only this machine can open it, with the
token in its address. The command ends when the page is closed, or with Ctrl-C.

Remote agents (http and exec) have a time limit for each move; one that is late, fails
or answers nonsense plays stop, the match goes on, and how often that happened is
reported and recorded. With built-in agents the same seed gives the same match.

A match can begin from a saved game (--start): a recorded one, from its beginning; a state
that an environment has saved, as bytes or JSON; or a file of the original's, as its
get_json_info writes it. Recorded games say by which rules they are played; to any other
file belong --env and --rules. What is random comes from --seed all the same.

A match that is stopped, by Ctrl-C, SIGTERM, a person who leaves or the input's end, exits
with 1, and --record and --events hold what was played until then: games that verify and
replay read, the last of them undecided.

Ties stand, or are played again: by the playground's rule once more and then on a
collapsing board until there is a winner, 20 times at most; by the Java rule up to
three times, and then all have lost.`,
		Example: `  pommego play --agents simple --show
  pommego play --env PommeTeamCompetition-v0 --agents simple,random,simple,static --seed 7
  pommego play --agents simple --seed 7 --record match.jsonl.gz --quiet
  pommego play --env BaseWarSides-v0 --agents simple,mcts --draw-sides=false
  pommego play --agents simple,mcts,simple,random --seed 7 --quiet --events events.jsonl
  pommego play --env PommeTeam-v0 --rules '{"agent_view_size": 2}' --agents simple,random,simple,random
  pommego play --agents human,simple,simple,simple --record mine.jsonl.gz
  pommego play --env SuiteBot-v0 --agents human:speed=3,simple,simple,random
  pommego play --web --env PommeTeamCompetition-v0 --agents human,simple,simple,simple --record mine.jsonl.gz
  pommego play --start match.jsonl.gz --agents mcts:ticks=2000,simple,simple,simple
  pommego play --agents http://localhost:10080,simple,simple,simple --ties playground
  pommego play --env OneVsOne-v0 --agents "exec:python3 agent.py,simple" --limit 50ms --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			o.seeded, o.lotGiven = cmd.Flags().Changed("seed"), cmd.Flags().Changed("draw-sides")
			o.chosen = cmd.Flags().Changed("env") || o.rules != ""
			if err := o.check(); err != nil {
				return usageError{err}
			}
			return exactly(0, "none")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	o.chosenGame.add(cmd, defaultEnv)
	f.StringVar(&o.agents, "agents", "simple", "the agents' names, by seat, with commas between")
	f.Uint64Var(&o.seed, "seed", 0, "what decides everything random; drawn and printed if not given")
	f.BoolVar(&o.lot, "draw-sides", false, "draw from the seed which side each agent or team of agents plays; by default where the game's own document does (BaseWar)")
	f.TextVar(&o.match.Ties, "ties", match.KeepTies, "play ties again by the rule of this `name`: none, playground or java")
	f.DurationVar(&o.match.Limit, "limit", 0, "how long a remote agent may take for a move (0: as the game's own rules say, else 100ms)")
	f.DurationVar(&o.match.GiveUp, "give-up", 0, "after how long without an answer a remote agent is not asked again in a game (0: as the game's own rules say, else never)")
	f.BoolVar(&o.match.LimitAll, "limit-all", false, "apply --limit to built-in agents too")
	f.DurationVar(&o.match.Wait, "wait", match.DefaultWait, "how long a remote agent may take to get ready for a game")
	f.StringVar(&o.record, "record", "", "a file to write the match to, a line a game (.gz compresses)")
	f.StringVar(&o.events, "events", "", "a file to write all that happens to, an event a line as JSON")
	f.IntVar(&o.match.Repetition, "repetition", 0, "play on the seed's board with other random numbers: those of repetition N")
	f.StringVar(&o.start, "start", "", "a `FILE` with the saved game to begin from")
	f.IntVar(&o.startGame, "start-game", 1, "with --start, which game of a file of recorded games: its line")
	f.IntVar(&o.obsEvery, "obs-every", 3, "record observations every this many steps, 0: never")
	f.BoolVar(&o.show, "show", false, "show every step; with human, once it is out: until then it sees no more than its seat")
	f.Float64Var(&o.fps, "fps", 5, "with --show, pictures a second on a terminal, 0: as fast as can be")
	f.BoolVar(&o.web, "web", false, "with human, play in the browser, at the address that is printed")
	f.BoolVar(&o.quiet, "quiet", false, "print how it ended, no picture")
	f.BoolVar(&o.asJSON, "json", false, "print how the match ended, and how each seat did, as one JSON object")
	return cmd
}

type playOptions struct {
	chosenGame
	chosen      bool // the game, by --env or --rules
	agents      string
	match       match.Rules
	start       string
	startGame   int
	seed        uint64
	seeded      bool
	lot         bool // sides are drawn by lot
	lotGiven    bool
	record      string
	events      string
	obsEvery    int
	show, quiet bool
	fps         float64
	web         bool
	asJSON      bool
}

// check says what is wrong with the flags' values.
func (o *playOptions) check() error {
	switch {
	case o.show && o.quiet:
		return errors.New("--show and --quiet exclude each other")
	case o.match.Repetition < 0:
		return fmt.Errorf("--repetition is %d, want 0 or more", o.match.Repetition)
	case o.startGame < 1:
		return fmt.Errorf("--start-game is %d, want 1 or more", o.startGame)
	case o.startGame > 1 && o.start == "":
		return errors.New("--start-game needs --start FILE")
	case o.start != "" && o.match.Ties == match.RerunPlayground:
		return errors.New("--ties playground plays on a collapsing board in the end, so it excludes --start")
	case o.obsEvery < 0:
		return fmt.Errorf("--obs-every is %d, want 0 or more", o.obsEvery)
	case o.fps < 0:
		return fmt.Errorf("--fps is %v, want 0 or more", o.fps)
	case o.match.Limit < 0:
		return fmt.Errorf("--limit is %v, want 0 or more", o.match.Limit)
	case o.match.GiveUp < 0 || o.match.GiveUp > 0 && o.match.GiveUp < o.match.Limit:
		return fmt.Errorf("--give-up is %v, want 0, or at least --limit", o.match.GiveUp)
	case o.match.Wait <= 0:
		return fmt.Errorf("--wait is %v, want more than 0", o.match.Wait)
	}
	return nil
}

// seated is a match that is about to be played.
type seated struct {
	game    env.Game
	names   []string
	players []match.Player
	people  env.SeatSet    // seats of people
	console *human.Console // theirs
	restore func()         // has the terminal as it was

	table      *play.Table      // with --web, people's
	closeTable func(how string) // once the match is over; nil without
}

// release closes the players that have been opened.
func (s *seated) release() {
	if s.restore != nil {
		s.restore()
	}
	for _, p := range s.players {
		p.Close()
	}
}

func (o *playOptions) run(cmd *cobra.Command) error {
	if !o.seeded {
		var random [4]byte // short enough to be typed again
		rand.Read(random[:])
		o.seed = uint64(binary.LittleEndian.Uint32(random[:]))
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	patient := ctx // that a person who leaves does not end
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	out := cmd.OutOrStdout()
	s, err := o.seat(out, leave)
	defer s.release()
	if err != nil {
		return err
	}
	if o.web {
		if err := s.openTable(patient, o, out); err != nil {
			return err
		}
	}
	var file *trace.Writer
	var rec *match.Recording
	if o.record != "" {
		if file, err = trace.Create(o.record); err != nil {
			return err
		}
		defer file.Abort() // nothing, once it is closed
		if rec, err = match.NewRecording(s.game, s.players, o.obsEvery, file); err != nil {
			return usagef("--record: %w", err)
		}
		if o.start != "" {
			rec.Setup = "saved"
		}
	}
	events := match.EventLog{Agents: s.names}
	report, err := o.play(ctx, out, s, rec, &events)
	if o.web {
		defer s.closeTable(s.howEnded(report, err))
	}
	stopped := errors.Is(err, errInterrupted) || errors.Is(err, human.ErrLeft)
	if err != nil && !stopped {
		return err
	}
	if stopped {
		return o.keepStopped(err, &events, file, rec)
	}
	if err := o.keep(&events, file); err != nil {
		return err
	}
	return o.report(out, s, report)
}

// keep writes the files that were asked for.
func (o *playOptions) keep(events *match.EventLog, file *trace.Writer) error {
	if o.events != "" {
		if err := writeEvents(o.events, events.Events); err != nil {
			return err
		}
	}
	if file == nil {
		return nil
	}
	return file.Close()
}

// keepStopped keeps what was played before a match was stopped, and says so. Files
// that there were stay if nothing was.
func (o *playOptions) keepStopped(why error, events *match.EventLog, file *trace.Writer, rec *match.Recording) error {
	if rec != nil {
		if err := rec.Stop(); err != nil {
			return err
		}
	}
	switch {
	case o.record == "" && o.events == "":
		return why
	case rec != nil && rec.Steps == 0, rec == nil && events.Events == nil:
		return fmt.Errorf("%w; nothing was played, so nothing is recorded", why)
	}
	if err := o.keep(events, file); err != nil {
		return err
	}
	if rec == nil {
		return fmt.Errorf("%w; what happened until then is in %s", why, o.events)
	}
	return fmt.Errorf("%w; the %d steps until then are recorded in %s", why, rec.Steps, o.record)
}

// seat makes the game and its players. What it has made is to be closed, also
// with an error.
func (o *playOptions) seat(out io.Writer, leave context.CancelCauseFunc) (*seated, error) {
	s := &seated{names: agentNames(o.agents)}
	game, err := o.begin()
	if err != nil {
		return s, err
	}
	s.game = game
	seats := game.Spec().Seats
	if len(s.names) == 1 {
		for len(s.names) < seats {
			s.names = append(s.names, s.names[0])
		}
	}
	if len(s.names) != seats {
		return s, usagef("--agents names %d agents, want %d for %s, or one for all seats", len(s.names), seats, game.Spec().ID)
	}
	if d, ok := game.(env.SidesByLot); ok && !o.lotGiven {
		o.lot = d.SidesByLot()
	}
	if o.lot {
		if s.names, err = match.DrawSides(game.Spec(), s.names, env.Seed{Value: o.seed}); err != nil {
			return s, usagef("--draw-sides: %w", err)
		}
	}
	if o.web {
		s.newTable(leave)
	}
	for seat, name := range s.names {
		var p match.Player
		if human.Named(name) {
			s.people = s.people.With(seat)
			p, err = s.person(o, seat, name, out, leave)
		} else {
			p, err = match.NewPlayer(game, name)
		}
		if err != nil {
			return s, usagef("--agents: %w", err)
		}
		s.players = append(s.players, p)
	}
	if o.web && s.people == 0 {
		return s, usagef("--web needs a person: name human in --agents")
	}
	if o.match.LimitAll && s.people != 0 {
		return s, usagef("--limit-all and human exclude each other: no person plays within %v", max(o.match.Limit, match.DefaultLimit))
	}
	return s, nil
}

// begin makes the game, and reads what its matches begin from. A recorded game says
// itself which game it is.
func (o *playOptions) begin() (env.Game, error) {
	if o.start == "" {
		return o.chosenGame.game()
	}
	saved, err := start.Read(o.start, o.startGame, formats)
	if err != nil {
		return nil, err
	}
	var game env.Game
	if o.chosen || saved.ID == "" {
		game, err = o.chosenGame.game()
	} else if game, err = catalog.Played(saved.ID, saved.Rules); err != nil {
		err = fmt.Errorf("%s: %w; name an environment with --env", o.start, err)
	}
	if err == nil {
		o.match.From, err = saved.In(game)
	}
	return game, err
}

// agentNames takes a list of names apart. What follows a comma belongs to the
// name before it if it is an option, as in "mcts:ticks=200,depth=8,simple", or
// if a backslash stands before the comma.
func agentNames(list string) []string {
	var names []string
	joined := false // to the name before
	for _, part := range strings.Split(list, ",") {
		isOption := strings.Contains(part, "=") && !strings.Contains(part, ":")
		if n := len(names); n > 0 && (joined || isOption) {
			names[n-1] += "," + part
		} else {
			names = append(names, strings.TrimSpace(part))
		}
		last := &names[len(names)-1]
		if joined = strings.HasSuffix(*last, `\`); joined {
			*last = strings.TrimSuffix(*last, `\`)
		}
	}
	return names
}

// errInterrupted says that the user ended the match.
var errInterrupted = errors.New("interrupted before the match was over")

// played is a match that is over.
type played struct {
	*match.Result
	last env.Match // its last game
}

// play plays the match to its end, shows it and records it.
func (o *playOptions) play(ctx context.Context, out io.Writer, s *seated, rec *match.Recording, events *match.EventLog) (*played, error) {
	over := new(played)
	pictures := newScreen(out, onTerminal(os.Stdout), o.fps, nil)
	watch := func(at match.Moment) error {
		over.last = at.Match
		if rec != nil {
			if err := rec.Watch(at); err != nil {
				return err
			}
		}
		if err := events.Watch(at); err != nil {
			return err
		}
		if s.table != nil {
			if err := s.table.Watch(at); err != nil {
				return err
			}
		}
		if o.show && !o.asJSON && at.Match.Status().In&s.people == 0 && !pictures.show(ctx, o.title(s, at), at.Match.AppendText) {
			return errInterrupted
		}
		return nil
	}
	var err error
	o.match.Events = o.events != "" || o.web
	over.Result, err = match.Play(ctx, s.game, s.players, env.Seed{Value: o.seed}, o.match, watch)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, human.ErrLeft):
		return nil, cause
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	}
	return over, err
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
		p.last.Rewards(rewards)
		return printJSON(out, struct {
			Env    string   `json:"env"`
			Rules  any      `json:"rules"`
			Seed   uint64   `json:"seed"`
			Agents []string `json:"agents"`
			ended
			Rewards []float64          `json:"rewards"`
			Outcome []float64          `json:"outcome"`
			Ties    string             `json:"ties"`
			Games   int                `json:"games"`
			Total   int                `json:"total_steps"`
			Counts  env.Counts         `json:"counts"`
			Seats   []match.SeatReport `json:"seats"`
			Record  string             `json:"record,omitempty"`
		}{s.game.Spec().ID, s.game.Spec().Rules, o.seed, s.names, newEnded(status), rewards, p.Outcome, o.match.Ties.String(), p.Games, p.Total, p.Counts, p.Seats, o.record})
	}
	if !o.quiet && !o.show {
		if _, err := out.Write(p.last.AppendText(nil, inColour())); err != nil {
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
				report.Moves, report.Late, report.Failed, more, report.Longest.Round(time.Millisecond), oneLine(errors.New(report.LastError)))
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
