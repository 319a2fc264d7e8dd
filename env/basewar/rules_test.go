package basewar

import (
	"encoding/json"
	"strings"
	"testing"
	"unsafe"

	"pommego/env"
	"pommego/env/saved"
)

// TestStandardNumbers pins the contest's numbers and the names of the rules'
// fields.
func TestStandardNumbers(t *testing.T) {
	text, err := json.Marshal(Standard())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"sides":false,"board_size":15,"num_stones":40,"num_boxes":80,"symmetry":"mirror","free_steps":2,"max_steps":300,` +
		`"base_energy":5,"base_damage":"bomb","lives":3,"bombs":3,"bomb_life":7,"blast_range":2,"box_points":1,"death_points":3,` +
		`"tick_at_once":false,"lay_first":false,"bombs_spent":false,"all_pay":false,` +
		`"own_cell_safe":false,"own_cell_shields":false,"hurt_first":false,"own_harmless":false,"draw_together":false,"play_on":false}`
	if string(text) != want {
		t.Errorf("rules are\n%s\nwant\n%s", text, want)
	}
	for name, r := range variants() {
		text, _ := json.Marshal(r)
		var back Rules
		if err := saved.DecodeJSON(text, &back); err != nil || back != r {
			t.Errorf("%s: %s reads back as %+v (error %v)", name, text, back, err)
		}
	}
}

// TestValidateNamesTheField gives each rule a value it cannot have.
func TestValidateNamesTheField(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(*Rules)
	}{
		{"board_size is 5", func(r *Rules) { r.BoardSize = 5 }},
		{"board_size is 17", func(r *Rules) { r.BoardSize = 17 }},
		{"want an odd number", func(r *Rules) { r.BoardSize = 14 }},
		{"num_stones is -1", func(r *Rules) { r.NumStones = -1 }},
		{"num_boxes is 226", func(r *Rules) { r.NumBoxes = 226 }},
		{"symmetry is 3", func(r *Rules) { r.Symmetry = 3 }},
		{"free_steps is 6", func(r *Rules) { r.FreeSteps = 6 }},
		{"max_steps is 0", func(r *Rules) { r.MaxSteps = 0 }},
		{"base_energy is 0", func(r *Rules) { r.BaseEnergy = 0 }},
		{"base_damage is 2", func(r *Rules) { r.BaseDamage = 2 }},
		{"lives is 0", func(r *Rules) { r.Lives = 0 }},
		{"bombs is 5", func(r *Rules) { r.Bombs = 5 }},
		{"bomb_life is 0", func(r *Rules) { r.BombLife = 0 }},
		{"blast_range is 15", func(r *Rules) { r.BlastRange = 15 }},
		{"box_points is -1", func(r *Rules) { r.BoxPoints = -1 }},
		{"death_points is 101", func(r *Rules) { r.DeathPoints = 101 }},
	} {
		r := Standard()
		c.edit(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want one that says %q", err, c.want)
		}
	}
	for text, want := range map[string]string{
		`{"base_damage": "much"}`: `base_damage is "much", want one of round, bomb`,
		`{"symmetry": "left"}`:    `symmetry is "left"`,
		`{"symetry": "none"}`:     "symetry",
	} {
		r := Standard()
		if err := saved.DecodeJSON([]byte(text), &r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one that says %q", text, err, want)
		}
	}
}

// TestFingerprintTellsRulesApart compares all variants with each other.
func TestFingerprintTellsRulesApart(t *testing.T) {
	seen := map[uint64]string{}
	for name, r := range variants() {
		fingerprint := r.form().Rules
		if other, twice := seen[fingerprint]; twice {
			t.Errorf("%s and %s have the same fingerprint", name, other)
		}
		seen[fingerprint] = name
	}
}

// TestTeams: six seats of one bomber each, or two of three; even seats are blue.
func TestTeams(t *testing.T) {
	six, two := mustGame(t, Standard()), mustGame(t, StandardSides())
	if s := six.Spec(); s.Seats != 6 || len(s.Actions) != 1 || !s.Elimination || len(s.Teams) != 2 ||
		len(s.Teams[0]) != 3 {
		t.Errorf("spec of six seats is %+v", s)
	}
	if s := two.Spec(); s.Seats != 2 || len(s.Actions) != 3 || s.Elimination || len(s.Teams) != 2 || len(s.Teams[0]) != 1 {
		t.Errorf("spec of two sides is %+v", s)
	}
	for _, side := range []Side{Blue, Green} {
		own := two.rules.Own(int(side))
		for i, id := range own {
			if SideOf(int(id)) != side || two.actionAt[id] != uint8(int(side)*3+i) ||
				side.Bombers()>>id&1 == 0 {
				t.Errorf("%v moves bombers %v; %d is not where it belongs", side, own, id)
			}
		}
	}
	if s := mustGame(t, Standard()).Spec(); s.Teams[0][1] != 2 || s.Teams[1][1] != 3 {
		t.Errorf("teams are %v, want every other seat", s.Teams)
	}
}

// TestViewsAreOneGame plays the same game with six seats and with two sides:
// the same map and moves give the same state.
func TestViewsAreOneGame(t *testing.T) {
	six, two := mustGame(t, Standard()), mustGame(t, StandardSides())
	var a, b State
	seed := env.Seed{Value: 12}
	six.Deal(&a, seed)
	two.Deal(&b, seed)
	rng := seed.RNG(env.StreamPolicy)
	for !six.rules.Over(&a) {
		var moves, sided [NumBombers]uint8
		for id := range moves {
			moves[id] = uint8(rng.IntN(int(NumActions)))
			sided[id%2*3+id/2] = moves[id]
		}
		six.Step(&a, moves[:])
		two.Step(&b, sided[:])
		if a != b {
			t.Fatalf("after round %d the views differ", a.StepCount)
		}
	}
	if st := two.rules.Status(&b); !st.Over || st.In != 3 {
		t.Errorf("status of two sides is %+v, want it over with both sides in", st)
	}
}

// TestRewards: the growth of the lead, as each side sees it.
func TestRewards(t *testing.T) {
	r := Standard()
	m := Match{State{Energy: [2]uint8{5, 5}, Score: [2]uint16{9, 4}, Gained: [2]uint16{4, 1}}, &Game{rules: r}}
	got := make([]float64, 6)
	m.Rewards(got)
	for seat, v := range got {
		if want := []float64{3, -3}[seat%2]; v != want {
			t.Errorf("seat %d is paid %v, want %v", seat, v, want)
		}
	}
	m.Outcome(got)
	for seat, v := range got {
		if want := []float64{1, -1}[seat%2]; v != want {
			t.Errorf("seat %d has outcome %v, want %v", seat, v, want)
		}
	}
}

// TestStateSize pins what a running game costs.
func TestStateSize(t *testing.T) {
	const want = 208
	if got := unsafe.Sizeof(State{}); got != want {
		t.Errorf("a State takes %d bytes, want %d: if that is meant, pin the new size", got, want)
	}
}
