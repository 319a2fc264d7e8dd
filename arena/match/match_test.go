package match_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/envtest"
)

// A match of built-in agents is the game that the contract alone would play,
// with the agents' RNGs from the seed, and the same every time.
func TestPlayIsTheGame(t *testing.T) {
	game := envtest.NewToy(envtest.ToySolo())
	names := []string{"hunter", "wander", "hunter:reach=2"}
	for value := range uint64(20) {
		seed := env.Seed{Value: value, Episode: value % 3}
		got := playSeed(t, game, seatsOf(t, game, names...), seed, match.Rules{})
		want := byHand(t, game, seed, names)
		if len(got.moments) != len(want) {
			t.Fatalf("seed %v: %d moments, want %d", seed, len(got.moments), len(want))
		}
		for i, at := range got.moments {
			if string(at.state) != string(want[i]) {
				t.Fatalf("seed %v: step %d differs from a game played by hand", seed, i)
			}
		}
		again := playSeed(t, game, seatsOf(t, game, names...), seed, match.Rules{})
		if !reflect.DeepEqual(timeless(got.Report), timeless(again.Report)) {
			t.Fatalf("seed %v gave %+v, then %+v", seed, got, again)
		}
		if got.End.Steps != len(want)-1 || !got.End.Over {
			t.Errorf("seed %v: %+v after %d steps", seed, got.Report, len(want)-1)
		}
	}
}

// byHand is the states of a game, from the start to the end.
func byHand(t *testing.T, game env.Game, seed env.Seed, names []string) [][]byte {
	t.Helper()
	m := game.New(1)[0]
	m.Reset(seed)
	var agents []env.Agent
	for seat, name := range names {
		agent, err := game.NewAgent(name)
		if err != nil {
			t.Fatal(err)
		}
		agent.Reset(seed.RNG(env.StreamAgents + uint64(seat)))
		agents = append(agents, agent)
	}
	states := [][]byte{m.Append(nil)}
	width := len(game.Spec().Actions)
	for !m.Status().Over {
		actions := make([]uint8, width*len(agents))
		for seat, agent := range agents {
			if m.Status().In.Has(seat) {
				agent.Act(m, seat, actions[seat*width:][:width])
			}
		}
		m.Step(actions)
		states = append(states, m.Append(nil))
	}
	return states
}

// The result names the winners, with their outcomes, and moves are counted
// while a seat is in.
func TestResult(t *testing.T) {
	game := variant(t, "PommeTeam-v0", `{}`)
	wins := 0
	for value := range uint64(10) {
		p := playSeed(t, game, seatsOf(t, game, "simple", "random", "simple", "random"), env.Seed{Value: value},
			match.Rules{})
		last := p.moments[len(p.moments)-1]
		status := last.Match.Status()
		if p.End.Result != status.Result || p.End.Winners != status.Winners || p.End.Steps != status.Steps {
			t.Errorf("seed %d: %+v of a game that ended %+v", value, p.Report, status)
		}
		for seat, outcome := range p.Outcome {
			want := 0.0
			if status.Result == env.Win {
				want = -1
				if status.Winners.Has(seat) {
					want = 1
				}
				wins++
			}
			moves := 0
			for _, at := range p.moments[:len(p.moments)-1] {
				m := game.New(1)[0]
				if err := m.Restore(at.state); err != nil {
					t.Fatal(err)
				}
				if m.Status().In.Has(seat) {
					moves++
				}
			}
			if outcome != want || p.Seats[seat].Moves != moves || p.Seats[seat].Agent == "" {
				t.Errorf("seed %d, seat %d: outcome %v, %+v; want %v and %d moves", value, seat, outcome, p.Seats[seat], want,
					moves)
			}
		}
	}
	if wins == 0 {
		t.Error("nobody ever won")
	}
}

