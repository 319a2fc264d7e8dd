package bots

import (
	"pommego/env/search"
	"pommego/env/seat"
	"pommego/env/suitebot"
)

// simple follows rules. It looks for the field where a bomb collects most for the
// distance to it, walks there and plants. Fields that another bomb will reach anyway do
// not count. When nothing is left to collect it hunts the nearest enemy. It never does
// anything that leaves it no way out of the blasts to come, unless there is nothing
// else to do. Those of a bomb that it is about to plant are not among them, so it can
// shut itself in between that bomb and others.
type simple struct{ seat.Forgetful }

func (a *simple) Act(v *suitebot.View, action []uint8) {
	var o analysis
	o.look(v)
	want := suitebot.Hold
	if goal, found := a.mine(&o); found {
		want = a.toward(&o, goal)
	} else if prey, seen := a.prey(&o); seen {
		want = a.toward(&o, prey)
		if reach := o.game.Reach(o.at); reach.Has(prey) && !o.f.Claimed.Has(o.at) {
			want = suitebot.PlantBomb
		}
	}
	action[0] = uint8(a.prudent(&o, want))
}

// mine returns the field from which a bomb collects most for the rounds it takes to get
// there and plant, if there is any.
func (a *simple) mine(o *analysis) (suitebot.Cell, bool) {
	var top search.Best[suitebot.Cell]
	for i := range o.game.Cells() {
		c, way := o.game.Nearest(o.at, i)
		if float64(o.game.MostWorth()<<16/(way+1)) < top.Score {
			break // nothing further away can be better
		}
		if worth := o.game.Worth(c, &o.gone); worth > 0 && !o.away.Has(c) {
			top.Offer(c, float64(worth<<16/(way+1)), &a.RNG)
		}
	}
	return top.Choice, top.Found()
}

// prey returns where the nearest enemy stands, if any is seen.
func (a *simple) prey(o *analysis) (suitebot.Cell, bool) {
	var top search.Best[suitebot.Cell]
	for seat := range o.game.Rules().Players {
		if at := o.s.Agents[seat]; seat != o.seat && at != suitebot.NoCell {
			top.Offer(at, -float64(o.game.Distance(o.at, at)), &a.RNG)
		}
	}
	return top.Choice, top.Found()
}

// toward returns the action that brings the agent nearer to a goal, or plants there.
func (a *simple) toward(o *analysis, goal suitebot.Cell) suitebot.Action {
	if goal == o.at {
		return suitebot.PlantBomb
	}
	var top search.Best[suitebot.Action]
	for _, move := range moves[1:] {
		c := o.game.Next(o.at, move)
		score := -o.game.Distance(c, goal)
		if o.near.Has(c) {
			score -= detour
		}
		top.Offer(move, float64(score), &a.RNG)
	}
	return top.Choice
}

// detour is how many more steps a way may have in order to keep away from enemies.
const detour = 3

// prudent returns the wanted action if the agent survives it, else any move that it
// survives, else the wanted action.
func (a *simple) prudent(o *analysis, want suitebot.Action) suitebot.Action {
	if o.survives(want) {
		return want
	}
	var top search.Best[suitebot.Action]
	for _, move := range moves {
		if o.survives(move) {
			top.Offer(move, 0, &a.RNG)
		}
	}
	if !top.Found() {
		return want
	}
	return top.Choice
}
