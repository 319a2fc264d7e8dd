package words

import (
	"fmt"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Last is what became of a seat's last answer, and what the seat saw happen since the view before.
type Last struct {
	Reading  string   `json:"reading,omitempty"`  // legal, repaired or illegal; "": none came
	Read     string   `json:"read,omitempty"`     // the answer as it was read
	Why      string   `json:"why,omitempty"`      // what was repaired, or what is wrong
	Ticks    int      `json:"ticks,omitempty"`    // for which it was carried out
	Late     int      `json:"late,omitempty"`     // ticks that went by without an answer
	Ended    string   `json:"ended,omitempty"`    // what ended it early, or went wrong
	Happened []string `json:"happened,omitempty"` // in the order of what came first
}

// String is a line, empty if there was no answer and no tick.
func (l *Last) String() (line string) {
	switch l.Reading {
	case "legal":
		line = l.Read
	case "repaired":
		line = fmt.Sprintf("read as %q (%s)", l.Read, l.Why)
	case "illegal":
		line = fmt.Sprintf("refused, for %s; you stopped", l.Why)
	default:
		if l.Late == 0 {
			return ""
		}
		line = "none came; you stopped"
	}
	for _, ticks := range []struct {
		n    int
		what string
	}{{l.Ticks, ""}, {l.Late, " without an answer"}} {
		if ticks.n > 0 {
			line += fmt.Sprintf("; ticks%s: %d", ticks.what, ticks.n)
		}
	}
	if l.Ended != "" {
		line += "; then " + l.Ended
	}
	line = "Last answer: " + line + "."
	if l.Happened != nil {
		line += " Since then: " + strings.Join(l.Happened, "; ") + "."
	}
	return line
}

// Happens adds what has happened in a step, as a seat saw it.
func (g *Game) Happens(seen *scene.Step, seat int, to *Last) {
	for i := range seen.Events {
		if e := &seen.Events[i]; e.Kind != env.Ended {
			to.add(g.happened(e, seat), e.Row, e.Col)
		}
	}
}

// causes are those of deaths that are no bombs.
var causes = map[string]string{"collapse": " in a falling ring", "move": " in a collision",
	"base": " on another's home"}

// happened says an event in words but for its place, "" for one that positions show.
func (g *Game) happened(e *env.Event, seat int) string {
	who, figure, by := g.whose(e.Seat, seat, ""), 'a', ""
	for i, owner := range e.By.List() {
		by += [2]string{" by ", " and "}[min(i, 1)] + g.whose(owner, seat, "'s") + " bomb"
	}
	if n, _ := fmt.Sscanf(e.What, "bomber_%c", &figure); n == 1 && g.figures > 1 {
		who = string(g.letter(e.Seat, int(figure-'a')))
	} else if e.What == "base" && by != "" {
		who = "base " + g.home(&env.SceneBase{Owners: 1 << e.Seat})
	}
	switch e.Kind {
	case env.NotLaid:
		return who + " could lay no bomb"
	case env.Kicked:
		return who + " kicked a bomb " + e.What
	case env.PickedUp:
		for _, look := range g.head.Looks {
			if look.Sprite == e.What {
				return who + " picked up " + look.Meaning
			}
		}
	case env.Destroyed:
		return e.What + " burnt" + by
	case env.Hurt:
		return strings.Replace(who+" was hit"+by, "you was", "you were", 1)
	case env.Died:
		if by == "" {
			by = causes[e.What]
		}
		return who + " died" + by
	case env.Collapsed:
		return "ring " + e.What + " of the board fell"
	}
	return ""
}

// add adds what has happened in a place, to the same in another if there is one.
func (l *Last) add(what string, row, col int) {
	switch {
	case what == "":
		return
	case row < 0:
		l.Happened = append(l.Happened, what)
		return
	}
	at := slices.IndexFunc(l.Happened, func(s string) bool { return strings.HasPrefix(s, what+" at ") })
	if at < 0 {
		l.Happened, at = append(l.Happened, what+" at"), len(l.Happened)
	}
	l.Happened[at] += " " + spot(env.Place{row, col})
}

// whose is the letters of a seat with an ending, or the word for the own one.
func (g *Game) whose(seat, own int, ending string) string {
	switch {
	case seat != own:
		return g.Alias(seat) + ending
	case ending == "":
		return "you"
	}
	return "your"
}
