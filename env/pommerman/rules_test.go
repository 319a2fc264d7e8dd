package pommerman

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCollapses compares with the reference's schedule.
func TestCollapses(t *testing.T) {
	for _, c := range []struct {
		reason      string
		first, last int
		want        string
	}{
		{"the default", 500, 800, "[500 575 650 725]"},
		{"a span not divisible by four gives more rings", 3, 10, "[3 4 5 6 7 8 9]"},
		{"five rings", 3, 44, "[3 13 23 33 43]"},
		{"ring 0 at step 0, which no step reaches", 0, 80, "[0 20 40 60]"},
		{"later than the end: backwards, and never", 500, 20, "[500 380 260 140]"},
		{"none", NoCollapse, 800, "[]"},
	} {
		r := Playground(FFA)
		r.FirstCollapse, r.MaxSteps = c.first, c.last
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if got := fmt.Sprint(r.Collapses()); got != c.want {
			t.Errorf("%s: from %d of %d rings fall at %s, want %s", c.reason, c.first, c.last, got, c.want)
		}
		due := []int{}
		for step := 1; step <= c.last; step++ {
			if ring := r.ringDue(step); ring >= 0 {
				due = append(due, step)
				if r.Collapses()[ring] != step {
					t.Errorf("%s: ring %d is due at step %d, want %d", c.reason, ring, step, r.Collapses()[ring])
				}
			}
		}
		want := []int{}
		for _, at := range r.Collapses() {
			if at > 0 && at < c.last {
				want = append(want, at)
			}
		}
		if fmt.Sprint(due) != fmt.Sprint(want) {
			t.Errorf("%s: rings are due at %v, want %v", c.reason, due, want)
		}
	}
}

// TestStepNames: rules name their step in JSON, and say nothing of today's.
func TestStepNames(t *testing.T) {
	for _, r := range []Rules{Playground(FFA), Rules2018(Team)} {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var again Rules
		if err := json.Unmarshal(text, &again); err != nil || again != r {
			t.Errorf("%s is read as %+v, %v", text, again, err)
		}
		if named := strings.Contains(string(text), `"step":"2018"`); named != (r.StepKind == Step2018) ||
			strings.Contains(string(text), "today") {
			t.Errorf("step %v is written as %s", r.StepKind, text)
		}
	}
	var r Rules
	if err := json.Unmarshal([]byte(`{"step":"2017"}`), &r); err == nil ||
		!strings.Contains(err.Error(), `step is "2017", want one of`) {
		t.Errorf("step 2017: %v", err)
	}
}

// TestValidateNamesTheField gives each rule a value it cannot have.
func TestValidateNamesTheField(t *testing.T) {
	for _, c := range []struct {
		want string
		edit func(*Rules)
	}{
		{"game_type is 9", func(r *Rules) { r.GameType = 9 }},
		{"step is 9", func(r *Rules) { r.StepKind = 9 }},
		{"delayed_chain is set", func(r *Rules) { *r = Rules2018(FFA); r.DelayedChain = true }},
		{"board_size is 6", func(r *Rules) { r.BoardSize = 6 }},
		{"board_size is 15", func(r *Rules) { r.BoardSize = 15 }},
		{"num_rigid", func(r *Rules) { r.NumRigid = 35 }},
		{"num_wood", func(r *Rules) { r.NumWood = 35 }},
		{"num_items is 37, want 0 to num_wood = 36", func(r *Rules) { r.NumItems = 37 }},
		{"max_steps is 0", func(r *Rules) { r.MaxSteps = 0 }},
		{"agent_view_size is -1", func(r *Rules) { r.ViewSize = -1 }},
		{"max_ammo is 65", func(r *Rules) { r.MaxAmmo = 65 }},
		{"start_ammo is 11, want 0 to max_ammo = 10", func(r *Rules) { r.StartAmmo = 11 }},
		{"max_blast_strength is 0", func(r *Rules) { r.MaxBlast = 0 }},
		{"start_blast_strength is 0", func(r *Rules) { r.StartBlast = 0 }},
		{"bomb_life is 0", func(r *Rules) { r.BombLife = 0 }},
		{"flame_life is 6", func(r *Rules) { r.FlameLife = 6 }},
		{"first_collapse 798", func(r *Rules) { r.FirstCollapse = 798 }},
		{"first_collapse is -2", func(r *Rules) { r.FirstCollapse = -2 }},
		{"radio_num_words 2", func(r *Rules) { r.RadioWords, r.RadioVocab = 2, 8 }},
		{"radio_num_words is 4", func(r *Rules) { r.RadioWords = 4 }},
		{"training_agent is 4", func(r *Rules) { r.TrainingAgent = 4 }},
		{"team games have none", func(r *Rules) { *r = Playground(Team); r.TrainingAgent = 0 }},
		{"step is 9", func(r *Rules) { r.StepKind = 9 }},
		{"agent_view_size is -2", func(r *Rules) { *r = Java(FFA); r.ViewSize = -2 }},
		{"step java wants", func(r *Rules) { r.StepKind, r.GameType = StepJava, OneVsOne }},
		{"step java wants", func(r *Rules) { r.StepKind, r.Skulls = StepJava, true }},
		{"step java wants", func(r *Rules) { r.StepKind, r.DelayedChain = StepJava, true }},
		{"collapse_every is 5", func(r *Rules) { r.FirstCollapse, r.CollapseEvery = 500, 5 }},
		{"could lay more than 64 bombs", func(r *Rules) { r.StartAmmo, r.NumItems = 10, 30 }},
	} {
		r := Playground(FFA)
		c.edit(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want one that says %q", err, c.want)
		}
	}
}

// TestImpossibleBoards are refused when the game is made, not when it is dealt.
func TestImpossibleBoards(t *testing.T) {
	for _, c := range []struct {
		reason string
		edit   func(*Rules)
		want   string
	}{
		{"more walls than cells", func(r *Rules) { r.NumRigid, r.NumWood = 100, 60 }, "do not fit"},
		{"walls that always cut the board", func(r *Rules) { r.NumRigid, r.NumWood, r.NumItems = 76, 12, 0 },
			"hardly any board is connected"},
		{"walls that cut almost all boards of Java's draws", func(r *Rules) {
			*r = Java(FFA)
			r.BoardSize, r.NumRigid = 14, 112
		}, "hardly any board is connected"},
	} {
		r := Playground(FFA)
		c.edit(&r)
		if _, err := New("test", "", r, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one that says %q", c.reason, err, c.want)
		}
	}
}
