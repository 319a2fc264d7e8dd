package match

import (
	"errors"

	"pommego/env"
)

// errUneven says that teams cannot change places.
var errUneven = errors.New("match: sides cannot be drawn, because teams differ in size")

// DrawSides seats players at random, as contests do that draw the sides.
// players are listed as if player k sat in seat k; those who share a team stay
// together and in order, and which seats the team gets is drawn from the seed,
// all ways equally likely. Without teams each player's seat is drawn.
func DrawSides[T any](spec *env.Spec, players []T, seed env.Seed) ([]T, error) {
	order := make([]int, len(spec.Teams))
	for i := range order {
		order[i] = i
		if len(spec.Teams[i]) != len(spec.Teams[0]) {
			return nil, errUneven
		}
	}
	rng := seed.RNG(env.StreamSeats)
	for i := len(order) - 1; i > 0; i-- {
		k := rng.IntN(i + 1)
		order[i], order[k] = order[k], order[i]
	}
	seated := make([]T, len(players))
	for team, from := range order {
		for i, seat := range spec.Teams[team] {
			seated[seat] = players[spec.Teams[from][i]]
		}
	}
	return seated, nil
}
