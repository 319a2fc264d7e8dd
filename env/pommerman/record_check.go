package pommerman

import (
	"fmt"
	"slices"
	"strconv"

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

// Step makes recorded step i, counted from 0, in s. A living agent's move that
// does not exist is an error.
func (rec *Record) Step(s *State, i int) error {
	st := &rec.steps[i]
	width := 1 + rec.Rules.RadioWords
	var actions [MaxAgents * (1 + MaxWords)]uint8
	for seat, move := range st.Actions {
		if !s.Agents[seat].Alive {
			continue
		}
		if move < 0 || move >= int(numActions) {
			return fmt.Errorf("step %d: actions[%d] is %d, want 0 to %d", i+1, seat, move, numActions-1)
		}
		own := actions[seat*width:]
		own[0] = uint8(move)
		if st.Messages != nil && st.Messages[seat] != nil {
			for w := range rec.Rules.RadioWords {
				own[1+w] = uint8(min(max(st.Messages[seat][w], 0), 255))
			}
		}
	}
	rec.Rules.Step(s, actions[:rec.Rules.Seats()*width])
	return nil
}

// Check replays the game from its start and its actions alone and compares
// every other recorded value. Where the replay is over and the record goes on,
// that is a difference in "done" and the comparison ends.
func (rec *Record) Check() (trace.Report, error) {
	c := comparison{rules: &rec.Rules, raw: newRawEncoder(&rec.Rules)}
	c.report.Games = 1
	s := rec.Start
	c.state(&rec.initial, &s)
	for i := range rec.steps {
		if i > 0 && rec.Rules.Status(&s).Over {
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
	raw    *rawEncoder
	view   View
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

// outcome compares what the step led to.
func (c *comparison) outcome(want *recordStep, s *State) {
	status := c.rules.Status(s)
	rewards := make([]float64, c.rules.Seats())
	c.rules.Rewards(s, rewards)
	var winners []int
	for seat := range c.rules.Seats() {
		if status.Winners.Has(seat) {
			winners = append(winners, seat)
		}
	}
	if !slices.Equal(want.Rewards, rewards) {
		c.differs("rewards", want.Rewards, rewards)
	}
	equal(c, "done", *want.Done, flag(status.Over))
	equal(c, "result", want.Result, status.Result.String())
	if !slices.Equal(want.Winners, winners) {
		c.differs("winners", want.Winners, winners)
	}
}

// state compares a state and what was observed of it. A record shows the state
// after the collapse of the step and observations from before it.
func (c *comparison) state(want *recordState, s *State) {
	settled := c.rules.Settled(*s)
	got := c.rules.recordOf(&settled)
	equal(c, "step_count", *want.StepCount, *got.StepCount)
	c.cells("board", want.Board, got.Board)
	c.rows("agents", want.Agents, got.Agents, []string{"row", "col", "alive", "ammo", "blast_strength", "can_kick"})
	c.rows("bombs", want.Bombs, got.Bombs, []string{"row", "col", "life", "blast_strength", "bomber", "direction"})
	c.rows("flames", want.Flames, got.Flames, []string{"row", "col", "life"})
	c.rows("items", want.Items, got.Items, []string{"row", "col", "item"})
	c.rows("radio", want.Radio, got.Radio, []string{"word0", "word1", "word2"})
	for seat := range want.Obs {
		c.rules.See(s, seat, &c.view)
		seen := c.view.seen()
		c.obs(fmt.Sprintf("obs[%d].", seat), &want.Obs[seat], &seen)
		raw := c.raw.observe(s, seat)
		c.obs(fmt.Sprintf("obs[%d].raw.", seat), &seen, &raw)
	}
}

// obs compares two observations.
func (c *comparison) obs(at string, want, got *recordObs) {
	c.cells(at+"board", want.Board, got.Board)
	c.cells(at+"bomb_blast_strength", want.BombBlast, got.BombBlast)
	c.cells(at+"bomb_life", want.BombLife, got.BombLife)
	c.cells(at+"bomb_moving_direction", want.BombMoving, got.BombMoving)
	c.cells(at+"flame_life", want.FlameLife, got.FlameLife)
	c.numbers(at+"position", want.Position, got.Position)
	equal(c, at+"ammo", *want.Ammo, *got.Ammo)
	equal(c, at+"blast_strength", *want.Blast, *got.Blast)
	equal(c, at+"can_kick", *want.CanKick, *got.CanKick)
	equal(c, at+"teammate", *want.Teammate, *got.Teammate)
	c.numbers(at+"enemies", want.Enemies, got.Enemies)
	c.numbers(at+"alive", want.Alive, got.Alive)
	equal(c, at+"game_type", *want.GameType, *got.GameType)
	equal(c, at+"game_env", want.GameEnv, got.GameEnv)
	equal(c, at+"step_count", *want.StepCount, *got.StepCount)
	c.numbers(at+"message", want.Message, got.Message)
}

func equal[T comparable](c *comparison, field string, want, got T) {
	if want != got {
		c.differs(field, want, got)
	}
}

func (c *comparison) numbers(field string, want, got []int) {
	if !slices.Equal(want, got) {
		c.differs(field, want, got)
	}
}

// cells compares two maps and names the first cell that differs.
func (c *comparison) cells(field, want, got string) {
	if want == got {
		return
	}
	if len(want) != len(got) {
		c.differs(field, strconv.Itoa(len(want))+" cells", strconv.Itoa(len(got))+" cells")
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
	n := c.rules.BoardSize
	rest := ""
	if more > 0 {
		rest = fmt.Sprintf(" (and %d more cells differ)", more)
	}
	c.differs(fmt.Sprintf("%s[%d,%d]", field, first/n, first%n), string(want[first]), string(got[first])+rest)
}

// rows compares two lists of things. A list of the same things in another order
// is one difference, and so is one with more or fewer of them.
func (c *comparison) rows(field string, want, got [][]int, names []string) {
	switch {
	case slices.EqualFunc(want, got, slices.Equal[[]int]):
		return
	case len(want) != len(got):
		c.differs(field, want, got)
		return
	case slices.EqualFunc(sorted(want), sorted(got), slices.Equal[[]int]) && field != "agents" && field != "radio":
		c.differs(field+" (order)", want, got)
		return
	}
	for i := range want {
		if len(want[i]) != len(got[i]) {
			c.differs(fmt.Sprintf("%s[%d]", field, i), want[i], got[i])
			continue
		}
		for k := range want[i] {
			equal(c, fmt.Sprintf("%s[%d].%s", field, i, names[k]), want[i][k], got[i][k])
		}
	}
}

func sorted(rows [][]int) [][]int {
	return slices.SortedFunc(slices.Values(rows), slices.Compare[[]int])
}
