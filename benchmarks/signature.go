package benchmarks

import (
	"errors"
	"fmt"
	"hash/crc64"
	"slices"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/rollout"
)

// Signature identifies how an agent plays in games against itself: agents that play the
// same have the same one.
type Signature struct {
	Hash  string `json:"signature"` // a hash of all moves
	Ticks uint64 `json:"ticks"`     // simulated
}

// signatureGames is the number of games. Their seeds are those from 0 on.
const signatureGames = 3

// SignatureGame returns the id's game, of 100 steps at most, so that agents which mind
// the time see all of it. SuiteBot has no rule for that, and has 100 rounds anyway.
func SignatureGame(id string) (env.Game, error) {
	if game, err := catalog.Variant(id, []byte(`{"max_steps": 100}`)); err == nil {
		return game, nil
	}
	return catalog.Game(id)
}

// Sign plays the games of an agent without a limit in time. The signature is the same
// with any number of workers; 0 means one for each core.
func Sign(game env.Game, newAgent func() (env.Agent, error), workers int) (s Signature, err error) {
	var moves [signatureGames][]uint8
	var ticks [signatureGames]uint64
	var errs [signatureGames]error
	play := func(_, from, to int) int {
		for i := from; i < to; i++ {
			moves[i], ticks[i], errs[i] = rollout.Record(game, env.Seed{Value: uint64(i)}, newAgent)
		}
		return 0
	}
	Options{Workers: workers}.inParallel(signatureGames, play).run()
	for i := range ticks {
		s.Ticks += ticks[i]
	}
	hash := crc64.Checksum(slices.Concat(moves[:]...), crc64.MakeTable(crc64.ECMA))
	s.Hash = fmt.Sprintf("%016x", hash)
	return s, errors.Join(errs[:]...)
}
