package rollout

import (
	"bytes"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
)

// counted is a toy game that counts, and whose matches are over after most steps.
type counted struct {
	env.Game
	dealt, steps, most int
	moves              []byte // of all steps
}

type countedMatch struct {
	env.Match
	of   *counted
	made int
}

func (c *counted) New(n int) []env.Match {
	all := c.Game.New(n)
	for i, m := range all {
		all[i] = &countedMatch{m, c, 0}
	}
	return all
}

func (m *countedMatch) Over() bool { return m.made == m.of.most }

func (m *countedMatch) Status() env.Status { return env.Status{Steps: m.made} }

func (m *countedMatch) Reset(seed env.Seed) {
	m.Match.Reset(seed)
	m.of.dealt, m.made = m.of.dealt+1, 0
}

func (m *countedMatch) Step(actions []uint8) {
	if m.Over() {
		panic("a step after the end")
	}
	m.of.steps, m.made, m.of.moves = m.of.steps+1, m.made+1, append(m.of.moves, actions...)
}

// TestRandom deals games again when they are over and makes as many moves as it
// says.
func TestRandom(t *testing.T) {
	c := &counted{Game: envtest.Toy(), most: 5}
	play := Random(c, 7, 1)
	if c.dealt != 7 || c.steps != 0 {
		t.Fatalf("%d games dealt and %d steps made, want 7 and none", c.dealt, c.steps)
	}
	if n := play(0, 2, 5); n != 3*Turns || c.steps != n {
		t.Errorf("it says that %d moves were made, and %d were, want %d", n, c.steps, 3*Turns)
	}
	if again := Turns / c.most; c.dealt != 7+3*again {
		t.Errorf("%d games dealt, want 7 and %d more of each of three", c.dealt, again)
	}
	if n := Random(envtest.Toy(), 3, 1)(0, 0, 3); n != 3*Turns {
		t.Errorf("%d moves of matches without Over, want %d", n, 3*Turns)
	}
}

// TestRandomGoesOn: a call goes on with other moves than the one before, also if no game ended.
func TestRandomGoesOn(t *testing.T) {
	c := &counted{Game: envtest.Toy(), most: 5 * Turns}
	play := Random(c, 1, 1)
	play(0, 0, 1)
	first := c.moves
	c.moves = nil
	if play(0, 0, 1); c.dealt != 1 || bytes.Equal(c.moves, first) {
		t.Errorf("%d games dealt, moves %v and then %v, want one game and others", c.dealt, first, c.moves)
	}
}

// TestReplay makes all moves of the games recorded, each from its start, as often as it is called.
func TestReplay(t *testing.T) {
	for _, game := range []env.Game{envtest.Toy(), envtest.NewToy(envtest.ToySolo())} {
		play, err := Replay(game, 3, 1, "hunter")
		if err != nil {
			t.Fatal(err)
		}
		first, rest := play(0, 1), play(1, 3)
		if first == 0 || rest == 0 || play(0, 3) != first+rest {
			t.Errorf("moves made are %d and %d, together others", first, rest)
		}
		if _, err := Replay(game, 1, 1, "nobody"); err == nil {
			t.Error("no error for an agent that does not exist")
		}
	}
}

// TestDraw draws evenly from as many choices as each action has, and as many
// actions as there are.
func TestDraw(t *testing.T) {
	spec := envtest.Toy().Spec() // six seats, a choice of five and one of three
	m := NewMoves(spec, 1)
	if len(m) != 12 || m[0] != 5 || m[11] != 3 {
		t.Fatalf("moves are %v, want twelve of 5 and 3 in turn", m)
	}
	rng, counts, actions := env.RNG{}, [2][8]int{}, make([]uint8, 12)
	for _, m := range []Moves{m, m[:10]} { // one whole number of fours, and one not
		for range 1000 {
			m.Draw(&rng, actions[:len(m)])
			for i, a := range actions[:len(m)] {
				counts[i%2][a]++
			}
		}
	}
	for part, n := range []int{5, 3} {
		for a, got := range counts[part] {
			if want := 11000 / n; a < n && (got < want*9/10 || got > want*11/10) || a >= n && got != 0 {
				t.Errorf("choice %d of %d was drawn %d times, want about %d", a, n, got, want)
			}
		}
	}
}
