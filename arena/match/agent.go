package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"pommego/env"
)

// NewAgent makes an agent of an environment from the name of a player outside this
// program, which has the rules' limits of time and memory. Each
// agent is a program of its own; it starts with the agent's first move.
// Stop replaces a move that is late or fails (env.Outside counts them); after giving up on an agent, all of them
// fail. A program that has ended or hangs is started again in the next episode. Its memory is not part of a saved
// game. Its first failure is logged, unless log is nil, and its first MiB of standard error is passed on.
func NewAgent(game env.Game, name string, r Rules, log *slog.Logger) (env.Agent, error) {
	p, err := NewPlayer(game, name)
	if err != nil {
		return nil, err
	}
	if program, ok := p.(*execPlayer); ok {
		program.stderr.most = 1 << 20
	}
	return &outsider{game: game, player: p, rules: r.of(game, p),
		log: cmp.Or(log, slog.New(slog.DiscardHandler))}, nil
}

// mostWaits is for how many moves a player is waited for until it has been ready once; after that for one of an
// episode.
const mostWaits = 6

// outsider is an env.Agent whose moves a Player makes.
type outsider struct {
	env.NoSearch
	game         env.Game
	player       Player
	rules        Rules
	waits        int  // how often it was waited for in vain
	begun        bool // the player has been told of the episode
	gone         bool // it is not asked again in the episode: it is absent, lost or given up
	made         int  // moves that were answered
	late, failed int
	void         bool // the connection to the player has failed
	log          *slog.Logger
	warned       bool     // the first failure has been logged
	stop         env.Flag // nil: nothing stops it
}

// stopPause is how often it is looked whether an agent is to stop, and errStopped is the cause for which contexts end
// then. A program that is to answer is killed.
const stopPause = 50 * time.Millisecond

var errStopped = errors.New("match: nobody waits for the agent any more")

func (a *outsider) Waits() bool { return true }

func (a *outsider) StopOn(flag env.Flag) { a.stop = flag }

// within returns a context that ends after limit, or soon after the agent is to stop. The caller calls end.
func (a *outsider) within(limit time.Duration) (ctx context.Context, end func()) {
	if a.stop == nil {
		return context.WithTimeout(context.Background(), limit)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	ctx, end = context.WithTimeout(ctx, limit)
	go func() {
		for tick := time.Tick(stopPause); ctx.Err() == nil; {
			select {
			case <-ctx.Done():
			case <-tick:
				if a.stop.Load() {
					stop(errStopped)
				}
			}
		}
	}()
	return ctx, end
}

func (a *outsider) Missed() (late, failed int, void bool) {
	_, program := a.player.(*execPlayer) // one that ends, or does not start, has failed itself
	return a.late, a.failed, a.void || !program && a.failed > 0 && a.made+a.late == 0
}

func (a *outsider) Dialogue() (read, said string) {
	t, _ := env.ThoughtOf(a.game.Spec(), 0, a.player)
	return t.Read, t.Said
}

func (a *outsider) Close() error { return a.player.Close() }

func (a *outsider) Reset(env.RNG) {
	a.begun, a.gone, a.made, a.late, a.failed, a.void = false, false, 0, 0, 0, false
}

func (a *outsider) Reseed(env.RNG) {}

func (a *outsider) Act(m env.Match, seat int, action []uint8) {
	if a.gone {
		a.failed++
		return
	}
	if !a.begun {
		if err := a.begin(seat); err != nil {
			a.waits++ // one that has never been there may be starting still
			starts := errors.Is(err, ErrAbsent) && errors.Is(err, context.DeadlineExceeded)
			a.gone = !starts || a.waits > mostWaits
			a.fail(err)
			return
		}
	}
	limit, giveUp := a.rules.clock(a.player)
	start := time.Now()
	ctx, end := a.within(max(limit, giveUp))
	defer end()
	_, err := a.player.Act(ctx, m, seat, action)
	late := ctx.Err() != nil || time.Since(start) > limit
	a.gone = giveUp > 0 && ctx.Err() != nil || errors.Is(err, ErrVoid)
	if err == nil && !late {
		err = check(a.game.Spec().Actions, action)
	}
	switch {
	case late && !errors.Is(err, ErrVoid):
		a.late++
	case err != nil:
		a.fail(err)
	default:
		a.made++
		return
	}
	clear(action)
}

func (a *outsider) fail(err error) {
	if !a.warned {
		a.log.Warn("an agent outside the server failed, and plays stop", "agent", a.player.Name(), "error", err)
	}
	a.failed, a.warned, a.void = a.failed+1, true, a.void || errors.Is(err, ErrVoid)
}

// Try tells the player that a game begins, and returns an error if it cannot play. No move follows.
func (a *outsider) Try() error { return a.begin(0) }

// begin tells the player that a game begins. It returns an error if the player is absent, lost or
// out of memory. After any other error Act still asks for moves.
func (a *outsider) begin(seat int) error {
	ctx, end := a.within(3 * a.rules.Wait) // more than one that has hung takes, and the one that is started then
	defer end()
	err := a.rules.begin(ctx, a.player, Start{Seat: seat})
	for _, is := range []error{ErrAbsent, ErrVoid, errMemory} {
		if errors.Is(err, is) {
			return err
		}
	}
	a.begun = true
	return nil
}

func (a *outsider) End(m env.Match, t env.Tracker, seat int) {
	if !a.begun {
		return
	}
	ctx, end := a.within(a.rules.Limit)
	defer end()
	// A program that does not take the notice will not be ready for its next game.
	_ = a.player.End(ctx, outcomes(a.game, m, t)(seat))
	a.begun = false
}

func (a *outsider) Append(dst []byte) []byte { return dst }

func (a *outsider) Restore(state []byte) error {
	if len(state) != 0 {
		return fmt.Errorf("the state of an agent outside this program has %d bytes, want none", len(state))
	}
	a.Reset(env.RNG{})
	return nil
}
