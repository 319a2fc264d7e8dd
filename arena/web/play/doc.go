// Package play lets people play in matches on a page in the browser.
//
//	table := play.NewTable(offers)
//	table.Deal(game, names, goal, leave)
//	person, err := table.Seat(0, "human:speed=4") // a match.Player
//	result, err := match.Play(ctx, game, players, seed, rules, table.Watch)
//	table.End("seat 0 won")
//	order := table.Next(ctx) // a rematch, or another match; nil: the page is closed
//
// The page gets each position as its seat knows it, by scene.Step.Seen: the server does not send
// what a person may not know. Once the seat is out, or the match over, the page gets everything.
//
// By default the match waits for each move. With a speed, the match makes so many moves a second,
// and a person who is late stays in place. All people are asked at the same time. The page changes
// the speed. Once no person is in the game, it continues at the last speed while a page is open. A
// person in the game whose pages have been closed for five seconds leaves.
//
// # Protocol
//
// GET /api/play?seat=S answers with a stream of JSON lines: those of a [scene.Feed], {"ask"}
// when the seat is to move, and {"end", "game"} once the match is over, with its number for GET /api/game.
// POST /api/play takes {"seat", "step", "action"}, {"seat", "speed"} and {"seat", "leave"}.
// Where only agents play, S is -1. Without S the lines are {"offers"}, and {"playing"} as a match begins or
// ends, and the page counts as open. GET /api/play/exhibit?env=ID has the lines of a match
// between the strongest agents.
//
// POST /api/play/start takes {"env", "agents", "same"}, an [Order], and answers once the match
// begins. GET /api/play/record?game=N has the records of the last match, as a string in JSON.
package play
