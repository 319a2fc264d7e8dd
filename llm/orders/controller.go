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
	sight  env.Foresight // nil before the first Act, and in games without foresight
	orders Orders
	tick   int   // for how many ticks these orders have been carried out
	start  int   // the cell where the seat was before them
	last   *task // the task of the last tick
	unlaid bool  // a bomb that was ordered was not laid

	// Ended says what ended the orders early, or went wrong in their last tick; "" if neither.
	Ended string
}

// NewController makes a controller for a seat of a match. It uses the match only for what the seat can
// foresee.
func NewController(m env.Match) *Controller { return &Controller{match: m} }

// Take replaces the orders. The new ones are carried out for at least one tick.
func (c *Controller) Take(o Orders) { c.orders, c.tick, c.Ended, c.unlaid = o, 0, "", false }

// Look updates what the seat can foresee. Call it for a tick that is made without Act.
func (c *Controller) Look(seat int) {
	if f, ok := c.match.(env.Foreseer); ok && c.sight == nil {
		c.sight = f.Foresight(seat)
	}
	if c.sight != nil {
		c.sight.Look(c.match)
	}
}

// Act writes the seat's action for the coming tick; seen is what the seat sees now. It returns
// true if no orders are left for this tick. Then the action is stop: ask for new orders, call Take
// and call Act again. In the first tick after Take it returns true only if the seat is out. A
// message is sent in every tick.
//
// Call Act or Look before every tick: what a seat can foresee depends on what it has seen.
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
	copy(action[copy(action, t.made):], c.orders.Said)
	c.last = t
	c.tick++
	return false
}

// Near is the distance, rows plus columns, up to which others are near.
const Near = 3

// changed says why a list of words ends; "" if it continues. It ends if a new bomb is in view that
// the seat did not lay, if an enemy has come near, or if a move had no effect. If done is true,
// no words are left, and only a move without effect counts.
func (t *task) changed(done bool) string {
	for n, a := range t.last.figures {
		if move := t.last.made[n]; a.Alive && move > 0 && move < lay && a.At == t.figures[n].At {
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
			known = known || a.Alive && t.last.made[n] == lay && a.At == b.At
		}
		if !known {
			return "another bomb is in view"
		}
	}
	return when(t.nearby()&^t.last.nearby() != 0, "somebody has come near")
}

func (t *task) nearby() (seats env.SeatSet) {
	for _, o := range t.others {
		for _, a := range t.figures {
			if a.Alive && !env.Mates(t.head.Teams, t.seat, o.Seat) && t.distance(a.At, o.At) <= Near {
				seats = seats.With(o.Seat)
			}
		}
	}
	return seats
}
