// Package orders reads what a language model answers for its seat, and carries it out tick by
// tick.
//
//	o, reading := orders.Parse("hide for 8", &head)
//	counts.Add(reading)
//	c.Take(o)
//	for !c.Act(&head, &seen, seat, action) {
//		// make the tick with the action, then see again
//	}
//
// An answer is words, which are played one a tick as they are, or an order, which the controller
// carries out for some ticks by what the seat sees.
package orders
