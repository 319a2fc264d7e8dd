package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"pommego/env"
)

// simulateRequest asks for steps of a forward model.
type simulateRequest struct {
	States  [][]byte `wire:"states,needed,1..65536"`
	Actions tensor   `wire:"actions,needed,uint8"`
	Seed    *uint64  `wire:"seed,0..18446744073709551615"` // nil: drawn
	Steps   int      `wire:"steps,1..65535"`               // 0: one
	Policy  string   `wire:"policy"`                       // the agent that makes the steps after the first
}

// keptSimulators is how many simulators an environment keeps, each for another number of states.
const keptSimulators = 4

// dreamt is the episode from which the copies draw. No game reaches it, so no copy has the RNGs of a game.
const dreamt = 1 << 63

type simulator struct {
	*batches
	states  []byte // scratch: the states after the steps, encoded
	room    int64  // the memory budget that states take
	players int64  // the same for the agents that play on
}

func (s *session) simulate(e *environment, id uint64, q simulateRequest) (reply, error) {
	n, steps := len(q.States), max(q.Steps, 1)
	if n > s.server.cfg.MaxGames {
		return reply{}, fail(codeLimit, "states", "send them in several requests", "states has %d entries, want at most %d",
			n, s.server.cfg.MaxGames)
	}
	if steps > 1 && q.Policy == "" {
		return reply{}, fail(codeMissingField, "policy", "name one of the game's agents, which plays on after the first step",
			"steps is %d, and there is no policy", steps)
	}
	if err := wantActions(&q.Actions, n*e.pool.Learners(), e.pool.Spec()); err != nil {
		return reply{}, err
	}
	if e.pool.Outside() {
		return reply{}, fail(codeBadOption, "env", "set built-in opponents, or make an environment with them",
			"agents outside the server cannot be asked in a simulation")
	}
	sim, err := s.simulator(e, n)
	if err != nil {
		return reply{}, err
	}
	seed := *cmp.Or(q.Seed, new(rand.Uint64()))
	for k := range q.States {
		own := env.Seed{Value: seed + uint64(k), Episode: dreamt}
		sim.pool.SetSeed(k, env.Seed{Value: own.Value}) // what a state lacks is of a real episode
		if err := sim.pool.Load(k, q.States[k]); err != nil {
			return reply{}, badState(element("states", k), ", rules and seats", errors.Unwrap(err))
		}
		sim.pool.Reseed(k, own)
	}
	if q.Policy != "" {
		if err := s.seatPlayers(sim, q.Policy, seed); err != nil {
			return reply{}, err
		}
	}
	if err := s.reserveStates(sim, stateBytes(q.States)); err != nil {
		return reply{}, err
	}
	f := s.take(sim.messages)
	if err := sim.play(f, q.Actions.data, steps); err != nil {
		return reply{}, s.fromVec(err, "states")
	}
	s.server.metrics.steps.Add(float64(n * steps))
	return reply{msg: f.simulated(id, seed, sim.states), batch: f}, nil
}

// reserveStates reserves memory for new states of so many bytes: for what the simulator keeps of them,
// and for what the reply holds, which is the batch and the states.
func (s *session) reserveStates(sim *simulator, bytes int64) error {
	held, more := bytes+int64(sim.size), max(bytes-sim.room, 0)
	if err := s.memory.reserve(held+more, "states", fmt.Sprintf("simulating %d states", sim.pool.Games())); err != nil {
		return err
	}
	s.held += held
	sim.room += more
	return nil
}

// seatPlayers makes an agent for each row of a simulator, which plays on there.
func (s *session) seatPlayers(sim *simulator, policy string, seed uint64) error {
	bytes := sim.pool.PlayerBytes()
	if err := s.memory.reserve(bytes, "policy", fmt.Sprintf("agents for %d games", sim.pool.Games())); err != nil {
		return err
	}
	s.memory.exchange(&sim.players, bytes)
	if err := sim.pool.SeatPlayers(policy, seed); err != nil {
		return optionError(err)
	}
	return nil
}

// play makes the steps. It writes the last one to the batch, and the states after it to sim.states.
func (sim *simulator) play(f *batchMessage, actions []byte, steps int) error {
	sim.states = sim.states[:0]
	err := sim.pool.Play(f.batch, actions, steps)
	for game := 0; err == nil && game < sim.pool.Games(); game++ {
		sim.states, err = appendState(sim.states, sim.pool, game)
	}
	return err
}

// simulator returns the environment's pool for n states. If there are too many pools, a
// new one replaces the one that was not used for longest.
func (s *session) simulator(e *environment, n int) (*simulator, error) {
	at := slices.IndexFunc(e.sims, func(sim *simulator) bool { return sim.pool.Games() == n })
	if at >= 0 {
		sim := e.sims[at]
		e.sims = append(slices.Delete(e.sims, at, at+1), sim)
		return sim, nil
	}
	if len(e.sims) == keptSimulators {
		s.freeSimulator(e.sims[0])
		e.sims = slices.Delete(e.sims, 0, 1)
	}
	b, err := s.newPool(kindSimulated, e.handle, e.pool.Model(n), messagesPerPool)
	if err != nil {
		return nil, inField(err, "states")
	}
	sim := &simulator{batches: b}
	e.sims = append(e.sims, sim)
	return sim, nil
}

func (s *session) freeSimulators(e *environment) {
	for _, sim := range e.sims {
		s.freeSimulator(sim)
	}
	e.sims = nil
}

func (s *session) freeSimulator(sim *simulator) {
	s.memory.release(sim.room + sim.players)
	s.freePool(sim.batches)
}
