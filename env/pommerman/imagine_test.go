package pommerman

import (
	"bytes"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// believed plays random games of some rules and lets every seat imagine, and
// calls visit for every living seat at every step, before the move.
func believed(t *testing.T, r Rules, boosted bool, games int, visit func(s *State, v *View, b *Belief)) {
	t.Helper()
	g := mustGame(t, r)
	actions := make([]uint8, r.Seats()*(1+r.RadioWords))
	var v View
	for i := range games {
		seed := env.Seed{Value: uint64(i)}
		rng := seed.RNG(env.StreamPolicy)
		var s State
		g.Deal(&s, seed)
		if boosted {
			boost(&r, &s, &rng)
		}
		var beliefs [MaxAgents]Belief
		for !r.Over(&s) && s.StepCount < 200 {
			for seat := range r.Seats() {
				if s.Agents[seat].Alive {
					r.See(&s, seat, &v)
					r.Imagine(&beliefs[seat], &v)
					visit(&s, &v, &beliefs[seat])
				}
			}
			randomActions(&r, &rng, actions)
			r.Step(&s, actions)
		}
	}
}

// looks is what a view says, without the rules, what is left over in its arrays,
// and the message.
func looks(v *View) View {
	w := *v
	clear(w.Bombs[w.NumBombs:])
	w.Rules, w.Message = nil, [MaxWords]uint8{}
	return w
}

// TestRingOfStepZero: by the steps in which rings wait, the ring of step count 0 never falls, and nobody expects it to.
func TestRingOfStepZero(t *testing.T) {
	var f Forecast
	for _, base := range []Rules{Playground(Team), Rules2018(Team)} {
		believed(t, base.Fogged(4).Collapsing(0), false, 2, func(s *State, v *View, b *Belief) {
			if f.Foresee(v, Stop); s.StepCount == 0 && f.Last > 0 {
				t.Fatalf("%v step: before the first step seat %d foresees %v", base.StepKind, v.Seat, f.Ever)
			}
			for c := range grid.Square(base.BoardSize).All {
				if s.StepCount == 1 && b.Board[c] == Rigid && s.Board[c] != Rigid {
					t.Fatalf("%v step: after it seat %d believes in a wall at %s", base.StepKind, v.Seat, where(c))
				}
			}
		})
	}
}

// TestBeliefsLookLikeViews: at every step, in every variant, what a seat
// believes is a valid state that it would see exactly as it sees the game.
func TestBeliefsLookLikeViews(t *testing.T) {
	for name, r := range variants() {
		for _, boosted := range []bool{false, true} {
			believed(t, r, boosted, 25, func(s *State, v *View, b *Belief) {
				if err := r.checkBelief(b.State); err != nil {
					t.Fatalf("%s: the belief at step %d is no valid state: %v", name, s.StepCount, err)
				}
				var again View
				r.See(&b.State, v.Seat, &again)
				if got, want := looks(&again), looks(v); got != want {
					t.Fatalf("%s: at step %d seat %d sees\n%+v\nbut of its belief\n%+v", name, s.StepCount, v.Seat, want, got)
				}
			})
		}
	}
}

// TestBeliefsComeTrue: without fog and skulls everything but the items under
// wood can be worked out, so the belief is the game.
func TestBeliefsComeTrue(t *testing.T) {
	for _, r := range []Rules{Playground(FFA), Playground(Team), Playground(OneVsOne), seeing(JavaDocument(FFA), 0),
		Playground(FFA).Collapsing(20)} {
		steps, wrong := 0, 0
		believed(t, r, false, 60, func(s *State, _ *View, b *Belief) {
			for seat, a := range s.Agents {
				steps++
				if got := b.Agents[seat]; a.Alive && got != a {
					wrong++
				}
			}
			if got, want := byCell(b.Bombs[:b.NumBombs]), byCell(s.Bombs[:s.NumBombs]); !slices.Equal(got, want) {
				t.Fatalf("at step %d the bombs are %v, believed to be %v", s.StepCount, want, got)
			}
		})
		if wrong > 0 {
			t.Errorf("%v: what an agent carries is wrong %d times in %d", r.GameType, wrong, steps)
		}
	}
}

func byCell(bombs []Bomb) []Bomb {
	sorted := slices.Clone(bombs)
	slices.SortFunc(sorted, func(a, b Bomb) int { return int(a.Cell) - int(b.Cell) })
	return sorted
}

// TestBeliefsSaved: a belief saved and restored at any step goes on like one
// that was not, and is forgotten under other rules.
func TestBeliefsSaved(t *testing.T) {
	for name, r := range variants() {
		other := r
		other.BombLife++
		believed(t, r, true, 4, func(s *State, v *View, b *Belief) {
			whole := saved.Append([]byte("x"), b)
			var again Belief
			c := saved.Reader(append(whole[1:], 7))
			if again.Code(&c); c.Err() != nil || len(c.Bytes) != 1 {
				t.Fatalf("%s: %v, %d bytes left over, want 1", name, c.Err(), len(c.Bytes))
			}
			strange := again
			r.Imagine(&again, v)
			if again != *b {
				t.Fatalf("%s: restored at step %d the belief is\n%+v\nwant\n%+v", name, s.StepCount, again, *b)
			}
			if !bytes.Equal(saved.Append(nil, &again), whole[1:]) {
				t.Fatalf("%s: saved again the belief differs", name)
			}
			var blank Belief
			other.Imagine(&blank, v)
			other.Imagine(&strange, v)
			if strange != blank {
				t.Fatalf("%s: a belief of other rules is not forgotten", name)
			}
		})
	}
}

// TestDamagedBeliefs: damaged bytes are refused, or forgotten at the next view
// if they make no state.
func TestDamagedBeliefs(t *testing.T) {
	r := Playground(Team).Fogged(4)
	rng := env.RNG{State: 5}
	refused := 0
	believed(t, r, true, 6, func(_ *State, v *View, b *Belief) {
		damaged := saved.Append(nil, b)
		damaged[rng.IntN(len(damaged))] ^= 1 << rng.IntN(8)
		if rng.IntN(10) == 0 {
			damaged = damaged[:rng.IntN(len(damaged))]
		}
		c := saved.Reader(damaged)
		var again Belief
		if again.Code(&c); c.Err() != nil {
			refused++
			return
		}
		again.StepCount-- // so that it takes a step
		r.Imagine(&again, v)
		if err := r.checkBelief(again.State); err != nil {
			t.Fatalf("from damaged bytes comes a state that is not valid: %v", err)
		}
	})
	if refused == 0 {
		t.Error("no damage was noticed, want at least bytes cut short")
	}
}

// fogScene is a game with fog of two cells in which nothing stands in the way.
func fogScene() (Rules, State) {
	r := Playground(Team).Fogged(2)
	r.BoardSize = 9
	var s State
	for i := range s.Board {
		s.Board[i] = Rigid
	}
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			s.Board[grid.At(row, col)] = Passage
		}
	}
	for seat, c := range []grid.Cell{grid.At(4, 3), grid.At(8, 0), grid.At(8, 8), grid.At(4, 5)} {
		s.Agents[seat] = Agent{c, 1, 3, true, false}
		s.Board[c] = r.Agent0() + Item(seat)
	}
	return r, s
}

