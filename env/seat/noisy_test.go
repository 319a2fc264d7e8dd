package seat

import (
	"testing"

	"pommego/env"
	"pommego/env/saved"
)

// TestNoisy: a share of moves is drawn evenly, the others are the bot's; words stay
// its own; a restored one goes on the same; and without the option it is the bot itself.
func TestNoisy(t *testing.T) {
	roster := Roster[view]{Noisy(Static[view](), 6)}
	plain, err := roster.New("static")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := plain.(*noisy[view]); ok {
		t.Error("without noise it is a noisy bot")
	}
	made := func(name string) Bot[view] {
		t.Helper()
		bot, err := roster.New(name)
		if err != nil {
			t.Fatal(err)
		}
		return bot
	}
	bot := made("static:noise=0.6")
	bot.Reset(env.RNG{State: 7})
	const draws = 6000
	var counts [6]int
	for range draws {
		action := []uint8{9, 9}
		bot.Act(&view{}, action)
		counts[action[0]]++
		if action[1] != 0 {
			t.Fatalf("the second component is %d, want the bot's own 0", action[1])
		}
	}
	for move, n := range counts {
		want := draws * 0.1
		if move == 0 {
			want = draws * 0.5
		}
		if float64(n) < want-150 || float64(n) > want+150 {
			t.Errorf("it makes move %d %d times of %d, want about %v", move, n, draws, want)
		}
	}
	kept := saved.Append(nil, bot)
	other := made("static:noise=0.6")
	if err := Restore(other, kept); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		one, two := []uint8{0}, []uint8{0}
		bot.Act(&view{}, one)
		if other.Act(&view{}, two); one[0] != two[0] {
			t.Fatalf("restored it makes move %d, want %d", two[0], one[0])
		}
	}
	for _, state := range [][]byte{nil, kept[:7], append(kept, 1)} {
		if Restore(made("static:noise=1"), state) == nil {
			t.Errorf("a state of %d bytes is restored, want an error", len(state))
		}
	}
	for _, name := range []string{"static:noise=1.1", "static:noise=-1", "static:noise=much"} {
		if bot, err := roster.New(name); err == nil || bot != nil {
			t.Errorf("New(%q) gives %v, want an error", name, err)
		}
	}
}

// searched is a bot that searches for each of its moves.
type searched struct{ static[view] }

func (searched) SearchStatistics(visits []int32, _ []float64) bool {
	visits[0] = 1
	return true
}

// TestNoisyReports: a noisy bot that searches reports the search behind its own moves, and nothing for those drawn.
func TestNoisyReports(t *testing.T) {
	roster := Roster[view]{Noisy(Plain("searched", func() Bot[view] { return searched{} }), 6)}
	for name, want := range map[string]bool{"searched": true, "searched:noise=0": true, "searched:noise=1": false} {
		bot, err := roster.New(name)
		if err != nil {
			t.Fatal(err)
		}
		bot.Act(&view{}, []uint8{0})
		r, ok := bot.(env.SearchReporter)
		visits := make([]int32, 6)
		if !ok || r.SearchStatistics(visits, make([]float64, 6)) != want || visits[0] == 1 != want {
			t.Errorf("%s reports visits %v, want some: %v", name, visits, want)
		}
	}
}
