package envtest

import (
	"bytes"
	"slices"
	"strings"

	"pommego/env"
)

// checkAgentNames: every name in the spec makes an agent, and the error for
// another lists them.
func checkAgentNames(k *kit) {
	for _, name := range k.spec.Agents {
		k.agent(name)
	}
	const unknown = "nobody-of-that-name"
	a, err := k.game.NewAgent(unknown)
	if err == nil {
		k.failf("NewAgent(%q) makes a %T, want an error", unknown, a)
	}
	for _, name := range k.spec.Agents {
		if !strings.Contains(err.Error(), name) {
			k.failf("the error for an unknown agent is %q, want it to list what exists: %q", err, k.spec.Agents)
		}
	}
}

// eachAgent plays each agent in every other game, the next one in the others, in a seat
// that changes from game to game, and calls visit at every step at which the seat is
// in. The game is played with the agent's action.
func (k *kit) eachAgent(visit func(name string, a env.Agent, m env.Match, seat int, action []uint8)) {
	parts := len(k.spec.Actions)
	for number, name := range k.spec.Agents {
		for i := number % 2; i < len(k.plays()); i += 2 {
			s, seat := k.plays()[i], i/2%k.spec.Seats
			a, m := k.agent(name), k.match()
			a.Reset(s.seed.RNG(env.StreamAgents + uint64(seat)))
			m.Reset(s.seed)
			k.at = place{playing: true, seed: s.seed, agent: name}
			for n := 0; n < min(len(s.actions), 60) && m.Status().In.Has(seat) && !m.Status().Over; n++ {
				k.at.step, k.at.seat = n, seat
				acts := slices.Clone(s.actions[n])
				visit(name, a, m, seat, acts[seat*parts:(seat+1)*parts])
				m.Step(acts)
			}
		}
	}
}

// checkAgentPlay: agents write actions within range, alike for equal RNGs,
// leave the match alone, allocate nothing, and do what they say that they chose.
func checkAgentPlay(k *kit) {
	var twin env.Agent
	k.eachAgent(func(name string, a env.Agent, m env.Match, seat int, action []uint8) {
		if k.at.step == 0 {
			twin = k.agent(name)
			twin.Reset(k.at.seed.RNG(env.StreamAgents + uint64(seat)))
		}
		before := m.Append(nil)
		again := bytes.Repeat([]byte{255}, len(action))
		twin.Act(m, seat, again)
		if k.at.step%16 == 5 {
			k.checkActAllocs(a, m, seat)
		}
		copy(action, bytes.Repeat([]byte{255}, len(action)))
		a.Act(m, seat, action)
		k.checkAction(action)
		if !bytes.Equal(action, again) {
			k.failf("two agents with equal RNGs act differently: %v and %v", action, again)
		}
		k.checkSearchStatistics(a, twin, action)
		if d := diffBytes(m.Append(nil), before); d != "" {
			k.failf("Act changed the match: state %s", d)
		}
	})
}

// checkAction: an agent's action is within range.
func (k *kit) checkAction(action []uint8) {
	for i, c := range k.spec.Actions {
		if int(action[i]) >= c.N {
			k.failf("the agent's %q is %d, want 0 to %d (255: not written)", c.Name, action[i], c.N-1)
		}
	}
}

// checkActAllocs counts what Act allocates and puts the agent back.
func (k *kit) checkActAllocs(a env.Agent, m env.Match, seat int) {
	memory, action := a.Append(nil), make([]uint8, len(k.spec.Actions))
	k.noAllocs("Act", func() { a.Act(m, seat, action) })
	k.restore(a, memory)
}

// checkAgentMemory: an agent can be saved and restored at any step, Reset empties it,
// Reseed does not change the size of its memory, and bad memories are refused or
// harmless.
func checkAgentMemory(k *kit) {
	rng := env.RNG{State: 3}
	var shadow env.Agent // restored from the agent at the step before
	k.eachAgent(func(name string, a env.Agent, m env.Match, seat int, action []uint8) {
		want := make([]uint8, len(action))
		if shadow != nil && k.at.step > 0 {
			shadow.Act(m, seat, want)
		}
		memory := a.Append(nil)
		a.Act(m, seat, action)
		if shadow != nil && k.at.step > 0 && !bytes.Equal(action, want) {
			k.failf("restored a step ago, the agent acts as %v, want %v as it does without", want, action)
		}
		shadow = k.agent(name)
		k.restore(shadow, a.Append(nil))
		if d := diffBytes(shadow.Append(nil), a.Append(nil)); d != "" {
			k.failf("memory restored and saved again %s", d)
		}
		if k.at.step%8 == 3 {
			k.checkAgentReset(name, memory, m, seat)
			k.checkBadMemory(name, memory, m, seat, &rng)
		}
	})
}

// checkAgentReset compares an agent that was reset, or reseeded, with memories
// of its own.
func (k *kit) checkAgentReset(name string, memory []byte, m env.Match, seat int) {
	used, fresh := k.agent(name), k.agent(name)
	one, two := env.Seed{Value: 5}.RNG(0), env.Seed{Value: 6}.RNG(0)
	k.restore(used, memory)
	used.Reseed(one)
	once := used.Append(nil)
	used.Reseed(two)
	used.Reseed(one)
	if d := diffBytes(used.Append(nil), once); d != "" {
		k.failf("Reseed depends on the RNG there were before: memory %s", d)
	}
	used.Reset(one)
	fresh.Reset(one)
	if d := diffBytes(used.Append(nil), fresh.Append(nil)); d != "" {
		k.failf("Reset does not empty the memory: it %s", d)
	}
	a, b := make([]uint8, len(k.spec.Actions)), make([]uint8, len(k.spec.Actions))
	used.Act(m, seat, a)
	fresh.Act(m, seat, b)
	if !bytes.Equal(a, b) {
		k.failf("after Reset the agent acts as %v, a new one as %v", a, b)
	}
}

func (k *kit) checkBadMemory(name string, memory []byte, m env.Match, seat int, rng *env.RNG) {
	bad := append(slices.Clone(memory), 7)
	for range 8 {
		if rng.Coin() && len(memory) > 0 {
			bad = slices.Clone(memory)
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		}
		if rng.IntN(4) == 0 {
			bad = bad[:rng.IntN(len(bad)+1)]
		}
		a, action := k.agent(name), make([]uint8, len(k.spec.Actions))
		if a.Restore(bad) != nil {
			continue
		}
		a.Act(m, seat, action)
		for i, c := range k.spec.Actions {
			if int(action[i]) >= c.N {
				k.failf("with the damaged memory %x, %q is %d, want 0 to %d", bad, c.Name, action[i], c.N-1)
			}
		}
	}
}
