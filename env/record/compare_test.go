package record

import (
	"encoding/json"
	"strings"
	"testing"

	"pommego/env/saved"
)

// TestComparison notes differences under their paths, and spells out the first.
func TestComparison(t *testing.T) {
	type observation struct {
		Ammo    int     `json:"ammo"`
		Winners []int   `json:"winners"`
		Name    *string `json:"name"`
	}
	c, x := Comparison{Step: 7}, "x"
	c.Compare("obs[2].", new(saved.Shape), &observation{1, []int{1}, nil}, &observation{2, nil, &x})
	for i, want := range []string{
		"game 0, step 7, obs[2].ammo: expected 1, got 2",
		"game 0, step 7, obs[2].winners: expected [1], got []",
		"game 0, step 7, obs[2].name: expected none, got x",
	} {
		if got := c.Report.Differences[i].String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if c.Report.Mismatches != 3 {
		t.Errorf("%d mismatches, want 3", c.Report.Mismatches)
	}
	for range keepDifferences {
		c.Differs("x", 1, 2)
	}
	if c.Report.Mismatches != keepDifferences+3 || len(c.Report.Differences) != keepDifferences {
		t.Errorf("%d mismatches with %d spelled out, want %d and %d",
			c.Report.Mismatches, len(c.Report.Differences), keepDifferences+3, keepDifferences)
	}
}

// TestManySteps refuses more steps than a record may have, and says what else is wrong in the usual words.
func TestManySteps(t *testing.T) {
	list := func(n int) string { return `{"steps": [0` + strings.Repeat(",0", n-1) + "]}" }
	for text, want := range map[string]string{
		list(mostSteps):     "",
		list(mostSteps + 1): "a recorded game has too many steps: more than 131072",
		`{"steps": 3}`:      "json: cannot unmarshal number",
		`{"steps": null}`:   "",
	} {
		var h Head
		err := json.Unmarshal([]byte(text), &h)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20s: error %v, want %q", text, err, want)
		}
	}
}
