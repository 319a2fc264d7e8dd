package suitebot

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
)

// The raw encoding holds what a seat may know without loss: maps of what lies
// where, with absolute numbers of seats, and a vector of numbers.

// The maps, in order. Their names and meanings stand in rawMaps.
const (
	mapField = iota
	mapAgent
	mapHome
	mapRounds
	mapOwner
	numMaps
)

var rawMaps = [numMaps]env.Name{
	mapField:  {Name: "field", Meaning: "0 where the field still holds its points, 1 where they are gone, 2 where the seat cannot see"},
	mapAgent:  {Name: "agent", Meaning: "seat of the agent on the field plus 1, 0 without one"},
	mapHome:   {Name: "home", Meaning: "seat whose home base the field is plus 1, 0 for none"},
	mapRounds: {Name: "bomb_rounds", Meaning: "rounds until the bomb on the field goes off (1: at the end of the next round), 0 without one"},
	mapOwner:  {Name: "bomb_owner", Meaning: "seat whose bomb lies on the field plus 1, 0 without one"},
}

// What the map of fields holds.
const (
	fieldFull uint8 = iota
	fieldSpent
	fieldUnseen
)

// rawScalarNames names the raw vector's entries, in order.
func (r *Rules) rawScalarNames() []env.Name {
	list := []env.Name{
		{Name: "seat", Meaning: "the seat's number"},
		{Name: "x", Meaning: "the column of its agent"},
		{Name: "y", Meaning: "the row of its agent"},
		{Name: "step_count", Meaning: "rounds played"},
	}
	for k := range r.Players {
		list = append(list, env.Name{Name: fmt.Sprintf("score%d", k), Meaning: fmt.Sprintf("points of seat %d", k)})
	}
	return list
}

// rawEncoding describes the encoding.
func (r *Rules) rawEncoding() env.Encoding {
	scalars := r.rawScalarNames()
	most, least := r.mostPoints()
	return env.Encoding{Name: "raw", Fields: []env.Field{
		{Name: "maps", DType: env.Uint8, Shape: []int{numMaps, r.Height, r.Width}, Low: 0, High: float64(max(2, r.Players, r.BombDelay)), Shared: r.ViewRadius == 0, Names: rawMaps[:]},
		{Name: "scalars", DType: env.Int32, Shape: []int{len(scalars)}, Low: float64(least), High: float64(max(most, r.Rounds, MaxSide)), Names: scalars},
	}}
}

// observeRaw writes the raw observations of the given seats.
func (g *Game) observeRaw(s *State, seats []uint8, maps, scalars []byte) {
	p := g.plan
	size := numMaps * p.cells
	if p.sights == nil {
		p.paint(s, nil, maps)
	} else {
		for i, seat := range seats {
			sight := p.sight(s.Agents[seat])
			p.paint(s, &sight, maps[i*size:(i+1)*size])
		}
	}
	width := 4 * (4 + p.rules.Players)
	for i, seat := range seats {
		p.encodeRawScalars(s, int(seat), scalars[i*width:(i+1)*width])
	}
}

// paint writes the maps of what is in sight; sight nil: everything.
func (p *Plan) paint(s *State, sight *Cells, maps []byte) {
	spread(maps[:p.cells], &s.Spent, fieldFull, fieldSpent)
	clear(maps[p.cells : numMaps*p.cells])
	if sight != nil {
		for c := range p.cells {
			if !sight.Has(Cell(c)) {
				maps[c] = fieldUnseen
			}
		}
	}
	for seat := range p.rules.Players {
		maps[mapHome*p.cells+int(s.Homes[seat])] = uint8(seat + 1)
		if at := s.Agents[seat]; sight == nil || sight.Has(at) {
			maps[mapAgent*p.cells+int(at)] = uint8(seat + 1)
		}
	}
	for k := range s.fuses[:p.rules.BombDelay] {
		for owner, f := range s.fuses[k] {
			if f != 0 && (sight == nil || sight.Has(f.cell())) {
				maps[mapRounds*p.cells+int(f.cell())] = uint8(k + 1)
				maps[mapOwner*p.cells+int(f.cell())] = uint8(owner + 1)
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
		binary.LittleEndian.PutUint64(dst[at:], fill^bytesOfBits[eight]*uint64(flip))
	}
	for ; at < len(dst); at++ {
		dst[at] = out ^ flip*uint8(set[at>>6]>>(at&63)&1)
	}
}

// bytesOfBits turns eight bits into eight bytes of 0 or 1.
var bytesOfBits = func() (table [256]uint64) {
	for i := range table {
		for bit := range 8 {
			table[i] |= uint64(i>>bit&1) << (8 * bit)
		}
	}
	return table
}()

// encodeRawScalars writes the vector of int32 that rawScalarNames names.
func (p *Plan) encodeRawScalars(s *State, seat int, dst []byte) {
	at := p.places[s.Agents[seat]]
	putInt32(dst, seat)
	putInt32(dst[4:], int(at.x))
	putInt32(dst[8:], int(at.y))
	putInt32(dst[12:], int(s.StepCount))
	for k, score := range s.Scores[:p.rules.Players] {
		putInt32(dst[16+4*k:], int(score))
	}
}

func putInt32(dst []byte, v int) { binary.LittleEndian.PutUint32(dst, uint32(v)) }
