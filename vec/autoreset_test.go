package vec

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pommego/env"
)

// short is a pool of two solo games, cut off after 3 steps, at the first
// position of episode 0.
func short(t *testing.T, auto Autoreset) (*Pool, *Batch) {
	p := make1(t, Config{Game: solo, Games: 2, Autoreset: auto, MaxEpisodeSteps: 3})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(7)}))
	return p, b
}

// still is everybody's choice 0.
func still(p *Pool) []uint8 { return make([]uint8, p.Rows()*len(p.spec.Actions)) }

// frame is what one batch says of its first game.
type frame struct {
	done, truncated, terminated uint8
	length, episode             int
}

func frameOf(b *Batch) frame {
	return frame{b.done[0], b.truncated[0], b.terminated[0], int(b.length[0]), int(b.episode[0])}
}

func TestAutoreset(t *testing.T) {
	for _, c := range []struct {
		auto   Autoreset
		reason string
		want   []frame
	}{
		{NextStep, "the end is shown, then a step only resets", []frame{
			{0, 0, 0, 1, 0}, {0, 0, 0, 2, 0}, {1, 1, 0, 3, 0}, {0, 0, 0, 0, 1}, {0, 0, 0, 1, 1},
		}},
		{SameStep, "the flags of the old episode come with the new one", []frame{
			{0, 0, 0, 1, 0}, {0, 0, 0, 2, 0}, {1, 1, 0, 3, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 2, 1}, {1, 1, 0, 3, 2},
		}},
		{Disabled, "the end is shown, then the caller must act", []frame{
			{0, 0, 0, 1, 0}, {0, 0, 0, 2, 0}, {1, 1, 0, 3, 0},
		}},
	} {
		p, b := short(t, c.auto)
		for n, want := range c.want {
			must(t, p.Step(b, still(p)))
			if got := frameOf(b); got != want {
				t.Errorf("%v (%s), step %d: %+v, want %+v", c.auto, c.reason, n+1, got, want)
			}
		}
	}
}

// The final buffers of SameStep hold what NextStep shows at the same moment.
func TestFinal(t *testing.T) {
	same, a := short(t, SameStep)
	next, b := short(t, NextStep)
	if b.Bytes("final.obs.self") != nil || a.Bytes("final.obs.self") == nil || a.Bytes("final.reward") != nil {
		t.Error("final buffers exist with SameStep alone, and for what a position shows alone")
	}
	for range 3 {
		must(t, same.Step(a, still(same)))
		must(t, next.Step(b, still(next)))
	}
	for _, name := range []string{"obs.board", "obs.self", "obs.odds", "action_mask", "alive", "seat"} {
		if !slices.Equal(a.Bytes("final."+name), b.Bytes(name)) {
			t.Errorf("final %s is %v, want %v", name, a.Bytes("final."+name), b.Bytes(name))
		}
	}
	must(t, next.Step(b, still(next)))
	if string(a.Bytes("obs.self")) != string(b.Bytes("obs.self")) {
		t.Error("with SameStep the batch does not show the next episode's first position")
	}
}

// With autoreset disabled, only a reset that covers a finished game lets the
// pool go on, and it leaves the other games alone.
func TestDisabled(t *testing.T) {
	p, b := short(t, Disabled)
	must(t, p.Step(b, still(p)))
	must(t, p.Reset(b, ResetOptions{Mask: []bool{false, true}}))
	if b.length[0] != 1 || b.length[1] != 0 || b.episode[1] != 1 {
		t.Errorf("after resetting game 1 alone lengths are %v and episodes %v, want 1 and 0, and 0 and 1", b.length,
			b.episode)
	}
	must(t, p.Step(b, still(p)))
	must(t, p.Step(b, still(p)))
	if !slices.Equal(b.Finished(), []int32{0}) {
		t.Fatalf("finished are %v, want game 0", b.Finished())
	}
	before := p.Match(1).Status()
	err := p.Step(b, still(p))
	if !errors.Is(err, ErrFinished) || !strings.Contains(err.Error(), "game 0") {
		t.Errorf("stepping a finished game: %v, want ErrFinished for game 0", err)
	}
	if p.Match(1).Status() != before {
		t.Error("the step was refused, but game 1 has moved")
	}
	must(t, p.Reset(b, ResetOptions{Mask: []bool{true, false}}))
	if b.length[0] != 0 || b.length[1] != 2 || b.done[0] != 0 || b.truncated[0] != 0 {
		t.Errorf("after resetting game 0 alone: lengths %v, done %v, truncated %v", b.length, b.done, b.truncated)
	}
	must(t, p.Step(b, still(p)))
}

