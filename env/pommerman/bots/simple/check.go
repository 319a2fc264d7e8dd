package simple

import (
	"fmt"
	"math"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/record"
)

// ownDraws is how often a checked decision is also made with our own RNG.
const ownDraws = 8

// Formats has the format of recorded decisions of the reference's SimpleAgent, a line
// each.
var Formats = []record.Format{{
	Name:  decisionFormat,
	Check: func(line []byte) (record.Report, error) { return CheckDecision(line, false) },
}}

// CheckDecision makes a recorded decision of today's SimpleAgent, or of that of 2018,
// again in three ways:
//
//   - with the recorded draws, where action, rule, memory and the number of
//     draws must come out as recorded;
//   - with every sequence of draws there could be, where the actions and their
//     probabilities must be those recorded (which are rounded to six places);
//   - a few times with an RNG, where each action must be a possible one.
func CheckDecision(line []byte, of2018 bool) (record.Report, error) {
	d, err := readDecision(line, of2018)
	if err != nil {
		return record.Report{}, fmt.Errorf("bots: recorded decision: %w", err)
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Decisions: 1}}}
	d.checkReplay(&c)
	d.checkOdds(&c)
	d.checkRNG(&c)
	return c.Report, nil
}

// replay is a script of recorded draws. Past their end it goes on counting.
type replay struct {
	coins  string
	choose []int // nil, or n and what was drawn

	tossed int
	chosen []int // nil, or the n asked for and what was given
}

func (r *replay) coin() bool {
	i := r.tossed
	r.tossed++
	return i < len(r.coins) && r.coins[i] == '1'
}

// choice gives what was recorded, or 0 if there is no such entry.
func (r *replay) choice(n int) int {
	k := 0
	if r.choose != nil && r.choose[1] < n {
		k = r.choose[1]
	}
	r.chosen = []int{n, k}
	return k
}

func (r *replay) whole() bool { return true }

// agent is the agent before the decision.
func (d *decision) agent(chance draws) simple {
	return simple{memory: d.before, draws: chance, of2018: d.of2018}
}

// checkReplay decides with the recorded draws.
func (d *decision) checkReplay(c *record.Comparison) {
	script := &replay{coins: d.coins, choose: d.choice}
	a := d.agent(draws{script: script})
	action, by := a.decide(d.view)
	compare := func(field string, expected, got any) {
		if fmt.Sprint(expected) != fmt.Sprint(got) {
			c.Differs(field, expected, got)
		}
	}
	compare("action", uint8(d.action), uint8(action))
	compare("branch", d.branch, by)
	compare("coins", plural(len(d.coins), "draw"), plural(script.tossed, "draw"))
	compare("choice", choiceText(d.choice), choiceText(script.chosen))
	compare("recent_after", cellsText(&d.after), cellsText(&a.memory))
	compare("prev_direction_after", uint8(d.after.heading), uint8(a.heading))
}

func choiceText(choice []int) string {
	if choice == nil {
		return "none"
	}
	return fmt.Sprintf("%d of %d", choice[1], choice[0])
}

func cellsText(m *memory) string {
	text := "["
	for i, c := range m.recent[:m.count] {
		if i > 0 {
			text += " "
		}
		text += fmt.Sprintf("(%d,%d)", c.Row(), c.Col())
	}
	return text + "]"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// probsTolerance covers the rounding of the recorded probabilities.
const probsTolerance = 1e-6

// checkOdds decides with all draws there could be.
func (d *decision) checkOdds(c *record.Comparison) {
	got := odds(d.view, d.agent(draws{}))
	for a := range got {
		field := fmt.Sprintf("possible[%d]", a)
		if (got[a] > 0) != d.possible[a] {
			c.Differs(field, d.possible[a], got[a] > 0)
		}
		if math.Abs(got[a]-d.probs[a]) > probsTolerance {
			field = fmt.Sprintf("probs[%d]", a)
			c.Differs(field, fmt.Sprintf("%.6f", d.probs[a]), fmt.Sprintf("%.6f", got[a]))
		}
	}
}

// odds is the exact probability of each action of an agent.
func odds(v *pommerman.View, before simple) (p [tactics.Choices]float64) {
	var o outcomes
	for more := true; more; more = o.next() {
		a := before
		a.draws = draws{script: &o}
		action, _ := a.decide(v)
		p[action] += o.weight()
	}
	return p
}

// outcomes is a script that goes through all sequences of draws that matter,
// like the digits of a counter in which each digit has a base of its own.
// Invariant: between decisions, used is the number of digits.
type outcomes struct {
	digits []digit
	used   int
}

type digit struct{ value, base int }

func (o *outcomes) coin() bool { return o.choice(2) == 1 }

func (o *outcomes) choice(n int) int {
	if o.used == len(o.digits) {
		o.digits = append(o.digits, digit{0, n})
	}
	o.used++
	return o.digits[o.used-1].value
}

func (o *outcomes) whole() bool { return false }

// weight is the probability of the draws just used.
func (o *outcomes) weight() float64 {
	p := 1.0
	for _, d := range o.digits {
		p /= float64(d.base)
	}
	return p
}

// next turns to the next sequence of draws, false after the last.
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

// checkRNG decides a few times with an RNG of our own.
func (d *decision) checkRNG(c *record.Comparison) {
	for i := range ownDraws {
		a := d.agent(draws{rng: env.Seed{Value: uint64(i)}.RNG(env.StreamAgents)})
		if action, _ := a.decide(d.view); !d.possible[action] {
			c.Differs("possible", d.possibleText(), fmt.Sprintf("%d with our RNG", action))
			return
		}
	}
}

func (d *decision) possibleText() string {
	text := "one of"
	for a, ok := range d.possible {
		if ok {
			text += fmt.Sprintf(" %d", a)
		}
	}
	return text
}
