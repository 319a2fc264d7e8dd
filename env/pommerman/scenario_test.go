package pommerman

import (
	"fmt"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// A scenario is a drawn board, what the agents do, and the boards that must
// follow. The drawing:
//
//	.  passage   #  rigid   %  wood   *  flames   o  bomb
//	0-3  agents  b  extra bomb  r  range  k  kick  s  skull
//
// Boards are 7x7; rows that are left out are passages. Agents that are not
// drawn are dead.
type scenario struct {
	name, reason string
	start        string
	edit         func(r *Rules, s *State) // what a drawing cannot show
	moves        [][4]Action
	want         []string // the board after each step
}

const drawn = 7

func draw(r *Rules, text string) State {
	var s State
	for i := range s.Board {
		s.Board[i] = Rigid
	}
	for i := range s.Agents {
		s.Agents[i] = Agent{Cell: grid.At(drawn-1, drawn-1), Ammo: 1, Blast: uint8(r.StartBlast)}
	}
	rows := strings.Fields(text)
	for row := range drawn {
		for col := range drawn {
			c := grid.At(row, col)
			ch := byte('.')
			if row < len(rows) {
				ch = rows[row][col]
			}
			switch ch {
			case '*':
				s.Board[c] = Flames
				s.flames[r.FlameLife-1].Add(c)
			case 'o':
				s.Board[c] = BombItem
				s.addBomb(NewBomb(c, uint8(r.BombLife-1), uint8(r.StartBlast), 0, grid.Stay))
			case '0', '1', '2', '3':
				s.Board[c] = r.Agent0() + Item(ch-'0')
				s.Agents[ch-'0'].Cell, s.Agents[ch-'0'].Alive = c, true
			default:
				s.Board[c] = Item(strings.IndexByte(".#%", ch))
				if at := strings.IndexByte("brks", ch); at >= 0 {
					s.Board[c] = ExtraBomb + Item(at)
				}
			}
		}
	}
	return s
}

func picture(r *Rules, s *State) string {
	var b strings.Builder
	for row := range drawn {
		for col := range drawn {
			switch item := s.Board[grid.At(row, col)]; {
			case item >= r.Agent0():
				b.WriteByte('0' + byte(item-r.Agent0()))
			default:
				b.WriteByte(".#%o*?brks"[item])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// pad completes a drawing with rows of passages.
func pad(text string) string {
	rows := strings.Fields(text)
	for len(rows) < drawn {
		rows = append(rows, strings.Repeat(".", drawn))
	}
	return strings.Join(rows, "\n") + "\n"
}

func (sc *scenario) run(t *testing.T, r Rules) State {
	t.Helper()
	r.BoardSize = drawn
	s := draw(&r, sc.start)
	if sc.edit != nil {
		sc.edit(&r, &s)
	}
	if err := r.Check(&s); err != nil {
		t.Fatalf("%s: the drawing is no state: %v", sc.name, err)
	}
	for i, want := range sc.want {
		var moves [4]Action
		if i < len(sc.moves) {
			moves = sc.moves[i]
		}
		compareStep(t, &r, &s, []uint8{uint8(moves[0]), uint8(moves[1]), uint8(moves[2]), uint8(moves[3])})
		if got := picture(&r, &s); got != pad(want) {
			t.Fatalf("%s (%s): after step %d\n%s\nwant\n%s", sc.name, sc.reason, i+1, got, pad(want))
		}
	}
	return s
}

func lives(life ...uint8) func(*Rules, *State) {
	return func(_ *Rules, s *State) {
		for i, l := range life {
			s.Bombs[i].Life = l
		}
	}
}

// Test2018Scenarios is the rules in which the 2018 preset differs. The recorded
// scenes of that time have one for each.
func Test2018Scenarios(t *testing.T) {
	for _, sc := range []scenario{
		{
			name: "blast of three", reason: "strength 3 reaches two cells each way",
			start: "......0 ....... ....... ...o...", edit: lives(1),
			want: []string{"......0 ...*... ...*... .*****. ...*... ...*..."},
		},
		{
			name: "cell values", reason: "agents are 11 to 14, the skull 9",
			start: "s.....0 1.....2",
			want:  []string{"s.....0 1.....2"},
		},
		{
			name: "a skull stops a rolling bomb", reason: "it is a power-up like the others",
			start: "......0 .o.s...",
			edit:  func(_ *Rules, s *State) { s.Bombs[0].roll(grid.Right) },
			want:  []string{"......0 ..os...", "......0 ..os..."},
		},
		{
			name: "a skull is taken", reason: "moving onto it picks it up",
			start: ".....s0",
			moves: [][4]Action{{Left}},
			want:  []string{".....0."},
		},
		{
			name: "a skull burns", reason: "uncovered power-ups burn",
			start: "......0 ....... .o.s...", edit: lives(1),
			want: []string{".*....0 .*..... ****... .*..... .*....."},
		},
		{
			name: "no chains", reason: "a bomb that an explosion reaches vanishes",
			start: "......0 .oo....", edit: lives(1, 2),
			want: []string{".*....0 ****... .*..... .*.....", ".*....0 ****... .*..... .*.....",
				".*....0 ****... .*..... .*.....", "......0"},
		},
		{
			name: "into flames", reason: "flames of earlier steps kill nobody, and hide who stands in them",
			start: "0*.....", moves: [][4]Action{{Right}},
			want: []string{".*.....", ".*.....", ".0....."},
		},
		{
			name: "a second bomb", reason: "bombs lie on bombs; the agent hides both, and one shows",
			start: "0......", edit: func(_ *Rules, s *State) { s.Agents[0].Ammo = 2 },
			moves: [][4]Action{{LayBomb}, {LayBomb}, {Down}},
			want:  []string{"0......", "0......", "o...... 0......"},
		},
		{
			name: "a kick", reason: "the bomb rolls in the step in which it is kicked",
			start: "0o.....", edit: func(_ *Rules, s *State) { s.Agents[0].Kicks = true },
			moves: [][4]Action{{Right}},
			want:  []string{".0o....", ".0.o..."},
		},
		{
			name: "no kick onto an item", reason: "the cell beyond must show passage",
			start: "0ob....", edit: func(_ *Rules, s *State) { s.Agents[0].Kicks = true },
			moves: [][4]Action{{Right}},
			want:  []string{"0ob...."},
		},
		{
			name: "a bomb rolls into flames", reason: "they set it off at once",
			start: "o*..... ......0", edit: func(_ *Rules, s *State) { s.Bombs[0].roll(grid.Right) },
			want: []string{"****... .*....0 .*....."},
		},
		{
			name: "swaps and meetings", reason: "who would swap cells stays, and so do all who want one cell",
			start: "01..2.3",
			moves: [][4]Action{{Right, Left, Right, Left}},
			want:  []string{"01..2.3"},
		},
	} {
		t.Run(sc.name, func(t *testing.T) { sc.run(t, Rules2018(FFA)) })
	}
	t.Run("bomb life 25", func(t *testing.T) {
		r := Rules2018(FFA)
		r.BoardSize = drawn
		s := draw(&r, "0.....1")
		for step := 1; step <= 25; step++ {
			move := Stop
			if step == 1 {
				move = LayBomb
			}
			r.Step(&s, []uint8{uint8(move), 0, 0, 0})
			if exploded := s.NumBombs == 0; exploded != (step == 25) {
				t.Fatalf("after step %d the bomb has exploded: %v, want it in step 25", step, exploded)
			}
		}
	})
	r := Rules2018(FFA)
	if r.BoardSize != 13 || r.NumRigid != 50 || r.NumWood != 50 || r.NumItems != 25 || r.MaxSteps != 2500 ||
		r.Agent0() != 11 || r.Dummy() != 10 {
		t.Errorf("2018 preset is %+v", r)
	}
}

// TestRules2018AtTheEnd: the step limit is met a step later than today, and nobody
// is left in a game that the reference calls won.
func TestRules2018AtTheEnd(t *testing.T) {
	for _, tc := range []struct {
		reason  string
		rules   Rules
		count   uint16
		alive   []int
		over    bool
		rewards []float64
	}{
		{"the count of the limit", Rules2018(FFA), 2500, []int{0, 1}, false, []float64{0, 0, -1, -1}},
		{"a step after", Rules2018(FFA), 2501, []int{0, 1}, true, []float64{-1, -1, -1, -1}},
		{"one is left", Rules2018(FFA), 2501, []int{1}, true, []float64{-1, 1, -1, -1}},
		{"all are dead", Rules2018(FFA), 9, nil, true, []float64{-1, -1, -1, -1}},
		{"all are dead at the limit", Rules2018(FFA), 2501, nil, true, []float64{-1, -1, -1, -1}},
		{"both teams are dead", Rules2018(Team), 9, nil, true, []float64{0, 0, 0, 0}},
		{"both teams are dead at the limit", Rules2018(Team), 2501, nil, true, []float64{-1, -1, -1, -1}},
		{"one of a team is left", Rules2018(Team), 9, []int{2}, true, []float64{1, -1, 1, -1}},
	} {
		s := State{StepCount: tc.count}
		for _, seat := range tc.alive {
			s.Agents[seat].Alive = true
		}
		rewards := make([]float64, 4)
		tc.rules.Rewards(&s, rewards)
		if tc.rules.Over(&s) != tc.over || fmt.Sprint(rewards) != fmt.Sprint(tc.rewards) {
			t.Errorf("%s: over %v, rewards %v; want %v, %v", tc.reason,
				tc.rules.Over(&s), rewards, tc.over, tc.rewards)
		}
	}
}

// TestFog2018: an agent in fog sees one row and column less up and left.
func TestFog2018(t *testing.T) {
	r := Rules2018(Team).Fogged(4)
	var s State
	s.Agents[0].Cell = grid.At(6, 6)
	if got, want := r.window(s.Agents[0].Cell), grid.Rect(3, 11, 3, 11); got != want {
		t.Errorf("the window is %v, want %v", got, want)
	}
}

// TestSkulls2018 draws evenly and holds each effect to its bounds.
func TestSkulls2018(t *testing.T) {
	r := Rules2018(FFA)
	for _, tc := range []struct {
		u           float64
		was, become Agent
	}{
		{0.32, Agent{Ammo: 4, Blast: 5}, Agent{Ammo: 4, Blast: 4}},
		{0.32, Agent{Ammo: 4, Blast: 2}, Agent{Ammo: 4, Blast: 2}},
		{0.33, Agent{Ammo: 12, Blast: 5}, Agent{Ammo: 11, Blast: 5}},
		{0.65, Agent{Ammo: 0, Blast: 5}, Agent{Ammo: 1, Blast: 5}},
		{0.66, Agent{Ammo: 4, Blast: 5}, Agent{Ammo: 4, Blast: 7}},
		{0.99, Agent{Ammo: 4, Blast: 9}, Agent{Ammo: 4, Blast: 10}},
	} {
		got := tc.was
		if got.suffer(&r, tc.u); got != tc.become {
			t.Errorf("a draw of %v makes %+v of %+v, want %+v", tc.u, got, tc.was, tc.become)
		}
	}
	turn := turn2018{turn: turn{s: &State{RNG: env.Seed{}.RNG(env.StreamGame)}}}
	low := 0
	for range 10_000 {
		u := turn.drawSkull(0)
		if u < 0 || u >= 1 {
			t.Fatalf("drew %v", u)
		}
		if u < 0.33 {
			low++
		}
	}
	if low < 3150 || low > 3450 {
		t.Errorf("%d of 10000 draws were under 0.33", low)
	}
}

// TestWeakestBlast2018: where items lead to a lower blast strength than any by the preset, states with it are valid.
func TestWeakestBlast2018(t *testing.T) {
	r := Rules2018(FFA)
	r.MaxBlast = 1
	m := NewMatch(r)
	m.State = draw(&r, "0r....1")
	if m.Step([]uint8{uint8(Right), 0, 0, 0}); m.Agents[0].Blast != 1 {
		t.Errorf("a range item leads to blast strength %d, want 1", m.Agents[0].Blast)
	}
	sameWhenSaved(t, m, NewMatch(r), true)
}

// TestFallenBombs2018: where nothing caps what bombs return, a bomb on a falling ring costs no ammo.
func TestFallenBombs2018(t *testing.T) {
	sc := scenario{
		name: "fallen bombs", reason: "the owner has more than max_ammo",
		start: "o...... .0..1..", edit: func(_ *Rules, s *State) { s.Agents[0].Ammo, s.due, s.StepCount = 12, 1, 500 },
		want: []string{"####### #0..1.# #.....# #.....# #.....# #.....# #######"},
	}
	if s := sc.run(t, Rules2018(FFA).Collapsing(500)); s.Agents[0].Ammo != 13 {
		t.Errorf("the ring leaves ammo %d, want 13", s.Agents[0].Ammo)
	}
}

// TestSkullEffects draws each effect from a known RNG and checks its bounds.
func TestSkullEffects(t *testing.T) {
	r := Rules2018(FFA)
	effects := map[[2]uint8]int{}
	rng := env.RNG{State: 1}
	for range 3000 {
		a := Agent{Ammo: 4, Blast: 5}
		a.pickUp(&r, Skull, &rng)
		effects[[2]uint8{a.Ammo, a.Blast}]++
	}
	for _, want := range [][2]uint8{{4, 4}, {3, 5}, {4, 7}} {
		if n := effects[want]; n < 900 || n > 1100 {
			t.Errorf("effect to ammo and blast %v happened %d times in 3000, want about 1000", want, n)
		}
	}
	if len(effects) != 3 {
		t.Errorf("skulls have the effects %v, want three", effects)
	}
	for range 100 {
		a := Agent{Ammo: 1, Blast: 2}
		a.pickUp(&r, Skull, &rng)
		b := Agent{Ammo: 10, Blast: 10}
		b.pickUp(&r, Skull, &rng)
		if a.Ammo < 1 || a.Blast < 2 || b.Blast > 10 {
			t.Fatalf("a skull led to %+v and %+v, out of bounds", a, b)
		}
	}
}

// TestStateSize pins what a running game costs.
func TestStateSize(t *testing.T) {
	const want = 816
	if got := stateSize; got != want {
		t.Errorf("a State takes %d bytes, want %d: if that is meant, pin the new size", got, want)
	}
}
