package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pommego/env"
)

// decide asks the seats that are still in for their actions, one after the
// other, so that no player shares the machine with another's search.
func (c *contest) decide(at *Moment, status env.Status, actions []uint8) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	choices := at.Game.Spec().Actions
	for seat := range c.players {
		if !status.In.Has(seat) {
			continue
		}
		if c.gone.Has(seat) {
			c.report.Seats[seat].Gone++
			continue
		}
		action := actions[seat*len(choices):][:len(choices)]
		late, note, err := c.ask(at.Match, seat, choices, action)
		report := &c.report.Seats[seat]
		if err != nil {
			note = err.Error()
		}
		if note != "" {
			report.LastError = fmt.Sprintf("step %d: %s", status.Steps+1, note)
		}
		if err == nil {
			continue
		}
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		clear(action)
		c.note(seat, err)
		if late {
			report.Late++
			at.Late = at.Late.With(seat)
		} else {
			report.Failed++
			at.Failed = at.Failed.With(seat)
		}
		if errors.Is(err, ErrVoid) {
			c.void(seat, report.LastError)
			return err
		}
	}
	return nil
}

// ask asks one seat for its action. It returns an error if there is none, a note if another replaces the answer.
func (c *contest) ask(m env.Match, seat int, choices []env.Choice, action []uint8) (late bool, note string, err error) {
	p, report := c.players[seat], &c.report.Seats[seat]
	ctx := c.ctx
	limit, giveUp := c.rules.clock(p)
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, max(limit, giveUp))
		defer cancel()
	}
	start := c.now(p)
	cost, err := p.Act(ctx, m, seat, action)
	took := c.now(p) - start
	report.Moves++
	report.Think += took
	report.Longest = max(report.Longest, took)
	report.Ticks += cost.Ticks
	report.Answers.Add(cost.Answers)
	unanswered := ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrVoid)
	if giveUp > 0 && (unanswered || took >= giveUp) {
		c.gone = c.gone.With(seat)
	}
	switch {
	case err == nil && limit > 0 && took > limit, unanswered:
		return true, "", fmt.Errorf("no answer within %v", limit)
	case err != nil:
		return false, "", err
	}
	return false, cost.Note, check(choices, action)
}

// now is the time since the match began. The times of a player's moves are differences of it.
func (c *contest) now(p Player) time.Duration {
	if c.rules.Untimed && !p.Traits().Remote {
		return 0
	}
	return time.Since(c.begun)
}

// check reports whether the numbers are an action of the game.
func check(choices []env.Choice, action []uint8) error {
	for i, choice := range choices {
		if int(action[i]) >= choice.N {
			return fmt.Errorf("%s is %d, want 0 to %d", choice.Name, action[i], choice.N-1)
		}
	}
	return nil
}

// maxAnswer is the most bytes that a remote player's answer may have.
const maxAnswer = 64 << 10

// readAction reads an action from JSON into numbers that are all zero. A list has one
// entry per component; anything else is the first component alone. Components that a
// list lacks stay 0, and further entries are ignored, as in the reference.
func readAction(text json.RawMessage, choices []env.Choice, action []uint8) error {
	if len(text) == 0 {
		return errors.New("the answer has no action")
	}
	var list []json.RawMessage
	if text[0] != '[' {
		list = []json.RawMessage{text}
	} else if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		return fmt.Errorf("the action is %s, want a list of %d numbers or names", Short(text), len(choices))
	}
	for i := range choices[:min(len(choices), len(list))] {
		v, err := readChoice(list[i], &choices[i])
		if err != nil {
			return fmt.Errorf("the action is %s, want %w", Short(text), err)
		}
		action[i] = v
	}
	return nil
}

// readChoice reads one component: its number, or its name in capitals or not. 3.0 is a
// whole number. The error says what is wanted.
func readChoice(text json.RawMessage, choice *env.Choice) (uint8, error) {
	var name string
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &name); err != nil {
			return 0, errors.New("a JSON string that ends")
		}
		i := slices.IndexFunc(choice.Names, func(known string) bool { return strings.EqualFold(known, name) })
		if i < 0 {
			return 0, fmt.Errorf("a number or one of %s for %s", strings.Join(choice.Names, ", "), choice.Name)
		}
		return uint8(i), nil
	}
	var v *float64
	if err := json.Unmarshal(text, &v); err != nil {
		return 0, fmt.Errorf("a number or a name for %s, or a list of them", choice.Name)
	}
	if v == nil || !(*v >= 0 && *v < float64(choice.N)) || *v != float64(uint8(*v)) {
		return 0, fmt.Errorf("a whole number of 0 to %d for %s", choice.N-1, choice.Name)
	}
	return uint8(*v), nil
}

// OneLine puts a text on one line, so that a name from outside, which may have line feeds, cannot begin a line.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Short is the beginning of an answer, for an error.
func Short(text []byte) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
