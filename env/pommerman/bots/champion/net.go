package champion

import (
	"sync"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// championNet is an agent that does not search: a small network chooses its moves. It
// learned from champion: docs/maintainers/champion-net.md is its model card. It remembers
// and says by radio what champion does.
type championNet struct{ championMemory }

func (a *championNet) Reset(env.RNG) { *a = championNet{} }

func (a *championNet) Reseed(env.RNG) {} // it draws nothing

// netWork is the working memory of one decision.
type netWork struct {
	analysis    analysis
	activations activations
}

var netWorks = sync.Pool{New: func() any { return new(netWork) }}

func (a *championNet) Act(v *pommerman.View, action []uint8) {
	clear(action)
	a.remember(v)
	a.listen(v)
	if v.Seat >= v.Rules.Seats() || !a.belief.Agents[v.Seat].Alive {
		return
	}
	w := netWorks.Get().(*netWork)
	defer netWorks.Put(w)
	move := a.choose(v, w)
	action[0] = uint8(move)
	a.say(v, move, action[1:])
}

func (a *championNet) choose(v *pommerman.View, w *netWork) pommerman.Action {
	s := &w.analysis
	s.look(v.Rules, v.Seat, &a.championMemory)
	moves := s.bearable()
	s.express()
	answers := trained().answer(s.input.all(), &w.activations)
	best := moves.First()
	for move := range moves.All {
		if answers[move] > answers[best] {
			best = move
		}
	}
	return best
}

func (a *championNet) code(c *saved.Codec) { a.championMemory.code(c) }

func (a *championNet) Append(dst []byte) []byte { return saved.Append(dst, a, (*championNet).code) }

func (a *championNet) Restore(state []byte) error {
	return saved.Restore("bots: state of champion-net", state, a, championNet{}, (*championNet).code)
}
