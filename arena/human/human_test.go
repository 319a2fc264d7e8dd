package human_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"pommego/arena/human"
	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/envtest"
)

// played is the actions of a seat's first moves in a game in which it is given an
// input, and what it was shown.
func played(t *testing.T, game env.Game, name, in string, keys bool, moves int) (actions [][]uint8, shown string, err error) {
	t.Helper()
	var out strings.Builder
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	console := human.NewConsole(human.Options{In: strings.NewReader(in), Out: &out, Keys: keys, Leave: cancel})
	p, err := human.NewPlayer(game, name, console)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	if err := p.Begin(ctx, match.Start{Game: game}); err != nil {
		t.Fatal(err)
	}
	for range moves {
		action := make([]uint8, len(game.Spec().Actions))
		if _, err := p.Act(ctx, m, 0, action); err != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
				t.Errorf("the match ended with %v, the move with %v", cause, err)
			}
			return actions, out.String(), err
		}
		actions = append(actions, action)
	}
	return actions, out.String(), nil
}

func get(t *testing.T, id string) env.Game {
	t.Helper()
	game, err := catalog.Game(id)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

func TestKeys(t *testing.T) {
	for _, tc := range []struct {
		reason, id, keys string
		want             [][]uint8
	}{
		{"letters in either case", "OneVsOne-v0", "wSaD", [][]uint8{{1}, {2}, {3}, {4}}},
		{"arrows in both forms", "OneVsOne-v0", "\x1b[A\x1bOB\x1b[D\x1b[C", [][]uint8{{1}, {2}, {3}, {4}}},
		{"bomb and stop", "OneVsOne-v0", " b.\nx", [][]uint8{{5}, {5}, {0}, {0}, {0}}},
		{"keys that mean nothing", "OneVsOne-v0", "z\x1bé7\x1b[Hw", [][]uint8{{1}}},
		{"words before the move", "PommeRadioCompetition-v2", "37w5s.", [][]uint8{{1, 3, 7}, {2, 5, 0}, {0, 0, 0}}},
		{"the last words count, and none that there is not", "PommeRadioCompetition-v2", "1923w", [][]uint8{{1, 3, 2}}},
		{"three bombers", "BaseWarSides-v0", "wa ..d", [][]uint8{{1, 3, 5}, {0, 0, 4}}},
	} {
		got, shown, err := played(t, get(t, tc.id), "human", tc.keys, true, len(tc.want))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v (error %v), want %v", tc.reason, got, err, tc.want)
		}
		if strings.Count(shown, "\x1b[H\x1b[2J"+tc.id+", you have seat 0\n") != len(tc.want) || !strings.Contains(shown, "arrows or w a s d move") {
			t.Errorf("%s: it was shown %q", tc.reason, shown)
		}
	}
}

// The dead bombers of a side need no key.
func TestKeysOfTheDead(t *testing.T) {
	game := get(t, "BaseWarSides-v0")
	console := human.NewConsole(human.Options{In: strings.NewReader("ws"), Out: io.Discard, Keys: true})
	p, err := human.NewPlayer(game, "human", console)
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	action := make([]uint8, 3)
	if _, err := p.Act(t.Context(), &oneDead{m}, 0, action); err != nil || !reflect.DeepEqual(action, []uint8{1, 0, 2}) {
		t.Errorf("action %v (error %v), want up for the first bomber and down for the third", action, err)
	}
}

// oneDead is a match in which the second of three bombers is dead.
type oneDead struct{ env.Match }

func (m *oneDead) Mask(seat int, dst []uint8) {
	m.Match.Mask(seat, dst)
	clear(dst[7:12])
}

func TestLines(t *testing.T) {
	for _, tc := range []struct {
		reason, id, lines string
		want              [][]uint8
	}{
		{"names, keys and numbers", "OneVsOne-v0", "up\nd\n3\nBOMB\n.\n\nstop", [][]uint8{{1}, {4}, {3}, {5}, {0}, {0}, {0}}},
		{"words in any place", "PommeRadioCompetition-v2", "up 3 5\r\n8, 1, w\n2\n", [][]uint8{{1, 3, 5}, {1, 8, 1}, {0, 2, 0}}},
		{"parts left out", "BaseWarSides-v0", "up\nstop b\n", [][]uint8{{1, 0, 0}, {0, 5, 0}}},
		{"lines that are none are asked for again", "SuiteBot-v0", "jump\n6\nup up\nplant_bomb\n", [][]uint8{{5}}},
		{"words that are none", "PommeRadioCompetition-v2", "up 9\nup 1 2 3\n1\n", [][]uint8{{0, 1, 0}}},
	} {
		got, shown, err := played(t, get(t, tc.id), "human", tc.lines, false, len(tc.want))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v (error %v), want %v", tc.reason, got, err, tc.want)
		}
		if strings.Contains(shown, "\x1b") {
			t.Errorf("%s: it was shown %q", tc.reason, shown)
		}
	}
}

// A game whose moves have other names is played by their numbers and names.
func TestAnyGame(t *testing.T) {
	game := envtest.Toy()
	names := game.Spec().Actions[0].Names
	got, shown, err := played(t, game, "human", names[1]+"\n", false, 1)
	if err != nil || got[0][0] != 1 || !strings.Contains(shown, names[len(names)-1]) {
		t.Errorf("%v (error %v), shown %q", got, err, shown)
	}
}

func TestLeaving(t *testing.T) {
	for _, tc := range []struct {
		in, want string
		keys     bool
	}{
		{"up\nquit\n", "human has left", false}, {"up\n Q \n", "human has left", false}, {"up\n", "the input has ended", false},
		{"wq", "human has left", true}, {"w\x04", "the input has ended", true}, {"w", "the input has ended", true}, {"w\x1b[", "the input has ended", true},
	} {
		got, _, err := played(t, get(t, "OneVsOne-v0"), "human", tc.in, tc.keys, 9)
		if len(got) != 1 || !errors.Is(err, human.ErrLeft) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v (error %v), want one move and %q", tc.in, got, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe() // that says nothing
	defer w.Close()
	p, err := human.NewPlayer(get(t, "OneVsOne-v0"), "human", human.NewConsole(human.Options{In: r, Out: io.Discard}))
	if err != nil {
		t.Fatal(err)
	}
	m := get(t, "OneVsOne-v0").New(1)[0]
	m.Reset(env.Seed{})
	if _, err := p.Act(ctx, m, 0, []uint8{0}); !errors.Is(err, context.Canceled) {
		t.Errorf("in a match that is over: %v", err)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"human": true, "human:speed=2": true, "humanoid": false, "simple": false} {
		if human.Named(name) != want {
			t.Errorf("%q is a person's: %v", name, !want)
		}
	}
}
