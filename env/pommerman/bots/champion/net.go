package champion

import (
	_ "embed"
	"sync"
	"unsafe"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/network"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
)

// championNet is an agent that does not search: a small network chooses its moves. It
// learned from champion: docs/maintainers/champion-net.md is its model card. It remembers
// and says by radio what champion does.
type championNet struct {
	championMemory
	env.NoSearch
}

// SearchBytes is what the network computes in.
func (a *championNet) SearchBytes() int64 { return int64(unsafe.Sizeof(analysis{})) }

func (a *championNet) Reset(env.RNG) { *a = championNet{} }

func (a *championNet) Reseed(env.RNG) {} // it draws nothing

// netFile is the network. docs/maintainers/champion-net.md says how it was made.
//
//go:embed champion-net.net
var netFile []byte

// trained is the network of the file, read when it is first needed.
var trained = sync.OnceValue(func() *network.Network {
	n, err := network.Read(netFile, 1, netFeatures, tactics.Choices)
	if err != nil {
		panic(err)
	}
	return n
})

// analyses are lent to agents while they act.
var analyses = sync.Pool{New: func() any { return &analysis{memory: trained().NewMemory()} }}

func (a *championNet) Act(v *pommerman.View, action []uint8) {
	clear(action)
	if !a.attend(v) {
		return
	}
	s := analyses.Get().(*analysis)
	defer analyses.Put(s)
	s.look(v.Rules, v.Seat, &a.championMemory)
	s.express()
	answers := trained().Answers(s.input[:], s.memory)
	moves := s.bearable()
	best := moves.First()
	for move := range moves.All {
		if answers[move] > answers[best] {
			best = move
		}
	}
	action[0] = uint8(best)
	a.say(v, best, action[1:])
}

func (a *championNet) Append(dst []byte) []byte { return saved.Append(dst, a, (*championNet).code) }

func (a *championNet) Restore(state []byte) error {
	return saved.Restore("bots: state of champion-net", state, a, championNet{}, (*championNet).code)
}
