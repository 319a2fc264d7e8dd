package bots

import (
	"math"

	"pommego/env"
	"pommego/env/search"
	"pommego/env/seat"
	"pommego/env/suitebot"
)

// world is the game as a searching agent models it: a search.Model over states. The
// agent moves as the search says; all others move at random and plant nothing.
type world struct {
	game    *suitebot.Game
	seat    int
	root    suitebot.State // the state that the agent assumes
	f       suitebot.Forecast
	actions [suitebot.MaxPlayers]uint8
}

// Moves appends the moves worth trying: all but planting where a bomb would
// collect nothing.
func (w *world) Moves(s *suitebot.State, dst []search.Move) []search.Move {
	for _, move := range moves {
		dst = append(dst, search.Move(move))
	}
	if w.game.Worth(s.Agents[w.seat], &s.Spent) > 0 {
		dst = append(dst, search.Move(suitebot.PlantBomb))
	}
	return dst
}

func (w *world) Step(s *suitebot.State, move search.Move, rng *env.RNG) {
	x := rng.Uint64()
	for seat := range w.actions {
		w.actions[seat] = uint8(x & 0xff * 5 >> 8)
		x >>= 8
	}
	w.actions[w.seat] = uint8(move)
	w.game.Step(s, w.actions[:])
}

func (w *world) Terminal(s *suitebot.State) bool { return w.game.Over(s) }

// Score is the lead in points over the best of the others, including what the
// bombs on the plan will collect if there is time, and a little for being near
// fields to collect.
func (w *world) Score(s *suitebot.State) float64 {
	w.game.Forecast(s, &w.f)
	each := float64(w.game.Rules().FieldPoints)
	in := w.left(s) >= w.f.Rounds
	best, own := math.Inf(-1), 0.0
	for seat := range w.game.Rules().Players {
		points := float64(s.Scores[seat])
		if in {
			points += each * float64(w.f.Collects[seat])
		}
		switch {
		case seat == w.seat:
			own = points
		case best < points:
			best = points
		}
	}
	return own - best + float64(nearness*each*w.prospect(s))
}

// nearness is the value of a field that a bomb planted here could collect.
const nearness = 0.8

// prospect returns how many fields a bomb could collect at the best place nearby, less
// for each move to that place.
func (w *world) prospect(s *suitebot.State) float64 {
	gone := w.f.Claimed
	for i := range gone {
		gone[i] |= s.Spent[i]
	}
	at, top := s.Agents[w.seat], 0
	left := w.left(s) - w.game.Rules().BombDelay - 1 // rounds left to walk there
	for i := range w.game.Cells() {
		c, way := w.game.Nearest(at, i)
		if way > left || w.game.MostWorth()<<8/(way+4) <= top {
			break
		}
		top = max(top, w.game.Worth(c, &gone)<<8/(way+4))
	}
	return float64(top) / 64
}

// left returns how many rounds are still to be played.
func (w *world) left(s *suitebot.State) int { return w.game.Rules().Rounds - int(s.StepCount) }

// imagine sets the world up for what a seat sees, with unseen enemies on their home bases.
func (w *world) imagine(v *suitebot.View) {
	w.game, w.seat, w.root = v.Game, v.Seat, v.State
	for seat := range v.Game.Rules().Players {
		if w.root.Agents[seat] == suitebot.NoCell {
			w.root.Agents[seat] = w.root.Homes[seat]
		}
	}
}

// searcher plans every move by simulation.
type searcher struct {
	seat.Forgetful
	seat.Planner
}

func newSearcher(s search.Settings) suitebot.Bot {
	return &searcher{Planner: seat.NewPlanner[suitebot.State](s)}
}

var workspaces search.Workspaces[seat.Workspace[world, suitebot.State]]

func (a *searcher) Act(v *suitebot.View, action []uint8) {
	action[0] = uint8(suitebot.Hold)
	a.Forget()
	w := workspaces.Lend(a.Bytes)
	defer workspaces.GiveBack(a.Bytes, w)
	w.World.imagine(v)
	if v.Game.Over(&w.World.root) {
		return
	}
	found := w.Search(&w.World, &w.World.root, &a.Settings, a.Limit(a.Budget), &a.RNG)
	a.Ticks, action[0] = found.Ticks, uint8(found.Move)
	a.Keep(0, found.Tried)
}
