package basewar

import (
	"fmt"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// A scenario is a drawn map, what the bombers do, and the maps that must
// follow. The drawing:
//
//	.  free   #  stone   %  box   <  blue's base   >  green's base
//	0-5  bombers (blue has 0, 2, 4; they hide the bomb they stand on)
//	b  blue's bomb   g  green's bomb   p  public bomb
//	*  reached by an explosion in this round, and free now
//
// Maps are 7x7 with the bases in row 3; rows that are left out are free.
// Bombers that are not drawn are dead, unless edit brings them in.
type scenario struct {
	name   string
	reason string
	rules  func(r *Rules)
	start  string
	edit   func(s *State) // what a drawing cannot show
	moves  [][]Action     // by round and bomber; what is left out is Stop
	want   []string       // the map after each round; "" to leave it open
	end    ends           // after the last round
}

// ends are numbers of a state by the names that endValue knows.
type ends map[string]int

const drawn = 7

// drawnRules are the contest's rules on a small map.
func drawnRules() Rules {
	r := Standard()
	r.BoardSize, r.NumStones, r.NumBoxes, r.FreeSteps = drawn, 0, 8, 1
	return r
}

func draw(t testing.TB, r *Rules, text string) State {
	t.Helper()
	var s State
	s.Energy = [2]uint8{uint8(r.BaseEnergy), uint8(r.BaseEnergy)}
	rows := strings.Fields(text)
	nowhere := grid.At(0, 0)
	for row := range drawn {
		for col := range drawn {
			c := grid.At(row, col)
			switch ch := drawnAt(rows, row, col); ch {
			case '#':
				s.Stones.Add(c)
			case '%':
				s.Boxes.Add(c)
			case '0', '1', '2', '3', '4', '5':
				s.Bombers[ch-'0'] = Bomber{Cell: c, Lives: uint8(r.Lives)}
			case '.':
				nowhere = c
			}
		}
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		b.Bombs = uint8(r.Bombs)
		if !b.Alive() {
			b.Cell = nowhere
		}
	}
	for row := range drawn {
		for col := range drawn {
			drop(&s, r, grid.At(row, col), drawnAt(rows, row, col))
		}
	}
	if err := r.form().Check(&s); err != nil {
		t.Fatalf("the drawing is no state: %v", err)
	}
	return s
}

func drawnAt(rows []string, row, col int) byte {
	if row >= len(rows) {
		rows = strings.Fields(emptyMap)
	}
	return rows[row][col]
}

const emptyMap = "....... ....... ....... <.....> ....... ....... ......."

// drop puts a fresh bomb on a cell, paid by the first bombers that have one.
func drop(s *State, r *Rules, c grid.Cell, kind byte) {
	sides := map[byte][]Side{'b': {Blue}, 'g': {Green}, 'p': {Blue, Green}}[kind]
	if sides == nil {
		return
	}
	b := Bomb{Cell: c, Life: uint8(r.BombLife)}
	for _, side := range sides {
		for _, id := range sideBombers[side] {
			if payer := &s.Bombers[id]; payer.Bombs > 0 {
				payer.Bombs--
				b.Owners |= 1 << id
				break
			}
		}
	}
	s.addBomb(b)
}

// standing is the living bombers on a cell.
func (s *State) standing(c grid.Cell) BomberSet {
	var set BomberSet
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() && b.Cell == c {
			set |= 1 << id
		}
	}
	return set
}

