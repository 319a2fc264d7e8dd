package basewar

import (
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// eachCrowd calls visit with positions of crowded games of every variant.
func eachCrowd(t *testing.T, visit func(t *testing.T, g *Game, s *State, rng *env.RNG)) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			g := mustGame(t, rules)
			actions := make([]uint8, NumBombers)
			for episode := range uint64(12) {
				var s State
				seed := env.Seed{Value: 21, Episode: episode}
				g.Deal(&s, seed)
				rng := seed.RNG(env.StreamPolicy)
				crowd(&rules, &s, &rng)
				for ; !rules.Over(&s) && s.StepCount < 40; g.Step(&s, actions) {
					visit(t, g, &s, &rng)
					randomActions(g, &s, &rng, actions)
				}
			}
		})
	}
}

// TestForecast compares forecasts with what happens when nobody is left to do
// anything: blasts, boxes, hits on bases, and what is closed.
func TestForecast(t *testing.T) {
	eachCrowd(t, func(t *testing.T, g *Game, s *State, rng *env.RNG) {
		layer := rng.IntN(NumBombers+1) - 1
		if layer >= 0 && (s.Bombers[layer].Bombs == 0 || s.bombAt(s.Bombers[layer].Cell) >= 0 || !s.Bombers[layer].Alive()) {
			layer = -1
		}
		var f Forecast
		g.Foresee(s, layer, &f)
		after := *s
		for id := range after.Bombers {
			after.Bombers[id].Lives = 0
		}
		if layer >= 0 {
			b := &after.Bombers[layer]
			b.Bombs--
			life := uint8(g.rules.BombLife)
			if !g.rules.TickAtOnce {
				life++
			}
			after.addBomb(Bomb{b.Cell, life, 1 << layer})
		}
		after.Energy = [2]uint8{200, 200}
		boxes, hits, last := [2]int{}, [2]int{}, 0
		for round := 1; after.NumBombs > 0; round++ {
			closed := after.Stones.Or(after.Boxes).Or(g.fixed).Or(after.bombCells())
			if layer >= 0 && round == 1 { // the new bomb closes its cell only afterwards
				if c := s.Bombers[layer].Cell; s.bombAt(c) < 0 {
					closed.Remove(c)
				}
			}
			if f.Closed[round] != closed {
				t.Fatalf("round %d: closed are %v, want %v, in\n%s", round, f.Closed[round], closed, newTwin(&g.rules, s).text())
			}
			was := after
			g.Step(&after, make([]uint8, NumBombers))
			blast := after.Blast
			if g.rules.OwnCellSafe { // forecasts are careful
				for i := range was.bombs() {
					if c := was.Bombs[i].Cell; after.bombAt(c) < 0 {
						blast.Add(c)
					}
				}
			}
			if f.Blast[round] != blast {
				t.Fatalf("round %d: reached are %v, want %v, in\n%s", round, f.Blast[round], blast, newTwin(&g.rules, s).text())
			}
			if !blast.Empty() {
				last = round
			}
			for side := range boxes {
				boxes[side] += int(after.Gained[side])
				hits[side] += int(toByte(blast.Has(g.bases[side])))
			}
		}
		if f.Boxes != boxes || f.Hits != hits || f.Rounds != last {
			t.Fatalf("boxes %v, hits %v in %d rounds, want %v, %v in %d, in\n%s", f.Boxes, f.Hits, f.Rounds, boxes, hits, last,
				newTwin(&g.rules, s).text())
		}
	})
}

// TestSurvives compares with all walks there are, in the forecast's own map.
func TestSurvives(t *testing.T) {
	eachCrowd(t, func(t *testing.T, g *Game, s *State, rng *env.RNG) {
		var f Forecast
		g.Foresee(s, -1, &f)
		id := rng.IntN(NumBombers)
		c := s.Bombers[id].Cell
		_, got := f.Survives(c)
		if want := survivesSlowly(&f, c, 1); got != want {
			t.Fatalf("bomber %d survives: %v, want %v, in\n%s", id, got, want, newTwin(&g.rules, s).text())
		}
	})
}

// survivesSlowly tries every walk from round t on.
func survivesSlowly(f *Forecast, c grid.Cell, t int) bool {
	if t > f.Rounds {
		return true
	}
	if f.Blast[t].Has(c) {
		return false
	}
	if survivesSlowly(f, c, t+1) {
		return true
	}
	for _, d := range grid.Dirs {
		if to := c.Next(d); t < f.Rounds && !f.Closed[t+1].Has(to) && survivesSlowly(f, to, t+1) {
			return true
		}
	}
	return false
}

// TestWays compares with distances found by relaxing all cells until nothing
// changes.
func TestWays(t *testing.T) {
	g := mustGame(t, Standard())
	for episode := range uint64(30) {
		var s State
		g.Deal(&s, env.Seed{Value: 22, Episode: episode})
		goals := g.Approach(&s, Green)
		const boxCost = 9
		var got [256]uint16
		g.Ways(&s, goals, boxCost, &got)
		open := func(c grid.Cell) bool { return !s.Stones.Has(c) && !g.fixed.Has(c) }
		want := map[grid.Cell]int{}
		for i := range got {
			c := grid.Cell(i)
			want[c] = Far
			if open(c) && goals.Has(c) {
				want[c] = 0
			}
		}
		for again := true; again; {
			again = false
			for c := range grid.Square(15).All {
				for _, d := range grid.Dirs {
					to := c.Next(d)
					step := 1
					if s.Boxes.Has(to) {
						step = boxCost
					}
					if open(c) && open(to) && want[to]+step < want[c] {
						want[c] = want[to] + step
						again = true
					}
				}
			}
		}
		for c := range grid.Square(15).All {
			if int(got[c]) != want[c] {
				t.Fatalf("from %s it costs %d, want %d, with the boxes %v", where(c), got[c], want[c], s.Boxes)
			}
		}
	}
}
