package main

import (
	"encoding/json"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// observedJava is what a player of the Java re-implementation observed, in the form of
// its recorded decisions: with the copy of the game on which it planned.
type observedJava struct {
	View   pommerman.View
	replay *javaReplay
	text   observationJava
}

// readObservationJava reads what a seat observed, in a game of a recorded
// configuration. If that cannot be an observation, the error names the key.
func readObservationJava(config, obs json.RawMessage, seat int) (*observedJava, error) {
	m, _, err := javaReplayOf(&record.Head{Config: config})
	if err != nil {
		return nil, err
	}
	o := &observedJava{replay: m}
	if err := saved.Decode(obs, &o.text); err != nil {
		return nil, fmt.Errorf("obs: %w", err)
	}
	if err := o.readView(seat); err != nil {
		return nil, fmt.Errorf("obs.%w", err)
	}
	o.View.Rules.CopyJava(&o.View, &m.State)
	if err := o.readCopy(); err != nil {
		return nil, fmt.Errorf("obs.%w", err)
	}
	return o, nil
}

// Copy returns the copy of the game on which the player planned.
func (o *observedJava) Copy() *pommerman.State { return &o.replay.State }

// Result returns the player's result so far.
func (o *observedJava) Result() env.Result { return env.Result(o.text.Result) }

// readView reads the maps and numbers, without messages: by today's rules it is a team game.
func (o *observedJava) readView(seat int) error {
	r, seen := rulesOf(o.replay.Match), o.text.observation2018
	seen.Message = nil
	v, err := viewOf(r, seen.today(r, o.text.Alive, o.text.StepCount), seat)
	if err == nil {
		o.View = *v
	}
	return err
}

// readCopy reads the lists of the playable copy. They hold more than the view.
func (o *observedJava) readCopy() error {
	m, r := o.replay, rulesOf(o.replay.Match)
	last := r.BoardSize - 1
	row, col := saved.Col("row", 0, last), saved.Col("col", 0, last)
	shape := saved.Shape{Columns: map[string][]saved.Column{
		"bombs": {
			row, col, saved.Col("life", 0, 255), saved.Col("blast_strength", 1, 255),
			saved.Col("bomber", -1, -1), saved.Col("direction", 0, 0),
		},
		"flames": {row, col, saved.Col("life", r.FlameLife, r.FlameLife)},
		"items":  {row, col, saved.Col("item", int(pommerman.ExtraBomb), int(pommerman.Kick))},
	}}
	if err := shape.Check(&o.text); err != nil {
		return err
	}
	m.State = pommerman.State{Board: m.Board, Agents: m.Agents, StepCount: m.StepCount}
	if err := o.readAgents(); err != nil {
		return err
	}
	if n := len(o.text.Bombs); n > len(m.Bombs) {
		return fmt.Errorf("bombs has %d entries, want at most %d", n, len(m.Bombs))
	}
	for _, b := range o.text.Bombs {
		m.Bombs[m.NumBombs] = pommerman.NewBomb(grid.At(b[0], b[1]), uint8(b[2]), uint8(b[3]), pommerman.Nobody, grid.Stay)
		m.NumBombs++
	}
	for _, f := range o.text.Flames {
		m.addFlame(f)
	}
	for i, item := range o.text.Items {
		at := grid.At(item[0], item[1])
		if m.Hidden(at) != pommerman.Passage {
			return fmt.Errorf("items[%d] is the second item at %s", i, where(at))
		}
		m.Hide(at, pommerman.Item(item[2]))
	}
	m.loseItems()
	return o.readResult()
}

// readAgents reads where the agents are, if that is known, and what they carry.
func (o *observedJava) readAgents() error {
	m := o.replay
	rows := o.text.Agents
	if len(rows) != pommerman.MaxAgents {
		return fmt.Errorf("agents is %s, want %d lists of numbers", rows, pommerman.MaxAgents)
	}
	last := rulesOf(m.Match).BoardSize - 1
	limits := []int{last, last, 255, 255, 1}
	for i, row := range rows {
		var n [5]int
		for k, limit := range limits {
			if len(row) != len(n) || row[k] == nil && (k > 1 || row[1-k] != nil) || row[k] != nil &&
				(*row[k] < 0 || *row[k] > limit) {
				return fmt.Errorf("agents[%d] wants [row, col, ammo, blast_strength, can_kick], row and col null where they are "+
					"not known", i)
			}
			if row[k] != nil {
				n[k] = *row[k]
			}
		}
		a := pommerman.Agent{Cell: pommerman.Nowhere, Ammo: uint8(n[2]), Blast: uint8(n[3]), Alive: m.Agents[i].Alive,
			Kicks: n[4] != 0}
		if row[0] != nil {
			a.Cell = grid.At(n[0], n[1])
		}
		m.Agents[i] = a
	}
	return nil
}

// readResult reads how the game stands for the player.
func (o *observedJava) readResult() error {
	result := o.Result()
	if result > env.Incomplete {
		return fmt.Errorf("result is %d, want 0 to %d", o.text.Result, env.Incomplete)
	}
	if result != env.Win && result != env.Tie {
		return nil // the result follows from whether the player lives
	}
	form := rulesOf(o.replay.Match).Form()
	t := form.Snapshot(&o.replay.State)
	t.Results = o.replay.results()
	t.Results[o.View.Seat] = int(result)
	with := form.Take(t)
	board := o.replay.State
	o.replay.State = with
	o.replay.Bombs, o.replay.NumBombs, o.replay.Agents = board.Bombs, board.NumBombs, board.Agents // agents may be Nowhere
	return nil
}

// Compare compares what was observed with what the seat would observe of the copy: values
// that an observation contains twice must agree. at is put before the names of entries.
func (o *observedJava) Compare(c *record.Comparison, at string) {
	m := o.replay
	c.Compare(at, m.shape(), &o.text, m.observe(o.View.Seat))
	o.compareBoard(c, at)
}

// compareBoard compares the board with the lists of flames and agents.
func (o *observedJava) compareBoard(c *record.Comparison, at string) {
	m, r := o.replay, rulesOf(o.replay.Match)
	for _, cell := range grid.Cells(r.BoardSize) {
		item := m.Board[cell]
		if (item == pommerman.Flames) != (m.Flame(cell) != 0) {
			c.Differs(at+"flames", "those that the board shows", "others, at "+where(cell))
		}
		if item >= r.Agent0() && m.Agents[item-r.Agent0()].Cell != cell {
			c.Differs(at+"agents", "where the board shows them", "elsewhere than at "+where(cell))
		}
	}
}
