package bots

import (
	"sync"

	"pommego/env/basewar"
	"pommego/env/search"
	"pommego/env/seat"
)

// simple follows rules, separately for each of its bombers:
//
//  1. Where a bomb pays, it lays one, if it can escape and traps no mate.
//  2. Otherwise it walks towards the enemy's base, by the cheapest way, counting
//     the boxes on it that have to be bombed.
//  3. It considers only moves that leave it a way out of the blasts to come; if
//     there is none, the one after which it is hurt last.
type simple struct{ seat.Forgetful }

// What a bomb is worth, in points; a box is worth its score.
const (
	basePoints  = 10 // for each round in which a bomb reaches a base
	enemyPoints = 1  // for each enemy that it reaches
	boxCost     = 9  // how many steps a box in the way costs
)

type analysis struct {
	game *basewar.Game
	s    *basewar.State
	side basewar.Side

	ways     [256]uint16      // by cell: the cost of the way to the enemy's base
	forecast basewar.Forecast // what the bombs on the map will do
	bombed   basewar.Forecast // what they will do with one more
}

var analyses = sync.Pool{New: func() any { return new(analysis) }}

func (a *simple) Act(v *basewar.View, action []uint8) {
	o := analyses.Get().(*analysis)
	defer analyses.Put(o)
	o.look(v)
	for i, id := range v.Game.Rules().Own(v.Seat) {
		action[i] = uint8(basewar.Stop)
		if v.State.Bombers[id].Alive() {
			action[i] = uint8(a.decide(o, int(id)))
		}
	}
}

func (o *analysis) look(v *basewar.View) {
	o.game, o.s, o.side = v.Game, &v.State, basewar.SideOf(v.Seat)
	o.game.Ways(o.s, o.game.Approach(o.s, o.side.Other()), boxCost, &o.ways)
	o.game.Foresee(o.s, -1, &o.forecast)
}

func (a *simple) decide(o *analysis, id int) basewar.Action {
	var legal [basewar.NumActions]uint8
	o.game.Legal(o.s, id, &legal)
	if legal[basewar.LayBomb] == 1 && o.turn(id) && o.pays(id) {
		return basewar.LayBomb
	}
	var top search.Best[basewar.Action]
	for move := basewar.Stop; move <= basewar.Right; move++ {
		if legal[move] == 0 {
			continue
		}
		to, _ := o.forecast.Destination(o.s.Bombers[id].Cell, move)
		points := -int(o.ways[to])
		if round, survives := o.forecast.Survives(to); !survives {
			points = round - 2*basewar.Far
		}
		top.Offer(move, float64(points), &a.RNG)
	}
	return top.Choice
}

func (o *analysis) pays(id int) bool {
	at := o.s.Bombers[id].Cell
	o.game.Foresee(o.s, id, &o.bombed)
	if _, survives := o.bombed.Survives(at); !survives {
		return false
	}
	enemy := o.side.Other()
	points := o.game.Rules().BoxPoints*(o.bombed.Boxes[o.side]-o.forecast.Boxes[o.side]) +
		basePoints*(o.bombed.Hits[enemy]-o.forecast.Hits[enemy]) -
		basePoints*(o.bombed.Hits[o.side]-o.forecast.Hits[o.side])
	reach := o.game.Reach(o.s, at)
	for other := range o.s.Bombers {
		b := &o.s.Bombers[other]
		switch {
		case !b.Alive() || other == id:
		case basewar.SideOf(other) != o.side:
			if reach.Has(b.Cell) {
				points += enemyPoints
			}
		case !o.bombed.Escapes(b.Cell) && o.forecast.Escapes(b.Cell):
			return false
		}
	}
	return points > 0
}

// turn reports whether a bomber may lay a bomb in this round. Mates near each other
// take turns, because neither knows what the other lays at the same time.
func (o *analysis) turn(id int) bool {
	for _, mate := range o.game.Rules().Mates(id) {
		b := &o.s.Bombers[mate]
		if int(mate) != id && b.Alive() && b.Cell.Distance(o.s.Bombers[id].Cell) <= nearMate {
			return int(o.s.StepCount)%3 == id/2
		}
	}
	return true
}

// nearMate is the distance up to which mates take turns.
const nearMate = 5
