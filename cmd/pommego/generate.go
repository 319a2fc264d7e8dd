package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/arena/match"
	"pommego/env"
	"pommego/llm/dialogue"
)

func init() { dataset.NewTell = dialogue.Tell }

func newGenerate() *cobra.Command {
	var o generateOptions
	cmd := &cobra.Command{
		Use:   "generate --out DIR",
		Short: "Play games and store them as a data set, for learning from them",
		Long: `Play games between agents and store them in a folder: Parquet files, a manifest with
checksums and all that the data's meaning depends on, and a data card.

Layouts:
  games  one row per game, without --observation: its start and actions, from which any observation can be made
         again exactly. 1.5 bytes a step in large data sets.
  steps  one row per step and seat, with --observation: the observation, the action, what it paid, what was legal,
         who played, and for agents that search the visits and values they chose by.
  dialogues  as steps, with --dialogues, of seats that are in: chat of the rules, the view in words, and the action.

The same command gives the same bytes on any number of cores; the environment variable
GOMAXPROCS sets how many it uses. To continue a run that was stopped or killed, give the same
command again: it plays the games that are missing. For more games than a data set has, make another one from
the next --seed, and join them by pommego data merge. The manifest names agents that may play
differently the next time: their search has a limit in time (ms=), or they are outside this
program (http://host:port, exec:COMMAND, library:PATH), where a move may take 30 s.

Several machines can share the games: each plays a part in its own folder, with the same
flags and --part; then one takes all parts, with --take for each, and plays what is
missing. The bytes are those of one run.`,
		Example: `  pommego generate --out ffa --games 100000
  pommego generate --out team --env PommeTeamCompetition-v0 --agents simple,heuristic --games 3000
  pommego generate --out short --env SuiteBot-v0 --rules '{"rounds": 50, "view_radius": 4}' --games 1000
  pommego generate --out steps --observation raw --games 1000
  pommego generate --out chat --dialogues --agents champion:level=1,simple --games 100
  pommego generate --out part --games 100000 --part 50000-99999
  pommego generate --out whole --games 100000 --take part --take other-part
  pommego generate --out own --agents "exec:python3 agent.py,simple,simple,simple" --games 100`,
		Args: exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	o.parts.add(cmd)
	f.StringVar(&o.out, "out", "", "the folder for the data set")
	o.chosenGame.add(cmd, defaultEnv)
	f.StringVar(&o.agents, "agents", "simple",
		"the agents' names, with commas between: one for all seats, one for each, or else each seat's agent is drawn")
	f.IntVar(&o.config.Games, "games", 1000, "how many games")
	f.StringVar(&o.config.Observation, "observation", "", "layout steps, with this encoding, such as planes")
	f.BoolVar(&o.dialogues, "dialogues", false, "layout dialogues: chat for language models")
	f.Uint64Var(&o.config.Seed, "seed", 1, "seed of the first game; the others count on from it")
	f.IntVar(&o.config.FileGames, "games-per-file", 0,
		"games in a file (default 10000 in layout games if no agent searches; 1 with agents outside this program; else 100)")
	limitMemory(f, &o.config.Memory)
	f.BoolVar(&o.asJSON, "json", false, "print the summary as one JSON object")
	return cmd
}

type generateOptions struct {
	chosenGame
	parts       parts
	out, agents string
	config      dataset.Config
	dialogues   bool
	asJSON      bool
}

func (o *generateOptions) run(ctx context.Context, out io.Writer) error {
	if o.out == "" && !o.parts.counts() {
		return errNoOut
	}
	game, err := o.game()
	if err != nil {
		return err
	}
	if _, err := o.config.Resolve(game); err != nil {
		return usageError{err}
	}
	if o.parts.counts() {
		return o.parts.printCount(out, o.config.Games, o.asJSON)
	}
	part, err := o.parts.span(o.config.Games)
	if err != nil {
		return err
	}
	ctx, stop := o.parts.context(ctx)
	defer stop()
	tell, end := progress(describeGames)
	m, work, err := dataset.Generate(ctx, game, o.config, o.out, dataset.Options{
		Version: version(), Build: build(),
		Part: part, Take: o.parts.take, Progress: tell,
	})
	end()
	if err != nil {
		return o.parts.explain(err, o.out)
	}
	if part != nil {
		return printPart(out, o.out, part, 0, o.asJSON)
	}
	return o.report(out, m, work)
}

// game is the game that the flags name. It also fills in the configuration.
func (o *generateOptions) game() (env.Game, error) {
	game, err := o.chosenGame.game()
	if err != nil {
		return nil, err
	}
	o.config.Agents = agentNames(o.agents)
	for _, name := range o.config.Agents {
		if match.AtClient(name) {
			return nil, usagef("--agents: %q names an agent of a Python program: store its games with pommego.data.record there",
				name)
		}
	}
	if o.config.Observation != "" {
		o.config.Layout = dataset.Steps
	}
	if o.dialogues {
		o.config.Layout = dataset.Dialogues
	}
	if n := len(o.config.Agents); n != 1 && n != game.Spec().Seats {
		o.config.Seating = dataset.Drawn
	}
	return game, nil
}

func (o *generateOptions) report(out io.Writer, m *dataset.Manifest, w dataset.Work) error {
	seconds := w.Wall.Seconds()
	if o.asJSON {
		return printJSON(out, map[string]any{"out": o.out, "games": m.Games, "steps": m.Steps, "rows": m.Rows,
			"files": len(m.Files), "bytes": m.Bytes, "games_played": w.Games, "steps_played": w.Steps, "seconds": seconds,
			"agents": m.Statistics.Agents})
	}
	for _, a := range m.Statistics.Agents {
		if a.Missed > 0 {
			fmt.Fprintln(out, match.OneLine(fmt.Sprintf("agent %s: %d moves missed, for which stop was played; %s",
				a.Agent, a.Missed, w.Errors[a.Agent])))
		}
	}
	err := finished(out, o.out, m)
	if err == nil && w.Games > 0 {
		_, err = fmt.Fprintf(out, "%.2f bytes a step; %d games played in %.1f s: %.0f games and %.0f steps a second\n",
			float64(m.Bytes)/float64(max(1, m.Steps)), w.Games, seconds, float64(w.Games)/seconds, float64(w.Steps)/seconds)
	}
	return err
}
