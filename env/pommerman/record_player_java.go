package pommerman

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/record"
	"pommego/env/saved"
)

// ObservedJava is what a player of the Java re-implementation observed, as its
// recorded decisions hold it: with the copy of the game that it planned on.
type ObservedJava struct {
	View   View
	replay *javaReplay
	text   saved.Values
}

// ReadObservationJava reads what a seat observed, in a game of a recorded
// configuration. What cannot be an observation is an error that names the key.
func ReadObservationJava(config, obs json.RawMessage, seat int) (*ObservedJava, error) {
	m, _, err := javaReplayOf(&record.Head{Config: config})
	if err != nil {
		return nil, err
	}
	o := &ObservedJava{replay: m}
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
func (o *ObservedJava) Copy() *State { return &o.replay.State }

// Result is how the game stood for the player.
func (o *ObservedJava) Result() env.Result { return env.Result(o.text["result"].(int)) }

// readView reads the maps and numbers.
func (o *ObservedJava) readView(seat int) error {
	r := &o.replay.game.rules
	o.View = View{Rules: r, Seat: seat}
	for c := range o.View.Board {
		o.View.Board[c] = Rigid
	}
	for _, f := range r.observed() {
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
func (o *ObservedJava) readCopy() error {
	m, r := o.replay, &o.replay.game.rules
	last, any := r.BoardSize-1, 255
	m.Bombs, m.NumBombs, m.State.flames = [MaxBombs]Bomb{}, 0, [maxFlameLife]grid.Bits{}
	row, col := saved.Col("row", 0, last), saved.Col("col", 0, last)
	if err := o.readAgents(); err != nil {
		return err
	}
	for _, list := range []struct {
		saved.Entry
		set func(row []int) error
	}{
		{saved.UpTo("bombs", MaxBombs, row, col, saved.Col("life", 0, any), saved.Col("blast_strength", 1, any), saved.Col("bomber", -1, -1), saved.Col("direction", 0, 0)), func(row []int) error {
			m.addBomb(NewBomb(grid.At(row[0], row[1]), uint8(row[2]), uint8(row[3]), nobody, grid.Stay))
			return nil
		}},
		{saved.UpTo("flames", 1<<16, row, col, saved.Col("life", r.FlameLife, r.FlameLife)), func(row []int) error { return m.setFlame(0, row) }},
		{saved.UpTo("items", r.BoardSize*r.BoardSize, row, col, saved.Col("item", int(ExtraBomb), int(Kick))), func(row []int) error {
			return setItem(&m.State, 0, row)
		}},
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
func (o *ObservedJava) readAgents() error {
	m := o.replay
	var rows [][]*int
	if err := json.Unmarshal(o.text["agents"].(json.RawMessage), &rows); err != nil || len(rows) != MaxAgents {
		return fmt.Errorf("agents is %s, want %d lists of numbers", o.text["agents"], MaxAgents)
	}
	limits := []int{m.game.rules.BoardSize - 1, m.game.rules.BoardSize - 1, 255, 255, 1}
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
		a := Agent{Nowhere, uint8(n[2]), uint8(n[3]), m.Agents[i].Alive, n[4] != 0}
		if row[0] != nil {
			a.Cell = grid.At(n[0], n[1])
		}
		m.Agents[i] = a
	}
	return nil
}

// readResult reads how the game stands for the player.
func (o *ObservedJava) readResult() error {
	result := o.Result()
	if result > env.Incomplete {
		return fmt.Errorf("result is %d, want 0 to %d", o.text["result"], env.Incomplete)
	}
	codes := map[env.Result]results{env.Win: resultWin, env.Tie: resultTie}
	o.replay.State.results.set(env.SeatSet(0).With(o.View.Seat), codes[result])
	return nil
}

// Compare compares what was observed with what the seat would observe of the copy: values
// that an observation contains twice must agree. at is the prefix of entries' names.
func (o *ObservedJava) Compare(c *record.Comparison, at string) {
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
func (o *ObservedJava) compareBoard(c *record.Comparison, at string) {
	m, r := o.replay, &o.replay.game.rules
	burning := m.burning()
	for i := range r.BoardSize * r.BoardSize {
		cell := r.cell(i)
		item := m.Board[cell]
		if (item == Flames) != burning.Has(cell) {
			c.Differs(at+"flames", "those that the board shows", "others, at "+where(cell))
		}
		if item >= r.Agent0() && m.Agents[item-r.Agent0()].Cell != cell {
			c.Differs(at+"agents", "where the board shows them", "elsewhere than at "+where(cell))
		}
	}
}
