package ruleset

import (
	"reflect"
	"testing"
)

func TestCheck(t *testing.T) {
	type rules struct {
		Size int `json:"size" limits:"1 to 3"`
		Life int `json:"life" limits:"1 to 9"`
		Deep int `json:"deep"`
	}
	check := func(life int) error { return Check(&rules{3, life, -1}) }
	for _, life := range []int{1, 9} {
		if err := check(life); err != nil {
			t.Errorf("numbers at their limits: %v", err)
		}
	}
	for life, want := range map[int]string{0: "rules: life is 0, want 1 to 9", 10: "rules: life is 10, want 1 to 9"} {
		if err := check(life); err == nil || err.Error() != want {
			t.Errorf("life %d: %v, want %q", life, err, want)
		}
	}
}

// TestFingerprint pins one: a change would make every saved state foreign.
func TestFingerprint(t *testing.T) {
	type rules struct {
		Size int `json:"size"`
	}
	const want = 0xb248e6cd1462d157
	if got := Fingerprint("chess", 1, rules{8}); got != want {
		t.Errorf("fingerprint is %#x, want %#x", got, uint64(want))
	}
	for _, other := range []uint64{Fingerprint("chess", 2, rules{8}), Fingerprint("go", 1, rules{8}),
		Fingerprint("chess", 1, rules{9})} {
		if other == want {
			t.Error("other rules have the same fingerprint")
		}
	}
}

func TestAlone(t *testing.T) {
	if got := Alone(3); !reflect.DeepEqual(got, [][]int{{0}, {1}, {2}}) {
		t.Errorf("teams are %v", got)
	}
}
