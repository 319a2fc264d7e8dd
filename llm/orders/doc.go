// Package orders reads what a language model answers for its seat, and carries it out tick by
// tick.
//
//	c := orders.NewController(match) // of one seat, for one game
//	...
//	o, reading, why := orders.Parse("hide for 8", &head)
//	counts.Add(reading)
//	c.Take(o)
//	for !c.Act(&head, &seen, seat, action) {
//		// make the tick with the action, and see what there is now
//	}
//
// An answer is a word, or a list of words, which are played one per tick; or an order, which the
// controller carries out for some ticks. docs/language-models.md has them all, with what is
// repaired and what a message can say.
//
// # Fire
//
// Words are played as they are. Orders do not walk into fire that the seat can know of: the
// controller asks the match what the seat foresees (env.Foreseer), and makes no move after which
// no way is left through all of it, as long as it has another. It avoids cells beside another
// figure if it can. It does not foresee what others do next.
//
// # Answers are not trusted
//
// Parse reads at most the two ends of an answer, so that its time and memory are bounded. It keeps
// only numbers of an answer: [Orders.Text] is a line of printable ASCII.
package orders
