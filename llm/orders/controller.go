package orders

import (
	"cmp"
	"slices"

	"pommego/arena/scene"
	"pommego/env"
)

// Controller holds the orders of one seat in one game and carries them out.
type Controller struct {
	match  env.Match
	sight  env.Foresight // nil before the first Act, and in a game in which nothing is foreseen
	orders Orders
	tick   int   // how many ticks these orders have been carried out
	start  int   // the cell where the seat was before them
	last   *task // of the tick before
	unlaid bool  // no bomb was laid that was ordered

	// Ended is why Act found the orders done: what ended them early, or went wrong in their last tick; "" if neither.
	Ended string
}

// NewController makes a controller for a seat of a match, which it asks for nothing but what the
// seat can foresee.
func NewController(m env.Match) *Controller { return &Controller{match: m} }

// Take replaces the orders held. They are carried out for a tick at least.
func (c *Controller) Take(o Orders) { c.orders, c.tick, c.Ended, c.unlaid = o, 0, "", false }

// Look takes in what the seat sees now, for a tick that is made without Act.
func (c *Controller) Look(seat int) {
	if f, ok := c.match.(env.Foreseer); ok && c.sight == nil {
		c.sight = f.Foresight(seat)
	}
	if c.sight != nil {
		c.sight.Look(c.match)
	}
}

// Act writes the seat's action for the coming tick; seen is what the seat sees now. done reports
// that no orders are left, before the tick: the action is stop, and the seat is to be asked for
// orders, with which Act is called again. In the first tick after Take it is true only if the
// seat is out. A message is sent in every tick.
//
// Act, or Look, is to be called before every tick: what a seat knows includes what it has seen.
func (c *Controller) Act(head *scene.Head, seen *scene.Step, seat int, action []uint8) (done bool) {
	clear(action)
	t := &task{Controller: c, head: head, seen: *seen, seat: seat}
	if c.Ended = t.look(); c.Ended != "" {
		return true
	}
	t.made = make([]uint8, head.Movers())
	switch {
	case c.orders.Kind == Play:
		at := c.tick * len(t.made)
		done = at >= len(c.orders.Actions)
		if c.tick > 0 {
			c.Ended = t.changed(done)
		}
		copy(t.made, c.orders.Actions[min(at, len(c.orders.Actions)):])
	case c.sight == nil:
		done, c.Ended = true, "nothing is foreseen in this game, so there are no orders"
	case c.tick >= cmp.Or(c.orders.Ticks, DefaultTicks):
		done = true
	default:
		t.made[0], c.Ended = t.carry()
	}
	if done = done || c.Ended != ""; done && c.unlaid {
		c.Ended = "no bomb could be laid and survived"
	}
	if done && c.tick > 0 {
		return true
	}
	copy(action[copy(action, t.made):], c.orders.Said[:])
	c.last = t
	c.tick++
	return false
}

// Near is how many rows and columns away, taken together, others are near.
const Near = 3

// changed says why words are not to be played on, "" if they are: a bomb is in view that was not there at
// the tick before, unless the seat laid it; somebody, but for teammates, has come near; or a move
// led nowhere. If they are done, only that counts.
func (t *task) changed(done bool) string {
	for n, a := range t.last.figures {
		if move := t.last.made[n]; move > 0 && move < lay && a.At == t.figures[n].At {
			return "a move led nowhere"
		}
	}
	if done {
		return ""
	}
	for _, b := range t.seen.Bombs {
		known := slices.ContainsFunc(t.last.seen.Bombs, func(was env.SceneBomb) bool {
			return b.Life < was.Life && t.distance(b.At, was.At) <= 1
		})
		for n, a := range t.last.figures {
			known = known || t.last.made[n] == lay && a.At == b.At
		}
		if !known {
			return "another bomb is in view"
		}
	}
	return when(t.nearby()&^t.last.nearby() != 0, "somebody has come near")
}

// nearby is the seats, but for teammates, that are near.
func (t *task) nearby() (seats env.SeatSet) {
	for _, o := range t.others {
		for _, a := range t.figures {
			if !env.Mates(t.head.Teams, t.seat, o.Seat) && t.distance(a.At, o.At) <= Near {
				seats = seats.With(o.Seat)
			}
		}
	}
	return seats
}
