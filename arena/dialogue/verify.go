package dialogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/env/record"
)

// Format is the format of files of dialogues, whose games have formats of their own. A
// game and its turns are checked once all turns have come: the views must be those of
// the game played again, byte for byte, and the actions those that were played.
func Format(games trace.Formats) record.Format {
	var mu sync.Mutex
	lines := map[string][]line{} // by game
	return record.Format{Name: format, Check: func(text []byte) (record.Report, error) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil || (l.Turn == nil) == (l.Game == nil) {
			return record.Report{}, fmt.Errorf("want a turn or a game of %s: %w", format, err)
		}
		mu.Lock()
		all := append(lines[l.ID], l)
		game := slices.IndexFunc(all, func(l line) bool { return l.Game != nil })
		if lines[l.ID] = all; game < 0 || len(all) <= all[game].Turns {
			mu.Unlock()
			return record.Report{}, nil
		}
		delete(lines, l.ID)
		mu.Unlock()
		text = all[game].Game
		if turns := all[game].Turns; len(all)-1 != turns {
			return record.Report{}, fmt.Errorf("the game had %d turns, and there are %d", turns, len(all)-1)
		}
		return check(games, text, slices.Delete(all, game, game+1))
	}}
}

// check plays a game again and compares its turns with it.
func check(games trace.Formats, game []byte, turns []line) (record.Report, error) {
	format, err := games.Of(game)
	if err != nil {
		return record.Report{}, err
	}
	report, err := format.Check(game)
	if err != nil {
		return report, err
	}
	replay, err := format.Open(game)
	if err != nil {
		return report, err
	}
	c, left := record.Comparison{Report: report}, 0 // to be compared
	for _, l := range turns {
		left += 1 + len(l.Actions)
	}
	var talk *Game
	err = replay.Follow(func(at record.Moment) error {
		spec, width := *at.Game.Spec(), len(at.Game.Spec().Actions)
		if at.Actions == nil {
			spec.ID = replay.Info().EnvID
			talk, err = New(&spec, at.Match)
		}
		now := scene.Describe(&spec, at.Match, at.Tracker, nil)
		c.Step = now.Step
		for _, l := range turns {
			t, k := l.Turn, now.Step-1-l.Tick
			if t.Seat < 0 || t.Seat >= spec.Seats {
				return fmt.Errorf("a turn is of seat %d, want 0 to %d", t.Seat, spec.Seats-1)
			}
			if k >= 0 && k < len(t.Actions) && at.Actions != nil {
				made, did := t.Actions[k], at.Actions[t.Seat*width:][:width]
				if !slices.EqualFunc(made, did, func(made int, did uint8) bool {
					// Of several figures of a seat the game has 0 for those that are dead.
					return made == int(did) || did == 0 && talk.Head.Movers() > 1
				}) {
					c.Differs(fmt.Sprintf("actions of seat %d's turn at tick %d", t.Seat, t.Tick), made, did)
				}
				left--
			}
			if k == -1 {
				view, _ := talk.Seat(t.Seat, t.Detail, 0).View(&now)
				text, rules := "", talk.Told.Rules()
				for _, m := range t.Messages {
					text += m.Content
				}
				if before, ok := strings.CutSuffix(text, view); !ok || before != "" && !strings.HasPrefix(before, rules) {
					c.Differs(fmt.Sprintf("messages of seat %d's turn", t.Seat), text, rules+view)
				}
				left--
			}
		}
		return err
	})
	if left > 0 {
		c.Differs("turns", "in the game", fmt.Sprintf("%d views and actions of them before or after it", left))
	}
	return c.Report, err
}
