package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// nobody is the owner of the bombs of a copy.
const nobody = 15

// observedJava is what a player of the Java re-implementation observed, as its
// recorded decisions hold it: with the copy of the game that it planned on.
type observedJava struct {
	View   pommerman.View
	replay *javaReplay
	text   saved.Values
}

// readObservationJava reads what a seat observed, in a game of a recorded
// configuration. What cannot be an observation is an error that names the key.
func readObservationJava(config, obs json.RawMessage, seat int) (*observedJava, error) {
	m, _, err := javaReplayOf(&record.Head{Config: config})
	if err != nil {
		return nil, err
	}
	o := &observedJava{replay: m}
	if o.text, err = saved.Decode(obs, m.observed()); err != nil {
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

// Copy is the copy of the game that the player planned on.
func (o *observedJava) Copy() *pommerman.State { return &o.replay.State }

// Result is how the game stood for the player.
func (o *observedJava) Result() env.Result { return env.Result(o.text["result"].(int)) }

// readView reads the maps and numbers.
func (o *observedJava) readView(seat int) error {
	r := rulesOf(o.replay.Match)
	o.View = pommerman.View{Rules: r, Seat: seat}
	for c := range o.View.Board {
		o.View.Board[c] = pommerman.Rigid
	}
	for _, f := range r.Observed() {
		v, there := o.text[f.Name]
		if !there {
			continue
		}
		if err := f.Check(v); err != nil {
			return err
		}
		if err := f.Set(&o.View, v); err != nil {
			return err
		}
	}
	return nil
}

// readCopy reads the lists of the playable copy. They hold more than the view.
func (o *observedJava) readCopy() error {
	m, r := o.replay, rulesOf(o.replay.Match)
	last, any := r.BoardSize-1, 255
	m.State = pommerman.State{Board: m.Board, Agents: m.Agents, StepCount: m.StepCount}
	row, col := saved.Col("row", 0, last), saved.Col("col", 0, last)
	if err := o.readAgents(); err != nil {
		return err
	}
	for _, list := range []struct {
		saved.Entry
		set func(row []int) error
	}{
		{saved.UpTo("bombs", pommerman.MaxBombs, row, col, saved.Col("life", 0, any), saved.Col("blast_strength", 1, any), saved.Col("bomber", -1, -1), saved.Col("direction", 0, 0)), func(row []int) error {
			m.Bombs[m.NumBombs] = pommerman.NewBomb(grid.At(row[0], row[1]), uint8(row[2]), uint8(row[3]), nobody, grid.Stay)
			m.NumBombs++
			return nil
		}},
		{saved.UpTo("flames", 1<<16, row, col, saved.Col("life", r.FlameLife, r.FlameLife)), func(row []int) error { return m.setFlame(0, row) }},
		{m.itemEntry(), func(row []int) error { return m.setItems([][]int{row}) }},
	} {
		var rows [][]int
		if err := json.Unmarshal(o.text[list.Name].(json.RawMessage), &rows); err != nil {
			return fmt.Errorf("%s: %w", list.Name, err)
		}
		if err := list.Check(rows); err != nil {
			return err
		}
		for i, row := range rows {
			if err := list.set(row); err != nil {
				return fmt.Errorf("%s[%d] %w", list.Name, i, err)
			}
		}
	}
	m.loseItems()
	return o.readResult()
}

// readAgents reads where the agents are, if that is known, and what they carry.
func (o *observedJava) readAgents() error {
	m := o.replay
	var rows [][]*int
	if err := json.Unmarshal(o.text["agents"].(json.RawMessage), &rows); err != nil || len(rows) != pommerman.MaxAgents {
		return fmt.Errorf("agents is %s, want %d lists of numbers", o.text["agents"], pommerman.MaxAgents)
	}
	last := rulesOf(m.Match).BoardSize - 1
	limits := []int{last, last, 255, 255, 1}
	for i, row := range rows {
		var n [5]int
		for k, limit := range limits {
			if len(row) != len(n) || row[k] == nil && (k > 1 || row[1-k] != nil) || row[k] != nil && (*row[k] < 0 || *row[k] > limit) {
				return fmt.Errorf("agents[%d] wants [row, col, ammo, blast_strength, can_kick], row and col null where they are not known", i)
			}
			if row[k] != nil {
				n[k] = *row[k]
			}
		}
		a := pommerman.Agent{Cell: pommerman.Nowhere, Ammo: uint8(n[2]), Blast: uint8(n[3]), Alive: m.Agents[i].Alive, Kicks: n[4] != 0}
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
		return fmt.Errorf("result is %d, want 0 to %d", o.text["result"], env.Incomplete)
	}
	if result != env.Win && result != env.Tie {
		return nil // it follows from whether the player lives
	}
	row := o.replay.results()
	row[o.View.Seat] = int(result)
	return o.replay.fieldOf("results").Set(&o.replay.State, row)
}

// Compare compares what was observed with what the seat would observe of the copy: values
// that an observation contains twice must agree. at is the prefix of entries' names.
func (o *observedJava) Compare(c *record.Comparison, at string) {
	m := o.replay
	want := saved.Values{}
	for name, v := range o.text {
		if text, isText := v.(json.RawMessage); isText {
			var compact bytes.Buffer
			if json.Compact(&compact, text) == nil {
				v = json.RawMessage(compact.Bytes())
			}
		}
		want[name] = v
	}
	c.Compare(at, m.observed(), want, m.observe(o.View.Seat))
	o.compareBoard(c, at)
}

// compareBoard compares what the board draws with the lists of flames and agents.
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
