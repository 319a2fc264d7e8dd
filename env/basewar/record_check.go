package basewar

import (
	"fmt"
	"hash/crc64"

	"pommego/env"
	"pommego/env/record"
)

// CheckRecord reads a recorded game, replays it and compares: the checker of
// [RecordFormat] for package trace.
func CheckRecord(line []byte) (record.Report, error) {
	rec, err := ParseRecord(line)
	if err != nil {
		return record.Report{}, err
	}
	return rec.Check()
}

// Len is the number of recorded steps.
func (rec *Record) Len() int { return len(rec.steps) }

// Step plays recorded step i, counted from 0, in s. A living bomber's action
// that does not exist is an error.
func (rec *Record) Step(s *State, i int) error {
	var actions [NumBombers]uint8
	for id, a := range rec.steps[i].Actions {
		if !s.Bombers[id].Alive() {
			continue
		}
		if a < 0 || a >= int(NumActions) {
			return fmt.Errorf("step %d: actions[%d] is %d, want 0 to %d", i+1, id, a, NumActions-1)
		}
		actions[rec.game.actionAt[id]] = uint8(a)
	}
	rec.game.Step(s, actions[:])
	return nil
}

// Check replays the game from its start and its actions alone and compares
// every other recorded value. Where the replay is over and the record goes on,
// that is a difference in "done" and the comparison ends.
func (rec *Record) Check() (record.Report, error) {
	c := comparison{rules: &rec.Rules, sums: newObserver(rec.game)}
	c.Report.Games = 1
	s := rec.Start
	c.state(&rec.initial, &s)
	for i := range rec.steps {
		if i > 0 && rec.Rules.Over(&s) {
			break
		}
		if err := rec.Step(&s, i); err != nil {
			return c.Report, err
		}
		c.Step = i + 1
		c.outcome(&rec.steps[i], &s)
		c.state(&rec.steps[i].recordState, &s)
		c.Report.Steps++
	}
	return c.Report, nil
}

// comparison compares a record with its replay.
type comparison struct {
	record.Comparison
	rules *Rules
	sums  *observer
}

// outcome compares what the step led to.
func (c *comparison) outcome(want *recordStep, s *State) {
	status := c.rules.Status(s)
	rewards := make([]float64, c.rules.Seats())
	c.rules.Rewards(s, rewards)
	record.EqualLists(&c.Comparison, "rewards", want.Rewards, rewards)
	record.Equal(&c.Comparison, "done", *want.Done, int(toByte(status.Over)))
	record.Equal(&c.Comparison, "result", want.Result, status.Result.String())
	record.EqualLists(&c.Comparison, "winners", want.Winners, status.Winners.List())
}

// state compares a state and what was observed of it.
func (c *comparison) state(want *recordState, s *State) {
	got := c.rules.jsonOf(s)
	record.Equal(&c.Comparison, "step_count", *want.StepCount, *got.StepCount)
	record.EqualMaps(&c.Comparison, "board", want.Board, got.Board, record.InRows(c.rules.BoardSize))
	record.EqualRows(&c.Comparison, "bombers", want.Bombers, got.Bombers, []string{"row", "col", "lives", "bombs"})
	record.EqualRows(&c.Comparison, "bombs", want.Bombs, got.Bombs, []string{"row", "col", "life", "owners"})
	record.EqualRows(&c.Comparison, "blast", want.Blast, got.Blast, []string{"row", "col"})
	record.EqualLists(&c.Comparison, "energy", want.Energy, got.Energy)
	record.EqualLists(&c.Comparison, "score", want.Score, got.Score)
	record.EqualLists(&c.Comparison, "gained", want.Gained, got.Gained)
	if want.Obs != nil {
		c.observations(want.Obs, s)
	}
}

// observations compares the checksums of what was observed.
func (c *comparison) observations(want map[string]string, s *State) {
	sums := c.sums.sum(s)
	for _, name := range c.sums.names() { // in order, unlike a map
		record.Equal(&c.Comparison, "obs."+name, want[name], sums[name])
	}
	if len(want) != len(sums) {
		c.Differs("obs", want, sums)
	}
	if c.sums.lost(s) {
		c.Differs("obs.raw", "the whole state", "a part of it")
	}
}

// observer makes observations of all seats, for their checksums.
type observer struct {
	match  Match
	seats  []uint8
	fields [][][]byte // by encoding
}

var crcTable = crc64.MakeTable(crc64.ECMA)

func newObserver(g *Game) *observer {
	o := &observer{match: Match{game: g}}
	for seat := range g.rules.Seats() {
		o.seats = append(o.seats, uint8(seat))
	}
	for _, e := range g.Spec().Encodings {
		var fields [][]byte
		for i := range e.Fields {
			n := e.Fields[i].Size()
			if !e.Fields[i].Shared {
				n *= len(o.seats)
			}
			fields = append(fields, make([]byte, n))
		}
		o.fields = append(o.fields, fields)
	}
	return o
}

// names lists the encodings.
func (o *observer) names() []string {
	var names []string
	for _, e := range o.match.game.Spec().Encodings {
		names = append(names, e.Name)
	}
	return names
}

// sum is the checksums of the observations of s.
func (o *observer) sum(s *State) map[string]string {
	o.match.State = *s
	sums := map[string]string{}
	for e, name := range o.names() {
		o.match.Observe(e, o.seats, o.fields[e])
		sum := uint64(0)
		for _, field := range o.fields[e] {
			sum = crc64.Update(sum, crcTable, field)
		}
		sums[name] = fmt.Sprintf("%016x", sum)
	}
	return sums
}

// lost reports whether the raw observation just made leaves anything out.
func (o *observer) lost(s *State) bool {
	want := *s
	want.RNG, want.Gained = env.RNG{}, [2]uint16{}
	want.sortBombs()
	return o.match.game.unpackRaw(o.fields[encodingRaw]) != want
}
