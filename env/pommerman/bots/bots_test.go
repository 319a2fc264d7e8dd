package bots

import (
	"slices"
	"strings"
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
	"pommego/env/seat"
)

func TestNames(t *testing.T) {
	want := []string{
		"static", "random", "simple", "simple-2018", "heuristic",
		"bfs", "mcts", "fmcs-random", "fmcs-ucb1", "fmcs-exploit", "fmcs-explore", "osla", "uct", "rhea", "champion",
		"guided", "mappo-radio", "mappo-team", "ppo-duel", "ppo-ffa", "net",
		"java-simple", "java-osla", "java-rhea", "java-mcts",
	}
	if !slices.Equal(Roster.Names(), want) {
		t.Errorf("Names() is %v, want %v", Roster.Names(), want)
	}
	for _, name := range Roster.Names() {
		if bot, err := Roster.New(name); err != nil || bot == nil {
			t.Errorf("New(%q): %v", name, err)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, test := range []struct{ name, want, reason string }{
		{"smart", "static, random, simple", "an unknown name lists what exists"},
		{"", "static, random, simple", "so does none"},
		{"Simple", "static, random, simple", "names are written in lower case"},
		{"simple:ticks=2000", `"ticks": simple takes no options`, "an option given to a bot without any"},
		{"simple:", "key=value", "a colon without options"},
		{"random:fast", "key=value", "no value"},
		{"random:=3", "key=value", "no key"},
		{"static:a=", "key=value", "an empty value"},
	} {
		bot, err := Roster.New(test.name)
		if err == nil || bot != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: New(%q) gives %v, want an error with %q", test.reason, test.name, err, test.want)
		}
	}
}

// TestGone: who names an agent that there was, with or without options, learns what to use in its place.
func TestGone(t *testing.T) {
	for _, name := range []string{"champion-net", "champion-net:noise=0.1"} {
		_, err := Roster.New(name)
		if want := `agent "` + name + `" is gone, use ppo-ffa`; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("New(%q) gives %v, want %s", name, err, want)
		}
	}
	if _, there := Roster.Versions()["champion-net"]; there {
		t.Error("it has a version")
	}
}

func TestStatic(t *testing.T) {
	rules := pommerman.Playground(pommerman.TeamRadio)
	action := []uint8{1, 2, 3}
	pommermantest.Bot(t, Roster, "static", 0).Act(pommermantest.Blank(&rules), action)
	if !slices.Equal(action, []uint8{0, 0, 0}) {
		t.Errorf("static plays %v, want stop and no words", action)
	}
}

// TestSimpleSaysNothing: the reference's agent returns a bare move.
func TestSimpleSaysNothing(t *testing.T) {
	rules := pommerman.Playground(pommerman.TeamRadio)
	v := pommermantest.Blank(&rules)
	v.Self.Cell = grid.At(1, 1)
	v.Board[v.Self.Cell] = rules.Agent0()
	action := []uint8{1, 2, 3}
	pommermantest.Bot(t, Roster, "simple", 0).Act(v, action)
	if !slices.Equal(action, []uint8{0, 0, 0}) {
		t.Errorf("walled in, simple plays %v, want stop and no words", action)
	}
}

// TestRandom counts what random plays: each of 6 x 9 x 9 actions should come up
// about equally often.
func TestRandom(t *testing.T) {
	rules := pommerman.Playground(pommerman.TeamRadio)
	v := pommermantest.Blank(&rules)
	b := pommermantest.Bot(t, Roster, "random", 1)
	var counts [6 * 9 * 9]float64
	const each = 100
	for range each * len(counts) {
		action := []uint8{77, 77, 77}
		b.Act(v, action)
		counts[(int(action[0])*9+int(action[1]))*9+int(action[2])]++
	}
	statistic := 0.0
	for _, n := range counts {
		statistic += (n - each) * (n - each) / each
	}
	// 485 degrees of freedom: four standard deviations are 125.
	if statistic < 360 || statistic > 610 {
		t.Errorf("chi-square %.1f over 485 degrees of freedom", statistic)
	}
}

