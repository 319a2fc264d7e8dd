package scene_test

import (
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/suitebot"
)

// played calls see for every position of a game of random moves by the id's rules,
// or by others.
func played(t testing.TB, id, rules string, see func(game env.Game, m env.Match)) {
	t.Helper()
	game, err := catalog.Game(id)
	if err == nil && rules != "" {
		game, err = catalog.Variant(id, []byte(rules))
	}
	if err != nil {
		t.Fatal(err)
	}
	m, spec, rng := game.New(1)[0], game.Spec(), env.RNG{State: 5}
	m.Reset(env.Seed{Value: 5})
	actions := make([]uint8, spec.Seats*len(spec.Actions))
	for step := 0; step < 150; step++ {
		see(game, m)
		if m.Status().Over {
			return
		}
		for i := range actions {
			actions[i] = uint8(rng.Uint64() % uint64(spec.Actions[i%len(spec.Actions)].N))
		}
		m.Step(actions)
	}
}

// TestSeenIsWhatTheSeatKnows: what is left of a scene for a seat is what its view
// tells agents written in Go.
func TestSeenIsWhatTheSeatKnows(t *testing.T) {
	for _, id := range []string{"PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeRadioCompetition-v2",
		"PommeFFAJava-v0", "PommeTeamJavaDocument-v0", "PommeFFA2018-v0"} {
		played(t, id, "", func(game env.Game, m env.Match) {
			for seat := range game.Spec().Seats {
				s, stage := seen(game, m, seat)
				var v pommerman.View
				m.(*pommerman.Match).View(seat, &v)
				comparePommerman(t, &s, &stage, &v)
			}
		})
	}
	played(t, "SuiteBot-v0", `{"view_radius": 3}`, func(game env.Game, m env.Match) {
		for seat := range game.Spec().Seats {
			s, stage := seen(game, m, seat)
			var v suitebot.View
			m.(*suitebot.Match).View(seat, &v)
			for i, g := range s.Ground {
				if (g == env.GroundFog) == v.Sight.Has(suitebot.Cell(i)) ||
					(g == env.GroundSpent) != v.State.Spent.Has(suitebot.Cell(i)) {
					t.Fatalf("seat %d, cell %d is %c", seat, i, g)
				}
			}
			at := map[int]env.Place{}
			for _, a := range s.Agents {
				at[a.Seat] = a.At
			}
			for other, c := range v.State.Agents[:game.Spec().Seats] {
				if place, in := at[other]; in == (c == suitebot.NoCell) || in &&
					place != (env.Place{int(c) / stage.Cols, int(c) % stage.Cols}) {
					t.Fatalf("seat %d sees %d at %v %v, its view at %d", seat, other, place, in, c)
				}
			}
			bombs := 0
			for range v.State.Bombs {
				bombs++
			}
			if len(s.Bombs) != bombs {
				t.Fatalf("seat %d sees %d bombs, its view has %d", seat, len(s.Bombs), bombs)
			}
		}
	})
}

func seen(game env.Game, m env.Match, seat int) (s env.Scene, stage env.Stage) {
	m.Describe(&s)
	stage = m.Stage()
	return s.Seen(&stage, game.Spec().Teams, seat), stage
}

func comparePommerman(t *testing.T, s *env.Scene, stage *env.Stage, v *pommerman.View) {
	t.Helper()
	for i, g := range s.Ground {
		item := v.Board[grid.At(i/stage.Cols, i%stage.Cols)]
		want := map[pommerman.Item]byte{pommerman.Rigid: env.GroundWall, pommerman.Wood: env.GroundWood,
			pommerman.Fog: env.GroundFog}[item]
		if want == 0 {
			want = env.GroundFloor
		}
		if g != want {
			t.Fatalf("seat %d: cell %d is %c, its view has %d", v.Seat, i, g, item)
		}
	}
	var bombs []pommerman.Bomb
	for _, b := range s.Bombs {
		if b.Owners != 0 {
			t.Fatalf("seat %d: bomb %+v tells who laid it", v.Seat, b)
		}
		seen := pommerman.NewBomb(grid.At(b.At[0], b.At[1]), uint8(b.Life), uint8(b.Blast), pommerman.Nobody,
			grid.Dir(direction(b.Moving)))
		bombs = append(slices.DeleteFunc(bombs, func(o pommerman.Bomb) bool { return o.Cell == seen.Cell }), seen)
	}
	slices.SortFunc(bombs, func(a, b pommerman.Bomb) int { return int(a.Cell) - int(b.Cell) })
	if !slices.Equal(bombs, v.Bombs[:v.NumBombs]) {
		t.Fatalf("seat %d: bombs are %v, its view has %v", v.Seat, bombs, v.Bombs[:v.NumBombs])
	}
	flames := map[grid.Cell]bool{}
	for _, f := range s.Flames {
		flames[grid.At(f.At[0], f.At[1])] = true
	}
	for c := range grid.Square(v.Rules.BoardSize).All {
		if flames[c] != (v.Flame(c) > 0) {
			t.Fatalf("seat %d: flames are %v, its view has life %d at %v", v.Seat, flames, v.Flame(c), c)
		}
	}
	for _, a := range s.Agents {
		if a.Seat != v.Seat && (a.Ammo != 0 || a.Blast != 0 || a.Kicks) {
			t.Fatalf("seat %d: knows what %+v carries", v.Seat, a)
		}
	}
	heard := 0
	for _, m := range s.Said {
		switch mate := v.Teammate == v.Rules.Agent0()+pommerman.Item(m.Seat); {
		case mate:
			heard++
			for i, word := range m.Words {
				if word != int(v.Message[i]) {
					t.Fatalf("seat %d: hears %+v, its view %v", v.Seat, m, v.Message)
				}
			}
		case m.Seat != v.Seat:
			t.Fatalf("seat %d: hears %+v", v.Seat, m)
		}
	}
	if v.Rules.RadioWords > 0 && heard != 1 {
		t.Fatalf("seat %d hears %d teammates", v.Seat, heard)
	}
	for _, i := range s.Items {
		if i.Hidden {
			t.Fatalf("seat %d: sees the hidden %+v", v.Seat, i)
		}
	}
}

// TestDescribeUsesItsMemory: live views describe a game at every picture.
func TestDescribeUsesItsMemory(t *testing.T) {
	for _, id := range []string{"PommeTeamCompetition-v0", "BaseWar-v0", "SuiteBot-v0"} {
		var s env.Scene
		played(t, id, "", func(_ env.Game, m env.Match) {
			m.Describe(&s)
			if n := testing.AllocsPerRun(1, func() { m.Describe(&s) }); n != 0 {
				t.Fatalf("%s: %v allocations", id, n)
			}
		})
	}
}

// TestSeats: who owns what travels as a list of seats, and nothing else is read.
func TestSeats(t *testing.T) {
	for text, want := range map[string]string{`[0,15]`: "[0,15]", `[]`: "[]", `[16]`: "", `[-1]`: "", `"0"`: ""} {
		var o env.SeatSet
		if err := o.UnmarshalJSON([]byte(text)); (err == nil) != (want != "") {
			t.Errorf("%s: %v", text, err)
			continue
		} else if err != nil {
			continue
		}
		if got, _ := o.MarshalJSON(); string(got) != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	var cells env.Cells
	if err := cells.UnmarshalText([]byte("8g")); err == nil {
		t.Error("cells with a g were read")
	}
}
