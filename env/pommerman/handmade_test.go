package pommerman

import (
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// handMade makes a state that few games come to, of which not every one can be
// played: bombs and several flames on a cell, items hidden under flames, the dead,
// long-lived bombs and too much ammo.
func handMade(g *Game, s *State, rng *env.RNG) {
	r := g.Rules()
	g.Deal(s, env.Seed{Value: rng.Uint64()})
	boost(r, s, rng)
	for i := range s.Agents[:r.Seats()] {
		a := &s.Agents[i]
		if rng.IntN(8) == 0 {
			a.Ammo = uint8(rng.IntN(256))
		}
		if a.Alive = rng.IntN(10) > 0; !a.Alive {
			s.Board[a.Cell] = Passage
		}
	}
	flames, bombs, life := rng.IntN(40), rng.IntN(1+rng.IntN(MaxBombs)), 1+rng.IntN(12)
	switch rng.IntN(6) {
	case 0:
		life = mostOfBomb
	case 1:
		life, bombs = mostOfBomb, 4*MaxBombs
	}
	for _, c := range grid.Cells(r.BoardSize) {
		switch item := s.Board[c]; {
		case item.wall() && item != Wood || rng.IntN(r.BoardSize*r.BoardSize) > flames:
		case item < BombItem || !r.Traits().FlamesKill && item >= r.Agent0():
			s.Board[c] = Flames
			for s.Flame(c) == 0 || rng.IntN(3) == 0 {
				s.flames[rng.IntN(r.FlameLife)].Add(c)
			}
		}
	}
	for range bombs {
		c := g.rules.cell(rng.IntN(r.BoardSize * r.BoardSize))
		if s.Board[c] == Passage {
			s.Board[c] = BombItem
		}
		if s.Board[c] == BombItem && !s.BombAt(c) || s.Board[c] == Flames && rng.IntN(2) == 0 || s.Board[c] >= r.Agent0() {
			s.addBomb(NewBomb(c, uint8(1+rng.IntN(life)), uint8(r.leastBlast()+rng.IntN(5)), rng.IntN(r.Seats()),
				grid.Dir(rng.IntN(5))))
		}
	}
	s.StepCount = uint16(rng.IntN(r.MaxSteps))
	s.due = int8(rng.IntN(1 + r.ringsDue()))
	for w := range r.RadioWords {
		s.Radio[rng.IntN(r.Seats())][w] = uint8(rng.IntN(9))
	}
}

// layMany makes moves of which most are bombs.
func layMany(r *Rules, rng *env.RNG, actions []uint8) {
	randomActions(r, rng, actions)
	for seat := range r.Seats() {
		if rng.IntN(3) > 0 {
			actions[seat*(1+r.RadioWords)] = uint8(LayBomb)
		}
	}
}

// TestHandMadeStates: a state that is accepted steps as the slow twin does, with a
// tracker too, and is the same after it was saved, at each step as bytes and at each
// fourth as JSON, which takes most of the time.
func TestHandMadeStates(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := mustGame(t, rules)
			pair := g.New(2)
			m, again := pair[0].(*Match), pair[1].(*Match)
			k := g.NewTrackers(1, true)[0]
			rng := env.RNG{State: 3}
			actions := make([]uint8, rules.Seats()*(1+rules.RadioWords))
			states, played := 600, 0
			if testing.Short() {
				states = 100
			}
			for range states {
				m.State = State{}
				handMade(g, &m.State, &rng)
				if rules.Check(&m.State) != nil {
					continue
				}
				played++
				move := randomActions
				if rng.Coin() {
					move = layMany
				}
				for step := range 12 {
					sameWhenSaved(t, m, again, step%4 == 0)
					if rules.Status(&m.State).Over {
						break
					}
					move(&rules, &rng, actions)
					before := m.State
					again.State = before
					compareStep(t, &rules, &m.State, actions)
					k.Begin(again)
					if k.Step(again, actions); again.State != m.State {
						t.Fatalf("moves %v from\n%s\ndiffer with a tracker: %s", actions, newTwin(&rules, &before).text(),
							difference(m, again))
					}
				}
			}
			if played < states/20 {
				t.Errorf("only %d of %d states were accepted", played, states)
			}
		})
	}
}

