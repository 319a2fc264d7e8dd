package pommerman

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
	"pommego/env/seat"
)

// What is counted of each seat, in the order of countNames.
const (
	countKills = iota
	countTeamKills
	countSuicides
	countBombs
	countWood
	countItems
	numSaved // the counts that the first saved games had
)

const (
	countKicks = iota + numSaved
	countItem  // items of each kind, from ExtraBomb on
	numCounts  = countItem + int(Skull-ExtraBomb) + 1
)

var countNames = []env.Name{
	countKills: {Name: "kills",
		Meaning: "enemies that died in flames of the seat's bombs; where flames of several met, each has killed"},
	countTeamKills: {Name: "team_kills", Meaning: "teammates that died in flames of the seat's bombs"},
	countSuicides:  {Name: "suicides", Meaning: "1 if the seat died in flames of its own bombs"},
	countBombs:     {Name: "bombs", Meaning: "bombs laid"},
	countWood: {Name: "wood",
		Meaning: "wooden walls burnt by the seat's bombs; where flames of several met, each has burnt it"},
	countItems: {Name: "items", Meaning: "items picked up"},
	countKicks: {Name: "kicks", Meaning: "bombs kicked"},
	countItem:  {Name: "extra_bombs", Meaning: "items picked up that give a bomb more"},
	{Name: "ranges", Meaning: "items picked up that make blasts longer"},
	{Name: "kick_items", Meaning: "items picked up that let the seat kick bombs"},
	{Name: "skulls", Meaning: "skulls picked up"}, // only with skulls
}

func (r *Rules) counts() []env.Name {
	if r.Skulls {
		return countNames
	}
	return countNames[:numCounts-1]
}

var itemNames = [...]string{ExtraBomb: "extra_bomb", IncrRange: "incr_range", Kick: "kick", Skull: "skull"}

// fire holds the cells on which flames of one step burn, by the bombs' owners.
type fire [MaxAgents]grid.Bits

// all returns the cells on which anybody's flames burn.
func (f *fire) all() grid.Bits { return f[0].Or(f[1]).Or(f[2]).Or(f[3]) }

// owners returns whose flames burn on a cell.
func (f *fire) owners(at grid.Cell) (by env.SeatSet) {
	for owner := range f {
		by |= env.SeatSet(f[owner][at>>6]>>(at&63)&1) << owner
	}
	return by
}

// fires is the most steps in which flames can burn by any rules.
const fires = maxFlameLife + 1

// tracker follows a match: env.Tracker. Each phase of a step notes in it what happens.
// On a nil tracker all methods do nothing, so that steps without a tracker can call
// them too.
//
// A state does not say whose flames burn. So the tracker keeps the flames of the last
// steps by their owners. An agent that dies was killed by the owners of all flames on
// its cell that can kill by the rules of the step.
type tracker struct {
	seat.EventLog
	game    *Game
	counts  [MaxAgents][numCounts]uint16
	changed env.SeatSet   // the seats of which the last step counted something
	lit     [fires]uint16 // by fire: the StepCount plus one in which it was lit; 0: never
	fires   [fires]fire   // entry n mod fires holds the fire of step n
}

// NewTrackers makes trackers: env.Game.
func (g *Game) NewTrackers(n int, events bool) []env.Tracker {
	return seat.NewTrackers(n, tracker{game: g, EventLog: seat.EventLog{Wanted: events}})
}

func (k *tracker) Begin(env.Match) {
	k.counts, k.lit = [MaxAgents][numCounts]uint16{}, [fires]uint16{}
	k.StartStep()
}

func (k *tracker) Step(m env.Match, actions []uint8) {
	k.StartStep()
	k.changed, k.game = 0, m.(*Match).game
	k.game.rules.step(&m.(*Match).State, actions, k)
}

func (k *tracker) count(seat, what int) {
	k.counts[seat][what]++
	k.changed = k.changed.With(seat)
}

// Changed returns the seats of which the last step counted something.
func (k *tracker) Changed() env.SeatSet { return k.changed }

func (k *tracker) Counts(_ env.Match, seat int, dst []int32) {
	for i, n := range k.counts[seat][:len(k.game.Spec().Counts)] {
		dst[i] = int32(n)
	}
}

// Append appends the counts and the fires, nothing if nothing was counted.
func (k *tracker) Append(dst []byte) []byte {
	if k.counts == [MaxAgents][numCounts]uint16{} && k.lit == [fires]uint16{} {
		return dst
	}
	return saved.Append(dst, k)
}

func (k *tracker) Restore(m env.Match, state []byte) error {
	if len(state) == 0 {
		k.Begin(m)
		return nil
	}
	return saved.Restore("pommerman: what was counted", state, k, func() { k.Begin(m) })
}

