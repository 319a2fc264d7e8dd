package match

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"pommego/env"
)

// The times that apply where Rules leaves them out.
const (
	DefaultLimit = 100 * time.Millisecond
	DefaultWait  = 10 * time.Second
)

// Rules are the competition's rules, which apply beside those of the game. The
// zero value has the limits of the game's own document, or the default limit, for
// remote players.
type Rules struct {
	// Limit is how long a remote player may take for a move; 0: the Traits.Limit of the first player
	// that has one, else what the game's document says (env.Game.Clock), else DefaultLimit.
	Limit time.Duration

	// giveUp is the time without an answer after which a remote player without a Traits.Limit counts as gone: it
	// is not asked again in this game and plays stop. Until then the match waits for its answer, although it comes
	// too late to be played. The game's document sets it; 0: never, and then no wait is longer than Limit.
	giveUp time.Duration

	// Wait is how long a remote player may take to get ready for a game; 0:
	// DefaultWait.
	Wait time.Duration

	// Memory is how many bytes the program of a player may have in memory, with all that it
	// has started; 0: any number. With more it is stopped, and its side has lost.
	Memory int64

	// Repetition plays the game on its seed's board with other RNGs: the RNGs of
	// the game and of the agents are those of the episode this many later.
	Repetition int

	// MaxSteps cuts a game off after this many steps from its start or From, undecided; 0: never.
	MaxSteps int

	// Events makes Moment.Tracker keep events.
	Events bool

	// Untimed does not measure how long built-in agents take for their moves: measuring takes time.
	Untimed bool

	// From is a saved game, as env.Match.Append writes it, from which the match begins;
	// nil: the seed deals the start. The seed decides random draws in both cases.
	From []byte
}

// Validate says what is wrong with the rules.
func (r *Rules) Validate() error {
	switch {
	case r.Limit < 0:
		return fmt.Errorf("match: the limit for a move is %v, want more than 0, or 0 for %v (--limit)", r.Limit, DefaultLimit)
	case r.Wait < 0:
		return fmt.Errorf("match: the wait for a player is %v, want more than 0, or 0 for %v (--wait)", r.Wait, DefaultWait)
	case r.Memory < 0:
		return fmt.Errorf("match: the memory for a program is %d bytes, want more than 0, or 0 for no limit "+
			"(--program-memory)", r.Memory)
	case r.Repetition < 0:
		return fmt.Errorf("match: the repetition is %d, want 0 or more", r.Repetition)
	case r.MaxSteps < 0:
		return fmt.Errorf("match: the most steps are %d, want more than 0, or 0 for no limit", r.MaxSteps)
	}
	return nil
}

// of returns the rules for matches of players in a game. Fields of r that are zero get what a player
// asks for, the game's clock or the defaults.
func (r Rules) of(game env.Game, players ...Player) Rules {
	for _, p := range players {
		t := p.Traits()
		r.Limit, r.Events = cmp.Or(r.Limit, t.Limit), r.Events || t.Events
	}
	limit, giveUp := game.Clock()
	r.Limit, r.Wait = cmp.Or(r.Limit, limit, DefaultLimit), cmp.Or(r.Wait, DefaultWait)
	if giveUp > 0 {
		r.giveUp = max(giveUp, r.Limit)
	}
	return r
}

// clock is how long a player may take for a move and when it is given up, 0 for never.
func (r *Rules) clock(p Player) (limit, giveUp time.Duration) {
	switch t := p.Traits(); {
	case !t.Remote:
		return 0, 0
	case t.Limit > 0:
		return r.Limit, 0
	}
	return r.Limit, r.giveUp
}

// begin tells a player that a game begins, and waits until it is ready. A program that is started again gets the whole
// time for it.
func (r *Rules) begin(parent context.Context, p Player, g Start) (err error) {
	g.Memory = r.Memory
	g.Limit, _ = r.clock(p)
	for err = errAgain; err == errAgain && parent.Err() == nil; {
		ctx, cancel := context.WithTimeout(parent, r.Wait)
		err = p.Begin(ctx, g)
		if late := ctx.Err() != nil && parent.Err() == nil; late && err != nil && err != errAgain {
			err = fmt.Errorf("%w; the wait for a player is %v", err, r.Wait)
		}
		cancel()
	}
	return err
}
