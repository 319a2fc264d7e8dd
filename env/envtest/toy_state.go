package envtest

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"pommego/env"
	"pommego/env/saved"
)

// toyState is a running toy game. Entries past the game's seats and cells are
// zero.
type toyState struct {
	Seats  [maxToySeats]toySeat `json:"seats"`
	Heat   [maxToyCells]uint8   `json:"heat"` // steps for which a cell stays hot
	Steps  uint16               `json:"steps"`
	Train  int8                 `json:"train"`  // the seat whose end ends the game, -1 for none
	Doomed bool                 `json:"doomed"` // this is the game that ToyPanic means
	RNG    env.RNG              `json:"dice"`
}

type toySeat struct {
	Cell   uint8 `json:"cell"`
	Energy int16 `json:"energy"` // 0: out
	Paid   int8  `json:"paid"`   // by the last step, in quarters
}

// toyMatch is env.Match.
type toyMatch struct {
	toyState
	game *toyGame
}

func (m *toyMatch) Reset(seed env.Seed) {
	g, rng := m.game, seed.RNG(env.StreamBoard)
	m.toyState = toyState{Train: -1, RNG: seed.RNG(env.StreamGame)}
	var taken [maxToyCells]bool
	for seat := range g.spec.Seats {
		cell := rng.IntN(g.board.Cells())
		for taken[cell] {
			cell = rng.IntN(g.board.Cells())
		}
		taken[cell] = true
		m.Seats[seat] = toySeat{Cell: uint8(cell), Energy: int16(g.rules.Energy)}
	}
	m.Doomed = g.rules.Panic.In != Nowhere && seed == env.Seed{Value: g.rules.Panic.Seed}
	m.perhapsPanic(InReset)
}

func (m *toyMatch) perhapsPanic(call ToyCall) {
	if p := &m.game.rules.Panic; m.Doomed && call == p.In && int(m.Steps) >= p.Step {
		panic(fmt.Sprintf("the toy breaks in %v at step %d", call, m.Steps))
	}
}

func (m *toyMatch) Reseed(seed env.Seed) { m.RNG = seed.RNG(env.StreamGame) }

func (m *toyMatch) SetTrainingSeat(seat int) { m.toyState.Train = int8(seat) }

var errToySize = errors.New("not a state of this toy game: wrong size or other rules")

func (m *toyMatch) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, m.game.fingerprint)
	dst, err := binary.Append(dst, binary.LittleEndian, &m.toyState)
	if err != nil {
		panic(err) // a struct of numbers always encodes
	}
	return dst
}

func (m *toyMatch) Restore(state []byte) error {
	var s toyState
	if len(state) != 8+binary.Size(&s) || binary.LittleEndian.Uint64(state) != m.game.fingerprint {
		return errToySize
	}
	if _, err := binary.Decode(state[8:], binary.LittleEndian, &s); err != nil {
		return err
	}
	return m.set(&s)
}

func (m *toyMatch) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(&m.toyState)
	return append(dst, text...), err
}

func (m *toyMatch) RestoreJSON(state json.RawMessage) error {
	var s toyState
	if err := saved.DecodeJSON(state, &s); err != nil {
		return err
	}
	return m.set(&s)
}

// set takes over a state from outside if it is sound.
func (m *toyMatch) set(s *toyState) error {
	g := m.game
	cells, seats := g.board.Cells(), g.spec.Seats
	if int(s.Steps) > g.rules.MaxSteps || int(s.Train) >= seats || s.Train < -1 {
		return fmt.Errorf("%d steps, training seat %d: out of range", s.Steps, s.Train)
	}
	for i, heat := range s.Heat {
		if heat > maxToyHeat || i >= cells && heat != 0 {
			return fmt.Errorf("heat %d at cell %d: out of range", heat, i)
		}
	}
	var taken [maxToyCells]bool
	for i, seat := range s.Seats {
		if i >= seats {
			if seat != (toySeat{}) {
				return fmt.Errorf("seat %d does not exist", i)
			}
			continue
		}
		if int(seat.Cell) >= cells || seat.Energy < 0 || int(seat.Energy) > g.rules.Energy || seat.Paid < -4 ||
			seat.Paid > 16 {
			return fmt.Errorf("seat %d: cell %d, energy %d, paid %d: out of range", i, seat.Cell, seat.Energy, seat.Paid)
		}
		if seat.Energy > 0 && taken[seat.Cell] {
			return fmt.Errorf("seat %d stands on a taken cell", i)
		}
		taken[seat.Cell] = taken[seat.Cell] || seat.Energy > 0
	}
	m.toyState = *s
	return nil
}
