package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/arena/tournament"
	"pommego/arena/tournament/report"
	"pommego/llm/dialogue"
	"pommego/llm/model"
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

With --sprt two agents meet in a duel or team game until a sequential test of mirrored pairs
shows that the first one's Elo difference is ELO0 or less (H0), or ELO1 or more (H1). At most
5 % of tests accept the wrong one.

With --out every finished game is kept. To continue a tournament that was stopped or killed,
give the same command again; give it with more --games to extend one that is finished. The
results are those of one run on any number of cores, unless an agent has a limit in time; the
environment variable GOMAXPROCS sets how many cores play. Thinking times are printed on a
terminal and stored in files of their own.

Agents called client:NAME are played by whoever gives the command, as pommego.tournament does in
Python: it prints a list of their games, and reads those that were played from standard input.

Several machines can share the games: each plays a part into its own folder, with the same
flags and --part; then one takes all parts, with --take for each, and plays what is missing.`,
		Example: `  pommego tournament --agents simple,random,static --games 200
  pommego tournament --env PommeTeam-v0 --agents simple,random --games 100 --json
  pommego tournament --env OneVsOne-v0 --format round-robin --agents simple,heuristic --games 200 --mirrored
  pommego tournament --env OneVsOne-v0 --agents simple --against random --sprt 0,50 --out test
  pommego tournament --env PommeFFA2018-v0 --agents mcts:ticks=30,careful=0,uct:ticks=30 --against simple-2018
  pommego tournament --env BaseWar-v0 --rules '{"base_damage": "round"}' --agents simple,random
  pommego tournament --agents simple,random --games 10000 --out results
  pommego tournament --agents simple,random --games 10000 --part 5000-9999 --out part
  pommego tournament --agents simple,random --games 10000 --out results --take part --take other
  pommego tournament --env PommeFFAJava-v0 --agents java-osla,random --games 10x4`,
		Args: exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd)
	return cmd
}

func (o *tournamentOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.chosenGame.add(cmd, defaultEnv)
	o.parts.add(cmd)
	f.StringVar(&o.format, "format", "",
		"the rule by which agents meet: "+strings.Join(tournament.RoundRobin.Names(), ", "))
	f.StringVar(&o.agents, "agents", "simple", "the agents' names, with commas between")
	f.StringVar(&o.against, "against", "simple", "the agents' opponent; by default each other in two-against-two")
	f.StringVar(&o.games, "games", "100",
		"`GAMES` for each agent, pair or table; or LxR: L boards, each played R times in a row with other random numbers")
	f.BoolVar(&o.config.Mirrored, "mirrored", false,
		"play each board from every side, with the same random numbers; --games is a multiple of the sides")
	f.Uint64Var(&o.config.Seed, "seed", 1, "seed of the first board; the others count on from it")
	limitMemory(f, &o.config.Memory)
	timeAgents(f, &o.wait, &o.config.Limit)
	f.Float64SliceVar(&o.sprt, "sprt", nil,
		"play until an Elo difference of `ELO0,ELO1` is shown or excluded: mirrored, --games (100000) at most")
	f.Lookup("sprt").DefValue = ""
	f.StringVar(&o.out, "out", "",
		"a folder for finished games, tables (Markdown) and JSON")
	recordDialogues(f, &o.dialogues)
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
}

const tournamentLog = "games.jsonl"

type tournamentOptions struct {
	chosenGame
	parts                   parts
	format, agents, against string
	config                  tournament.Config
	wait                    time.Duration
	sprt                    []float64
	games, out, dialogues   string
	asJSON                  bool
}

func (o *tournamentOptions) run(cmd *cobra.Command) error {
	t, err := o.prepare(cmd.Flags().Changed)
	if err != nil {
		return err
	}
	if o.parts.counts() {
		return o.parts.printCount(cmd.OutOrStdout(), t.Games(), o.asJSON)
	}
	part, err := o.parts.span(t.Games())
	files := []string{o.dialogues} // that must not exist yet
	if _, absent := os.Lstat(o.log(o.out)); err == nil && o.out != "" && absent != nil {
		results, timing := filepath.Join(o.out, "results"), filepath.Join(o.out, "timing")
		files = append(files, o.log(o.out), results+".md", results+".json", timing+".md", timing+".json")
		err = os.MkdirAll(o.out, 0o755)
	}
	if err = cmp.Or(err, vacant(files...)); err != nil {
		return err
	}
	ctx, stop := o.parts.context(cmd.Context())
	defer stop()
	tell, end := progress(describeProgress)
	talks, takes, missing := dialogue.NewLog(o.dialogues), slices.Clone(o.parts.take), 0
	for i := range takes {
		takes[i] = o.log(takes[i])
	}
	r, err := t.Run(ctx, tournament.Options{
		Log: o.log(o.out), Wait: o.wait, Part: part, Take: takes,
		Program: build(), Client: cmd.InOrStdin(),
		Progress: func(at tournament.Progress) { missing = at.Total - at.Done; tell(at) },
		Watch:    func() (match.Watch, func() error) { d := model.Dialogues{Log: talks}; return d.Watch, d.End },
	})
	end()
	if stopped := errors.Is(err, ledger.ErrStopped); err != nil {
		if err = o.parts.explain(err, o.out); stopped && o.out != "" && o.dialogues != "" {
			err = fmt.Errorf("%w, with another --record-dialogues", err)
		}
		return err
	}
	if r != nil && len(r.Asked) > 0 {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(r.Asked)
	}
	if part != nil {
		return errors.Join(printPart(cmd.OutOrStdout(), o.out, part, missing, o.asJSON), talks.Err())
	}
	if o.out != "" {
		if err := report.WriteFolder(o.out, r); err != nil {
			return err
		}
	}
	return errors.Join(o.report(cmd.OutOrStdout(), r), talks.Err())
}

// check reads --games and --sprt, and returns an error if flags contradict each other.
func (o *tournamentOptions) check(gamesGiven bool) error {
	c := &o.config
	boards, repetitions, levels := strings.Cut(o.games, "x")
	n, err := strconv.Atoi(boards)
	if err == nil && levels {
		c.Repetitions, err = strconv.Atoi(repetitions)
		n *= c.Repetitions
	}
	c.Games = n
	rules := match.Rules{Wait: o.wait}
	switch wrong := rules.Validate(); {
	case wrong != nil:
		return usageError{wrong}
	case err != nil || levels && (n < 1 || c.Repetitions < 1):
		return usagef("--games is %q, want a number, or BOARDSxREPETITIONS, such as 10x4", o.games)
	case o.out == "" && o.parts.part != "" && !o.parts.counts():
		return usagef("--part needs --out DIR, which keeps the games")
	case o.sprt == nil:
		return nil
	case len(o.sprt) != 2:
		return usagef("--sprt is %v, want ELO0,ELO1, two numbers such as 0,10", o.sprt)
	case o.parts.part != "":
		return usagef("--part and --sprt exclude each other: --sprt decides after each pair of games whether to continue")
	}
	if !gamesGiven {
		c.Games = 100_000
	}
	c.SPRT, c.Mirrored = &tournament.SPRT{Elo0: o.sprt[0], Elo1: o.sprt[1]}, true
	return nil
}

// prepare makes the tournament from the flags.
func (o *tournamentOptions) prepare(given func(flag string) bool) (*tournament.Tournament, error) {
	if err := o.check(given("games")); err != nil {
		return nil, err
	}
	game, err := o.chosenGame.game()
	if err != nil {
		return nil, err
	}
	c := &o.config
	switch {
	case o.format != "":
		if err := c.Format.UnmarshalText([]byte(o.format)); err != nil {
			return nil, usagef("--format: %w", err)
		}
	case len(game.Spec().Teams) < game.Spec().Seats:
		c.Format = tournament.TwoAgainstTwo
	default:
		c.Format = tournament.OneAgainstThree
	}
	c.Agents = agentNames(o.agents)
	if given("against") || c.Format == tournament.OneAgainstThree {
		c.Against = o.against
	}
	if c.Repetitions > 0 && c.Mirrored {
		c.Games *= len(game.Spec().Teams)
	}
	t, err := tournament.New(game, *c)
	if err != nil {
		return nil, usageError{err}
	}
	return t, nil
}

// log is the path of the log in a folder; "" without a folder.
func (o *tournamentOptions) log(folder string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, tournamentLog)
}

func (o *tournamentOptions) report(out io.Writer, r *tournament.Report) error {
	if o.asJSON {
		return printJSON(out, r.Results)
	}
	if !onTerminal(os.Stdout) {
		return report.Text(out, r.Results)
	}
	columns, _, err := term.GetSize(int(os.Stdout.Fd())) // an error is returned below, after the tables
	err = errors.Join(err, report.Screen(out, r, columns))
	if err == nil && o.out != "" {
		_, err = fmt.Fprintf(out, "\nEvery game, in the browser: pommego view %s\n", o.out)
	}
	return err
}

func describeProgress(at tournament.Progress, then, now time.Duration) string {
	if at.Test != nil {
		return fmt.Sprintf("%d games, %v, %v", at.Done, at.Test, now.Round(time.Second))
	}
	return describeGames(at.Progress, then, now)
}
