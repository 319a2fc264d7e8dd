package orders

import (
	"pommego/arena/scene"
	"pommego/env"
)

// Controller holds the orders of one seat and carries them out.
type Controller struct {
	match  env.Match
	orders Orders
	tick   int // ticks made by these orders
}

// NewController makes a controller for a seat of a match, which it asks what is going to burn by
// what the seat sees.
func NewController(m env.Match) *Controller { return &Controller{match: m} }

// Take replaces the orders held. The next Act carries them out, whatever has changed.
func (c *Controller) Take(o Orders) { c.orders, c.tick = o, 0 }

// Act writes the seat's action for the coming tick; seen is what the seat sees now. done reports
// that no orders are left, before the tick: then the action is stop, and the seat is to be asked
// for the next. It is false in the first tick after Take. The message is sent in every tick.
func (c *Controller) Act(head *scene.Head, seen *scene.Step, seat int, action []uint8) (done bool) {
	clear(action)
	n := Movers(head)
	if c.orders.Kind == Play {
		if c.tick > 0 && c.tick*n >= len(c.orders.Actions) {
			return true
		}
		copy(action[:n], c.orders.Actions[min(c.tick*n, len(c.orders.Actions)):])
	} else if c.tick >= c.orders.held() {
		return true
	}
	copy(action[n:], c.orders.Said[:])
	c.tick++
	return false
}

// held is for how many ticks an order holds.
func (o *Orders) held() int {
	if o.Ticks == 0 {
		return DefaultTicks
	}
	return o.Ticks
}
