package scene

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"pommego/env"
	"pommego/env/record"
)

// Feed keeps the positions of games that are played one after the other, with what a Finder finds in them, for
// viewers. It is not safe for concurrent use.
type Feed struct {
	Most int // how many of the last positions are kept; 0: all

	find *Finder
	head *Head // of the current game; each game has one of its own
	gone int   // positions of the game that are not kept any more
	kept []position
}

type position struct {
	head *Head
	step Step
}

// Viewer is what one viewer of a feed has seen.
type Viewer struct {
	All bool // it is sent all games that are kept; else the last one, once it has the rest of its current game

	head *Head // of its current game; nil: none yet
	past int   // how many positions it was sent or has missed
	last Step  // the last position that it was sent
}

// Line is a line that a viewer is sent. One of its fields is set.
type Line struct {
	Head *Head  `json:"head,omitempty"` // another game begins
	Step *Step  `json:"step,omitempty"` // a position: the first of a game is whole, the others have what is new
	End  string `json:"end,omitempty"`  // why this is the last line
}

// Begin begins another game; m is at its start.
func (f *Feed) Begin(head Head, m env.Match) {
	f.head, f.find = &head, NewFinder(&head, m)
}

// Add adds the next whole position of the game; m is in that position.
func (f *Feed) Add(s Step, m env.Match) {
	f.find.Find(&s, m)
	if f.Most > 0 && len(f.kept) == f.Most {
		f.forget(f.Most / 4)
	}
	f.kept = append(f.kept, position{f.head, s})
}

// Clear forgets all positions.
func (f *Feed) Clear() { f.forget(len(f.kept)) }

func (f *Feed) forget(n int) { f.kept, f.gone = slices.Delete(f.kept, 0, n), f.gone+n }

// Last is the last position; nil if none is kept.
func (f *Feed) Last() *Step {
	if len(f.kept) == 0 {
		return nil
	}
	return &f.kept[len(f.kept)-1].step
}

// Game is the last game, with the positions that are kept.
func (f *Feed) Game() *Timeline {
	g := new(Timeline)
	for _, p := range f.kept {
		if p.head == f.head {
			g.Head, g.Steps = *p.head, append(g.Steps, p.step)
		}
	}
	return g
}

// News returns the lines that a viewer was not sent yet; see makes its view of each position. They are the rest of
// its current game or, if there is no rest, the kept positions of the last game; with All both, and games between.
func (f *Feed) News(v *Viewer, see func(*Head, Step) Step) (lines []Line) {
	for i := max(0, v.past-f.gone); i < len(f.kept); i++ {
		p := &f.kept[i]
		switch {
		case p.head == v.head:
		case !v.All && lines != nil:
			return lines
		case !v.All && p.head != f.kept[len(f.kept)-1].head:
			continue
		default:
			v.head, v.last, lines = p.head, Step{}, append(lines, Line{Head: p.head})
		}
		step := see(p.head, p.step)
		patch := step.Since(&v.last)
		lines, v.last, v.past = append(lines, Line{Step: &patch}), step, f.gone+i+1
	}
	return lines
}

// Whole is a view that hides nothing.
func Whole(_ *Head, s Step) Step { return s }

// patience is how long a viewer may take to read lines.
const patience = 10 * time.Second

// Lines returns a function that sends lines of JSON. It returns an error once the viewer is gone or does not read
// them in time.
func Lines[T any](w http.ResponseWriter) (send func([]T) error) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	out, control := json.NewEncoder(w), http.NewResponseController(w)
	return func(lines []T) error {
		control.SetWriteDeadline(time.Now().Add(patience))
		for i := range lines {
			if err := out.Encode(&lines[i]); err != nil {
				return err
			}
		}
		return control.Flush()
	}
}

// Timeline is a game with all its steps, each whole. Write it as JSON in the form of [Timeline.Patched].
type Timeline struct {
	Head
	Steps []Step `json:"steps"`
}

// Describe adds a position to a feed. If no game has begun there, the position begins one.
func (f *Feed) Describe(at record.Moment) {
	spec := at.Game.Spec()
	if f.head == nil {
		f.Begin(HeadOf(spec, at.Match), at.Match)
	}
	step := Describe(spec, at.Match, at.Tracker, at.Actions)
	step.Thoughts = at.Thoughts
	f.Add(step, at.Match)
}

// Read describes a recorded game from its current position to its end.
func Read(r record.Replay) (*Timeline, error) {
	var feed Feed
	err := r.Follow(func(at record.Moment) error { feed.Describe(at); return nil })
	if err != nil {
		return nil, err
	}
	l, info := feed.Game(), r.Info()
	l.Env, l.Seed, l.Note, l.Names = info.EnvID, info.Seed, info.Note, info.Policies
	if info.Name != "" {
		l.Note = fmt.Sprintf("%s (%s)", info.Name, info.Note)
	}
	return l, nil
}

// Patched is the game with a whole first step. The other steps lack what is the same in the step before.
func (l *Timeline) Patched() *Timeline {
	steps := slices.Clone(l.Steps)
	for i := 1; i < len(steps); i++ {
		steps[i] = l.Steps[i].Since(&l.Steps[i-1])
	}
	return &Timeline{l.Head, steps}
}
