package orders

import (
	"slices"

	"pommego/arena/scene"
	"pommego/env"
)

// Controller holds the orders of one seat in one game and carries them out.
type Controller struct {
	match  env.Match
	sight  env.Foresight // nil for a game that foresees nothing, and before the first Act
	orders Orders
	tick   int // ticks made by these orders
	start  int // the cell where the seat was at their first tick

	// What there was at the last tick.
	bombs []env.SceneBomb
	near  env.SeatSet
	own   []env.Place // where the seat's figures were
	made  []uint8     // what they did
}

// NewController makes a controller for a seat of a match, which it asks for nothing but what the
// seat can foresee.
func NewController(m env.Match) *Controller { return &Controller{match: m} }

// Take replaces the orders held. The next Act carries them out, whatever has changed.
func (c *Controller) Take(o Orders) { c.orders, c.tick = o, 0 }

// Act writes the seat's action for the coming tick; seen is what the seat sees now. done reports
// that no orders are left, before the tick: then the action is stop, and the seat is to be asked
// for the next. In the first tick after Take it is true only if the seat is out. The message is
// sent in every tick.
//
// Act is called before every tick, and once before a tick unless it was done.
func (c *Controller) Act(head *scene.Head, seen *scene.Step, seat int, action []uint8) (done bool) {
	clear(action)
	t := task{Controller: c, head: head, seen: seen, seat: seat, team: env.SeatSet(0).With(seat)}
	if !t.look() {
		return true
	}
	n := Movers(head)
	if done = c.orders.Kind != Play && c.tick >= c.orders.held(); !done {
		if c.orders.Kind == Play {
			done = t.play(action[:n])
		} else if n == 1 {
			action[0], done = t.carry()
		}
	}
	if done && c.tick > 0 {
		clear(action)
		return true
	}
	copy(action[n:], c.orders.Said[:])
	c.tick++
	t.remember(action[:n])
	return false
}

// play writes the next of the words. They end when there are none left, and when what they
// were based on has changed.
func (t *task) play(action []uint8) (done bool) {
	at := t.tick * len(action)
	if t.tick > 0 && (at >= len(t.orders.Actions) || t.changed()) {
		return true
	}
	copy(action, t.orders.Actions[min(at, len(t.orders.Actions)):])
	return false
}

// held is for how many ticks an order holds.
func (o *Orders) held() int {
	if o.Ticks == 0 {
		return DefaultTicks
	}
	return o.Ticks
}

// changed reports whether words should not be played on: a bomb is in view that was not there
// at the last tick, unless the seat laid it; another, but for teammates, has come near; or a move
// led nowhere.
func (t *task) changed() bool {
	for i := range t.seen.Bombs {
		b := &t.seen.Bombs[i]
		known := slices.ContainsFunc(t.bombs, func(was env.SceneBomb) bool {
			return b.Life < was.Life && t.distance(t.cell(was.At), t.cell(b.At)) <= 1
		})
		for n, at := range t.own {
			known = known || t.made[n] == lay && at == b.At
		}
		if !known {
			return true
		}
	}
	if t.nearby()&^t.near != 0 {
		return true
	}
	for n, a := range t.figures {
		if n < len(t.own) && t.made[n] > 0 && t.made[n] < lay && a.At == t.own[n] {
			return true
		}
	}
	return false
}

// Near is how many rows and columns away, taken together, others are near.
const Near = 3

// nearby is the seats of others, but for teammates, that are near a figure of this one.
func (t *task) nearby() (seats env.SeatSet) {
	for _, o := range t.others {
		for _, a := range t.figures {
			if !t.team.Has(o.Seat) && t.distance(t.cell(a.At), t.cell(o.At)) <= Near {
				seats = seats.With(o.Seat)
			}
		}
	}
	return seats
}

// remember keeps what the next tick is compared with.
func (t *task) remember(made []uint8) {
	t.bombs = append(t.bombs[:0], t.seen.Bombs...)
	t.near = t.nearby()
	t.own, t.made = t.own[:0], append(t.made[:0], made...)
	for _, a := range t.figures {
		t.own = append(t.own, a.At)
	}
}
