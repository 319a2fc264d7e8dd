package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/match"
	"pommego/arena/tournament"
	"pommego/arena/tournament/report"
	"pommego/internal/enum"
)

func newTournament() *cobra.Command {
	var o tournamentOptions
	cmd := &cobra.Command{
		Use:   "tournament",
		Short: "Play many matches between agents: ratings, tables, tests of significance",
		Long: `Play many matches between agents and print how often each won, how they are rated and
which differences are significant, with 95 % intervals. Seats and seeds are balanced: all
agents play the same seeds and have each seat equally often.

Formats:
  one-against-three  each agent alone, with --against in all other seats; --games for each
                     agent. The default in games without teams.
  two-against-two    two teams, each of a kind (of three in BaseWar-v0), every agent against every
                     other one, or against --against alone; --games for each pair. The default in
                     team games.
  round-robin        all agents against each other, as many at a time as there are sides;
                     --games for each choice of them.

With --mirrored each board is played from every side with the same random numbers, so that in
duels and team games every game has a mirror image: the luck of boards and sides cancels out.

With --levels and --repetitions a tournament is an experiment of so many boards, each played so
many times with other random numbers. --events keeps who laid which bomb, died of whose flames, and so on.

With --log (or --out) every finished game is kept. A tournament that was stopped, in whatever
way, continues with --resume and ends as if it had not been; one that is finished plays on if
--games or --levels is larger than before. Results depend neither on the
number of workers nor on interruptions, as long as no agent has a limit in time; what the clock
says is printed on a terminal, or with --timing, and has files of its own.

Several machines can share the games: each plays a part into a log of its own, with the same
flags and --part; then one takes all logs, with --take for each, and plays what is missing.`,
		Example: `  pommego tournament --agents simple,random,static --games 200
  pommego tournament --env PommeTeam-v0 --agents simple,random --games 100 --json
  pommego tournament --env OneVsOne-v0 --format round-robin --agents simple,random,static
  pommego tournament --env OneVsOne-v0 --format round-robin --agents simple,heuristic --games 200 --mirrored
  pommego tournament --env PommeFFA2018-v0 --agents mcts:ticks=30,careful=0,uct:ticks=30 --against simple-2018
  pommego tournament --env BaseWar-v0 --rules '{"base_damage": "round"}' --agents simple,random
  pommego tournament --agents simple,random --games 10000 --out results --resume
  pommego tournament --agents simple,random --games 20000 --out results --resume
  pommego tournament --agents simple,random --games 10000 --part 5000-9999 --log part.jsonl
  pommego tournament --agents simple,random --games 10000 --out results --take part.jsonl --take other.jsonl
  pommego tournament --env PommeFFAJava-v0 --agents java-osla,random --levels 10 --repetitions 4 --events events.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			o.againstGiven = cmd.Flags().Changed("against")
			if err := o.check(cmd.Flags().Changed("games")); err != nil {
				return err
			}
			return exactly(0, "none")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd)
	return cmd
}

// flags adds the flags.
func (o *tournamentOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.chosenGame.add(cmd, defaultEnv)
	o.parts.add(cmd, "games", "log")
	f.StringVar(&o.format, "format", "", "the rule by which agents meet: "+strings.Join(enum.NamesOf(tournament.RoundRobin), ", "))
	f.StringVar(&o.agents, "agents", "simple", "the agents' names, with commas between")
	f.StringVar(&o.against, "against", "simple", "the agents' opponent; by default each other in two-against-two")
	f.IntVar(&o.config.Games, "games", 100, "games for each agent, pair or table")
	f.IntVar(&o.levels, "levels", 0, "in place of --games: how many boards to play on, --repetitions times each")
	f.IntVar(&o.config.Repetitions, "repetitions", 1, "with --levels: games in a row on each board, with other random numbers each time")
	f.BoolVar(&o.config.Mirrored, "mirrored", false, "play each board from every side, with the same random numbers; --games is a multiple of the sides, --levels counts boards")
	f.Uint64Var(&o.config.Seed, "seed", 1, "seed of the first board; the others count on from it")
	f.DurationVar(&o.config.Limit, "limit", 0, "time for a move of remote agents (0: as the game's own rules say, else 100ms)")
	f.BoolVar(&o.config.LimitAll, "limit-all", false, "apply --limit to built-in agents too")
	f.TextVar(&o.config.Ties, "ties", match.KeepTies, "play ties again by the rule of this `name`: none, playground, java")
	f.IntVar(&o.workers, "workers", 0, "how many games to play at a time, 0: as many as there are cores")
	f.StringVar(&o.log, "log", "", "the file that keeps finished games; with --out, by default DIR/games.jsonl")
	f.BoolVar(&o.resume, "resume", false, "continue the log if it exists")
	f.BoolVar(&o.otherBuild, "other-build", false, "go on even if another build of pommego began it")
	f.StringVar(&o.out, "out", "", "a folder for tables (Markdown, CSV), JSON and charts (SVG)")
	f.StringVar(&o.events, "events", "", "a file for all that happens in the games, an event a line as JSON; kept in the log meanwhile")
	f.BoolVar(&o.timing, "timing", false, "print thinking times even where no terminal is")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
}

// tournamentLog is the log's name in a tournament's folder.
const tournamentLog = "games.jsonl"

type tournamentOptions struct {
	chosenGame
	parts                   parts
	format, agents, against string
	againstGiven            bool
	config                  tournament.Config
	levels, workers         int
	log, out, events        string
	resume, otherBuild      bool
	timing, asJSON          bool
}

func (o *tournamentOptions) run(cmd *cobra.Command) error {
	t, err := o.prepare()
	if err != nil {
		return err
	}
	if o.parts.count {
		return o.parts.printCount(cmd.OutOrStdout(), t.Games(), o.asJSON)
	}
	part, err := o.parts.span()
	if err == nil {
		err = o.makeFolder()
	}
	if err != nil {
		return err
	}
	ctx, stop := o.parts.context(cmd.Context())
	defer stop()
	tell, end := counting(describeProgress)
	r, err := t.Run(ctx, tournament.Options{
		Workers: o.workers, Log: o.log, Resume: o.resume, Part: (*tournament.Part)(part), Take: o.parts.take,
		Program: build(), OtherProgram: o.otherBuild, Progress: tell,
	})
	end()
	if err != nil {
		return o.explain(err)
	}
	if part != nil {
		return o.reportPart(cmd.OutOrStdout(), part)
	}
	if o.out != "" {
		if err := report.WriteFolder(o.out, r); err != nil {
			return err
		}
	}
	if o.events != "" {
		games := make([][]json.RawMessage, len(r.Records))
		for i := range r.Records {
			games[i] = r.Records[i].Events
		}
		if err := writeEvents(o.events, games...); err != nil {
			return err
		}
	}
	return o.report(cmd.OutOrStdout(), r)
}

// reportPart says that a part has been played.
func (o *tournamentOptions) reportPart(out io.Writer, part *span) error {
	games := part.Last - part.First + 1
	if o.asJSON {
		return printJSON(out, map[string]any{"log": o.log, "games": games})
	}
	_, err := fmt.Fprintf(out, "%s: %d games, of %d to %d\n", o.log, games, part.First, part.Last)
	return err
}

// check makes the number of games of levels and repetitions, and says what does not go
// together. given: --games is.
func (o *tournamentOptions) check(given bool) error {
	c := &o.config
	switch {
	case o.resume && o.log == "" && o.out == "":
		return usagef("--resume needs --log FILE or --out DIR")
	case o.parts.part != "" && o.log == "" && o.out == "":
		return usagef("--part needs --log FILE or --out DIR, which keeps the games")
	case o.levels < 0 || c.Repetitions < 1:
		return usagef("--levels is %d and --repetitions is %d, want 1 or more of each", o.levels, c.Repetitions)
	case o.levels > 0 && given:
		return usagef("--levels and --games exclude each other: %d levels with %d repetitions are %d games", o.levels, c.Repetitions, o.levels*c.Repetitions)
	case o.levels == 0 && c.Repetitions > 1:
		return usagef("--repetitions is %d, and goes with --levels: how many boards are to be repeated", c.Repetitions)
	case o.levels > 0:
		c.Games = o.levels * c.Repetitions
	default:
		c.Repetitions = 0
	}
	c.Events = o.events != ""
	return nil
}

// prepare makes the tournament that the flags describe.
func (o *tournamentOptions) prepare() (*tournament.Tournament, error) {
	game, err := o.chosenGame.game()
	if err != nil {
		return nil, err
	}
	c := &o.config
	teams := len(game.Spec().Teams) < game.Spec().Seats
	switch {
	case o.format != "":
		if err := c.Format.UnmarshalText([]byte(o.format)); err != nil {
			return nil, usagef("--format: %w", err)
		}
	case teams:
		c.Format = tournament.TwoAgainstTwo
	default:
		c.Format = tournament.OneAgainstThree
	}
	c.Agents = agentNames(o.agents)
	if o.againstGiven || c.Format == tournament.OneAgainstThree {
		c.Against = o.against
	}
	if o.workers < 0 {
		return nil, usagef("--workers is %d, want 0 (all cores) or more", o.workers)
	}
	if o.levels > 0 && c.Mirrored {
		c.Games *= len(game.Spec().Teams)
	}
	t, err := tournament.New(game, *c)
	if err != nil {
		return nil, usageError{err}
	}
	return t, nil
}

// makeFolder makes the folder for the results, which is also where the log
// goes if nothing else is said.
func (o *tournamentOptions) makeFolder() error {
	if o.out == "" {
		return nil
	}
	if o.log == "" {
		o.log = filepath.Join(o.out, tournamentLog)
	}
	return os.MkdirAll(o.out, 0o755)
}

// explain adds to an error what to do about it.
func (o *tournamentOptions) explain(err error) error {
	switch {
	case errors.Is(err, tournament.ErrStopped) && o.log == "":
		return fmt.Errorf("%w; nothing was kept, as neither --log nor --out was given", err)
	case errors.Is(err, tournament.ErrStopped):
		return fmt.Errorf("%w; they are in %s, continue with --resume", err, o.log)
	case errors.Is(err, tournament.ErrLogExists):
		return usagef("%s exists: continue it with --resume, or name another --log", o.log)
	case errors.Is(err, tournament.ErrLogProgram):
		return usagef("%w; --other-build continues it nevertheless", err)
	case errors.Is(err, tournament.ErrLogOther):
		return usageError{err}
	}
	return err
}

func (o *tournamentOptions) report(out io.Writer, r *tournament.Report) error {
	timed := o.timing || onTerminal(os.Stdout) && !o.asJSON
	switch {
	case o.asJSON && timed:
		return printJSON(out, struct {
			*tournament.Results
			Timing *tournament.Timing `json:"timing"`
		}{r.Results, r.Timing})
	case o.asJSON:
		return printJSON(out, r.Results)
	}
	if err := report.Text(out, r.Results); err != nil || !timed {
		return err
	}
	return report.Timing(out, r.Timing)
}

// describeProgress guesses the time left from the games of this run: what was
// told after then, seen now.
func describeProgress(at tournament.Progress, then, now time.Duration) string {
	text := fmt.Sprintf("%d of %d games, %d %%, %v", at.Done, at.Total, 100*at.Done/at.Total, now.Round(time.Second))
	played := at.Done - at.Resumed
	if played == 0 || then <= 0 {
		return text
	}
	digits := 0
	perMinute := float64(played) / then.Minutes()
	if perMinute < 10 {
		digits = 1
	}
	left := time.Duration(float64(then)/float64(played)*float64(at.Total-at.Done)) - (now - then)
	return fmt.Sprintf("%s, %.*f games a minute, %v left", text, digits, perMinute, max(0, left).Round(time.Second))
}
