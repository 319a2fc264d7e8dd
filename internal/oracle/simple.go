package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/simple"
	"pommego/env/record"
	"pommego/env/seat"
)

// Decisions of the reference's SimpleAgent are recorded with the draws that it made, and
// with the probability of each action.

// ownDraws is how often a checked decision is also made with our own RNG.
const ownDraws = 8

func checkDecision(line []byte) (record.Report, error)     { return readAndCheck(line, false) }
func checkDecision2018(line []byte) (record.Report, error) { return readAndCheck(line, true) }

func readAndCheck(line []byte, of2018 bool) (record.Report, error) {
	d, err := readDecision(line, of2018)
	if err != nil {
		return record.Report{}, fmt.Errorf("recorded decision: %w", err)
	}
	return d.check(), nil
}

// check makes a recorded decision again in three ways:
//
//   - with the recorded draws, where action, rule, memory and the number of
//     draws must come out as recorded;
//   - with every sequence of draws there could be, where the actions and their
//     probabilities must be those recorded (which are rounded to six places);
//   - a few times with an RNG, where each action must be a possible one.
func (d *decision) check() record.Report {
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Decisions: 1}}}
	d.checkReplay(&c)
	d.checkOdds(&c)
	d.checkRNG(&c)
	return c.Report
}

// replay is a script of recorded draws. After their end it only counts further ones.
type replay struct {
	coins  string
	choose []int // nil, or n and the number drawn

	tossed int
	chosen []int // nil, or the n asked for and the number given
}

func (r *replay) Coin() bool {
	i := r.tossed
	r.tossed++
	return i < len(r.coins) && r.coins[i] == '1'
}

// Choice returns the recorded choice, or 0 if there is none.
func (r *replay) Choice(n int) int {
	k := 0
	if r.choose != nil && r.choose[1] < n {
		k = r.choose[1]
	}
	r.chosen = []int{n, k}
	return k
}

func (r *replay) Whole() bool { return true }

// checkReplay decides with the recorded draws.
func (d *decision) checkReplay(c *record.Comparison) {
	script, memory := &replay{coins: d.coins, choose: d.choice}, d.before
	action, by := memory.Decide(d.view, d.of2018, script)
	compare := func(field string, expected, got any) {
		if fmt.Sprint(expected) != fmt.Sprint(got) {
			c.Differs(field, expected, got)
		}
	}
	compare("action", uint8(d.action), uint8(action))
	compare("branch", d.branch, by)
	compare("coins (number)", len(d.coins), script.tossed)
	compare("choice (n and what was drawn)", d.choice, script.chosen)
	compare("recent_after", cellsText(&d.after), cellsText(&memory))
	compare("prev_direction_after", uint8(d.after.Heading), uint8(memory.Heading))
}

func cellsText(m *simple.Memory) string {
	text := "["
	for i, c := range m.Recent.List() {
		if i > 0 {
			text += " "
		}
		text += fmt.Sprintf("(%d,%d)", c.Row(), c.Col())
	}
	return text + "]"
}

// probsTolerance covers the rounding of the recorded probabilities.
const probsTolerance = 1e-6

// checkOdds decides with all draws there could be.
func (d *decision) checkOdds(c *record.Comparison) {
	got := odds(d.view, d.before, d.of2018, new(outcomes))
	for a := range got {
		field := fmt.Sprintf("possible[%d]", a)
		if (got[a] > 0) != d.possible.has(a) {
			c.Differs(field, d.possible.has(a), got[a] > 0)
		}
		if math.Abs(got[a]-d.probs[a]) > probsTolerance {
			field = fmt.Sprintf("probs[%d]", a)
			c.Differs(field, fmt.Sprintf("%.6f", d.probs[a]), fmt.Sprintf("%.6f", got[a]))
		}
	}
}

// odds returns the exact probability of each action of an agent.
func odds(v *pommerman.View, before simple.Memory, of2018 bool, o counter) (p [choices]float64) {
	for more := true; more; more = o.next() {
		memory := before
		action, _ := memory.Decide(v, of2018, o)
		p[action] += o.weight()
	}
	return p
}

// counter is a script that goes through sequences of draws.
type counter interface {
	simple.Script
	weight() float64 // the probability of the draws just used
	next() bool      // goes on to the next sequence; false after the last
}

// outcomes is a script that goes through all sequences of draws that matter,
// like the digits of a counter in which each digit has a base of its own.
// Invariant: between decisions, used is the number of digits.
type outcomes struct {
	digits []digit
	used   int
}

type digit struct{ value, base int }

func (o *outcomes) Coin() bool { return o.Choice(2) == 1 }

func (o *outcomes) Choice(n int) int {
	if o.used == len(o.digits) {
		o.digits = append(o.digits, digit{0, n})
	}
	o.used++
	return o.digits[o.used-1].value
}

func (o *outcomes) Whole() bool { return false }

// weight is the probability of the draws just used.
func (o *outcomes) weight() float64 {
	p := 1.0
	for _, d := range o.digits {
		p /= float64(d.base)
	}
	return p
}

// next goes on to the next sequence of draws. It returns false after the last.
func (o *outcomes) next() bool {
	o.used = 0
	for n := len(o.digits) - 1; n >= 0; n-- {
		if o.digits[n].value++; o.digits[n].value < o.digits[n].base {
			return true
		}
		o.digits = o.digits[:n]
	}
	return false
}

// checkRNG decides a few times with the agent's own RNG.
func (d *decision) checkRNG(c *record.Comparison) {
	bot := d.agent()
	for i := range ownDraws {
		if action := d.play(bot, uint64(i)); !d.possible.has(int(action)) {
			c.Differs("possible", d.possible, fmt.Sprintf("%d with our RNG", action))
			return
		}
	}
}

// agent returns the built-in agent that decides.
func (d *decision) agent() pommerman.Bot {
	kind := simple.Roster[0]
	if d.of2018 {
		kind = simple.Roster[1]
	}
	return kind.Make(new(seat.Options))
}

// play makes the bot decide from what it remembered before, with an RNG of the given state.
func (d *decision) play(bot pommerman.Bot, rng uint64) pommerman.Action {
	recent := d.before.Recent.List()
	state := binary.LittleEndian.AppendUint64(nil, rng)
	state = append(state, uint8(d.before.Heading), uint8(len(recent)))
	for _, c := range recent {
		state = append(state, uint8(c))
	}
	if err := seat.Restore(bot, state); err != nil {
		panic(err)
	}
	action := make([]uint8, 1+d.view.Rules.RadioWords)
	bot.Act(d.view, action)
	return pommerman.Action(action[0])
}
