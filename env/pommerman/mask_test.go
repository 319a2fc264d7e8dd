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

// TestMasksTellOnlyWhatIsSeen: two states that a seat sees alike have the same masks, however little it sees.
func TestMasksTellOnlyWhatIsSeen(t *testing.T) {
	own, old := pommerman.Java(pommerman.FFA), pommerman.Rules2018(pommerman.FFA)
	own.ViewSize, old.ViewSize = pommerman.OwnCell, 1
	for reason, rules := range map[string]pommerman.Rules{
		"Java's, its own cell": own, "of 2018, nothing up and left": old,
		"today's": pommerman.Playground(pommerman.FFA).Fogged(1),
	} {
		var masks [2][2]pommerman.Moves
		var views [2]pommerman.View
		for k := range masks {
			m := pommerman.NewMatch(rules)
			for seat := range m.Agents { // the bomb lies between agents 0 and 1, unless that is elsewhere
				at := grid.At(5, 3)
				if seat > 0 {
					at = grid.At(9, 2*seat)
				}
				if seat == 1 && k == 0 {
					at = grid.At(5, 5)
				}
				m.Agents[seat] = pommerman.Agent{Cell: at, Blast: 2, Alive: true}
				m.Board[at] = rules.Agent0() + pommerman.Item(seat)
			}
			m.NumBombs, m.Bombs[0] = 1, pommerman.NewBomb(grid.At(5, 4), 9, 2, 2, grid.Stay)
			m.Board[grid.At(5, 4)] = pommerman.BombItem
			m.View(0, &views[k])
			if c := grid.At(4, 3); k == 0 && views[0].Board[c] == pommerman.Fog {
				m.Board[c] = pommerman.Rigid
			}
			m.View(0, &views[k])
			masks[k] = [2]pommerman.Moves{legalMoves(m, 0), safeMoves(m, 0)}
			views[k].Rules = nil
		}
		if views[0] != views[1] || masks[0] != masks[1] {
			t.Errorf("%s: alike %v, legal and safe moves %06b and %06b", reason, views[0] == views[1], masks[0], masks[1])
		}
	}
}
