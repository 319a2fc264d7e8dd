package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/arena/ledger"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/gamestate"
	"pommego/env/record"
	"pommego/env/saved"
)

type statesOptions struct {
	at     []int
	winner bool
	games  int
}

func newDataStates() *cobra.Command {
	var o statesOptions
	cmd := &cobra.Command{
		Use:   "states PATH...",
		Short: "Write positions of played games, for episodes to begin in",
		Long: `Play the games of data sets and files of recorded games again, and write where they stood
after some of their steps: a line of JSON for each position, {"game": 0, "step": 35, "state":
BASE64}, with the number of the game in its file or set. A Parquet file stands for its
whole set. The state is one of an environment in which all seats learn; in Python,
pommego.data.states does it all.

With --winner, only games that somebody won are taken, and the states are of an environment
whose one learner sits where the winner sat, so that episodes that begin there seat the
learner in the winner's place. Of a team there is one for each member that is not out.`,
		Example: `  pommego data states ffa --at -20 >ends.jsonl
  pommego data states match.jsonl.gz --at 0,10,20,-1 --winner`,
		Args: some("data set or file of recorded games", "PATH..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(o.at) == 0 {
				return usagef("--at names no steps, want numbers such as 0,10 or, counted from the end, -20")
			}
			if o.games < 0 {
				return usagef("--games is %d, want 0 (all) or more", o.games)
			}
			for _, path := range args {
				if err := o.write(path, cmd.OutOrStdout()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.at, "at", []int{-20},
		"after how many steps; negative ones count from the end of a game: -1 is the last position in which it goes on")
	f.BoolVar(&o.winner, "winner", false,
		"seat the learner in the winner's place, of a team in each living member's; leave out games that nobody won")
	f.IntVar(&o.games, "games", 0, "take the first so many games of each path; 0: all")
	return cmd
}

// errEnough ends a walk through games or steps.
var errEnough = errors.New("enough")

func (o *statesOptions) write(path string, out io.Writer) error {
	n := 0
	each := func(replay record.Replay, spec *env.Spec) error {
		if o.games > 0 && n >= o.games {
			return errEnough
		}
		if err := o.game(replay, spec, n, json.NewEncoder(out)); err != nil {
			return fmt.Errorf("%s: game %d: %w", path, n, err)
		}
		n++
		return nil
	}
	var err error
	if folder := inDataSet(path); folder != "" {
		err = eachOfSet(folder, each)
	} else {
		err = eachRecorded(path, each)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func eachOfSet(folder string, each func(record.Replay, *env.Spec) error) error {
	set, game, err := openSet(folder)
	if err != nil {
		return err
	}
	replay := ledger.NewReplay(game, false)
	return set.Episodes(func(e *dataset.Episode) error {
		if err := replay.Begin(&e.Played, &e.Ending); err != nil {
			return fmt.Errorf("%s: game %d: %w", folder, e.Game, err)
		}
		return each(replay, game.Spec())
	})
}

func eachRecorded(path string, each func(record.Replay, *env.Spec) error) error {
	r, err := trace.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		replay, err := formats.Next(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		// A record has only the game's id. Its description is that of the catalog, with the record's rules.
		_, spec := replay.Position()
		game, err := catalog.Played(replay.Info().EnvID, saved.JSON(spec.Rules))
		if err == nil {
			err = each(replay, game.Spec())
		}
		if err != nil {
			return err
		}
	}
}

type position struct {
	Game  int    `json:"game"`
	Step  int    `json:"step"`
	State []byte `json:"state"`
	in    env.SeatSet
}

func (o *statesOptions) game(replay record.Replay, spec *env.Spec, number int, out *json.Encoder) error {
	var kept []position
	step := 0
	err := replay.Follow(func(at record.Moment) error {
		status, left := at.Match.Status(), replay.Len()-step
		if !status.Over && (slices.Contains(o.at, step) || left > 0 && slices.Contains(o.at, -left)) {
			kept = append(kept, position{number, step, at.Match.Append(nil), status.In})
		}
		step++
		return nil
	})
	if err != nil {
		return err
	}
	form := gamestate.Of(spec)
	for _, k := range kept {
		learners, each, match := env.AllSeats(spec.Seats), spec.Seats, k.State
		if o.winner {
			learners, each = replay.Status().Winners&k.in, 1
		}
		for rows := range slices.Chunk(learners.List(), each) {
			k.State = form.Append(nil, &gamestate.State{Rows: rows, Returns: make([]float64, each), Match: match})
			if err := out.Encode(k); err != nil {
				return err
			}
		}
	}
	return nil
}
