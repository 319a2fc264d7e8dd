package basewar

import (
	"fmt"
	"hash/crc64"
	"slices"
	"strconv"

	"pommego/env"
	"pommego/env/trace"
)

// keepDifferences is how many differences of one game are spelled out.
const keepDifferences = 100

// CheckRecord reads a recorded game, replays it and compares: the checker of
// [RecordFormat] for package trace.
func CheckRecord(line []byte) (trace.Report, error) {
	rec, err := ParseRecord(line)
	if err != nil {
		return trace.Report{}, err
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
func (rec *Record) Check() (trace.Report, error) {
	c := comparison{rules: &rec.Rules, sums: newObserver(rec.game)}
	c.report.Games = 1
	s := rec.Start
	c.state(&rec.initial, &s)
	for i := range rec.steps {
		if i > 0 && rec.Rules.Over(&s) {
			break
		}
		if err := rec.Step(&s, i); err != nil {
			return c.report, err
		}
		c.step = i + 1
		c.outcome(&rec.steps[i], &s)
		c.state(&rec.steps[i].recordState, &s)
		c.report.Steps++
	}
	return c.report, nil
}

// comparison collects what differs between a record and its replay.
type comparison struct {
	rules  *Rules
	sums   *observer
	step   int
	report trace.Report
}

func (c *comparison) differs(field string, expected, got any) {
	c.report.Mismatches++
	if len(c.report.Differences) < keepDifferences {
		c.report.Differences = append(c.report.Differences, trace.Difference{
			Step: c.step, Field: field, Expected: fmt.Sprint(expected), Got: fmt.Sprint(got),
		})
	}
}

func (c *comparison) numbers(field string, want, got []int) {
	if !slices.Equal(want, got) {
		c.differs(field, want, got)
	}
}

// outcome compares what the step led to.
func (c *comparison) outcome(want *recordStep, s *State) {
	status := c.rules.Status(s)
	rewards := make([]float64, c.rules.Seats())
	c.rules.Rewards(s, rewards)
	if !slices.Equal(want.Rewards, rewards) {
		c.differs("rewards", want.Rewards, rewards)
	}
	if over := int(toByte(status.Over)); *want.Done != over {
		c.differs("done", *want.Done, over)
	}
	if want.Result != status.Result.String() {
		c.differs("result", want.Result, status.Result)
	}
	var winners []int
	for seat := range c.rules.Seats() {
		if status.Winners.Has(seat) {
			winners = append(winners, seat)
		}
	}
	c.numbers("winners", want.Winners, winners)
}

// state compares a state and what was observed of it.
func (c *comparison) state(want *recordState, s *State) {
	got := c.rules.jsonOf(s)
	if *want.StepCount != *got.StepCount {
		c.differs("step_count", *want.StepCount, *got.StepCount)
	}
	c.board(want.Board, got.Board)
	c.rows("bombers", want.Bombers, got.Bombers, []string{"row", "col", "lives", "bombs"})
	c.rows("bombs", want.Bombs, got.Bombs, []string{"row", "col", "life", "owners"})
	c.rows("blast", want.Blast, got.Blast, []string{"row", "col"})
	c.numbers("energy", want.Energy, got.Energy)
	c.numbers("score", want.Score, got.Score)
	c.numbers("gained", want.Gained, got.Gained)
	if want.Obs == nil {
		return
	}
	sums := c.sums.sum(s)
	for _, name := range c.sums.names() { // in order, unlike a map
		if want.Obs[name] != sums[name] {
			c.differs("obs."+name, want.Obs[name], sums[name])
		}
	}
	if len(want.Obs) != len(sums) {
		c.differs("obs", want.Obs, sums)
	}
	if lost := c.sums.lost(s); lost {
		c.differs("obs.raw", "the whole state", "a part of it")
	}
}

// board compares two boards and names the first cell that differs.
func (c *comparison) board(want, got string) {
	if len(want) != len(got) {
		c.differs("board", strconv.Itoa(len(want))+" cells", strconv.Itoa(len(got))+" cells")
		return
	}
	first, more := -1, -1
	for i := range want {
		if want[i] != got[i] {
			more++
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return
	}
	rest := ""
	if more > 0 {
		rest = fmt.Sprintf(" (and %d more cells differ)", more)
	}
	n := c.rules.BoardSize
	c.differs(fmt.Sprintf("board[%d,%d]", first/n, first%n), string(want[first]), string(got[first])+rest)
}

// rows compares two lists of things.
func (c *comparison) rows(field string, want, got [][]int, names []string) {
	if len(want) != len(got) {
		c.differs(field, want, got)
		return
	}
	for i := range want {
		if len(want[i]) != len(got[i]) {
			c.differs(fmt.Sprintf("%s[%d]", field, i), want[i], got[i])
			continue
		}
		for k := range want[i] {
			if want[i][k] != got[i][k] {
				c.differs(fmt.Sprintf("%s[%d].%s", field, i, names[k]), want[i][k], got[i][k])
			}
		}
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
	for _, e := range g.spec.Encodings {
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
	for _, e := range o.match.game.spec.Encodings {
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

// lost tells whether the raw observation just made leaves anything out.
func (o *observer) lost(s *State) bool {
	want := *s
	want.Dice, want.Gained = env.Dice{}, [2]uint16{}
	want.sortBombs()
	return o.match.game.unpackRaw(o.fields[encodingRaw]) != want
}
