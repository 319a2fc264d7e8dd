package bots

import (
	"time"

	"pommego/env"
	"pommego/env/basewar"
	"pommego/env/grid"
	"pommego/env/search"
	"pommego/env/seat"
)

// world is the game as a searching agent models it for one of its bombers: a
// search.Model over states. That bomber acts as the search says. In the round to be
// decided, bombers that are already decided do what was decided; all others walk at
// random and lay nothing.
type world struct {
	game  *basewar.Game
	side  basewar.Side
	id    int
	root  uint16                             // the round to be decided
	fixed [basewar.NumBombers]basewar.Action // what was decided for each bomber; NumActions: nothing yet

	goals    grid.Bits // cells from which a bomb reaches the enemy's base
	roads    [16]road
	forecast basewar.Forecast
	actions  [basewar.NumBombers]uint8
}

// road holds the costs of the ways to the enemy's base while the given boxes are left.
// A search meets few sets of boxes, so some roads are cached.
type road struct {
	known bool
	boxes grid.Bits
	ways  [256]uint16
}

func (w *world) begin(v *basewar.View) {
	w.game, w.side, w.root = v.Game, basewar.SideOf(v.Seat), v.State.StepCount
	for id := range w.fixed {
		w.fixed[id] = basewar.NumActions
	}
	w.goals = w.game.Approach(&v.State, w.side.Other())
	for i := range w.roads {
		w.roads[i].known = false
	}
}

func (w *world) steps(s *basewar.State, boxes *grid.Bits, c grid.Cell) int {
	hash := (boxes[0] ^ boxes[1]*3 ^ boxes[2]*5 ^ boxes[3]*7) * 0x9e3779b97f4a7c15 >> 60
	r := &w.roads[hash]
	if !r.known || r.boxes != *boxes {
		then := *s
		then.Boxes = *boxes
		w.game.Ways(&then, w.goals, boxCost, &r.ways)
		r.known, r.boxes = true, *boxes
	}
	return int(r.ways[c])
}

// Moves appends the actions that have an effect, without bombs that would reach
// neither box nor base nor enemy.
func (w *world) Moves(s *basewar.State, dst []search.Move) []search.Move {
	var legal [basewar.NumActions]uint8
	w.game.Legal(s, w.id, &legal)
	if legal[basewar.LayBomb] == 1 && !w.aims(s) {
		legal[basewar.LayBomb] = 0
	}
	for move, ok := range legal {
		if ok == 1 {
			dst = append(dst, search.Move(move))
		}
	}
	return dst
}

// aims reports whether a bomb would reach a box, a base or an enemy.
func (w *world) aims(s *basewar.State) bool {
	reach := w.game.Reach(s, s.Bombers[w.id].Cell)
	if boxes := reach.And(s.Boxes); !boxes.Empty() || reach.Has(w.game.Rules().Base(w.side.Other())) {
		return true
	}
	for id := range s.Bombers {
		if b := &s.Bombers[id]; basewar.SideOf(id) != w.side && b.Alive() && reach.Has(b.Cell) {
			return true
		}
	}
	return false
}

func (w *world) Step(s *basewar.State, move search.Move, rng *env.RNG) {
	x := rng.Uint64()
	for id := range s.Bombers {
		a := uint8(x & 0xff * 5 >> 8)
		x >>= 8
		if w.fixed[id] != basewar.NumActions && s.StepCount == w.root {
			a = uint8(w.fixed[id])
		}
		if id == w.id {
			a = uint8(move)
		}
		w.actions[w.game.ActionAt(id)] = a
	}
	w.game.Step(s, w.actions[:])
}

func (w *world) Terminal(s *basewar.State) bool {
	return !s.Bombers[w.id].Alive() || w.game.Rules().Over(s)
}

// What a state is worth, in points of the game.
const (
	winPoints    = 200
	energyPoints = 15  // for each energy of a base
	lifePoints   = 2   // for each life of a side's bombers
	ownLife      = 2   // for each life of the bomber itself, in addition
	trapPoints   = 6   // subtracted if there is no way out of the blasts to come
	stepPoints   = 1.2 // subtracted for each step from the enemy's base
	stockPoints  = 0.3 // for each bomb that it can lay
	farSteps     = 200 // the greatest distance that counts
)

// Score is the lead of the bomber's side, including what the bombs on the map will do,
// plus the value of the bomber's own position.
func (w *world) Score(s *basewar.State) float64 {
	other := w.side.Other()
	r := w.game.Rules()
	if r.Over(s) {
		switch winner, decided := r.Leader(s); {
		case !decided:
			return 0
		case winner == w.side:
			return winPoints
		}
		return -winPoints
	}
	w.game.Foresee(s, -1, &w.forecast)
	f := &w.forecast
	lead := int(s.Score[w.side]) - int(s.Score[other]) + r.BoxPoints*(f.Boxes[w.side]-f.Boxes[other])
	lead += energyPoints * (w.energy(s, w.side) - w.energy(s, other))
	lead += lifePoints * (lives(s, w.side) - lives(s, other))
	self := &s.Bombers[w.id]
	lead += ownLife * int(self.Lives)
	score := float64(lead)
	if !self.Alive() {
		return score
	}
	if !f.Escapes(self.Cell) {
		score -= trapPoints
	}
	steps := min(w.steps(s, &f.Left, self.Cell), farSteps)
	return score - float64(stepPoints*float64(steps)) + float64(stockPoints*float64(self.Bombs))
}

// energy is the energy that a base will have left.
func (w *world) energy(s *basewar.State, side basewar.Side) int {
	return max(0, int(s.Energy[side])-w.forecast.Hits[side])
}

func lives(s *basewar.State, side basewar.Side) int {
	n := 0
	for id := int(side); id < basewar.NumBombers; id += 2 {
		n += int(s.Bombers[id].Lives)
	}
	return n
}

// searcher plans every action by simulation. If it moves a whole side, it plans its
// bombers one after the other. Each gets its share of the budget, and knows the actions
// planned before it in this round.
type searcher struct {
	seat.Forgetful
	seat.Planner
}

func newSearcher(s search.Settings) basewar.Bot {
	return &searcher{Planner: seat.NewPlanner[basewar.State](s)}
}

var workspaces search.Workspaces[seat.Workspace[world, basewar.State]]

func (a *searcher) Act(v *basewar.View, action []uint8) {
	clear(action)
	a.Forget()
	r := v.Game.Rules()
	if r.Over(&v.State) {
		return
	}
	own := r.Own(v.Seat)
	living := 0
	for _, id := range own {
		if v.State.Bombers[id].Alive() {
			living++
		}
	}
	w := workspaces.Lend(a.Bytes)
	defer workspaces.GiveBack(a.Bytes, w)
	w.World.begin(v)
	for i, id := range own {
		if !v.State.Bombers[id].Alive() {
			continue
		}
		w.World.id = int(id)
		found := w.Search(&w.World, &v.State, &a.Settings, a.Limit(a.share(living)), &a.RNG)
		a.Ticks += found.Ticks
		a.Keep(i*choices, found.Tried)
		action[i] = uint8(found.Move)
		w.World.fixed[id] = basewar.Action(found.Move)
	}
}

func (a *searcher) share(n int) search.Budget {
	share := search.Budget{Time: a.Budget.Time / time.Duration(n)}
	if a.Budget.Ticks > 0 {
		share.Ticks = max(1, a.Budget.Ticks/n)
	}
	return share
}