// Code writes or reads the parts of a tracker in the order of its bytes.
func (k *tracker) Code(c *saved.Codec) {
	for seat := range k.counts {
		saved.List(c, k.counts[seat][:numSaved])
	}
	saved.List(c, k.lit[:])
	for i := range k.fires {
		for owner := range k.fires[i] {
			if k.lit[i] != 0 {
				saved.List(c, k.fires[i][owner][:])
			}
		}
	}
	if c.Reading() && len(c.Bytes) == 0 {
		return // saved by a version that counted no more
	}
	for seat := range k.counts {
		saved.List(c, k.counts[seat][numSaved:])
	}
}

func (k *tracker) fire(s *State) *fire {
	i := s.StepCount % fires
	if k.lit[i] != s.StepCount+1 {
		k.lit[i], k.fires[i] = s.StepCount+1, fire{}
	}
	return &k.fires[i]
}

// owners returns whose flames burn on a cell, of those that were lit at most age steps ago.
func (k *tracker) owners(s *State, at grid.Cell, age int) (by env.SeatSet) {
	for i, lit := range k.lit {
		if lit != 0 && int(s.StepCount)+1-int(lit) <= age {
			by |= k.fires[i].owners(at)
		}
	}
	return by
}

// laid notes the bombs of the list from entry from on, which have just been laid.
// notLaid notes that an agent wanted to lay one and did not.
func (k *tracker) laid(s *State, from uint8) {
	if k == nil {
		return
	}
	for _, b := range s.Bombs[from:s.NumBombs] {
		k.count(b.Owner(), countBombs)
		k.Note(env.Laid, b.Owner(), 0, b.Cell.Place(), "")
	}
}

func (k *tracker) notLaid(agent int, at grid.Cell) {
	if k != nil {
		k.Note(env.NotLaid, agent, 0, at.Place(), "")
	}
}

// kicked notes that an agent kicks a bomb off the cell that it enters.
func (k *tracker) kicked(agent int, at grid.Cell, d grid.Dir) {
	if k != nil {
		k.count(agent, countKicks)
		k.Note(env.Kicked, agent, 0, at.Place(), Action(d).String())
	}
}

// pickUps notes the items that living agents pick up: those on the cells where they want to be.
func (k *tracker) pickUps(s *State, living []uint8, wish []grid.Cell) {
	if k == nil {
		return
	}
	for _, a := range living {
		if item := s.Board[wish[a]]; item.powerup() {
			k.pickedUp(int(a), item, wish[a])
		}
	}
}

// pickedUp notes that an agent takes an item.
func (k *tracker) pickedUp(agent int, item Item, at grid.Cell) {
	if k != nil {
		k.count(agent, countItems)
		k.count(agent, countItem+int(item-ExtraBomb))
		k.Note(env.PickedUp, agent, 0, at.Place(), itemNames[item])
	}
}

// exploded notes that a bomb explodes, set off by flames of the given owners.
func (k *tracker) exploded(b *Bomb, by env.SeatSet) {
	if k != nil {
		k.Note(env.Exploded, b.Owner(), by, b.Cell.Place(), "")
	}
}

func (k *tracker) burnt(at grid.Cell, by env.SeatSet) {
	for owner := range by.All {
		k.count(owner, countWood)
	}
	k.Note(env.Destroyed, env.NoSeat, by, at.Place(), "wood")
}

// diedIn notes that an agent dies in the flames on a cell that were lit at most age steps ago.
func (k *tracker) diedIn(s *State, agent int, at grid.Cell, age int) {
	if k == nil {
		return
	}
	by := k.owners(s, at, age)
	for owner := range by.All {
		switch {
		case owner == agent:
			k.count(owner, countSuicides)
		case k.game.rules.Teams() && owner == agent^2:
			k.count(owner, countTeamKills)
		default:
			k.count(owner, countKills)
		}
	}
	k.Note(env.Died, agent, by, s.Agents[agent].Cell.Place(), "")
}

func (k *tracker) fallDue(r *Rules, s *State) {
	if s.due != 0 {
		k.falls(r, s)
	}
}

func (k *tracker) falls(r *Rules, s *State) {
	ring, before := int(s.due)-1, s.Living()
	r.fall(s)
	k.collapsed(s, ring, before&^s.Living())
}

// collapsed notes that a ring fell, and who died of it.
func (k *tracker) collapsed(s *State, ring int, dead env.SeatSet) {
	if k == nil || !k.Wanted {
		return
	}
	k.Note(env.Collapsed, env.NoSeat, 0, env.Nowhere, fmt.Sprint(ring))
	for seat := range dead.All {
		k.Note(env.Died, seat, 0, s.Agents[seat].Cell.Place(), "collapse")
	}
}