// believing returns what seat 0 sees and believes, now and after each move of seats 0 and 3.
func believing(r *Rules, s *State) (v *View, b *Belief, move func(seat0, seat3 Action)) {
	v, b = new(View), new(Belief)
	look := func() {
		r.See(s, 0, v)
		r.Imagine(b, v)
	}
	look()
	return v, b, func(seat0, seat3 Action) {
		r.Step(s, []uint8{uint8(seat0), 0, 0, uint8(seat3)})
		look()
	}
}

// TestBeliefsRemember walks seat 0 away from a bomb, wood and an enemy, which
// it believes in until the bomb burns the wood.
func TestBeliefsRemember(t *testing.T) {
	r, s := fogScene()
	s.Board[grid.At(5, 5)] = Wood
	_, b, move := believing(&r, &s)
	move(Stop, LayBomb)
	if a := b.Agents[3]; a.Ammo != 0 || b.Bombs[0].Owner() != 3 {
		t.Errorf("seat 3 laid its only bomb before seat 0's eyes, but is believed to have %d, and the bomb to be seat %d's",
			a.Ammo, b.Bombs[0].Owner())
	}
	for range 3 {
		move(Left, Up)
	}
	if b.Agents[3].Cell != grid.At(4, 5) || b.NumBombs != 1 || b.Board[grid.At(5, 5)] != Wood {
		t.Errorf("out of sight, seat 3 is believed at %s with %d bombs and %d at the wood; want it where it was, 1 and 2",
			where(b.Agents[3].Cell), b.NumBombs, b.Board[grid.At(5, 5)])
	}
	for s.NumBombs > 0 {
		move(Stop, Stop)
	}
	if b.NumBombs != 0 || b.Board[grid.At(5, 5)] != Flames || b.Agents[3].Ammo != 1 {
		t.Errorf("after the explosion %d bombs are believed, %d at the wood and ammo %d; want 0, 4 and 1", b.NumBombs,
			b.Board[grid.At(5, 5)], b.Agents[3].Ammo)
	}
	if !b.Agents[3].Alive || b.Agents[3].Cell == grid.At(4, 5) {
		t.Error("seat 3 lives, so it cannot be believed in the flames")
	}
	if at := b.Agents[1].Cell; at != grid.At(7, 1) {
		t.Errorf("seat 1 was never seen and is believed at %s, want its start", where(at))
	}
}

