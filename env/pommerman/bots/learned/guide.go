package learned

import (
	"math"

	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/seat"
)

// leastScore is the least that a move can have in [Guide.Scores].
const leastScore = -8

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

// Scores returns how far below the best safe move each move is in the network's draw, times scale. The move that the
// network alone makes has 0, and moves that are not safe have the least, leastScore times scale.
func (g *Guide) Scores(v *pommerman.View, scale int32) (scores [tactics.Choices]int32) {
	b := g.choice(v.Rules)
	w := b.works.Get().(*work)
	defer b.works.Put(w)
	answers, safe := b.think(v, w), w.safety.Moves()
	one := int64(unit) << b.Layers[len(b.Layers)-1].Shift
	best := int64(math.MinInt64)
	for move := range safe.All {
		best = max(best, int64(answers[move]))
	}
	for move := range scores {
		scores[move] = leastScore * scale
		if safe.Has(pommerman.Action(move)) {
			scores[move] = int32(max(leastScore*int64(scale), (int64(answers[move])-best)*int64(scale)/one))
		}
	}
	return scores
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
