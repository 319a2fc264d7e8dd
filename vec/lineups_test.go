package vec

import (
	"strings"
	"testing"

	"pommego/env"
)

func TestLineUpErrors(t *testing.T) {
	policy := LineUps{Names: [][]string{{"still", Policy}, {"wander", "hunter"}}}
	for _, c := range []struct {
		reason string
		cfg    Config
		want   string
	}{
		{"with Opponents", Config{Opponents: []string{"still", "still"}, LineUps: policy},
			"Opponents and line-ups are both given"},
		{"with Seats", Config{Seats: []string{Learner, "still", "still"}, LineUps: policy},
			"Opponents and seats are both given"},
		{"weights of nothing", Config{LineUps: LineUps{Weights: []float64{1}}}, "is empty"},
		{"too few names", Config{LineUps: LineUps{Names: [][]string{{"still", "still"}, {"still"}}}},
			"Opponents in line-up 1 has 1 entries, want 2"},
		{"an agent there is not", Config{LineUps: LineUps{Names: [][]string{{"still", "still"}, {"still", "ghost"}}}},
			"Opponents[1] in line-up 1: no agent"},
		{"too few weights", Config{LineUps: LineUps{Names: policy.Names, Weights: []float64{1}}},
			"Weights has 1 entries, want 2"},
		{"a negative weight", Config{LineUps: LineUps{Names: policy.Names, Weights: []float64{1, -1}}},
			"Weights[1] is -1"},
		{"nothing but zeros", Config{LineUps: LineUps{Names: policy.Names, Weights: []float64{0, 0}}}, "sum to 0"},
		{"weights and games", Config{LineUps: LineUps{Names: policy.Names, Weights: []float64{1, 1}, ByGame: []int32{0, 1}}},
			"both given"},
		{"too few games", Config{LineUps: LineUps{Names: policy.Names, ByGame: []int32{0}}}, "ByGame has 1 entries, want 2"},
		{"a line-up there is not", Config{LineUps: LineUps{Names: policy.Names, ByGame: []int32{0, 2}}},
			"ByGame[1] is 2, want 0 to 1"},
	} {
		c.cfg.Game, c.cfg.Games = solo, 2
		if _, err := New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", c.reason, err, c.want)
		}
	}
	p := make1(t, Config{Game: solo, Games: 2, Opponents: []string{"still", "wander"}})
	for _, l := range []LineUps{{}, policy,
		{Names: [][]string{{"still", "still"}, {"still", "ghost"}}, ByGame: []int32{0, 0}}} {
		if err := p.SetLineUps(l); err == nil {
			t.Errorf("SetLineUps(%v) is accepted", l)
		}
	}
	if got := p.LineUps().Names; len(got) != 1 || got[0][1] != "wander" {
		t.Errorf("after refused changes the line-ups are %q", got)
	}
}

// TestHostedRow: where an agent plays a policy's seat in an episode, what the row does
// is not looked at; where the caller plays it, it is.
func TestHostedRow(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 2, OnDeath: Wait,
		LineUps: LineUps{Names: [][]string{{"still", Policy}, {"still", "wander"}}, ByGame: []int32{0, 1}}})
	if p.Learners() != 2 || p.Policies() != 1 {
		t.Fatalf("%d rows a game, %d of policies; want 2 and 1", p.Learners(), p.Policies())
	}
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(3)}))
	components := len(p.spec.Actions)
	actions := make([]uint8, p.Rows()*components)
	actions[3*components] = 255 // the policy's in game 1
	must(t, p.Step(b, actions))
	actions[1*components] = 255 // and in game 0
	if err := p.Step(b, actions); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("error is %v, want one about row 1", err)
	}
	for row, seat := range b.Bytes("seat") {
		if want := (b.Bytes("seat")[row/2*2] + uint8(row%2*2)) % 3; seat != want {
			t.Errorf("row %d sits at %d, want %d", row, seat, want)
		}
	}
}

// TestDraw: each is drawn as often as its weight says, and what has none never.
func TestDraw(t *testing.T) {
	reach, err := sums([]float64{0, 1, 0, 3, 0}, 5)
	must(t, err)
	var counts [5]int
	rng := env.RNG{State: 1}
	for range 40000 {
		counts[draw(reach, &rng)]++
	}
	if counts[0]+counts[2]+counts[4] > 0 || counts[1] < 9600 || counts[1] > 10400 {
		t.Errorf("drawn %v times of 40000 by weights 0 1 0 3 0", counts)
	}
}
