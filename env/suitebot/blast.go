package suitebot

import (
	"math/bits"

	"pommego/env"
)

// explosion holds the bombs that explode in one round, and what they reach.
type explosion struct {
	bombs   [MaxPlayers * (MaxDelay + 1)]struct{ at, owner uint16 }
	n       int
	owners  env.SeatSet
	reached Cells
}

func (e *explosion) add(v *volley) {
	for owner, f := range v {
		if f != 0 {
			e.set(f, owner)
		}
	}
}

func (e *explosion) set(f fuse, owner int) {
	e.bombs[e.n].at, e.bombs[e.n].owner = uint16(f.cell()), uint16(owner)
	e.n++
	e.owners = e.owners.With(owner)
}

// explode lets the bombs that are due explode, and those they set off, and returns the
// agents killed. e must be empty; explode fills it with what exploded.
func (g *Game) explode(s *State, e *explosion, due *volley, dead env.SeatSet) (killed env.SeatSet) {
	g.chain(s, e, due)
	g.share(s, e)
	if g.rules.DeadKills {
		dead = 0
	}
	killed = g.kill(s, e, dead)
	for w := range g.words {
		s.Spent[w] |= e.reached[w]
	}
	s.Blast = e.reached
	return killed
}

// chain marks what the bombs that are due reach and lets every bomb there explode too, until no more
// are reached.
func (g *Game) chain(s *State, e *explosion, due *volley) {
	e.add(due)
	for done := 0; done < e.n; {
		for ; done < e.n; done++ {
			for w, word := range g.reach(Cell(e.bombs[done].at)) {
				e.reached[w] |= word
			}
		}
		for k := range g.rules.BombDelay {
			v := &s.fuses[k]
			for half, word := range lanesOf((*[MaxPlayers]fuse)(v)) {
				for ; word != 0; word &^= 0xffff << (16 * firstLane(word)) {
					owner := (4*half + firstLane(word)) & (MaxPlayers - 1)
					if f := v[owner]; e.reached.Has(f.cell()) {
						e.set(f, owner)
						v[owner] = 0
					}
				}
			}
		}
	}
}

// share gives the fields that are reached and still hold their points to the players
// that collect them.
func (g *Game) share(s *State, e *explosion) {
	if e.owners&(e.owners-1) != 0 {
		g.collect(s, e)
		return
	}
	n := 0
	for w, word := range e.reached[:g.words] {
		n += bits.OnesCount64(word &^ s.Spent[w])
	}
	g.give(s, bits.TrailingZeros16(uint16(e.owners)), n)
}

// collect gives each player what only its own bombs reached.
func (g *Game) collect(s *State, e *explosion) {
	var once, twice Cells
	for owners := e.owners; owners != 0; owners &= owners - 1 {
		own := g.reachedBy(e, bits.TrailingZeros16(uint16(owners)))
		for w, word := range own[:g.words] {
			twice[w] |= once[w] & word
			once[w] |= word
		}
	}
	for owners := e.owners; owners != 0; owners &= owners - 1 {
		owner := bits.TrailingZeros16(uint16(owners))
		own := g.reachedBy(e, owner)
		n := 0
		for w, word := range own[:g.words] {
			n += bits.OnesCount64(word &^ twice[w] &^ s.Spent[w])
		}
		g.give(s, owner, n)
	}
}

func (g *Game) reachedBy(e *explosion, owner int) (own Cells) {
	for _, b := range e.bombs[:e.n] {
		if int(b.owner) != owner {
			continue
		}
		for w, word := range g.reach(Cell(b.at)) {
			own[w] |= word
		}
	}
	return own
}

func (g *Game) give(s *State, owner, n int) {
	owner &= MaxPlayers - 1
	s.Collected[owner] += uint16(n)
	s.Gains[owner] += int32(n * g.rules.FieldPoints)
}

// kill kills the agents that are reached and not dead yet. If the bombs of only one
// player reached an agent, that player gets the points.
func (g *Game) kill(s *State, e *explosion, dead env.SeatSet) (killed env.SeatSet) {
	for victim, at := range s.Agents[:g.rules.Players] {
		if dead.Has(victim) || !e.reached.Has(at) {
			continue
		}
		killed = killed.With(victim)
		by := g.reaching(e, at)
		if !g.rules.OwnBombsContest && by.Len() > 1 {
			by = by.Without(victim)
		}
		switch killer := bits.TrailingZeros16(uint16(by)) & (MaxPlayers - 1); {
		case by.Len() > 1:
		case killer == victim:
			s.Gains[victim] += int32(g.rules.SelfKillPoints)
		default:
			s.Kills[killer]++
			s.Gains[killer] += int32(g.rules.KillPoints)
		}
	}
	return killed
}

func (g *Game) reaching(e *explosion, at Cell) (owners env.SeatSet) {
	for _, b := range e.bombs[:e.n] {
		if g.reach(Cell(b.at))[at>>6]>>(at&63)&1 != 0 {
			owners = owners.With(int(b.owner))
		}
	}
	return owners
}
