package human

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// Named reports whether an agent's name is that of a person.
func Named(name string) bool { return name == "human" || strings.HasPrefix(name, "human:") }

// player is a person as a match.Player.
type player struct {
	name    string
	console *Console
	window  time.Duration // for a move; 0: as long as it takes
	spec    *env.Spec
	hand    hand
}

// maxSpeed is the most decisions a second.
const maxSpeed = 60

// NewPlayer makes a player of "human", or "human:speed=4" for so many decisions a
// second.
func NewPlayer(game env.Game, name string, c *Console) (match.Player, error) {
	speed, err := Speed(name)
	if err != nil {
		return nil, err
	}
	p := &player{name: name, console: c, spec: game.Spec(), hand: newHand(game.Spec())}
	if speed > 0 {
		p.window = time.Duration(float64(time.Second) / speed)
	}
	return p, nil
}

// Speed is how many decisions a second the name of a person asks for, 0 for as long as
// each takes.
func Speed(name string) (float64, error) {
	_, options, given := strings.Cut(name, ":")
	if !given {
		return 0, nil
	}
	key, value, _ := strings.Cut(options, "=")
	if key != "speed" {
		return 0, fmt.Errorf("agent %q: option %q does not exist, human takes: speed", name, key)
	}
	speed, err := strconv.ParseFloat(value, 64)
	if err != nil || !(speed > 0 && speed <= maxSpeed) {
		return 0, fmt.Errorf("agent %q: speed is %q, want more than 0 and at most %d decisions a second", name, value, maxSpeed)
	}
	return speed, nil
}

func (p *player) Name() string { return p.name }

func (p *player) Remote() bool { return false }

func (p *player) Begin(_ context.Context, g match.Start) error {
	p.spec = g.Game.Spec()
	return nil
}

func (p *player) End(context.Context, match.Outcome) error { return nil }

func (p *player) Close() error { return nil }

// Act shows the game and takes the person's move.
func (p *player) Act(ctx context.Context, m env.Match, seat int, action []uint8) (match.Cost, error) {
	picture := fmt.Appendf(nil, "%s, you have seat %d\n", p.spec.ID, seat)
	if seen, ok := m.(env.Seen); ok {
		picture = seen.AppendSeen(picture, seat, p.console.Colour)
	} else {
		picture = m.AppendText(picture, p.console.Colour)
	}
	picture = append(picture, p.hand.help(p.console.Keys)+"\n"...)
	if err := p.console.show(picture); err != nil {
		return match.Cost{}, p.console.leave(err)
	}
	var deadline time.Time
	if p.window > 0 {
		deadline = time.Now().Add(p.window)
	}
	p.hand.take(action, p.needless(m, seat))
	if p.console.Keys {
		return match.Cost{}, p.keys(ctx, deadline)
	}
	return match.Cost{}, p.line(ctx, deadline)
}

// needless lists the components of an action of which nothing but choice 0 has an
// effect, such as the moves of the dead: nil unless others have.
func (p *player) needless(m env.Match, seat int) []bool {
	mask, list := make([]uint8, p.spec.MaskSize()), make([]bool, len(p.spec.Actions))
	m.Mask(seat, mask)
	for i, c := range p.spec.Actions {
		list[i] = !slices.Contains(mask[1:c.N], 1)
		mask = mask[c.N:]
	}
	if !slices.Contains(list, false) {
		return make([]bool, len(list))
	}
	return list
}

// keys takes keys: until there is a choice for each bomber, or with a deadline until
// that, when the last ones count.
func (p *player) keys(ctx context.Context, deadline time.Time) error {
	for {
		key, ok, err := p.console.next(ctx, deadline)
		if err != nil || !ok {
			return err
		}
		if p.hand.key(key) && deadline.IsZero() {
			return nil
		}
	}
}

// line takes a line, another one if it cannot be read, and with a deadline waits for
// that, so that the speed stays.
func (p *player) line(ctx context.Context, deadline time.Time) error {
	for {
		line, ok, err := p.console.next(ctx, deadline)
		if err != nil || !ok {
			return err
		}
		wrong := p.hand.line(line)
		if wrong == nil {
			break
		}
		if err := p.console.show([]byte(wrong.Error() + "\n")); err != nil {
			return p.console.leave(err)
		}
	}
	if deadline.IsZero() {
		return nil
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(deadline)):
	}
	return ctx.Err()
}
