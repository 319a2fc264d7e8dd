package suitebot

import (
	"encoding/binary"

	"pommego/env"
	"pommego/env/observe"
)

// The raw encoding holds what a seat may know without loss: maps of what lies
// where, with absolute numbers of seats, and a vector of numbers.

// What the map of fields holds.
const (
	fieldFull uint8 = iota
	fieldSpent
	fieldUnseen
)

// rawEncodings describes the encodings. Rules with a view have one more, with the
// maps as someone who sees everything has them, once for all seats: a client that
// is trusted with it can take what each seat sees from that.
func (g *Game) rawEncodings() []env.Encoding {
	if g.plan.sights == nil {
		return []env.Encoding{g.rawEncoding("raw", true)}
	}
	return []env.Encoding{g.rawEncoding("raw", false), g.rawEncoding("unfogged", true)}
}

// rawEncoding describes one of them. shared: the maps are the same for all seats.
func (g *Game) rawEncoding(name string, shared bool) env.Encoding {
	r := g.plan.Rules()
	most, least := r.mostPoints()
	fields := []env.Field{
		observe.MapsField("maps", r.Height, r.Width, max(2, r.Players, r.BombDelay),
			func(m observe.Maps[observe.List]) { paintRaw(m, g.plan, &State{}, nil) }),
		observe.VectorField(env.Int32, float64(least), float64(max(most, r.Rounds, MaxSide)),
			func(v observe.Vector[observe.List]) { rawScalars(v, g.plan, &State{}, 0) }),
	}
	fields[0].Shared = shared
	return env.Encoding{Name: name, Fields: fields}
}

// observeRaw writes the raw observations of the given seats, with the maps that they
// see in fog, or else with everything, once.
func (g *Game) observeRaw(s *State, seats []uint8, maps, scalars []byte, fog bool) {
	p := g.plan
	size, width := g.sizes[encodingRaw][0], g.sizes[encodingRaw][1]
	if !fog {
		paintRaw(observe.MapsInto(maps[:size], p.cells), p, s, nil)
	}
	for i, seat := range seats {
		if fog {
			sight := p.sight(s.Agents[seat])
			paintRaw(observe.MapsInto(maps[i*size:(i+1)*size], p.cells), p, s, &sight)
		}
		rawScalars(observe.Into(scalars[i*width:(i+1)*width]), p, s, int(seat))
	}
}

// paintRaw is the maps of the raw encoding, of what is in sight; sight nil:
// everything.
func paintRaw[M observe.Mode](m observe.Maps[M], p *Plan, s *State, sight *Cells) {
	field, m := m.Next("field", "0 where the field holds its points, 1 where they are gone, 2 where the seat cannot see")
	spread(field, &s.Spent, fieldFull, fieldSpent)
	if sight != nil {
		for c := range p.cells {
			if !sight.Has(Cell(c)) {
				field[c] = fieldUnseen
			}
		}
	}
	clear(m.Rest())
	agent, m := m.Next("agent", "seat of the agent on the field plus 1, 0 without one")
	home, m := m.Next("home", "seat whose home base the field is plus 1, 0 for none")
	for seat := range p.rules.Players {
		home[s.Homes[seat]] = uint8(seat + 1)
		if at := s.Agents[seat]; sight == nil || sight.Has(at) {
			agent[at] = uint8(seat + 1)
		}
	}
	rounds, m := m.Next("bomb_rounds", "rounds until the bomb there goes off (1: after the next round), 0 without one")
	owners, _ := m.Next("bomb_owner", "seat whose bomb lies on the field plus 1, 0 without one")
	for k := range s.fuses[:p.rules.BombDelay] {
		for owner, f := range s.fuses[k] {
			if f != 0 && (sight == nil || sight.Has(f.cell())) {
				rounds[f.cell()], owners[f.cell()] = uint8(k+1), uint8(owner+1)
			}
		}
	}
}

// spread writes one byte a field: in for those in the set, out for the others.
func spread(dst []byte, set *Cells, out, in uint8) {
	fill, flip := uint64(out)*0x0101010101010101, out^in
	at := 0
	for ; at+8 <= len(dst); at += 8 {
		eight := set[at>>6] >> (at & 63) & 0xff
		binary.LittleEndian.PutUint64(dst[at:], fill^observe.Spread[eight]*uint64(flip))
	}
	for ; at < len(dst); at++ {
		dst[at] = out ^ flip*uint8(set[at>>6]>>(at&63)&1)
	}
}

func rawScalars[M observe.Mode](v observe.Vector[M], p *Plan, s *State, seat int) {
	at := p.places[s.Agents[seat]]
	v = v.Int32("seat", "the seat's number", seat)
	v = v.Int32("x", "the column of its agent", int(at.x))
	v = v.Int32("y", "the row of its agent", int(at.y))
	v = v.Int32("step_count", "rounds played", int(s.StepCount))
	for k, score := range s.Scores[:p.rules.Players] {
		v = v.Nth(k).Int32("score%d", "points of seat %d", int(score))
	}
}
