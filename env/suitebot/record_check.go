package suitebot

import (
	"encoding/binary"
	"fmt"

	"pommego/env/record"
)

// CheckRecord reads a recorded game, replays it and compares: the checker of
// [RecordFormat] for package trace.
func CheckRecord(line []byte) (record.Report, error) {
	rec, err := ParseRecord(line)
	if err != nil {
		return record.Report{}, err
	}
	return rec.Check(), nil
}

// Check replays the game from its start and its actions alone and compares
// every other recorded value. Where the replay is over and the record goes on,
// that is a difference in "done" and the comparison ends.
func (rec *Record) Check() record.Report {
	c := comparison{plan: rec.Plan, raw: newRawReader(rec.Plan)}
	c.Report.Games = 1
	s := rec.Start
	c.state(&rec.initial, &s)
	for i := range rec.steps {
		if rec.Plan.Over(&s) {
			if i == 0 {
				c.Differs("initial.step_count", *rec.initial.StepCount, "the end of the game, but steps follow")
			}
			break
		}
		rec.Step(&s, i)
		c.Step = i + 1
		c.outcome(&rec.steps[i], &s)
		c.state(&rec.steps[i].recordState, &s)
		c.Report.Steps++
	}
	return c.Report
}

// comparison compares a record with its replay.
type comparison struct {
	record.Comparison
	plan *Plan
	raw  *rawReader
	view View
}

// outcome compares what the round led to.
func (c *comparison) outcome(want *recordStep, s *State) {
	status := c.plan.Status(s)
	rewards := make([]float64, c.plan.rules.Players)
	c.plan.Rewards(s, rewards)
	record.EqualLists(&c.Comparison, "rewards", want.Rewards, rewards)
	record.Equal(&c.Comparison, "done", *want.Done, status.Over)
	record.Equal(&c.Comparison, "result", want.Result, status.Result.String())
	record.EqualLists(&c.Comparison, "winners", want.Winners, status.Winners.List())
}

// state compares a state and what was observed of it.
func (c *comparison) state(want *recordState, s *State) {
	got := c.plan.recordOf(s)
	record.Equal(&c.Comparison, "step_count", *want.StepCount, *got.StepCount)
	c.cells("fields", want.Fields, got.Fields)
	record.EqualRows(&c.Comparison, "agents", want.Agents, got.Agents, []string{"x", "y", "score", "collected", "kills", "deaths"})
	record.EqualRows(&c.Comparison, "bombs", want.Bombs, got.Bombs, []string{"x", "y", "rounds", "owner"})
	for seat := range want.Obs {
		c.plan.See(s, seat, &c.view)
		seen, raw := c.view.seen(), c.raw.observe(s, seat)
		c.obs(fmt.Sprintf("obs[%d].", seat), &want.Obs[seat], &seen)
		c.obs(fmt.Sprintf("obs[%d].raw.", seat), &seen, &raw)
	}
}

// obs compares two observations.
func (c *comparison) obs(at string, want, got *recordObs) {
	record.Equal(&c.Comparison, at+"seat", want.Seat, got.Seat)
	record.Equal(&c.Comparison, at+"step_count", want.StepCount, got.StepCount)
	record.Equal(&c.Comparison, at+"position", want.Position, got.Position)
	record.EqualLists(&c.Comparison, at+"scores", want.Scores, got.Scores)
	c.cells(at+"field", want.Field, got.Field)
	c.cells(at+"agent", want.Agent, got.Agent)
	c.cells(at+"home", want.Home, got.Home)
	c.cells(at+"bomb_rounds", want.BombRounds, got.BombRounds)
	c.cells(at+"bomb_owner", want.BombOwner, got.BombOwner)
}

// cells compares two maps, whose fields are [x, y].
func (c *comparison) cells(field, want, got string) {
	record.EqualMaps(&c.Comparison, field, want, got, func(i int) (x, y int) { return c.plan.XY(Cell(i)) })
}

// rawReader encodes observations in the raw encoding and reads them back, to
// hold that encoding to what it promises: that nothing is lost.
type rawReader struct {
	match         Match
	maps, scalars []byte
}

func newRawReader(p *Plan) *rawReader {
	g := gameOf(p)
	fields := g.Spec().Encodings[encodingRaw].Fields
	return &rawReader{Match{game: g}, make([]byte, fields[0].Size()), make([]byte, fields[1].Size())}
}

// observe is what a seat sees, by way of the encoding.
func (r *rawReader) observe(s *State, seat int) recordObs {
	r.match.State = *s
	r.match.Observe(encodingRaw, []uint8{uint8(seat)}, [][]byte{r.maps, r.scalars})
	scalar := func(i int) int { return int(int32(binary.LittleEndian.Uint32(r.scalars[4*i:]))) }
	p := r.match.game.plan
	o := recordObs{Seat: scalar(0), Position: [2]int{scalar(1), scalar(2)}, StepCount: scalar(3)}
	for seat := range p.rules.Players {
		o.Scores = append(o.Scores, scalar(4+seat))
	}
	o.Field = r.written(0, func(v uint8) byte { return [...]byte{textFull, textSpent, textUnseen}[v] })
	o.Agent, o.Home, o.BombOwner = r.written(1, seatLetter), r.written(2, seatLetter), r.written(4, seatLetter)
	o.BombRounds = r.written(3, func(v uint8) byte {
		if v == 0 {
			return '.'
		}
		return '0' + v
	})
	return o
}

// written is a map, by its place, with a character for each value.
func (r *rawReader) written(m int, letter func(v uint8) byte) string {
	cells := r.match.game.plan.cells
	text := make([]byte, cells)
	for c, v := range r.maps[m*cells:][:cells] {
		text[c] = letter(v)
	}
	return string(text)
}

// seatLetter is a seat plus 1, or 0 for none, as a record shows it.
func seatLetter(v uint8) byte {
	if v == 0 {
		return '.'
	}
	return '0' + v - 1
}
