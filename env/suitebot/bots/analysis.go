package bots

import (
	"slices"

	"pommego/env/suitebot"
)

// analysis holds a view and what follows from it.
type analysis struct {
	game *suitebot.Game
	seat int
	at   suitebot.Cell // where the agent stands
	s    *suitebot.State
	f    suitebot.Forecast
	gone suitebot.Cells // fields that hold nothing, or that a bomb on the plan will reach
	away suitebot.Cells // fields to keep off: enemies' home bases, and fields where enemies stand
	near suitebot.Cells // fields where an enemy can be after the next move
}

func (o *analysis) look(v *suitebot.View) {
	o.game, o.seat, o.at, o.s = v.Game, v.Seat, v.State.Agents[v.Seat], &v.State
	o.game.Forecast(o.s, &o.f)
	o.gone, o.away, o.near = o.f.Claimed, suitebot.Cells{}, suitebot.Cells{}
	for w := range o.gone {
		o.gone[w] |= o.s.Spent[w]
	}
	for seat := range o.game.Rules().Players {
		if seat == o.seat {
			continue
		}
		o.away.Add(o.s.Homes[seat])
		if at := o.s.Agents[seat]; at != suitebot.NoCell {
			o.away.Add(at)
			for _, move := range moves {
				o.near.Add(o.game.Next(at, move))
			}
		}
	}
}

// moves lists all actions but planting, hold first.
var moves = [...]suitebot.Action{suitebot.Hold, suitebot.Up, suitebot.Down, suitebot.Left, suitebot.Right}

// survives reports whether the agent has a way out, after an action, of all blasts to come of the bombs on the plan.
// A bomb that the action plants is left out.
func (o *analysis) survives(a suitebot.Action) bool {
	c := o.game.Next(o.at, a)
	if c != o.at && o.away.Has(c) {
		return false
	}
	places, n := [maxPlaces]suitebot.Cell{c}, 1 // the fields where the agent can be alive after each round
	for k := range o.f.Rounds {
		kept := 0
		for _, c := range places[:n] {
			if o.f.At[k].Has(c) {
				continue
			}
			if !o.f.Claimed.Has(c) {
				return true // it can stay there
			}
			places[kept] = c
			kept++
		}
		if n = kept; n == 0 {
			return false
		}
		for _, c := range places[:kept] {
			for _, move := range moves[1:] {
				if next := o.game.Next(c, move); !o.away.Has(next) && !slices.Contains(places[:n], next) {
					places[n] = next
					n++
				}
			}
		}
	}
	return true
}

// maxPlaces is how many fields can be reached in as many moves as a bomb has rounds.
const maxPlaces = 2*suitebot.MaxDelay*(suitebot.MaxDelay+1) + 1
