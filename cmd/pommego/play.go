package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pommego/arena/match"
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
	o.flags(cmd)
	return cmd
}

// flags adds the flags.
func (o *playOptions) flags(cmd *cobra.Command) {
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