// A player that fails plays stop, whatever it has written; so does one that is
// late; and the match goes on.
func TestReplacedMoves(t *testing.T) {
	sleep := func(_ context.Context, action []uint8) (match.Cost, error) {
		time.Sleep(2 * time.Millisecond)
		action[0] = 5
		return match.Cost{Ticks: 3}, nil
	}
	for _, tc := range []struct {
		reason       string
		player       scripted
		rules        match.Rules
		late, failed int
		move         uint8
		says         string
	}{
		{"an error", scripted{act: func(_ context.Context, a []uint8) (match.Cost, error) {
			a[0] = 5
			return match.Cost{}, errors.New("out of ideas")
		}}, match.Rules{}, 0, 9, 0, "step 9: out of ideas"},
		{"no action of the game", scripted{act: func(_ context.Context, a []uint8) (match.Cost, error) {
			a[0] = 6
			return match.Cost{}, nil
		}}, match.Rules{}, 0, 9, 0, "step 9: move is 6, want 0 to 5"},
		{"a remote player that waits for its context",
			scripted{remote: true, act: func(ctx context.Context, a []uint8) (match.Cost, error) {
				a[0] = 5
				<-ctx.Done()
				return match.Cost{}, ctx.Err()
			}}, match.Rules{Limit: time.Millisecond}, 9, 0, 0, "step 9: no answer within 1ms"},
		{"a remote player that is slow and does not notice", scripted{remote: true, act: sleep},
			match.Rules{Limit: time.Millisecond}, 9, 0, 0, "within 1ms"},
		{"a slow built-in agent without a clock", scripted{act: sleep}, match.Rules{Limit: time.Millisecond}, 0, 0, 5,
			"at the end: it does not care"},
		{"a slow remote player with time", scripted{remote: true, act: sleep}, patient, 0, 0, 5, ""},
		{"a player that could not begin", scripted{remote: true, begin: errors.New("still loading"), act: sleep}, patient, 0,
			0, 5, "at the start: still loading"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			game := duel(t, "9")
			p := play(t, game, []match.Player{seatsOf(t, game, "static")[0], &tc.player}, tc.rules)
			seat := p.Seats[1]
			if seat.Moves != 9 || seat.Late != tc.late || seat.Failed != tc.failed {
				t.Errorf("%+v, want 9 moves, %d late, %d failed", seat, tc.late, tc.failed)
			}
			for step, move := range p.moves(1) {
				if move != tc.move {
					t.Errorf("step %d: played %d, want %d", step+1, move, tc.move)
				}
			}
			at := p.moments[1]
			if at.Late.Has(1) != (tc.late > 0) || at.Failed.Has(1) != (tc.failed > 0) || at.Late.Has(0) || at.Failed.Has(0) {
				t.Errorf("the first step was shown as late %b, failed %b", at.Late, at.Failed)
			}
			if !strings.Contains(seat.LastError, tc.says) {
				t.Errorf("the report says %q, want %q", seat.LastError, tc.says)
			}
			if p.Seats[0] != (match.SeatReport{Agent: "static", Moves: 9, Think: p.Seats[0].Think,
				Longest: p.Seats[0].Longest}) {
				t.Errorf("the other seat suffered: %+v", p.Seats[0])
			}
		})
	}
}

// What players spent is added up.
func TestSpent(t *testing.T) {
	game := duel(t, "6")
	ticks := uint64(0)
	thinker := &scripted{act: func(context.Context, []uint8) (match.Cost, error) {
		ticks++
		return match.Cost{Ticks: ticks}, nil
	}}
	p := play(t, game, []match.Player{thinker, seatsOf(t, game, "static")[0]}, match.Rules{})
	if got := p.Seats[0]; got.Ticks != 1+2+3+4+5+6 || got.Think <= 0 || got.Longest <= 0 || got.Longest > got.Think {
		t.Errorf("spent %+v, want 21 ticks and some time", got)
	}
	if len(thinker.ended) != 1 ||
		!reflect.DeepEqual(thinker.ended[0], match.Outcome{Result: env.Tie, Steps: 6, Reward: -1, Counts: nothing(game)}) {
		t.Errorf("it was told of the end %+v", thinker.ended)
	}
}

// nothing is what a game counts in which nothing happens.
func nothing(game env.Game) env.Counts {
	all := env.Counts{}
	for _, c := range game.Spec().Counts {
		all[c.Name] = make([]int32, game.Spec().Seats)
	}
	return all
}

// Whatever keeps a match from being played is an error.
func TestPlayErrors(t *testing.T) {
	game := duel(t, "9")
	static := seatsOf(t, game, "static", "static", "static")
	absent := &scripted{remote: true, begin: fmt.Errorf("somebody %w", match.ErrAbsent)}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	broken := errors.New("the screen is broken")
	for _, tc := range []struct {
		reason  string
		ctx     context.Context
		players []match.Player
		rules   match.Rules
		watch   match.Watch
		want    string
		is      error
	}{
		{"too many players", t.Context(), static, match.Rules{}, nil, "3 players, want 2", nil},
		{"limit", t.Context(), static[:2], match.Rules{Limit: -1}, nil, "the limit for a move is -1ns", nil},
		{"wait", t.Context(), static[:2], match.Rules{Wait: -1}, nil, "the wait for a player is -1ns", nil},
		{"steps", t.Context(), static[:2], match.Rules{MaxSteps: -1}, nil, "the most steps are -1", nil},
		{"absent", t.Context(), []match.Player{static[0], absent}, match.Rules{}, nil, "seat 1: somebody is not there",
			match.ErrAbsent},
		{"canceled", canceled, static[:2], match.Rules{}, nil, "", context.Canceled},
		{"watch", t.Context(), static[:2], match.Rules{}, func(match.Moment) error { return broken }, "", broken},
	} {
		result, err := match.Play(tc.ctx, game, tc.players, env.Seed{}, tc.rules, tc.watch)
		if err == nil || result != nil || !strings.Contains(err.Error(), tc.want) || tc.is != nil && !errors.Is(err, tc.is) {
			t.Errorf("%s: %v, %v; want an error with %q", tc.reason, result, err, tc.want)
		}
	}
}

