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

With --winner, only games that somebody won alone are taken, and the states are of an
environment whose one learner sits where the winner sat, so that episodes that begin there
seat the learner in the winner's place.`,
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
		"seat the learner in the winner's place, and leave games out that nobody won alone")
	f.IntVar(&o.games, "games", 0, "take the first so many games of each path; 0: all")
	return cmd
}

// playback is a game that has been played, to be played again.
type playback interface {
	Len() int
	Step() error
	Status() env.Status
	Position() (state []byte, spec *env.Spec)
}

var errEnough = errors.New("enough")

// write writes the positions of the games of one path.
func (o *statesOptions) write(path string, out io.Writer) error {
	n := 0
	each := func(p playback) error {
		if o.games > 0 && n >= o.games {
			return errEnough
		}
		n++
		return o.game(p, n-1, json.NewEncoder(out))
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

func eachOfSet(folder string, each func(playback) error) error {
	set, game, err := openSet(folder)
	if err != nil {
		return err
	}
	return set.Episodes(func(e *dataset.Episode) error {
		m, err := dataset.Begin(game, e)
		if err != nil {
			return err
		}
		return each(&episode{Match: m, spec: game.Spec(), Episode: e})
	})
}

func eachRecorded(path string, each func(playback) error) error {
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
		game, ok := replay.(playback)
		if !ok {
			return &trace.Error{File: path, Line: r.Line(),
				Err: errors.New("no position can be taken from recorded games of this kind")}
		}
		if err := each(game); err != nil {
			return err
		}
	}
}

// episode plays a game of a data set again.
type episode struct {
	env.Match
	spec *env.Spec
	made int
	*dataset.Episode
}

func (e *episode) Len() int { return e.Steps }

func (e *episode) Step() error {
	width := len(e.Actions) / max(1, e.Steps)
	e.Match.Step(e.Actions[e.made*width : (e.made+1)*width])
	e.made++
	return nil
}

func (e *episode) Position() ([]byte, *env.Spec) { return e.Append(nil), e.spec }

// position is one that is kept.
type position struct {
	Game  int    `json:"game"`
	Step  int    `json:"step"`
	State []byte `json:"state"`
}

// game writes the positions of one game.
func (o *statesOptions) game(p playback, number int, out *json.Encoder) error {
	var kept []position
	wanted := func(step int) bool { return slices.Contains(o.at, step) || slices.Contains(o.at, step-p.Len()) }
	for step := 0; ; step++ {
		if wanted(step) && !p.Status().Over {
			state, _ := p.Position()
			kept = append(kept, position{number, step, state})
		}
		if step == p.Len() {
			break
		}
		if err := p.Step(); err != nil {
			return fmt.Errorf("game %d: %w", number, err)
		}
	}
	spec, err := playedBy(p)
	if err != nil {
		return fmt.Errorf("game %d: %w", number, err)
	}
	rows, form := seatsOf(spec, p.Status(), o.winner), gamestate.Of(spec)
	for _, k := range kept {
		if rows == nil {
			break
		}
		k.State = form.Append(nil, &gamestate.State{Rows: rows, Returns: make([]float64, len(rows)), Match: k.State})
		if err := out.Encode(k); err != nil {
			return err
		}
	}
	return nil
}

// playedBy is the game of the catalog that was played, by the rules of a record if it is
// one: that has no more than the game's id.
func playedBy(p playback) (*env.Spec, error) {
	_, spec := p.Position()
	replay, recorded := p.(record.Replay)
	if !recorded {
		return spec, nil
	}
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

// seatsOf are the seats that learn in what is kept of a game; nil if it is not wanted.
func seatsOf(spec *env.Spec, end env.Status, winner bool) (rows []uint8) {
	for seat := range spec.Seats {
		if !winner || end.Winners.Has(seat) {
			rows = append(rows, uint8(seat))
		}
	}
	if winner && len(rows) != 1 {
		return nil
	}
	return rows
}
