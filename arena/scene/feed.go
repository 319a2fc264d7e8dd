package scene

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Feed has the positions of games that are played one after the other, for those who look on. It is not safe
// for concurrent use.
type Feed struct {
	Most int // positions that are kept, the last; 0: all

	head *Head // of the game that is played
	game int   // its number, from 1
	gone int   // positions before those that are kept
	kept []position
}

type position struct {
	head *Head
	game int
	step Step
}

// Viewer is one who looks on at a feed.
type Viewer struct {
	game int  // the number of the game that it is shown; 0: none yet
	past int  // positions that it was sent, or has missed
	last Step // as it was sent
}

// Line is one of those that a viewer is sent, with one of its fields.
type Line struct {
	Head *Head  `json:"head,omitempty"` // another game begins
	Step *Step  `json:"step,omitempty"` // a position: the first of a game whole, of others what is new in them
	End  string `json:"end,omitempty"`  // why nothing more comes
}

// Begin begins another game.
func (f *Feed) Begin(head Head) { f.head, f.game = &head, f.game+1 }

// Add adds a whole position of the game.
func (f *Feed) Add(s Step) {
	if f.Most > 0 && len(f.kept) == f.Most {
		f.forget(f.Most / 4)
	}
	f.kept = append(f.kept, position{f.head, f.game, s})
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

// Game is the last game, as far as it is kept.
func (f *Feed) Game() *Timeline {
	g := new(Timeline)
	for _, p := range f.kept {
		if p.game == f.game {
			g.Head, g.Steps = *p.head, append(g.Steps, p.step)
		}
	}
	return g
}

// News is what a viewer was not sent yet, each position as see shows it: the rest of the game that it is shown,
// or if there is none what is kept of the last game.
func (f *Feed) News(v *Viewer, see func(*Head, Step) Step) (lines []Line) {
	from := max(0, v.past-f.gone)
	if n := len(f.kept); from < n && f.kept[from].game != v.game {
		v.game, v.last = f.kept[n-1].game, Step{}
		from += slices.IndexFunc(f.kept[from:], func(p position) bool { return p.game == v.game })
		lines = append(lines, Line{Head: f.kept[from].head})
	}
	for ; from < len(f.kept) && f.kept[from].game == v.game; from++ {
		step := see(f.kept[from].head, f.kept[from].step)
		patch := step.Since(&v.last)
		lines, v.last = append(lines, Line{Step: &patch}), step
	}
	v.past = f.gone + from
	return lines
}

// Whole shows all of a position.
func Whole(_ *Head, s Step) Step { return s }

// patience is how long a viewer may take to read lines.
const patience = 10 * time.Second

// Lines returns a function that sends lines of JSON, until it returns an error: the viewer is gone, or does not
// read them.
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
