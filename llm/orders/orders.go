package orders

import (
	"fmt"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Orders is what one answer says. The zero value is a single stop.
type Orders struct {
	Kind    Kind
	Actions []uint8   // for Play: the choices of the components that move figures, tick after tick
	Cell    env.Place // for Go
	Ticks   int       // for how many ticks an order holds; 0: DefaultTicks
	Said    []uint8   // the numbers of the message, from the first on; 0: nothing
}

// Limits of an answer.
const (
	DefaultTicks = 10  // how long an order without a number holds
	MostTicks    = 100 // how long an order may hold
	MostWords    = 20  // in a list, for each figure of the seat
)

// Kind is a kind of order.
type Kind uint8

// The kinds of orders.
const (
	Play   Kind = iota // play words as they are
	Go                 // go to a cell
	Bomb               // lay a bomb here if there is a way out, then hide until it has burnt out
	Dig                // bomb the nearest wood, again and again
	Hunt               // bomb the nearest enemy in view; dig if there is none, or no way to it
	Hide               // go where nothing is going to burn
	Follow             // stay within two cells of the nearest teammate
	Wait               // stay here; step out of fire and come back
)

var kindNames = [...]string{"play", "go", "bomb", "dig", "hunt", "hide", "follow", "wait"}

func (k Kind) String() string { return kindNames[k] }

// Reading is how an answer was read.
type Reading uint8

// The readings.
const (
	Legal    Reading = iota // in the form of Orders.Text
	Repaired                // in another form, with one plain meaning
	Illegal                 // without one plain meaning; read as stop
)

func (r Reading) String() string { return [...]string{"legal", "repaired", "illegal"}[r] }

// Text is the orders in their documented form: one line of printable ASCII. Parse reads it as
// Legal.
func (o *Orders) Text(head *scene.Head) string {
	words, names := []string{}, head.Actions[0].Names
	for _, a := range o.Actions {
		words = append(words, names[a])
	}
	text := strings.Join(words, ", ")
	switch {
	case o.Kind == Go:
		text = fmt.Sprintf("go %d,%d", o.Cell[0], o.Cell[1])
	case o.Kind != Play:
		text = o.Kind.String()
	case text == "":
		text = names[0]
	}
	if o.Kind != Play && o.Ticks > 0 {
		text += fmt.Sprintf(" for %d", o.Ticks)
	}
	for n, word := range slices.Backward(o.Said) {
		if word > 0 {
			return text + "; say " + strings.Trim(fmt.Sprint(o.Said[:n+1]), "[]")
		}
	}
	return text
}
