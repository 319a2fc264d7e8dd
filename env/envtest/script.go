package envtest

import (
	"iter"

	"pommego/env"
)

// script is one game to be played: a seed and the actions of each step.
type script struct {
	seed    env.Seed
	actions [][]uint8
	over    bool // the game is over after the last action
}

// How long scripts are, and how many of each style there are. The idle one is
// played to the end of the rules.
const (
	scriptSteps  = 160
	scriptRounds = 3
)

// style chooses one action component of one seat.
type style func(d *env.RNG, legal []uint8) uint8

// styles are the ways to play without an agent.
var styles = []style{
	func(d *env.RNG, legal []uint8) uint8 { return uint8(d.IntN(len(legal))) },
	chooseLegal,
	func(d *env.RNG, legal []uint8) uint8 { // mostly idle, so that games last
		if d.IntN(6) > 0 {
			return 0
		}
		return chooseLegal(d, legal)
	},
	idle,
}

func idle(*env.RNG, []uint8) uint8 { return 0 }

func chooseLegal(d *env.RNG, legal []uint8) uint8 {
	choice := d.IntN(len(legal))
	for legal[choice] == 0 && choice > 0 {
		choice--
	}
	return uint8(choice)
}

// plays returns the scripts, which are made when first asked for.
func (k *kit) plays() []*script {
	if k.scripts != nil {
		return k.scripts
	}
	var all []*script
	for round := range scriptRounds {
		for _, s := range styles {
			all = append(all, k.write(env.Seed{Value: uint64(len(all)), Episode: uint64(round)}, scriptSteps,
				func(m env.Match, d *env.RNG) []uint8 {
					return k.choose(m, d, s)
				}))
		}
		all = append(all, k.writeAgents(env.Seed{Value: uint64(len(all)), Episode: uint64(round)}))
	}
	all = append(all, k.write(env.Seed{Value: uint64(len(all))}, k.spec.MaxSteps, func(m env.Match, d *env.RNG) []uint8 {
		return k.choose(m, d, idle)
	}))
	k.scripts = all
	return all
}

// write plays a game and notes what was done.
func (k *kit) write(seed env.Seed, steps int, act func(env.Match, *env.RNG) []uint8) *script {
	m, s := k.match(), &script{seed: seed}
	m.Reset(seed)
	d := seed.RNG(env.StreamPolicy)
	k.at = place{playing: true, seed: seed, seat: -1}
	for len(s.actions) < steps && !m.Status().Over {
		a := act(m, &d)
		m.Step(a)
		s.actions = append(s.actions, a)
		k.at.step++
	}
	s.over = m.Status().Over
	return s
}

// choose lets a style choose for every seat.
func (k *kit) choose(m env.Match, d *env.RNG, choose style) []uint8 {
	actions, mask := make([]uint8, 0, k.spec.Seats*len(k.spec.Actions)), make([]uint8, k.spec.MaskSize())
	for seat := range k.spec.Seats {
		m.Mask(seat, mask)
		at := 0
		for _, c := range k.spec.Actions {
			actions = append(actions, choose(d, mask[at:at+c.N]))
			at += c.N
		}
	}
	return actions
}

// writeAgents lets the built-in agents play, one after another in the seats,
// with a random one at seat 0.
func (k *kit) writeAgents(seed env.Seed) *script {
	var agents []env.Agent
	for seat := range k.spec.Seats {
		if len(k.spec.Agents) == 0 {
			break
		}
		a := k.agent(k.spec.Agents[(len(k.spec.Agents)-1+seat)%len(k.spec.Agents)])
		a.Reset(seed.RNG(env.StreamAgents + uint64(seat)))
		agents = append(agents, a)
	}
	parts := len(k.spec.Actions)
	return k.write(seed, scriptSteps, func(m env.Match, d *env.RNG) []uint8 {
		actions := k.choose(m, d, chooseLegal)
		for seat, a := range agents {
			if seat > 0 && m.Status().In.Has(seat) {
				k.at.seat = seat
				a.Act(m, seat, actions[seat*parts:(seat+1)*parts])
				k.checkAction(actions[seat*parts : (seat+1)*parts])
			}
		}
		return actions
	})
}

// agent makes an agent that the spec names.
func (k *kit) agent(name string) env.Agent {
	a, err := k.game.NewAgent(name)
	if err != nil {
		k.failf("Spec.Agents names %q, but NewAgent says: %v", name, err)
	}
	return a
}

// play resets m to the script's seed and plays the script. It yields the number
// of steps made, from 0, before each step and after the last.
func (k *kit) play(m env.Match, s *script) iter.Seq[int] {
	return func(yield func(int) bool) {
		k.at = place{playing: true, seed: s.seed, seat: -1}
		m.Reset(s.seed)
		k.resume(m, s, 0)(yield)
	}
}

// playTo plays the first steps of a script in m.
func (k *kit) playTo(m env.Match, s *script, steps int) {
	for n := range k.play(m, s) {
		if n == steps {
			return
		}
	}
}

// resume plays on from step from.
func (k *kit) resume(m env.Match, s *script, from int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := from; ; n++ {
			k.at.step, k.at.seat = n, -1
			if !yield(n) || n == len(s.actions) {
				return
			}
			m.Step(s.actions[n])
		}
	}
}

// sampled plays each script in m, and yields it at about count of its steps, first and
// last included.
func (k *kit) sampled(m env.Match, count int) iter.Seq2[*script, int] {
	return func(yield func(*script, int) bool) {
		for _, s := range k.plays() {
			at := map[int]bool{0: true, len(s.actions): true}
			for i := range count {
				at[i*len(s.actions)/count] = true
			}
			for n := range k.play(m, s) {
				if at[n] && !yield(s, n) {
					return
				}
			}
		}
	}
}