func picture(r *Rules, s *State) string {
	var b strings.Builder
	for row := range drawn {
		for col := range drawn {
			c := grid.At(row, col)
			here := s.standing(c)
			bomb := s.bombAt(c)
			switch {
			case here != 0:
				b.WriteByte('0' + byte(here.first()))
			case bomb >= 0:
				b.WriteByte("bgp"[s.Bombs[bomb].Owner()])
			case r.ground(s, c) == boardEmpty && s.Blast.Has(c):
				b.WriteByte('*')
			default:
				b.WriteByte(".#%<>"[r.ground(s, c)])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// pad completes a drawing with the rows of an empty map.
func pad(text string) string {
	rows := strings.Fields(text)
	rows = append(rows, strings.Fields(emptyMap)[len(rows):]...)
	return strings.Join(rows, "\n") + "\n"
}

// endValue is a number of a state by its name.
func endValue(r *Rules, s *State, name string) int {
	var id int
	switch {
	case name == "blue score":
		return int(s.Score[Blue])
	case name == "green score":
		return int(s.Score[Green])
	case name == "blue energy":
		return int(s.Energy[Blue])
	case name == "green energy":
		return int(s.Energy[Green])
	case name == "bombs":
		return int(s.NumBombs)
	case name == "over":
		return int(toByte(r.Over(s)))
	case name == "winner": // 0 blue, 1 green, -1 a draw, -2 not over
		switch st := r.Status(s); {
		case !st.Over:
			return -2
		case st.Result == env.Tie:
			return -1
		case st.Winners.Has(0):
			return 0
		}
		return 1
	}
	if n, _ := fmt.Sscanf(name, "lives %d", &id); n == 1 {
		return int(s.Bombers[id].Lives)
	}
	if n, _ := fmt.Sscanf(name, "bombs of %d", &id); n == 1 {
		return int(s.Bombers[id].Bombs)
	}
	if n, _ := fmt.Sscanf(name, "life of bomb %d", &id); n == 1 {
		return int(s.Bombs[id].Life)
	}
	panic("no number is called " + name)
}

// begin is the game by the scenario's rules and the state it begins with.
func (sc *scenario) begin(t testing.TB) (*Game, State) {
	t.Helper()
	r := drawnRules()
	if sc.rules != nil {
		sc.rules(&r)
	}
	g := undealt(r)
	s := draw(t, &r, sc.start)
	if sc.edit != nil {
		sc.edit(&s)
		if err := r.form().Check(&s); err != nil {
			t.Fatalf("the edited drawing is no state: %v", err)
		}
	}
	return g, s
}

// actions is what the bombers do in a round.
func (sc *scenario) actions(round int) []uint8 {
	actions := make([]uint8, NumBombers)
	if round < len(sc.moves) {
		for id, a := range sc.moves[round] {
			actions[id] = uint8(a)
		}
	}
	return actions
}

func (sc *scenario) run(t *testing.T) {
	g, s := sc.begin(t)
	r := &g.rules
	for i, want := range sc.want {
		compareStep(t, g, &s, sc.actions(i))
		if got := picture(r, &s); want != "" && got != pad(want) {
			t.Fatalf("%s: after round %d\n%s\nwant\n%s", sc.reason, i+1, got, pad(want))
		}
	}
	for name, want := range sc.end {
		if got := endValue(r, &s, name); got != want {
			t.Errorf("%s: %s is %d, want %d, at the end of\n%s", sc.reason, name, got, want, newTwin(r, &s).text())
		}
	}
}

// lives gives the bombs of a drawing, in row-major order, the rounds they have.
func lives(life ...uint8) func(*State) {
	return func(s *State) {
		for i, l := range life {
			s.Bombs[i].Life = l
		}
	}
}

// together does several edits.
func together(edits ...func(*State)) func(*State) {
	return func(s *State) {
		for _, edit := range edits {
			edit(s)
		}
	}
}

// stand puts a bomber, alive, on a cell.
func stand(id, row, col int, lives uint8) func(*State) {
	return func(s *State) { s.Bombers[id].Cell, s.Bombers[id].Lives = grid.At(row, col), lives }
}

// hurt leaves a bomber so many lives.
func hurt(id int, lives uint8) func(*State) {
	return func(s *State) { s.Bombers[id].Lives = lives }
}

// energy leaves the bases so much.
func energy(blue, green uint8) func(*State) {
	return func(s *State) { s.Energy = [2]uint8{blue, green} }
}

// score gives the sides points.
func score(blue, green uint16) func(*State) {
	return func(s *State) { s.Score = [2]uint16{blue, green} }
}
