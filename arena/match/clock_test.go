package match_test

import (
	"context"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// An agent of an environment plays stop where its move is late, whatever that was.
func TestAgentsLate(t *testing.T) {
	game := clocked{duel(t, "9"), time.Nanosecond, time.Minute}
	a, err := match.NewAgent(game, program(t, "say:5"), match.Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o, action, m := a.(env.Outside), []uint8{0}, game.New(1)[0]
	defer o.Close()
	m.Reset(env.Seed{Value: 1})
	a.Act(m, 0, action)
	if late, failed, _ := o.Missed(); late != 1 || failed != 0 || action[0] != 0 {
		t.Errorf("%d late, %d failed, action %d, want 1, 0 and 0", late, failed, action[0])
	}
}

// clocked is a game whose document sets the clock.
type clocked struct {
	env.Game
	limit, giveUp time.Duration
}

func (g clocked) Clock() (limit, giveUp time.Duration) { return g.limit, g.giveUp }

// slowly answers in the given times, one after the other, then at once; a
// negative one is never.
func slowly(times ...time.Duration) *scripted {
	p := &scripted{remote: true}
	p.act = func(ctx context.Context, action []uint8) (match.Cost, error) {
		action[0] = 5
		if len(times) == 0 {
			return match.Cost{}, nil
		}
		next := times[0]
		times = times[1:]
		if next < 0 {
			<-ctx.Done()
			return match.Cost{}, ctx.Err()
		}
		time.Sleep(next)
		return match.Cost{}, nil
	}
	return p
}

// Who takes longer than the limit forfeits the move, and is asked for the next
// one all the same: the answer is awaited, because giving up is a long way off.
func TestForfeit(t *testing.T) {
	game := duel(t, "9")
	for _, tc := range []struct {
		reason string
		game   env.Game
		rules  match.Rules
	}{
		{"by the rules of the match", clocked{game, time.Second, time.Minute}, match.Rules{Limit: 20 * time.Millisecond}},
		{"by the game's own", clocked{game, 20 * time.Millisecond, time.Minute}, match.Rules{}},
	} {
		p := play(t, tc.game, []match.Player{seatsOf(t, game, "static")[0], slowly(0, 60*time.Millisecond, 0)}, tc.rules)
		// A busy machine may make further moves late, never the second in time.
		if moves := p.moves(1); moves[1] != 0 || p.Seats[1].Moves != 9 || p.Seats[1].Late < 1 || p.Seats[1].Gone != 0 {
			t.Errorf("%s: played %v, %+v; want the second move to be forfeited and 9 questions", tc.reason, moves, p.Seats[1])
		}
	}
}

// Who has not answered when it is given up holds to the end of the game and is
// not asked again; in the next game it is.
func TestGiveUp(t *testing.T) {
	game, slow := duel(t, "9"), slowly(-1, -1, -1)
	slow.limit = time.Minute
	for _, tc := range []struct {
		reason string
		game   env.Game
		rules  match.Rules
		player *scripted
		asked  int
	}{
		{"never answers the second question", clocked{game, 5 * time.Millisecond, time.Second}, match.Rules{},
			slowly(0, -1), 2},
		{"answers it after that time", clocked{game, 5 * time.Millisecond, time.Second}, match.Rules{},
			slowly(0, 1500*time.Millisecond), 2},
		{"a limit above the game's time moves that too", clocked{game, 5 * time.Millisecond, 10 * time.Millisecond},
			match.Rules{Limit: 40 * time.Millisecond}, slowly(-1), 1},
		{"a game that never gives up asks every time", clocked{game, 5 * time.Millisecond, 0}, match.Rules{},
			slowly(-1, -1, -1), 9},
		{"a player with a limit of its own is asked every time", clocked{game, 5 * time.Millisecond, 10 * time.Millisecond},
			match.Rules{Limit: 40 * time.Millisecond}, slow, 9},
	} {
		p := play(t, tc.game, []match.Player{seatsOf(t, game, "static")[0], tc.player}, tc.rules)
		seat := p.Seats[1]
		if seat.Moves != tc.asked || seat.Gone != 9-tc.asked || seat.Late < 1 || p.Seats[0].Moves != 9 ||
			p.Seats[0].Gone != 0 {
			t.Errorf("%s: %+v, want %d questions and %d moves without", tc.reason, seat, tc.asked, 9-tc.asked)
		}
		for step, move := range p.moves(1)[tc.asked:] {
			if move != 0 {
				t.Errorf("%s: %d moves after it was given up it played %d", tc.reason, step+1, move)
			}
		}
		if last := p.moments[9]; last.Gone.Has(1) != (tc.asked < 9) || last.Gone.Has(0) {
			t.Errorf("%s: the last step was shown with %b gone", tc.reason, last.Gone)
		}
	}
}
