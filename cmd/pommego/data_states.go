package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/gamestate"
	"pommego/env/record"
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
BASE64}, with the number of the game in its file or set. The state is one of an environment
in which all seats learn; in Python, pommego.data.states does it all.

With --winner, only games that somebody won are taken, and the states are of an environment
whose one learner sits where the winner sat, so that episodes that begin there seat the
learner in the winner's place. Of a team there is a state for each member that is not out.`,
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
				if err := o.write(path, json.NewEncoder(cmd.OutOrStdout())); err != nil {
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
		"seat the learner in the winner's place, of a team in each living member's, and leave out games that nobody won")
	f.IntVar(&o.games, "games", 0, "take the first so many games of each path; 0: all")
	return cmd
}

var errEnough = errors.New("enough")

// pastGame is a game that has been played. again plays it again, and calls see at its
// beginning and after each step.
type pastGame struct {
	steps int
	spec  *env.Spec
	again func(see func(m env.Match)) error
}

func (o *statesOptions) write(path string, out *json.Encoder) error {
	n, written := 0, 0
	each := func(p *pastGame) error {
		if o.games > 0 && n >= o.games {
			return errEnough
		}
		some, err := o.game(p, n, out)
		if err != nil {
			return fmt.Errorf("game %d: %w", n, err)
		}
		n, written = n+1, written+some
		return nil
	}
	var err error
	if folder := inDataSet(path); folder != "" {
		err = eachOfSet(folder, each)
	} else {
		err = eachRecorded(path, each)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if written == 0 {
		what := "goes on after"
		if o.winner {
			what = "has a winner and goes on after"
		}
		return fmt.Errorf("%s: none of its games (%d) %s any of the steps %v", path, n, what, o.at)
	}
	return nil
}

func eachOfSet(folder string, each func(*pastGame) error) error {
	set, game, err := openSet(folder)
	if err != nil {
		return err
	}
	spec := game.Spec()
	return set.Episodes(func(e *dataset.Episode) error {
		m, err := dataset.Begin(game, e)
		if err != nil {
			return err
		}
		return each(&pastGame{e.Steps, spec, func(see func(env.Match)) error {
			see(m)
			for actions := range slices.Chunk(e.Actions, spec.Seats*len(spec.Actions)) {
				m.Step(actions)
				see(m)
			}
			return nil
		}})
	})
}

func eachRecorded(path string, each func(*pastGame) error) error {
	r, err := trace.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		line, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		replay, err := formats.Reopen(line)
		if err != nil {
			return &trace.Error{File: path, Line: r.Line(), Err: err}
		}
		spec, err := recordedSpec(replay)
		if err == nil {
			err = each(&pastGame{replay.Len(), spec, func(see func(env.Match)) error {
				return replay.Follow(func(at record.Moment) error { see(at.Match); return nil })
			}})
		}
		if err != nil {
			return err
		}
	}
}

// recordedSpec is that of the catalog's game that was recorded, by the rules of the record:
// that has no more than the game's id.
func recordedSpec(replay record.Replay) (*env.Spec, error) {
	_, spec := replay.Position()
	rules, err := json.Marshal(spec.Rules)
	if err != nil {
		return nil, err
	}
	game, err := catalog.Played(replay.Info().EnvID, rules)
	if err != nil {
		return nil, err
	}
	return game.Spec(), nil
}

type position struct {
	Game  int    `json:"game"`
	Step  int    `json:"step"`
	State []byte `json:"state"`
	match []byte // without learners
	in    env.SeatSet
}

// game writes the positions of a game, and returns how many.
func (o *statesOptions) game(p *pastGame, number int, out *json.Encoder) (int, error) {
	var kept []position
	var status env.Status
	step, written := 0, 0
	err := p.again(func(m env.Match) {
		status = m.Status()
		if !status.Over && (slices.Contains(o.at, step) || slices.Contains(o.at, step-p.steps)) {
			kept = append(kept, position{number, step, nil, m.Append(nil), status.In})
		}
		step++
	})
	if err != nil {
		return 0, err
	}
	form := gamestate.Of(p.spec)
	for _, k := range kept {
		for _, rows := range o.learners(p.spec.Seats, status.Winners&k.in) {
			saved := gamestate.State{Rows: rows, Returns: make([]float64, len(rows)), Match: k.match}
			k.State = form.Append(nil, &saved)
			if err := out.Encode(k); err != nil {
				return written, err
			}
			written++
		}
	}
	return written, nil
}

// learners lists who learns in each state of a position, in which these winners are still in the game.
func (o *statesOptions) learners(seats int, winners env.SeatSet) (states [][]int) {
	every := make([]int, seats)
	for seat := range every {
		every[seat] = seat
		if winners.Has(seat) {
			states = append(states, []int{seat})
		}
	}
	if o.winner {
		return states
	}
	return [][]int{every}
}
