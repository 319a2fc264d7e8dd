// Package play lets people play in matches on a page in the browser.
//
//	table := play.NewTable(game, names, leave)
//	person, err := table.Seat(0, "human:speed=4") // a match.Player
//	result, err := match.Play(ctx, game, players, seed, rules, table.Watch)
//	table.End("seat 0 won")
//
// The page gets each position as its seat knows it, by scene.Step.Seen: what a person may
// not know is not sent. Once the seat is out, or the match over, it gets everything.
//
// By default the match waits for each move. At a speed, so many moves are made a
// second, and without one in time the seat stays; the page changes the speed.
//
// # Protocol
//
// GET /api/play?seat=S answers with lines of JSON, as they come: {"head", "seat"} as a
// game begins, {"step"} for each position, {"ask"} when the seat is to move, and {"end"}.
// POST /api/play/move takes {"seat", "step", "action"}, /api/play/pace {"seat", "speed"}
// and /api/play/leave nothing.
package play
