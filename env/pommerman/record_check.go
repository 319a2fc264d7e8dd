package pommerman

import (
	"fmt"
	"slices"

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
func (rec *Record) Check() (record.Report, error) {
	c := comparison{rules: &rec.Rules, raw: newRawEncoder(&rec.Rules)}
	c.Report.Games = 1
	s := rec.Start
	c.state(&rec.initial, &s)
	for i := range rec.steps {
		if i > 0 && rec.Rules.Status(&s).Over {
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
	raw   *rawEncoder
	view  View
}

// outcome compares what the step led to.
func (c *comparison) outcome(want *recordStep, s *State) {
	status := c.rules.Status(s)
	rewards := make([]float64, c.rules.Seats())
	c.rules.Rewards(s, rewards)
	record.EqualLists(&c.Comparison, "rewards", want.Rewards, rewards)
	record.Equal(&c.Comparison, "done", *want.Done, flag(status.Over))
	record.Equal(&c.Comparison, "result", want.Result, status.Result.String())
	record.EqualLists(&c.Comparison, "winners", want.Winners, status.Winners.List())
}

// state compares a state and what was observed of it. A record shows the state
// after the collapse of the step and observations from before it.
func (c *comparison) state(want *recordState, s *State) {
	settled := c.rules.Settled(*s)
	got := c.rules.recordOf(&settled)
	record.Equal(&c.Comparison, "step_count", *want.StepCount, *got.StepCount)
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
	record.EqualLists(&c.Comparison, at+"position", want.Position, got.Position)
	record.Equal(&c.Comparison, at+"ammo", *want.Ammo, *got.Ammo)
	record.Equal(&c.Comparison, at+"blast_strength", *want.Blast, *got.Blast)
	record.Equal(&c.Comparison, at+"can_kick", *want.CanKick, *got.CanKick)
	record.Equal(&c.Comparison, at+"teammate", *want.Teammate, *got.Teammate)
	record.EqualLists(&c.Comparison, at+"enemies", want.Enemies, got.Enemies)
	record.EqualLists(&c.Comparison, at+"alive", want.Alive, got.Alive)
	record.Equal(&c.Comparison, at+"game_type", *want.GameType, *got.GameType)
	record.Equal(&c.Comparison, at+"game_env", want.GameEnv, got.GameEnv)
	record.Equal(&c.Comparison, at+"step_count", *want.StepCount, *got.StepCount)
	record.EqualLists(&c.Comparison, at+"message", want.Message, got.Message)
}

// cells compares two maps.
func (c *comparison) cells(field, want, got string) {
	record.EqualMaps(&c.Comparison, field, want, got, record.InRows(c.rules.BoardSize))
}

// rows compares two lists of things. A list of the same things in another order
// is one difference, and so is one with more or fewer of them.
func (c *comparison) rows(field string, want, got [][]int, names []string) {
	reordered := field != "agents" && field != "radio" && !slices.EqualFunc(want, got, slices.Equal[[]int]) &&
		slices.EqualFunc(sorted(want), sorted(got), slices.Equal[[]int])
	if reordered {
		c.Differs(field+" (order)", want, got)
		return
	}
	record.EqualRows(&c.Comparison, field, want, got, names)
}

func sorted(rows [][]int) [][]int {
	return slices.SortedFunc(slices.Values(rows), slices.Compare[[]int])
}