// sameWhenSaved saves a match as bytes, and as JSON if asked to, and restores it into another.
func sameWhenSaved(t *testing.T, m, again *Match, asJSON bool) {
	t.Helper()
	forms := map[string]func() error{"bytes": func() error { return again.Restore(m.Append(nil)) }}
	if asJSON {
		text, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		forms["JSON"] = func() error { return again.RestoreJSON(text) }
	}
	for form, restore := range forms {
		again.State = State{}
		if err := restore(); err != nil {
			t.Fatalf("%s saved as %s is refused: %v", newTwin(&m.game.rules, &m.State).text(), form, err)
		}
		if again.State != m.State {
			t.Fatalf("saved as %s it differs: %s", form, difference(m, again))
		}
	}
}

// TestBombsInFlames: the reference draws the flames anew at the end of a step, also
// those off which a bomb rolled or was kicked.
func TestBombsInFlames(t *testing.T) {
	bomb := func(s *State, d grid.Dir) { s.addBomb(NewBomb(grid.At(1, 3), 9, 2, 0, d)) }
	for _, sc := range []scenario{
		{
			name: "a bomb that lies in flames", reason: "its cell is drawn as passage until bombs have been looked at",
			start: "0.....1 ...*...", edit: func(_ *Rules, s *State) { bomb(s, grid.Stay) },
			want: []string{"0.....1 ...*...", "0.....1 ...*...", "0.....1 ...o..."},
		},
		{
			name: "a bomb that rolls out of flames", reason: "they burn on",
			start: "0.....1 ...*...", edit: func(_ *Rules, s *State) { bomb(s, grid.Right) },
			want: []string{"0.....1 ...*o..", "0.....1 ...*.o.", "0.....1 ......o"},
		},
		{
			name: "a kicker that enters them", reason: "it dies",
			start: "......1 ..0*...",
			edit: func(_ *Rules, s *State) {
				bomb(s, grid.Stay)
				s.Agents[0].Kicks = true
			},
			moves: [][4]Action{{Right}},
			want:  []string{"......1 ...*o.."},
		},
	} {
		sc.run(t, Playground(FFA))
	}
}

// TestRoomForBombs: a state is refused if more bombs could be laid than it can
// hold, and only then.
func TestRoomForBombs(t *testing.T) {
	r := Playground(OneVsOne)
	r.BoardSize = 11 // of which 7 rows and columns are drawn
	blank := draw(&r, "0.....1")
	blank.Agents[2], blank.Agents[3] = Agent{}, Agent{}
	for _, tc := range []struct {
		reason           string
		bombs, life      int
		ammo, found, die uint8
		want             string
	}{
		{"64 that explode one a step as others are laid", 64, 0, 255, 0, 2, ""},
		{"two agents with three bombs", 61, mostOfBomb, 3, 0, 0,
			"bombs has 61 entries; the agents have or may find 6 more, and could make it 67"},
		{"one of them is dead", 61, mostOfBomb, 3, 0, 1, ""},
		{"but an item lies there", 61, mostOfBomb, 3, 1, 1, "want at most 64"},
		{"two a step for ten steps", 44, mostOfBomb, 255, 9, 0, ""},
		{"and one bomb too many", 45, mostOfBomb, 255, 9, 0, "could make it 65"},
		{"which explodes before", 45, 9, 255, 9, 0, ""},
	} {
		s := blank
		for i := range tc.bombs {
			c := grid.At(2+i/11, i%11)
			s.Board[c] = BombItem
			s.addBomb(NewBomb(c, uint8(max(tc.life, 1)), 1, i%2, grid.Stay))
		}
		for i := range s.Agents[:2] {
			s.Agents[i].Ammo = tc.ammo
		}
		for i := range tc.found {
			s.Board[grid.At(1, int(i))] = ExtraBomb
		}
		for i := range s.Agents[:tc.die] {
			s.Board[s.Agents[i].Cell], s.Agents[i].Alive = Passage, false
		}
		err := r.Check(&s)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.reason, err, tc.want)
		}
	}
}