// TestSaved shows that a bot restored from what another appended plays on like
// it, and that appending leaves what is there.
func TestSaved(t *testing.T) {
	for _, name := range Roster.Names() {
		one, other := pommermantest.Bot(t, Roster, name, 3), pommermantest.Bot(t, Roster, name, 4)
		for seed := range uint64(200) {
			pommermantest.Play(one, seed)
			kept := saved.Append([]byte("before"), one)
			if string(kept[:6]) != "before" {
				t.Fatalf("%s: Append overwrote what was there", name)
			}
			if err := seat.Restore(other, kept[6:]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if again := saved.Append(nil, other); string(again) != string(kept[6:]) {
				t.Fatalf("%s: saved %v, restored and saved again %v", name, kept[6:], again)
			}
			for next := range uint64(5) {
				if a, b := pommermantest.Play(one, seed+next), pommermantest.Play(other, seed+next); a != b {
					t.Fatalf("%s: plays %d, restored %d", name, a, b)
				}
			}
		}
	}
}

func TestRestoreErrors(t *testing.T) {
	rng := "12345678"
	for _, test := range []struct{ name, state, reason string }{
		{"static", "x", "static has no state"},
		{"random", "1234567", "RNG cut short"},
		{"random", "123456789", "more than an RNG"},
		{"simple", "", "nothing at all"},
		{"simple", rng + "\x00", "no count"},
		{"simple", rng + "\x05\x00", "direction 5"},
		{"simple", rng + "\x00\x07\x11\x11\x11\x11\x11\x11\x11", "seven recent cells"},
		{"simple", rng + "\x00\x02\x11", "a cell missing"},
		{"simple", rng + "\x00\x01\x11\x11", "a cell too many"},
		{"simple", rng + "\x00\x01\x01", "a cell in the border, above"},
		{"simple", rng + "\x00\x01\x1f", "a cell in the border, right"},
		{"heuristic", "", "nothing at all"},
		{"heuristic", "\x00" + rng, "no number of visited cells"},
		{"heuristic", "\x00" + rng + "\x01\x11\x01", "half a visit"},
		{"heuristic", "\x00" + rng + "\x00\x11\x01\x00", "a visit too many"},
		{"heuristic", "\x00" + rng + "\x01\x11\x00\x00", "a cell visited no times"},
		{"heuristic", "\x00" + rng + "\x01\x01\x01\x00", "a cell in the border"},
		{"heuristic", "\x00" + rng + "\x02\x12\x01\x00\x11\x01\x00", "cells out of order"},
		{"heuristic", "\x00" + rng + "\x02\x11\x01\x00\x11\x01\x00", "a cell twice"},
		{"heuristic", "\x0b" + rng, "a belief cut short"},
	} {
		b := pommermantest.Bot(t, Roster, test.name, 9)
		before := string(saved.Append(nil, b))
		if err := seat.Restore(b, []byte(test.state)); err == nil {
			t.Errorf("%s: Restore takes it, want an error", test.reason)
		}
		if after := string(saved.Append(nil, b)); after != before {
			t.Errorf("%s: a failed Restore changed the bot", test.reason)
		}
	}
}

func TestActAllocatesNothing(t *testing.T) {
	for _, name := range Roster.Names() {
		b := pommermantest.Bot(t, Roster, name, 5)
		var views []*pommerman.View
		for seed := range uint64(50) {
			v, _ := pommermantest.RandomView(seed)
			views = append(views, v)
		}
		action := make([]uint8, 1+pommerman.MaxWords)
		i := 0
		kept := make([]byte, 0, 64)
		act := func() {
			v := views[i%len(views)]
			b.Act(v, action[:1+v.Rules.RadioWords])
			kept = saved.Append(kept[:0], b)
			i++
		}
		for range views {
			act() // the first decision by some rules prepares what they show
		}
		if n := testing.AllocsPerRun(1000, act); n != 0 {
			t.Errorf("%s: %v allocations a decision, want none", name, n)
		}
	}
}

// FuzzAct lets every bot act on boards of any bytes, with bombs on any cells:
// it must not panic and must return an action there is.
func FuzzAct(f *testing.F) {
	f.Add(uint64(1), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 255})
	f.Add(uint64(2), make([]byte, 196))
	f.Fuzz(func(t *testing.T, seed uint64, cells []byte) {
		v, _ := pommermantest.RandomView(seed)
		n := v.Rules.BoardSize
		for i, value := range cells {
			c := grid.At(i%(n*n)/n, i%n)
			v.Board[c] = pommerman.Item(value)
			if value%16 == 3 && v.NumBombs < len(v.Bombs) {
				pommermantest.Lay(v, c, value>>4)
			}
		}
		v.Seat = int(seed % 4)
		for _, name := range Roster.Names() {
			b := pommermantest.Bot(t, Roster, name, seed)
			for range 3 {
				action := make([]uint8, 1+v.Rules.RadioWords)
				b.Act(v, action)
				if int(action[0]) >= tactics.Choices {
					t.Fatalf("%s plays %d", name, action[0])
				}
				for _, word := range action[1:] {
					if int(word) > v.Rules.RadioVocab {
						t.Fatalf("%s says %d", name, word)
					}
				}
			}
			if err := seat.Restore(b, saved.Append(nil, b)); err != nil {
				t.Fatalf("%s cannot be restored: %v", name, err)
			}
		}
	})
}

// FuzzRestore gives every bot any bytes: it takes them or leaves them, and what
// it takes it saves again.
func FuzzRestore(f *testing.F) {
	f.Add([]byte("12345678\x00\x01\x11"))
	f.Fuzz(func(t *testing.T, state []byte) {
		for _, name := range Roster.Names() {
			b := pommermantest.Bot(t, Roster, name, 1)
			if seat.Restore(b, state) == nil && string(saved.Append(nil, b)) != string(state) {
				t.Fatalf("%s takes %v and saves %v", name, state, saved.Append(nil, b))
			}
		}
	})
}
