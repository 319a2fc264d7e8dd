package dialogue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/env/record"
	"pommego/llm/words"
)

// Formats are the formats of files of dialogues. games are the formats of the games in them. A
// game and its turns are checked once all turns have been read: played again, the game must
// have the same views, byte for byte, and the same actions. The views of release 0.1 are not
// compared.
func Formats(games trace.Formats) []record.Format {
	var mu sync.Mutex
	lines := map[string][]line{} // by game
	one := record.Format{Name: format, Check: func(text []byte) (record.Report, error) {
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
			return record.Report{}, fmt.Errorf("the file has %d turns of the game, want %d", len(all)-1, turns)
		}
		all = slices.Delete(all, game, game+1) // lines are checked concurrently, and come in any order
		slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.Number, b.Number) })
		return check(games, text, all)
	}}
	return []record.Format{one, {Name: earlier, Check: one.Check}}
}

// check plays a game again and compares its turns with it.
func check(games trace.Formats, game []byte, turns []line) (record.Report, error) {
	of, err := games.Of(game)
	if err != nil {
		return record.Report{}, err
	}
	report, err := of.Check(game)
	if err != nil {
		return report, err
	}
	replay, err := of.Open(game)
	if err != nil {
		return report, err
	}
	c, left := record.Comparison{Report: report}, 0 // left: turns that are not compared yet
	for _, l := range turns {
		left += 1 + len(l.Actions)
	}
	seats, before := []*Seat{}, map[int]*Turn{} // by seat
	err = replay.Follow(func(at record.Moment) error {
		spec, width := *at.Game.Spec(), len(at.Game.Spec().Actions)
		if at.Actions == nil {
			spec.ID = replay.Info().EnvID
			w := words.New(at.Game, &spec, at.Match)
			for n := range spec.Seats {
				seats = append(seats, NewSeat(w, at.Match, n, words.Form{}, 0))
			}
		}
		now := scene.Describe(&spec, at.Match, at.Tracker, at.Actions)
		for _, s := range seats {
			s.See(&now)
		}
		c.Step = now.Step
		for _, l := range turns {
			t, k := l.Turn, now.Step-1-l.Tick
			if t.Seat < 0 || t.Seat >= spec.Seats {
				return fmt.Errorf("a turn has seat %d, want 0 to %d", t.Seat, spec.Seats-1)
			}
			if k >= 0 && k < len(t.Actions) && at.Actions != nil {
				made, did := t.Actions[k], at.Actions[t.Seat*width:][:width]
				if !same(made, did, seats[t.Seat].writer.Head.Movers()) {
					c.Differs(fmt.Sprintf("actions of seat %d's turn at tick %d", t.Seat, t.Tick), made, did)
				}
				left--
			}
			if k == -1 {
				was := seats[t.Seat].differing(t, before[t.Seat], &now)
				if before[t.Seat] = t; was != "" && l.Format == format {
					c.Differs(fmt.Sprintf("messages of seat %d's turn", t.Seat), t.Messages, was)
				}
				left--
			}
		}
		return nil
	})
	if left > 0 {
		c.Differs("turns", "in the game", fmt.Sprintf("%d views and actions of them before or after it", left))
	}
	return c.Report, err
}

// same reports whether recorded actions are those of the game. If a seat has several figures, the game has 0 for
// those that are dead.
func same(made []int, did []uint8, figures int) bool {
	return slices.EqualFunc(made, did, func(made int, did uint8) bool {
		return made == int(did) || did == 0 && figures > 1
	})
}

// differing is the view of a turn when the game is played again, "" if the turn has the same. It takes the parts of
// Last that do not follow from the game from the record.
func (s *Seat) differing(t, before *Turn, now *scene.Step) (view string) {
	happened := s.Last.Happened
	s.Form, s.Last = t.Form, t.Last
	if s.Last.Happened = happened; before != nil {
		s.Last.Ticks = t.Tick - before.Tick - s.Last.Late
		if before.Answer != nil {
			s.Last.Reading = before.Reading
		}
	}
	same := reflect.DeepEqual(s.Last, t.Last)
	view, _ = s.View(now)
	text := ""
	for _, m := range t.Messages {
		text += m.Content
	}
	head, ok := strings.CutSuffix(text, view)
	if ok && same && (head == "" || t.Own || strings.HasPrefix(head, s.Prompt())) {
		return ""
	}
	return view
}