// TestBeliefsMirror: a wall seen tells of its mirror image.
func TestBeliefsMirror(t *testing.T) {
	r, s := fogScene()
	s.Board[grid.At(5, 1)], s.Board[grid.At(6, 2)] = Rigid, Wood
	var v View
	var b Belief
	r.See(&s, 0, &v)
	r.Imagine(&b, &v)
	for _, c := range []struct {
		row, col int
		want     Item
	}{{5, 1, Rigid}, {1, 5, Rigid}, {6, 2, Wood}, {2, 6, Wood}, {0, 8, Passage}} {
		if got := b.Board[grid.At(c.row, c.col)]; got != c.want {
			t.Errorf("(%d,%d) is believed to be %d, want %d", c.row, c.col, got, c.want)
		}
	}
}

// TestMirroredInFlamesSaved: a belief in a wall that was guessed where flames are believed outlives being saved.
func TestMirroredInFlamesSaved(t *testing.T) {
	r, s := fogScene()
	s.Board[grid.At(7, 4)] = Rigid
	v, b, move := believing(&r, &s)
	move(Stop, LayBomb)
	move(Left, Up)
	for s.NumBombs > 0 {
		move(Stop, Stop)
	}
	move(Down, Stop)
	if at := grid.At(4, 7); b.Board[at] != Rigid || b.Flame(at) == 0 {
		t.Fatalf("%s is believed to be %d, and its flame to live %d; want a rigid wall and a flame", where(at), b.Board[at],
			b.Flame(at))
	}
	c := saved.Reader(saved.Append(nil, b))
	var again Belief
	again.Code(&c)
	if r.Imagine(&again, v); again != *b {
		t.Errorf("restored it is\n%+v\nwant\n%+v", again, *b)
	}
}

// TestImagineAllocatesNothing, not even when it forgets.
func TestImagineAllocatesNothing(t *testing.T) {
	r, s := fogScene()
	var v View
	var b Belief
	r.See(&s, 0, &v)
	if n := testing.AllocsPerRun(100, func() {
		r.Imagine(&b, &v)
		v.StepCount = (v.StepCount + 1) % 7
	}); n != 0 {
		t.Errorf("Imagine allocates %v times, want 0", n)
	}
}

// BenchmarkImagine takes in the views of one seat of a team game in fog.
func BenchmarkImagine(b *testing.B) {
	r, s := fogScene()
	var v View
	var belief Belief
	r.See(&s, 0, &v)
	for b.Loop() {
		r.Imagine(&belief, &v)
		v.StepCount = (v.StepCount + 1) % 700
	}
}
