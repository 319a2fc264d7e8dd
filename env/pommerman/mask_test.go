package pommerman_test

import (
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
)

var matches = map[*pommerman.Rules]*pommerman.Match{}

// match is a match that stands in a situation.
func match(s *pommermantest.Situation) *pommerman.Match {
	if matches[s.Rules] == nil {
		matches[s.Rules] = pommerman.NewMatch(*s.Rules)
	}
	matches[s.Rules].State = s.State
	return matches[s.Rules]
}

func legalMoves(m *pommerman.Match, seat int) pommerman.Moves {
	mask := make([]uint8, m.Game().Spec().MaskSize())
	m.Mask(seat, mask)
	return movesOf(mask)
}

// safeMoves is those of the mask of safe moves.
func safeMoves(m *pommerman.Match, seat int) pommerman.Moves {
	mask := make([]uint8, m.Game().Spec().MaskSize())
	m.ObserveSafely(m.Game().Spec().Encoding("near"), []uint8{uint8(seat)}, observed(m, "near", seat), mask)
	return movesOf(mask)
}

func movesOf(mask []uint8) (moves pommerman.Moves) {
	for a, is := range mask[:6] {
		moves |= pommerman.Moves(is) << a
	}
	return moves
}

// TestIllegalMovesDoNothing: whatever the others do, a move that the mask leaves out leads to the same state as to
// stop, where the seat sees the whole board.
func TestIllegalMovesDoNothing(t *testing.T) {
	rng := env.RNG{State: 1}
	left, bombs := 0, 0
	pommermantest.Situations(t, bots.Roster, 3+*forecasts/1000, func(s *pommermantest.Situation) {
		if s.Rules.ViewSize > 0 {
			return
		}
		for seat := range s.Rules.Seats() {
			self := &s.State.Agents[seat]
			legal := legalMoves(match(s), seat)
			for move := pommerman.Up; self.Alive && move <= pommerman.LayBomb; move++ {
				if legal.Has(move) {
					continue
				}
				left++
				if move != pommerman.LayBomb && s.State.BombAt(self.Cell.Next(grid.Dir(move))) {
					bombs++
				}
				for range 20 {
					var actions [pommerman.MaxAgents * 4]uint8
					width := 1 + s.Rules.RadioWords
					for other := range s.Rules.Seats() {
						actions[other*width] = uint8(rng.IntN(6))
					}
					made, stopped := s.State, s.State
					actions[seat*width] = uint8(move)
					s.Rules.Step(&made, actions[:])
					actions[seat*width] = 0
					if s.Rules.Step(&stopped, actions[:]); made != stopped {
						t.Fatalf("seat %d of %+v: %v is not legal, but does something while the others do %v\n%v", seat, s.Rules, move,
							actions, s.State)
					}
				}
			}
		}
	})
	t.Logf("%d moves left out, %d of them against bombs", left, bombs)
	if left < 10_000 || bombs < 100 {
		t.Errorf("%d moves were left out, %d of them against bombs; want more", left, bombs)
	}
}
