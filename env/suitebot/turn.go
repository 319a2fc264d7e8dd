package suitebot

import (
	"math/bits"

	"pommego/env"
)

// Step plays one round. actions holds one number per seat. The numbers in the comments
// are those of the rules in docs/games/suitebot.md.
func (g *Game) Step(s *State, actions []uint8) { g.step(s, actions, nil) }

// step is Step, and notes the round's events in track unless that is nil.
func (g *Game) step(s *State, actions []uint8, track *tracker) {
	s.Gains = [MaxPlayers]int32{}
	s.Blast = Cells{}
	g.move(s, actions)   // 1
	dead := g.collide(s) // 2
	if track != nil {
		track.died(s, dead, "move")
	}
	due := g.burnFuses(s)
	planters := g.plants(actions) &^ dead
	if g.rules.DeadPlant {
		planters |= g.plants(actions)
	}
	g.plant(s, planters, &due) // 3
	if track != nil {
		track.laid(s, planters)
	}
	if due != (volley{}) {
		var e explosion
		killed := g.explode(s, &e, &due, dead) // 4
		if track != nil {
			track.exploded(s, &e, &due, killed)
		}
		dead |= killed
	}
	g.respawn(s, dead) // 5
	late := g.onBases(s)
	if track != nil {
		track.died(s, late, "base")
	}
	g.respawn(s, late) // 6; nobody, if they have died after the moves already
	for seat, gain := range s.Gains {
		s.Scores[seat] += gain
	}
	s.StepCount++
}

// move moves the agents. Nothing blocks a move on a torus.
func (g *Game) move(s *State, actions []uint8) {
	for seat, action := range actions[:g.rules.Players] {
		s.Agents[seat] = g.next[s.Agents[seat]][action&7]
	}
}

// collide returns the agents that die because of their moves: those that share a field
// and, with AfterMoves, those on an enemy's home base. They stay where they died until
// they respawn.
func (g *Game) collide(s *State) (dead env.SeatSet) {
	if g.meet(&s.Agents, &s.Agents) {
		dead = g.collided(s)
	}
	if g.rules.HomeDeaths == AfterMoves {
		dead |= g.onBases(s)
	}
	return dead
}

// meet reports whether any player's number in a is another player's in b.
func (g *Game) meet(a, b *[MaxPlayers]Cell) bool {
	found, words := uint64(0), lanesOf(b)
	for seat := range min(g.rules.Players, 4) {
		found |= equalTo(words[0], uint16(a[seat])) & g.seated[0] &^ (1 << (16*seat + 15))
	}
	if g.rules.Players > 4 {
		for seat := range g.rules.Players {
			others := g.seated
			others[seat/4] &^= 1 << (seat%4*16 + 15)
			found |= equalTo(words[0], uint16(a[seat])) & others[0]
			found |= equalTo(words[1], uint16(a[seat])) & others[1]
		}
	}
	return found != 0
}

// collided returns the agents that share a field.
func (g *Game) collided(s *State) (dead env.SeatSet) {
	agents := s.Agents[:g.rules.Players]
	for i, at := range agents {
		for k := range i {
			if agents[k] == at {
				dead |= 1<<i | 1<<k
				s.Gains[i] += int32(g.rules.CollisionPoints)
				s.Gains[k] += int32(g.rules.CollisionPoints)
			}
		}
	}
	return dead
}

// onBases returns the agents on an enemy's home base, and gives the enemies their points.
func (g *Game) onBases(s *State) (dead env.SeatSet) {
	if !g.meet(&s.Homes, &s.Agents) {
		return 0
	}
	agents := s.Agents[:g.rules.Players]
	for owner, home := range s.Homes[:g.rules.Players] {
		for seat, at := range agents {
			if at == home && seat != owner {
				dead = dead.With(seat)
				s.Gains[owner] += int32(g.rules.HomePoints)
			}
		}
	}
	return dead
}

// burnFuses makes all fuses one round shorter and returns the bombs that are
// due at the end of this one.
func (g *Game) burnFuses(s *State) (due volley) {
	due = s.fuses[0]
	last := g.rules.BombDelay - 1
	copy(s.fuses[:last], s.fuses[1:])
	s.fuses[last&(MaxDelay-1)] = volley{}
	return due
}

func (g *Game) plants(actions []uint8) (seats env.SeatSet) {
	for seat, action := range actions[:g.rules.Players] {
		other := action&7 ^ uint8(PlantBomb) // 0 if the action is PlantBomb
		seats |= env.SeatSet((other-1)>>7) << seat
	}
	return seats
}

// plant plants bombs. It removes a bomb that already lies on the field, even if that
// would go off in this round. An agent that plants has not moved, so no two agents
// plant on one field.
func (g *Game) plant(s *State, seats env.SeatSet, due *volley) {
	last := (g.rules.BombDelay - 1) & (MaxDelay - 1)
	for ; seats != 0; seats &= seats - 1 {
		seat := bits.TrailingZeros16(uint16(seats)) & (MaxPlayers - 1)
		f := fuseAt(s.Agents[seat])
		due.remove(f)
		for k := range last {
			s.fuses[k].remove(f)
		}
		s.fuses[last][seat] = f
	}
}

// remove removes the bomb that lies on a field.
func (v *volley) remove(f fuse) {
	words := lanesOf((*[MaxPlayers]fuse)(v))
	if equalTo(words[0], uint16(f))|equalTo(words[1], uint16(f)) == 0 {
		return
	}
	for i := range v {
		if v[i] == f {
			v[i] = 0
		}
	}
}

func (g *Game) respawn(s *State, dead env.SeatSet) {
	for ; dead != 0; dead &= dead - 1 {
		seat := bits.TrailingZeros16(uint16(dead)) & (MaxPlayers - 1)
		s.Agents[seat] = s.Homes[seat]
		s.Deaths[seat]++
	}
}

// The values of the players, such as the field of each one's agent, are eight numbers
// of 16 bits. The code below reads them as two words of four lanes, and compares all
// lanes of a word at once: moves are hard to predict, so mispredicted branches of
// separate comparisons would cost more than the work.

// lanes holds two words of four lanes: player p has lane p%4 of word p/4.
type lanes [2]uint64

func lanesOf[T ~uint16](v *[MaxPlayers]T) lanes {
	return lanes{
		uint64(v[0]) | uint64(v[1])<<16 | uint64(v[2])<<32 | uint64(v[3])<<48,
		uint64(v[4]) | uint64(v[5])<<16 | uint64(v[6])<<32 | uint64(v[7])<<48,
	}
}

const (
	eachLane = 0x0001000100010001 // 1 in each lane
	topBits  = eachLane << 15
)

// equalTo sets the highest bit of each lane of a word that is equal to x.
func equalTo(word uint64, x uint16) uint64 {
	differ := word ^ uint64(x)*eachLane
	// A lane's highest bit gets set by the sum, or is set in the lane itself, unless the
	// lane is 0; no sum carries into the next lane.
	return ^((differ&^topBits + (topBits - eachLane)) | differ) & topBits
}

// seated returns the highest bits of the lanes of n players.
func seated(n int) (all lanes) {
	for seat := range n {
		all[seat/4] |= 1 << (seat%4*16 + 15)
	}
	return all
}

// firstLane returns the number of the lowest lane of a word that is not zero.
func firstLane(word uint64) int { return bits.TrailingZeros64(word) / 16 }
