// Package simple holds the rule-based agent of the original Pommerman, SimpleAgent:
// "simple" as it is today, and "simple-2018" as it was in May 2018. They decide as the
// original does, move for move: package internal/oracle compares them with recorded decisions of it.
package simple

import (
	"math/bits"

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

// Branch names the rule by which a simple agent decided, as recorded decisions do.
type Branch string

// The rules, in the order in which they are tried.
const (
	FleeAll4      Branch = "flee_all4"      // bombs threaten every direction
	FleeSome      Branch = "flee_some"      // bombs threaten some directions
	BombEnemy     Branch = "bomb_enemy"     // an enemy is adjacent
	Cornered      Branch = "cornered"       // the same, but no passage is in sight
	TowardEnemy   Branch = "toward_enemy"   // an enemy is up to three steps away
	TowardPowerup Branch = "toward_powerup" // an item is up to two steps away
	BombWood      Branch = "bomb_wood"      // wood is adjacent
	StopAtWood    Branch = "stop_at_wood"   // the same, but a bomb would be unsafe
	TowardWood    Branch = "toward_wood"    // wood is two steps away
	RandomWalk    Branch = "random_walk"    // nothing of interest
)

// Memory is what a simple agent keeps from one decision to the next.
type Memory struct {
	Recent  tactics.Recent
	Heading grid.Dir // the direction in which it last went towards an enemy
}

// Decide makes one decision of today's agent, or of that of 2018, with the draws of a
// script.
func (m *Memory) Decide(v *pommerman.View, of2018 bool, s Script) (pommerman.Action, Branch) {
	a := simple{Memory: *m, draws: draws{script: s}, of2018: of2018}
	action, by := a.decide(v)
	*m = a.Memory
	return action, by
}

// simple is the reference's rule-based agent. In this order it gets away from bombs,
// bombs an adjacent enemy, walks to an enemy, walks to an item, bombs adjacent wood,
// walks to wood, wanders.
//
// With of2018 it is the agent of May 2018, which differs only in its search:
// [search2018].
//
// It differs from the original in two things: its memory starts empty each
// episode, and where the original fails, because it looks for a hiding place
// and has no passage at all in sight, it stops. It treats a skull as an item to
// walk over, never as one to walk to.
type simple struct {
	Memory
	draws
	of2018 bool
}

func (a *simple) Reset(rng env.RNG) { *a = simple{draws: draws{rng: rng}, of2018: a.of2018} }

func (a *simple) Reseed(rng env.RNG) { a.rng = rng }

func (a *simple) Act(v *pommerman.View, action []uint8) {
	clear(action) // it sends no words
	move, _ := a.decide(v)
	action[0] = uint8(move)
}

// powerups lists the items that the agent walks to. Of equally near ones it prefers the
// last in this list.
var powerups = [3]pommerman.Item{pommerman.ExtraBomb, pommerman.IncrRange, pommerman.Kick}

func (a *simple) decide(v *pommerman.View) (pommerman.Action, Branch) {
	a.left = 0 // coins left over from the last decision are not saved
	s := scan{v: v}
	s.look(v)
	if a.of2018 {
		old := search2018{side: v.Rules.BoardSize}
		old.Ground = s.ground()
		old.start()
		s.found(&old)
		s.of2018 = &old
	} else {
		a.tossTies(&s)
	}
	t := tactics.ThreatsTo(v.Self.Cell, v.Bombs[:v.NumBombs], s.within, underfoot[:]...)
	if t.N > 0 {
		return a.flee(&s, &t)
	}
	if move, by, ok := a.meetEnemy(&s); ok {
		return move, by
	}
	if d := s.toward(2, s.pickups, powerups[:]...); d != grid.Stay {
		return pommerman.Action(d), TowardPowerup
	}
	if s.at[1]&s.wood != 0 {
		if v.Self.Ammo > 0 && s.canHide() {
			return pommerman.LayBomb, BombWood
		}
		return pommerman.Stop, StopAtWood
	}
	if d := s.toward(2, s.wood, pommerman.Wood); d != grid.Stay && !tactics.Exposed(v, v.Self.Cell.Next(d)) {
		return pommerman.Action(d), TowardWood
	}
	return a.wander(&s), RandomWalk
}

// tossTies tosses the coins for ties nearby. A script may ask for all coins that the reference tosses.
func (a *simple) tossTies(s *scan) {
	n := bits.OnesCount32(s.ties)
	if a.script != nil {
		n = 0
		s.search(func() bool {
			coin := a.coin()
			if coin {
				s.coins |= 1 << n
			}
			n++
			return coin
		}, a.script.Whole())
	} else if n > 0 {
		a.coins, a.left = a.rng.Uint64(), uint8(64-n)
		s.coins = uint32(a.coins)
		a.coins >>= n
	}
}

// underfoot is the order in which a bomb on the agent's own cell makes all
// directions unsafe.
var underfoot = [4]grid.Dir{grid.Right, grid.Left, grid.Up, grid.Down}

// flee draws a way out of danger. If all directions are in danger, it takes the first one, or stays.
func (a *simple) flee(s *scan, t *tactics.Threats) (pommerman.Action, Branch) {
	ground := s.ground()
	ways := ground.Flee(t)
	if t.N < len(grid.Dirs) {
		return a.pick(&ways), FleeSome
	}
	ways.Add(grid.Stay)
	ways.N = 1
	return a.pick(&ways), FleeAll4
}

// meetEnemy bombs an adjacent enemy or walks to a near one. Whether it
// continues in the same direction is a coin toss.
func (a *simple) meetEnemy(s *scan) (pommerman.Action, Branch, bool) {
	v := s.v
	if s.at[1]&s.foe != 0 && v.Self.Ammo > 0 {
		if s.canHide() {
			return pommerman.LayBomb, BombEnemy, true
		}
		if !s.seesPassage() {
			return pommerman.Stop, Cornered, true
		}
	}
	d := s.toward(tactics.Nearby, s.foe, v.Enemies[:]...)
	if d == grid.Stay || d == a.Heading && !a.coin() {
		return 0, "", false
	}
	a.Heading = d
	return pommerman.Action(d), TowardEnemy, true
}

// wander draws a move to a safe cell. It prefers cells where it was not lately, and
// stays only if there is no such move.
func (a *simple) wander(s *scan) pommerman.Action {
	self, ways, recent := s.v.Self.Cell, s.safe(), uint8(0)
	for _, c := range a.Recent.List() {
		recent |= stepOf[c-self]
	}
	if ways&^recent != 0 {
		ways &^= recent
	}
	if ways&(ways-1) != 0 {
		ways &^= 1
	}
	if ways == 0 {
		ways = 1
	}
	a.Recent.Add(self)
	for k := a.choice(bits.OnesCount8(ways)); k > 0; k-- {
		ways &= ways - 1
	}
	return pommerman.Action(steps[bits.TrailingZeros8(ways)])
}

// pick draws one of the directions as a move.
func (a *simple) pick(ways *tactics.Ways) pommerman.Action {
	return pommerman.Action(ways.All()[a.choice(ways.N)])
}

// Code writes or reads what is saved: RNG state, heading, recent cells.
func (a *simple) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	saved.Numbers(c, &a.Heading)
	a.Recent.Code(c)
	if a.Heading > grid.Right {
		c.Fail("has direction %d, want 0 to %d", a.Heading, grid.Right)
	}
}

// draws holds the random draws of a decision: coins and, at the very end, perhaps one
// choice. They come from an RNG, or from a script that prescribes them.
type draws struct {
	rng    env.RNG
	coins  uint64 // coins drawn at once, used from the lowest bit on
	left   uint8  // how many coins are left
	script Script // nil: the RNG draws
}

// Script prescribes draws. It replays a recorded decision, or goes through all
// decisions that are possible.
type Script interface {
	Coin() bool
	Choice(n int) int // from 0 to n-1
	// Whole reports whether the search tosses every coin that the reference tosses,
	// also coins that do not change the decision.
	Whole() bool
}

// coin returns true half of the time.
func (d *draws) coin() bool {
	if d.script != nil {
		return d.script.Coin()
	}
	if d.left == 0 {
		d.coins, d.left = d.rng.Uint64(), 64
	}
	c := d.coins&1 != 0
	d.coins >>= 1
	d.left--
	return c
}

// choice is a number in [0, n), each equally likely.
func (d *draws) choice(n int) int {
	if d.script != nil {
		return d.script.Choice(n)
	}
	return d.rng.IntN(n)
}