// If the rules and the caller's limit end a game in the same step, the rules do,
// and pay; the step before, the limit alone pays nothing.
func TestTerminatedBeatsTruncated(t *testing.T) {
	limit := teams.Spec().MaxSteps
	for _, c := range []struct {
		limit                 int
		terminated, truncated uint8
	}{{limit, 1, 0}, {limit - 1, 0, 1}, {0, 1, 0}} {
		p := make1(t, Config{Game: teams, Games: 200, MaxEpisodeSteps: c.limit})
		b := p.NewBatch(nil)
		must(t, p.Reset(b, ResetOptions{Seed: ptr(0)}))
		checked := 0
		for n := 1; n <= limit; n++ {
			must(t, p.Step(b, still(p)))
			for _, g := range b.Finished() {
				st := p.Match(int(g)).Status()
				if int(b.length[g]) != n || b.episode[g] != 0 || n < limit-1 || st.Result == env.Win {
					continue
				}
				checked++
				for row := 6 * g; row < 6*g+6; row++ {
					if b.terminated[row] != c.terminated || b.truncated[row] != c.truncated {
						t.Fatalf("limit %d, game %d, %d steps: terminated %d, truncated %d, want %d, %d", c.limit, g, n,
							b.terminated[row], b.truncated[row], c.terminated, c.truncated)
					}
					if c.truncated == 1 && b.reward[row] != 0 && st.In != 0 && b.now.alive[row] == 1 {
						t.Fatalf("limit %d, game %d: a living row is paid %v for being cut off", c.limit, g, b.reward[row])
					}
				}
			}
		}
		if checked == 0 {
			t.Errorf("limit %d: no game lasted that long, so nothing was tested", c.limit)
		}
	}
}

// One learner on its own: its death ends the episode, or does not.
func TestOnDeath(t *testing.T) {
	for _, onDeath := range []OnDeath{End, Wait} {
		p := make1(t, Config{Game: solo, Games: 40, Opponents: []string{"hunter", "hunter"}, OnDeath: onDeath,
			Autoreset: Disabled})
		b := p.NewBatch(nil)
		must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
		diedFirst := 0
		reset := make([]bool, p.Games())
		for range 400 {
			must(t, p.Step(b, still(p)))
			for g := range p.Games() {
				over := p.Match(g).Status()
				dead := b.now.alive[g] == 0
				if dead && onDeath == End && b.terminated[g] != 1 {
					t.Fatalf("end: game %d: the learner is out, the episode goes on", g)
				}
				if dead && over.In.Len() > 1 {
					diedFirst++
					if onDeath == End && b.reward[g] != -1 {
						t.Fatalf("end: game %d: the learner died with two left and is paid %v, want -1", g, b.reward[g])
					}
					if onDeath == Wait && b.terminated[g] != 0 && over.Steps < solo.Spec().MaxSteps {
						t.Fatalf("wait: game %d: terminated with two left", g)
					}
				}
				reset[g] = b.done[g] == 1
			}
			if len(b.Finished()) > 0 {
				must(t, p.Reset(b, ResetOptions{Mask: reset}))
			}
		}
		if diedFirst == 0 {
			t.Errorf("%v: no learner died first, so nothing was tested", onDeath)
		}
	}
}

// With Outcome each row is paid once an episode at most, +1, -1 or a tie's
// value; its return is what it was paid.
func TestOutcomePaysOnce(t *testing.T) {
	p := make1(t, Config{Game: teams, Games: 10, Autoreset: SameStep})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(5)}))
	pl := &player{spec: p.Spec(), rng: env.RNG{State: 2}}
	paid, returns := make([]int, p.Rows()), make([]float64, p.Rows())
	early := 0
	for range 400 {
		must(t, p.Step(b, pl.actions(b, resetNext(b))))
		for row, r := range b.reward {
			g := row / 6
			returns[row] += r
			if r != 0 {
				paid[row]++
				if b.done[g] == 0 {
					early++
				}
			}
			if paid[row] > 1 || r != 0 && r != 1 && r != -1 {
				t.Fatalf("row %d is paid %v, the %d. time in this episode", row, r, paid[row])
			}
			if b.returns[row] != returns[row] {
				t.Fatalf("row %d: game.return is %v, want %v", row, b.returns[row], returns[row])
			}
			if b.done[g] == 1 {
				paid[row], returns[row] = 0, 0
			}
		}
	}
	if early == 0 {
		t.Error("no row was paid before its game ended, so little was tested")
	}
}
