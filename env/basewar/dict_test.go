package basewar

import (
	"encoding/json"
	"testing"
)

// TestDictionary reads what programs are told and compares it with the state.
func TestDictionary(t *testing.T) {
	eachPosition(t, func(t *testing.T, g *Game, m *Match) {
		if m.StepCount%7 != 3 {
			return
		}
		seat := int(m.StepCount) % g.rules.Seats()
		text := g.AppendObservation([]byte("x"), m, seat)
		var got dictionary
		if err := json.Unmarshal(text[1:], &got); err != nil || text[0] != 'x' {
			t.Fatalf("observation %s: %v", text, err)
		}
		s := &m.State
		if got.Seat != seat || got.Side != SideOf(seat).String() || len(got.Own) != len(g.Spec().Actions) ||
			got.Own[0] != seat {
			t.Fatalf("seat %d is told it is seat %d, %s, with bombers %v", seat, got.Seat, got.Side, got.Own)
		}
		if got.StepCount != int(s.StepCount) || got.Energy != [2]int{int(s.Energy[0]), int(s.Energy[1])} ||
			got.Score != [2]int{int(s.Score[0]), int(s.Score[1])} {
			t.Fatalf("told %s", text)
		}
		digits := ""
		for _, row := range got.Board {
			for _, cell := range row {
				digits += string('0' + rune(cell))
			}
		}
		if want := string(g.form.Snapshot(s).Board); digits != want {
			t.Fatalf("the board is told as %s, want %s", digits, want)
		}
		for id, b := range got.Bombers {
			if want := s.Bombers[id]; b.ID != id || b.Position != want.Cell.Place() || b.Lives != int(want.Lives) ||
				b.Bombs != int(want.Bombs) {
				t.Fatalf("bomber %d is told as %+v, want %+v", id, b, want)
			}
		}
		if len(got.Bombs) != int(s.NumBombs) || len(got.Blast) != s.Blast.Len() {
			t.Fatalf("told %d bombs and %d cells reached, want %d and %d", len(got.Bombs), len(got.Blast), s.NumBombs,
				s.Blast.Len())
		}
		for i, b := range got.Bombs {
			if want := s.Bombs[i]; b.Position != want.Cell.Place() || b.Life != int(want.Life) ||
				b.Owner != want.Owner().String() {
				t.Fatalf("bomb %d is told as %+v, want %+v", i, b, want)
			}
		}
	})
	six, two := mustGame(t, Standard()), mustGame(t, StandardSides())
	if six.ActionSpace() != "6" || two.ActionSpace() != "[6, 6, 6]" || six.GameType() != `"basewar"` ||
		two.GameType() != `"basewar-sides"` {
		t.Errorf("spaces %s and %s, types %s and %s", six.ActionSpace(), two.ActionSpace(), six.GameType(), two.GameType())
	}
}
