package orders

import (
	"fmt"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Orders is what one answer says. The zero value is a single stop.
type Orders struct {
	// Actions are choices of the components of the action that move something, one tick's
	// after the other. They are played if Kind is Play; none is a single stop.
	Actions []uint8

	Kind  Kind
	Cell  env.Place // where Go goes
	Ticks int       // for how many ticks an order holds; 0: DefaultTicks

	Said [2]uint8 // the words of the message, 0 for none; for games with messages
}

// Limits of an answer.
const (
	DefaultTicks = 10  // for which an order holds that names no number
	MostTicks    = 100 // for which an order may hold
	MostWords    = 20  // in a list
)

// Kind is a kind of order.
type Kind uint8

// The kinds of orders.
const (
	Play   Kind = iota // play words as they are
	Go                 // go to a cell
	Bomb               // lay a bomb here if there is a way out, then hide
	Dig                // bomb the nearest wood, again and again
	Hunt               // walk to the nearest enemy and bomb it
	Hide               // go where no fire comes
	Follow             // stay near the teammate
	Wait               // stay here, unless fire comes
)

var kindNames = [...]string{"play", "go", "bomb", "dig", "hunt", "hide", "follow", "wait"}

func (k Kind) String() string { return kindNames[k] }

// Reading is how plain an answer was.
type Reading uint8

// The readings.
const (
	Legal    Reading = iota // exactly as documented
	Repaired                // otherwise written, with one meaning
	Illegal                 // without one meaning; it is stop
)

var readingNames = [...]string{"legal", "repaired", "illegal"}

func (r Reading) String() string { return readingNames[r] }

// Counts is how the answers of a seat were read.
type Counts struct {
	Legal    int `json:"legal"`
	Repaired int `json:"repaired"`
	Illegal  int `json:"illegal"`
	Late     int `json:"late"` // ticks for which no answer came in time
}

// Add counts an answer.
func (c *Counts) Add(r Reading) { *[...]*int{&c.Legal, &c.Repaired, &c.Illegal}[r]++ }

// Movers is how many components of a game's action move something; those after them are words
// of a message.
func Movers(head *scene.Head) int {
	n := 1
	for n < len(head.Actions) && head.Actions[n].N == head.Actions[0].N && head.Actions[n].Names[0] == head.Actions[0].Names[0] {
		n++
	}
	return n
}

// Text is the orders as an answer would say them. Parse reads it as Legal, with the same orders.
func (o *Orders) Text(head *scene.Head) string {
	var b strings.Builder
	if o.Kind == Play {
		names := head.Actions[0].Names
		for i, a := range o.Actions {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(names[a])
		}
		if len(o.Actions) == 0 {
			b.WriteString(names[0])
		}
	} else {
		b.WriteString(o.Kind.String())
	}
	if o.Kind == Go {
		fmt.Fprintf(&b, " %d,%d", o.Cell[0], o.Cell[1])
	}
	if o.Kind != Play && o.Ticks > 0 {
		fmt.Fprintf(&b, " for %d", o.Ticks)
	}
	if o.Said != [2]uint8{} {
		fmt.Fprintf(&b, "; say %d %d", o.Said[0], o.Said[1])
	}
	return b.String()
}
