package main

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"pommego/arena/match"
	"pommego/arena/web/play"
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

A match that is stopped by Ctrl-C, SIGTERM or a person exits with 1. Its record then holds what
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
