package basewar

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/seat"
)

var countNames = []env.Name{
	{Name: "score", Meaning: "points of the seat's side"},
	{Name: "energy", Meaning: "energy left in the base of the seat's side"},
	{Name: "bases", Meaning: "bases of the other side destroyed"},
	{Name: "lives", Meaning: "lives left to the seat's bombers"},
}

// tracker follows a match: env.Tracker. The state holds all that is counted. To find
// events, it plays a round phase by phase.
type tracker struct {
	env.Stateless
	seat.EventLog
	game *Game
}

// NewTrackers makes trackers: env.Game.
func (g *Game) NewTrackers(n int, events bool) []env.Tracker {
	return seat.NewTrackers(n, tracker{game: g, EventLog: seat.EventLog{Wanted: events}})
}

func (k *tracker) Counts(m env.Match, seat int, dst []int32) {
	s, r := &m.(*Match).State, &m.(*Match).game.rules
	side, lives := SideOf(seat), int32(0)
	for _, id := range r.Own(seat) {
		lives += int32(s.Bombers[id].Lives)
	}
	dst[0], dst[1] = int32(s.Score[side]), int32(s.Energy[side])
	dst[2], dst[3] = int32(toByte(s.Energy[side.Other()] == 0)), lives
}

// Step plays one round as Game.Step does, and compares the states before and after
// its explosions.
func (k *tracker) Step(m env.Match, actions []uint8) {
	if !k.StartStep() {
		m.Step(actions)
		return
	}
	k.game = m.(*Match).game
	g, s := k.game, &m.(*Match).State
	before := *s
	due := g.moveAndLay(s, actions)
	k.laid(&before, s, g.movesOf(actions))
	if due {
		before = *s
		g.explode(s)
		k.exploded(&before, s)
	}
	s.StepCount++
}

// laid notes who laid a bomb, and who tried to lay one and could not.
func (k *tracker) laid(before, s *State, moves [NumBombers]Action) {
	for id := range moves {
		b := &before.Bombers[id]
		switch {
		case moves[id] != LayBomb || !b.Alive():
		case s.Bombers[id].Bombs < b.Bombs:
			k.Note(env.Laid, k.game.rules.seatsOf(1<<id).First(), 0, b.Cell.Place(), "")
		default:
			k.Note(env.NotLaid, k.game.rules.seatsOf(1<<id).First(), 0, b.Cell.Place(), "")
		}
	}
}

// exploded notes what the explosions of a round did. before is the state before them.
func (k *tracker) exploded(before, s *State) {
	var reach [MaxBombs]grid.Bits
	b := k.game.burst(before)
	walls, stops := k.game.barriers(before)
	for i := range before.bombs() {
		if b.gone>>i&1 != 0 {
			reach[i] = k.game.rules.rays(before.Bombs[i].Cell, &walls, &stops)
		}
	}
	by := func(c grid.Cell, but int) (seats env.SeatSet) {
		for i := range before.bombs() {
			if i != but && reach[i].Has(c) {
				seats |= k.game.rules.seatsOf(before.Bombs[i].Owners)
			}
		}
		return seats
	}
	for i := range before.bombs() {
		bomb, setOff := &before.Bombs[i], env.SeatSet(0)
		if b.gone>>i&1 == 0 {
			continue
		}
		if bomb.Life > 0 {
			setOff = by(bomb.Cell, i)
		}
		k.Note(env.Exploded, k.game.rules.seatsOf(bomb.Owners).First(), setOff, bomb.Cell.Place(), bomb.Owner().String())
	}
	for c := range before.Boxes.AndNot(s.Boxes).All {
		k.Note(env.Destroyed, env.NoSeat, by(c, -1), c.Place(), "box")
	}
	for id := range s.Bombers {
		if is := &s.Bombers[id]; is.Lives < before.Bombers[id].Lives {
			k.Note(lost(int(is.Lives)), k.game.rules.seatsOf(1<<id).First(), by(is.Cell, -1), is.Cell.Place(),
				fmt.Sprintf("bomber_%c", 'a'+id/2))
		}
	}
	for side, at := range k.game.bases {
		if s.Energy[side] < before.Energy[side] {
			k.Note(lost(int(s.Energy[side])), k.game.rules.seatsOf(Side(side).Bombers()).First(), by(at, -1), at.Place(), "base")
		}
	}
}

// lost returns the event for a loss of a life or energy, after which that much is left.
func lost(lives int) env.EventKind {
	if lives > 0 {
		return env.Hurt
	}
	return env.Died
}

func (r *Rules) seatsOf(bombers BomberSet) (seats env.SeatSet) {
	for ; bombers != 0; bombers &= bombers - 1 {
		if id := bombers.first(); r.Sides {
			seats = seats.With(int(SideOf(id)))
		} else {
			seats = seats.With(id)
		}
	}
	return seats
}
