package learned

import (
	"math"

	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/seat"
)

// leastOdds is the least that a move can have in [Guide.Odds].
const leastOdds = -8

// Guide says what a network thinks of moves, to agents that search. The zero Guide asks the
// built-in network for the kind of game.
type Guide struct{ brain func() *brain }

// Choose sets the network from an option: the name of one that is built in, or a user's file.
func (g *Guide) Choose(o *seat.Options, key string) { choose(o, key, &g.brain) }

// Bytes is the most memory that it computes in.
func (g *Guide) Bytes() int64 {
	if g.brain == nil {
		return brains["mappo-team"]().bytes
	}
	return g.brain().bytes
}

// Odds returns for each move the natural logarithm of how likely it is beside the likeliest
// safe one, times scale: at most 0, and leastOdds times scale for what is less likely or not safe.
func (g *Guide) Odds(v *pommerman.View, scale int32) (odds [tactics.Choices]int32) {
	b := g.choice(v.Rules)
	w := b.works.Get().(*work)
	defer b.works.Put(w)
	answers, safe := b.think(v, w), w.safety.Moves()
	one := int64(unit) << b.Layers[len(b.Layers)-1].Shift
	best := int64(math.MinInt64)
	for move := range safe.All {
		best = max(best, int64(answers[move]))
	}
	for move := range odds {
		odds[move] = leastOdds * scale
		if safe.Has(pommerman.Action(move)) {
			odds[move] = int32(max(leastOdds*int64(scale), (int64(answers[move])-best)*int64(scale)/one))
		}
	}
	return odds
}

// choice returns the network to ask.
func (g *Guide) choice(r *pommerman.Rules) *brain {
	switch {
	case g.brain != nil:
		return g.brain()
	case r.Teams():
		return brains["mappo-team"]()
	case r.Seats() == 2:
		return brains["ppo-duel"]()
	}
	return brains["ppo-ffa"]()
}