// A match ends with its context, in the middle of a move too: of its own, or of a built-in agent's after it. That move
// is not made, even if it would be the last.
func TestPlayCanceled(t *testing.T) {
	game := duel(t, "9")
	for _, answer := range []error{context.Canceled, nil} {
		ctx, cancel := context.WithCancel(t.Context())
		quitter := &scripted{remote: true, act: func(ctx context.Context, _ []uint8) (match.Cost, error) {
			cancel()
			<-ctx.Done()
			return match.Cost{}, answer
		}}
		shown := 0
		report, err := match.Play(ctx, game, []match.Player{quitter, seatsOf(t, game, "static")[0]}, env.Seed{},
			match.Rules{Limit: time.Hour, MaxSteps: 1}, func(match.Moment) error { shown++; return nil })
		if !errors.Is(err, context.Canceled) || report != nil || shown != 1 {
			t.Errorf("%v with %+v after %d positions, want %v after the first", err, report, shown, context.Canceled)
		}
	}
}

// A match is cut off after so many steps of its own, wherever it begins. Nobody is paid then, whoever leads.
func TestMaxSteps(t *testing.T) {
	game := variant(t, "BaseWar-v0", `{}`)
	seats := seatsOf(t, game, "simple", "simple", "simple", "static", "static", "static")
	whole := play(t, game, seats, match.Rules{MaxSteps: 60})
	rest := play(t, game, seats, match.Rules{MaxSteps: 20, From: whole.moments[40].state})
	if len(whole.moments) != 61 || len(rest.moments) != 21 {
		t.Errorf("%d and %d positions, want 61 and 21", len(whole.moments), len(rest.moments))
	}
	leads, none := make([]float64, 6), make([]float64, 6)
	if whole.moments[60].Match.Outcome(leads); reflect.DeepEqual(leads, none) {
		t.Error("nobody leads, so that this test shows nothing")
	}
	if !reflect.DeepEqual(whole.Outcome, none) || whole.Results[0] != env.Undecided {
		t.Errorf("the results are %v and pay %v, want nothing", whole.Results, whole.Outcome)
	}
}

// A match that is decided when its context ends has its report. A tie pays what the original pays.
func TestPlayCanceledAtTheEnd(t *testing.T) {
	game := duel(t, "9")
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	report, err := match.Play(ctx, game, seatsOf(t, game, "static", "static"), env.Seed{}, match.Rules{},
		func(at match.Moment) error {
			if status := at.Match.Status(); status.Over {
				steps = status.Steps
				cancel()
			}
			return nil
		})
	if err != nil || report.End.Result != env.Tie || report.End.Winners != 0 || report.End.Steps != steps {
		t.Fatalf("%+v, %v; want a tie after %d steps", report, err, steps)
	}
	for seat, outcome := range report.Outcome {
		if outcome != -1 || report.Results[seat] != env.Tied {
			t.Errorf("seat %d has %s with outcome %v, want %s with -1", seat, report.Results[seat], outcome, env.Tied)
		}
	}
}

// TestWeightsFromFile: a player reads the file that an option of its agent names. The
// game itself, which makes agents for clients, reads none.
func TestWeightsFromFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weights.json")
	if err := os.WriteFile(file, []byte(`{"kill": 2500}`), 0o600); err != nil {
		t.Fatal(err)
	}
	game, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		t.Fatal(err)
	}
	p, err := match.NewPlayer(game, "champion:weights="+file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := game.NewAgent("champion:weights=" + file); err == nil ||
		!strings.Contains(err.Error(), "want one of default, peaceful, reckless") {
		t.Errorf("the game makes the agent: %v, want an error", err)
	}
	if _, err := match.NewPlayer(game, "champion:weights="+file+".gone"); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("without the file: %v, want an error", err)
	}
}

func TestNewPlayerErrors(t *testing.T) {
	game := duel(t, "9")
	for _, tc := range []struct{ name, want string }{
		{"nobody", `no agent is called "nobody", there are: static, random, simple`},
		{"nobody", "or one of exec:COMMAND, http://host:port, library:PATH"},
		{"llm:http://127.0.0.1:1/v1,model=m", "no agent is called"}, // package llm/model has them
		{"http://", "want http://host:port"},
		{"http:host", "want http://host:port"},
		{"https://127.0.0.1:1", "want http://host:port"},
		{"http://127.0.0.1:1/agent", "want http://host:port"},
		{"http://127.0.0.1:1?x=1", "want http://host:port"},
		{"http://me@127.0.0.1:1", "want http://host:port"},
		{"exec:", "want exec:COMMAND"},
		{"exec:  ", "want exec:COMMAND"},
	} {
		if p, err := match.NewPlayer(game, tc.name); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: %v, %v; want an error with %q", tc.name, p, err, tc.want)
		}
	}
}
