package pommerman

import (
	"fmt"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// A sentence of the Java re-implementation's document, with a drawn board on
// which it can be seen, and what holds afterwards that a board does not show.
type javaSentence struct {
	scenario
	ends func(r *Rules, s *State) string // what is wrong, "" if nothing
}

// rolling sets bombs rolling, in the order in which they are drawn.
func rollingTo(dirs ...grid.Dir) func(*Rules, *State) {
	return func(_ *Rules, s *State) {
		for i, d := range dirs {
			s.Bombs[i].roll(d)
		}
	}
}

func kicker(_ *Rules, s *State) { s.Agents[0].Kicks = true }

// ended says what is wrong with how the game stands.
func ended(result env.Result, winners env.SeatSet) func(r *Rules, s *State) string {
	return func(r *Rules, s *State) string {
		if st := r.Status(s); st.Result != result || st.Winners != winners {
			return fmt.Sprintf("the result is %v with winners %04b, want %v with %04b", st.Result, st.Winners, result, winners)
		}
		return ""
	}
}

func carries(want Agent) func(r *Rules, s *State) string {
	return func(_ *Rules, s *State) string {
		if got := s.Agents[0]; got != want {
			return fmt.Sprintf("agent 0 is %+v, want %+v", got, want)
		}
		return ""
	}
}

var javaDocument = []javaSentence{
	{scenario: scenario{
		name: "bombs destroy wooden walls", reason: "the wood that a ray reaches burns, and the ray ends with it",
		start: ".o%%..0", edit: lives(1),
		want: []string{"***%..0 .*....."},
	}},
	{scenario: scenario{
		name: "bombs destroy agents", reason: "who stands in a blast dies",
		start: "o1....0 2......", edit: lives(1),
		want: []string{"**....0 *......"},
	}, ends: ended(env.Win, 1<<0)},
	{scenario: scenario{
		name:   "bombs destroy power-ups",
		reason: "an item in a blast burns; flames of five steps follow, as the document gives none and the code five",
		start:  "ob....0 3......", edit: func(r *Rules, s *State) {
			lives(1)(r, s)
			s.Bombs[0].Blast = 2
			s.Agents[3].Cell = grid.At(3, 0)
			s.Board[grid.At(3, 0)], s.Board[grid.At(1, 0)] = r.Agent0()+3, Passage
		},
		want: []string{
			"**....0 *...... ....... 3......", "**....0 *...... ....... 3......", "**....0 *...... ....... 3......",
			"**....0 *...... ....... 3......", "**....0 *...... ....... 3......", "......0 ....... ....... 3......",
		},
	}},
	{scenario: scenario{
		name: "chain explosions in the next tick", reason: "a bomb reached by an explosion detonates in the next step",
		start: "#.....0 .oo.... #......", edit: lives(1, 9),
		want: []string{"#*....0 ***.... #*.....", "#**...0 ****... #**...."},
	}},
	{scenario: scenario{
		name: "a third bomb two ticks later", reason: "the delay adds up along a chain",
		start: "......0 .ooo... .......", edit: lives(1, 9, 9),
		want: []string{".*....0 ***o... .*.....", ".**...0 ****... .**....", ".***..0 *****.. .***..."},
	}},
	{scenario: scenario{
		name: "a reached bomb may roll on", reason: "its life is one, and a rolling bomb moves before it ticks",
		start: "......0 .oo.... .......",
		edit: func(_ *Rules, s *State) {
			s.Bombs[0].Life = 1
			s.Bombs[1].roll(grid.Right)
			s.Board[grid.At(1, 2)], s.Board[grid.At(1, 3)] = BombItem, Passage
			s.Bombs[1].Cell = grid.At(1, 2)
			s.Bombs[0].Blast = 4
		},
		want: []string{".*....0 *****.. .*..... .*..... .*.....", ".*..*.0 ******. .*..*.. .*..... .*....."},
	}},
	{scenario: scenario{
		name: "laid in a blast", reason: "a bomb laid on a cell that is reached in that step detonates in the next",
		start: "....... .o1.... ....... ......0", edit: lives(1),
		moves: [][4]Action{{Stop, LayBomb}},
		want:  []string{".*..... ***.... .*..... ......0", ".**.... ****... .**.... ......0"},
	}},
	{scenario: scenario{
		name: "an exploded bomb goes back into the supply", reason: "its agent has one more to lay",
		start: "o.....0", edit: func(r *Rules, s *State) { lives(1)(r, s); s.Agents[0].Ammo = 0 },
		want: []string{"**....0 *......"},
	}, ends: carries(Agent{grid.At(0, 6), 1, 2, true, false})},
	{scenario: scenario{
		name: "extra bomb", reason: "bomb slots + 1, without a cap",
		start: "0b....1", edit: func(_ *Rules, s *State) { s.Agents[0].Ammo = 10 },
		moves: [][4]Action{{Right}}, want: []string{".0....1"},
	}, ends: carries(Agent{grid.At(0, 1), 11, 2, true, false})},
	{scenario: scenario{
		name: "increased range", reason: "bomb blast + 1, without a cap",
		start: "0r....1", edit: func(_ *Rules, s *State) { s.Agents[0].Blast = 10 },
		moves: [][4]Action{{Right}}, want: []string{".0....1"},
	}, ends: carries(Agent{grid.At(0, 1), 1, 11, true, false})},
	{scenario: scenario{
		name: "can kick", reason: "an agent that has it can kick",
		start: "0k....1", moves: [][4]Action{{Right}}, want: []string{".0....1"},
	}, ends: carries(Agent{grid.At(0, 1), 1, 2, true, true})},
	{scenario: scenario{
		name:   "a kicked bomb travels until it hits an agent",
		reason: "in the direction in which the agent walks, one cell a tick",
		start:  "0o....1", edit: kicker, moves: [][4]Action{{Right}},
		want: []string{".0o...1", ".0.o..1", ".0..o.1", ".0...o1", ".0...o1"},
	}},
	{scenario: scenario{
		name: "a kicked bomb travels until it hits a wall", reason: "of any kind",
		start: "0o..%.1", edit: kicker, moves: [][4]Action{{Right}},
		want: []string{".0o.%.1", ".0.o%.1", ".0.o%.1"},
	}},
	{scenario: scenario{
		name: "a kicked bomb travels until it hits a bomb", reason: "which stays where it is",
		start: "0o..o.1", edit: kicker, moves: [][4]Action{{Right}},
		want: []string{".0o.o.1", ".0.oo.1", ".0.oo.1"},
	}},
	{scenario: scenario{
		name: "bombs can explode while travelling", reason: "their lives go on",
		start: "0o....1", edit: func(r *Rules, s *State) { kicker(r, s); lives(3)(r, s) }, moves: [][4]Action{{Right}},
		want: []string{".0o...1", ".0.o..1", ".0.***1 ....*.."},
	}},
	{scenario: scenario{
		name: "no two agents on a tile", reason: "who wants the same bounces back",
		start: "0.1...2", moves: [][4]Action{{Right, Left}}, want: []string{"0.1...2"},
	}},
	{scenario: scenario{
		name: "agents can't swap", reason: "both bounce back",
		start: "01....2", moves: [][4]Action{{Right, Left}}, want: []string{"01....2"},
	}},
	{scenario: scenario{
		name: "no two bombs on a tile", reason: "who wants the same bounces back",
		start: "o.o...0", edit: rollingTo(grid.Right, grid.Left), want: []string{"o.o...0"},
	}},
	{scenario: scenario{
		name: "bombs can't swap", reason: "both are put back",
		start: "oo....0", edit: rollingTo(grid.Right, grid.Left), want: []string{"oo....0"},
	}},
	{scenario: scenario{
		name: "agent and bomb can't swap", reason: "the bomb is put back, and is in the agent's way",
		start: "0o....1", edit: rollingTo(grid.Left), moves: [][4]Action{{Right}}, want: []string{"0o....1"},
	}},
	{scenario: scenario{
		name: "agent and bomb share a square just after laying", reason: "once it has left, the agent can't go back",
		start: "0.....1", moves: [][4]Action{{LayBomb}, {Right}, {Left}}, want: []string{"0.....1", "o0....1", "o0....1"},
	}},
	{scenario: scenario{
		name: "the last team wins", reason: "only agents of one team remain: both of it have won",
		start: "o1....0 3......", edit: func(r *Rules, s *State) { r.GameType = Team; lives(1)(r, s) },
		want: []string{"**....0 *......"},
	}, ends: ended(env.Win, 1<<0|1<<2)},
	{scenario: scenario{
		name: "max. steps are a tie", reason: "whoever lives",
		start: "0.....1", edit: func(r *Rules, _ *State) { r.MaxSteps = 1; r.FirstCollapse = NoCollapse },
		want: []string{"0.....1"},
	}, ends: ended(env.Tie, 0)},
	{scenario: scenario{
		name: "the last two teams destroyed in a tick are a tie", reason: "nobody is left to win",
		start: "o1..... 0......", edit: lives(1), want: []string{"**..... *......"},
	}, ends: ended(env.Tie, 0)},
	{scenario: scenario{
		name: "game not yet finished", reason: "two teams remain",
		start: "0.....1", want: []string{"0.....1"},
	}, ends: ended(env.Incomplete, 0)},
	{scenario: scenario{
		name:   "the border turns rigid from tick 500",
		reason: "agents on it die and bombs on it go without detonating; the ring has fallen in the board of step 500",
		start:  "0..o... .1.....", edit: func(_ *Rules, s *State) { s.StepCount = 499 },
		want: []string{"0..o... .1.....", "####### #1....# #.....# #.....# #.....# #.....# #######"},
	}, ends: ended(env.Win, 1<<1)},
}

// TestJavaDocument is the sentences of the document about what happens in play.
func TestJavaDocument(t *testing.T) {
	for _, sc := range javaDocument {
		t.Run(sc.name, func(t *testing.T) {
			r := JavaDocument(FFA)
			if edit := sc.edit; edit != nil {
				sc.edit = func(now *Rules, s *State) { edit(now, s); r = *now }
			}
			s := sc.run(t, r)
			r.BoardSize = drawn
			if sc.ends != nil {
				if wrong := sc.ends(&r, &s); wrong != "" {
					t.Error(wrong)
				}
			}
		})
	}
}

// TestJavaDocumentSetup is the sentences about how a game begins: the board's
// size, symmetry and numbers, agents in the corners with one bomb, a blast of 2
// and bombs of ten ticks, a teammate in the opposite corner, at most one item a
// tile, all of them under wood.
func TestJavaDocumentSetup(t *testing.T) {
	g := mustGame(t, JavaDocument(Team))
	for value := range uint64(200) {
		var s State
		g.Deal(&s, env.Seed{Value: value})
		counts := map[Item]int{}
		items := 0
		for i := range 121 {
			c := g.rules.cell(i)
			counts[s.Board[c]]++
			if image := s.Board[c.Mirrored()]; s.Board[c] < 10 && image != s.Board[c] {
				t.Fatalf("seed %d: %s is %d, its image %d", value, where(c), s.Board[c], image)
			}
			if s.Hidden(c) != Passage {
				items++
				if s.Board[c] != Wood {
					t.Fatalf("seed %d: an item lies at %s, not under wood", value, where(c))
				}
			}
		}
		if counts[Rigid] != 36 || counts[Wood] != 36 || items != 20 {
			t.Fatalf("seed %d: %d rigid, %d wood and %d items, want 36, 36 and 20", value, counts[Rigid], counts[Wood], items)
		}
		for seat, at := range []grid.Cell{grid.At(1, 1), grid.At(9, 1), grid.At(9, 9), grid.At(1, 9)} {
			if want := (Agent{at, 1, 2, true, false}); s.Agents[seat] != want {
				t.Fatalf("agent %d begins as %+v, want %+v", seat, s.Agents[seat], want)
			}
			for k := 1; k <= 2; k++ {
				along, down := grid.At(at.Row(), inwards(at.Col(), k, 11)), grid.At(inwards(at.Row(), k, 11), at.Col())
				if s.Board[along] != Passage || s.Board[down] != Passage {
					t.Fatalf("seed %d: beside agent %d there is %d or %d", value, seat, s.Board[along], s.Board[down])
				}
			}
		}
	}
	if r := g.Rules(); r.BombLife != 10 || r.Teammate(0) != 2 || r.Teammate(1) != 3 ||
		fmt.Sprint(r.Collapses()) != "[500 575 650 725]" {
		t.Errorf("rules are %+v", r)
	}
}

// TestJavaDocumentObservation is the sentences about what an agent receives: a
// board with fog beyond four cells, what it carries, whom it plays with and
// against, and a list of the bombs in its purview.
func TestJavaDocumentObservation(t *testing.T) {
	g := mustGame(t, JavaDocument(Team))
	m := g.New(1)[0].(*Match)
	m.Reset(env.Seed{Value: 3})
	m.Step([]uint8{uint8(LayBomb), uint8(LayBomb), 0, 0})
	var v View
	m.View(0, &v)
	for i := range 121 {
		c := g.rules.cell(i)
		if far := c.Row() > 5 || c.Col() > 5; far != (v.Board[c] == Fog) {
			t.Errorf("%s shows %d", where(c), v.Board[c])
		}
	}
	if v.Self != (Agent{grid.At(1, 1), 0, 2, true, false}) || v.Teammate != 12 || v.Enemies != [3]Item{11, 13, 9} {
		t.Errorf("it is %+v with %d against %v", v.Self, v.Teammate, v.Enemies)
	}
	list := make([]byte, 3*MaxBombs)
	encodeRawBombs(&m.State, g.rules.window(m.Agents[0].Cell), list)
	if got := fmt.Sprint(list[:6]); got != "[1 1 2 0 0 0]" {
		t.Errorf("its list of bombs begins %s, want its own alone: [1 1 2 0 0 0]", got)
	}
}
