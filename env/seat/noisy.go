package seat

import (
	"pommego/env"
	"pommego/env/saved"
)

// noise is the option of noisy bots.
const noise = "noise"

// Noisy adds to a kind of bot the option noise: the share of decisions in which, in
// place of the move it decided on, it makes one drawn evenly from all there are. Its
// memory goes on as if it had made its own.
func Noisy[V any](k Kind[V], moves int) Kind[V] {
	return k.With(Real(noise, 0, 1, func(bot *Bot[V], share float64) {
		*bot = &noisy[V]{searchable: newSearchable(*bot), share: share, moves: moves}
	}))
}

// noisy is a bot that makes a share of its moves by chance.
type noisy[V any] struct {
	searchable[V]
	rng   env.RNG
	share float64
	moves int
}

func (a *noisy[V]) Reset(rng env.RNG) {
	a.Bot.Reset(a.own(rng))
}

func (a *noisy[V]) Reseed(rng env.RNG) {
	a.Bot.Reseed(a.own(rng))
}

// own takes an RNG for the noise from the bot's, which is as it was.
func (a *noisy[V]) own(rng env.RNG) env.RNG {
	of := rng
	a.rng = env.RNG{State: ^of.Uint64()}
	return rng
}

func (a *noisy[V]) Act(v *V, action []uint8) {
	a.Bot.Act(v, action)
	if a.rng.Float64() < a.share {
		action[0] = uint8(a.rng.IntN(a.moves))
	}
}

func (a *noisy[V]) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	a.Bot.Code(c)
}
