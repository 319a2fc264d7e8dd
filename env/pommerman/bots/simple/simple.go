// Package simple holds the rule-based agent of the original Pommerman, SimpleAgent:
// "simple" as it is today, and "simple-2018" as it was in May 2018. They decide as the
// original does, move for move: [Formats] compares them with recorded decisions of it.
package simple

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
	"pommego/env/seat"
)

// Roster lists the agents.
var Roster = seat.Roster[pommerman.View]{
	seat.Plain("simple", func() pommerman.Bot { return new(simple) }),
	seat.Plain("simple-2018", func() pommerman.Bot { return &simple{of2018: true} }),
}

// branch names the rule by which a simple agent decided.
type branch uint8

// The rules, in the order in which they are tried.
const (
	fleeAll4      branch = iota // bombs threaten every direction
	fleeSome                    // bombs threaten some directions
	bombEnemy                   // an enemy is adjacent
	cornered                    // the same, but no passage is in sight
	towardEnemy                 // an enemy is up to three steps away
	towardPowerup               // an item is up to two steps away
	bombWood                    // wood is adjacent
	stopAtWood                  // the same, but a bomb would be unsafe
	towardWood                  // wood is two steps away
	randomWalk                  // nothing of interest
)

func (b branch) String() string { return branchNames[b] }

// branchNames are those of the recorded decisions.
var branchNames = [...]string{
	"flee_all4", "flee_some", "bomb_enemy", "cornered", "toward_enemy",
	"toward_powerup", "bomb_wood", "stop_at_wood", "toward_wood", "random_walk",
}

// memory is what a simple agent keeps from one decision to the next.
type memory struct {
	recent  [6]grid.Cell // where its last random walks began, the oldest first
	count   uint8        // how many of them there are; the others are zero
	heading grid.Dir     // in which it last went for an enemy
}

// visited reports whether c is among the recent cells.
func (m *memory) visited(c grid.Cell) bool {
	for _, r := range m.recent[:m.count] {
		if r == c {
			return true
		}
	}
	return false
}

// visit appends c to the recent cells; if they are full, the oldest is dropped.
func (m *memory) visit(c grid.Cell) {
	if int(m.count) == len(m.recent) {
		copy(m.recent[:], m.recent[1:])
		m.count--
	}
	m.recent[m.count] = c
	m.count++
}

// simple is the reference's rule-based agent. In order: get away from bombs,
// bomb an adjacent enemy, walk to an enemy, walk to an item, bomb adjacent
// wood, walk to wood, wander.
//
// With of2018 it is the agent of May 2018, which only searches differently:
// [search.start2018].
//
// It differs from the original in two things: its memory starts empty each
// episode, and where the original fails, because it looks for a hiding place
// and has no passage at all in sight, it stops. It treats a skull as an item to
// walk over, never as one to walk to.
type simple struct {
	memory
	draws
	of2018 bool
}

func (a *simple) Reset(rng env.RNG) { *a = simple{draws: draws{rng: rng}, of2018: a.of2018} }

func (a *simple) Reseed(rng env.RNG) { a.rng = rng }

func (a *simple) Act(v *pommerman.View, action []uint8) {
	clear(action) // it never says a word
	move, _ := a.decide(v)
	action[0] = uint8(move)
}

// powerups is the items that the agent walks to; of equally near ones the last is
// preferred.
var powerups = [3]pommerman.Item{pommerman.ExtraBomb, pommerman.IncrRange, pommerman.Kick}

// decide is one decision, and the rule that made it.
func (a *simple) decide(v *pommerman.View) (pommerman.Action, branch) {
	a.begin()
	var s scan
	if a.of2018 {
		s.start2018(v, &a.draws)
	} else {
		s.start(v, &a.draws)
	}
	if t := s.threats(); t.n > 0 {
		ways, by := s.flee(&t)
		return a.pick(&ways), by
	}
	if move, by, ok := a.meetEnemy(&s); ok {
		return move, by
	}
	if d := s.toward(2, powerups[:]...); d != grid.Stay {
		return pommerman.Action(d), towardPowerup
	}
	if s.around[1].Has(pommerman.Wood) {
		if v.Self.Ammo > 0 && s.canHide() {
			return pommerman.LayBomb, bombWood
		}
		return pommerman.Stop, stopAtWood
	}
	if d := s.toward(2, pommerman.Wood); d != grid.Stay && !exposed(v, v.Self.Cell.Next(d)) {
		return pommerman.Action(d), towardWood
	}
	return a.wander(&s), randomWalk
}

// meetEnemy bombs an adjacent enemy or walks to a near one. Whether it
// continues in the same direction is a coin toss.
func (a *simple) meetEnemy(s *scan) (pommerman.Action, branch, bool) {
	v := s.v
	if s.around[1]&tactics.ItemSet(v.Enemies[:]...) != 0 && v.Self.Ammo > 0 {
		if s.canHide() {
			return pommerman.LayBomb, bombEnemy, true
		}
		if !s.seesPassage() {
			return pommerman.Stop, cornered, true
		}
	}
	d := s.toward(nearby, v.Enemies[:]...)
	if d == grid.Stay || d == a.heading && !a.coin() {
		return 0, 0, false
	}
	a.heading = d
	return pommerman.Action(d), towardEnemy, true
}

// wander draws a move to a safe cell, rather one it has not been at lately,
// and stays only if there is no such move.
func (a *simple) wander(s *scan) pommerman.Action {
	self := s.v.Self.Cell
	ways := dirList{[5]grid.Dir{grid.Stay, grid.Left, grid.Right, grid.Up, grid.Down}, 5}
	ways.keep(func(d grid.Dir) bool {
		to := self.Next(d)
		return s.open.Has(s.v.Board[to]) && !exposed(s.v, to)
	})
	fresh := ways
	fresh.keep(func(d grid.Dir) bool { return !a.visited(self.Next(d)) })
	if fresh.n > 0 {
		ways = fresh
	}
	if ways.n > 1 {
		ways.keep(func(d grid.Dir) bool { return d != grid.Stay })
	}
	if ways.n == 0 {
		ways.add(grid.Stay)
	}
	a.visit(self)
	return a.pick(&ways)
}

// pick draws one of the directions as a move.
func (a *simple) pick(ways *dirList) pommerman.Action {
	return pommerman.Action(ways.dirs[a.choice(ways.n)])
}

// code goes over what is saved: RNG state, heading, count, then the recent cells, a byte
// each.
func (a *simple) code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	saved.Numbers(c, &a.heading)
	c.Len("recent cells", &a.count, len(a.recent))
	saved.List(c, a.recent[:a.count])
	if a.heading > grid.Right {
		c.Fail("has direction %d, want 0 to %d", a.heading, grid.Right)
	}
	for _, cell := range a.recent[:a.count] {
		if !cell.OnBoard(grid.MaxSide) {
			c.Fail("has recent cell (%d,%d), want one of a board", cell.Row(), cell.Col())
		}
	}
}

func (a *simple) Append(dst []byte) []byte { return saved.Append(dst, a, (*simple).code) }

func (a *simple) Restore(state []byte) error {
	return saved.Restore("bots: state of simple", state, a, simple{of2018: a.of2018}, (*simple).code)
}
