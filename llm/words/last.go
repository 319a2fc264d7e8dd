package words

import (
	"fmt"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Last is how a seat's last answer was read and played, and what the seat saw happen since the last view.
type Last struct {
	Reading  string   `json:"reading,omitempty"`  // legal, repaired or illegal; "": no answer came
	Read     string   `json:"read,omitempty"`     // the answer as it was read
	Why      string   `json:"why,omitempty"`      // what was repaired, or what is wrong
	Ticks    int      `json:"ticks,omitempty"`    // how many ticks it was carried out
	Late     int      `json:"late,omitempty"`     // how many ticks were made without an answer
	Ended    string   `json:"ended,omitempty"`    // what ended it early, or went wrong
	Happened []string `json:"happened,omitempty"` // in the order of time
}

// String is one line; empty if there was no answer and no tick.
func (l *Last) String() string {
	if l.Reading == "" && l.Late == 0 {
		return ""
	}
	line := "Last answer: " + map[string]string{"": "none came; you stopped", "legal": l.Read,
		"repaired": fmt.Sprintf("read as %q (%s)", l.Read, l.Why),
		"illegal":  "refused, for " + l.Why + "; you stopped"}[l.Reading]
	if l.Ticks > 0 {
		line += fmt.Sprint("; ticks: ", l.Ticks)
	}
	if l.Late > 0 {
		line += fmt.Sprint("; ticks without an answer: ", l.Late)
	}
	if l.Ended != "" {
		line += "; then " + l.Ended
	}
	if l.Happened != nil {
		line += ". Since then: " + strings.Join(l.Happened, "; ")
	}
	return line + "."
}

// happens are the texts for events that views show. WHO is the seat, WHAT the object or place, BY the bombs' owners.
var happens = map[env.EventKind]string{
	env.NotLaid: "WHO could lay no bomb", env.Kicked: "WHO kicked a bomb WHAT", env.PickedUp: "WHO picked up WHAT",
	env.Destroyed: "WHAT burnt BY", env.Hurt: "WHO took a hit BY", env.Died: "WHO died BY",
	env.Collapsed: "ring WHAT of the board fell",
}

// causes are the causes of deaths other than bombs.
var causes = map[string]string{"collapse": "in a falling ring", "move": "in a collision", "base": "on another's home"}

// Happens adds the events of a step that a seat saw to a Last.
func (w *Writer) Happens(seen *scene.Step, seat int, to *Last) {
	to.Happened = slices.Clone(to.Happened) // records share it
	for i := range seen.Events {
		e := &seen.Events[i]
		who, what, figure, by := w.whose(e.Seat, seat, ""), e.What, 'a', causes[e.What]
		for k, owner := range e.By.List() {
			by = [2]string{"by ", by + " and "}[min(k, 1)] + w.whose(owner, seat, "'s") + " bomb"
		}
		if n, _ := fmt.Sscanf(what, "bomber_%c", &figure); n == 1 && w.figures > 1 {
			who = string(w.letter(e.Seat, int(figure-'a')))
		} else if what == "base" && e.By != 0 && e.Seat >= 0 {
			who = "base " + w.home(&env.SceneBase{Owners: 1 << e.Seat})
		}
		for _, look := range w.Head.Looks {
			if look.Sprite == what {
				what = look.Meaning
			}
		}
		if form := happens[e.Kind]; form != "" {
			told := strings.NewReplacer("WHO", who, "WHAT", what, "BY", by).Replace(form)
			to.add(strings.TrimSpace(told), e.At[0], e.At[1])
		}
	}
}

// add adds an event at a place. It joins the entry of the same event at another place, if there is one.
func (l *Last) add(what string, row, col int) {
	at := slices.IndexFunc(l.Happened, func(s string) bool { return strings.HasPrefix(s, what+" at ") })
	if place := spot(env.Place{row, col}); row >= 0 && at >= 0 {
		l.Happened[at] += " " + place
	} else if row >= 0 {
		l.Happened = append(l.Happened, what+" at "+place)
	} else {
		l.Happened = append(l.Happened, what)
	}
}

// whose is the letters of a seat with an ending; for the reader's own seat "you" or "your".
func (w *Writer) whose(seat, own int, ending string) string {
	if seat != own {
		return w.Alias(seat) + ending
	}
	return map[string]string{"": "you", "'s": "your"}[ending]
}
