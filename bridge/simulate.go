package bridge

import (
	"crypto/rand"
	"encoding/binary"
	"slices"

	"pommego/env"
	"pommego/vec"
)

func init() { registerEnv("simulate", false, readSimulate, (*session).simulate) }

// simulateRequest asks for one step of a forward model.
type simulateRequest struct {
	states  []savedState
	actions tensor
	seed    *uint64 // nil: drawn
}

func readSimulate(in *fields) simulateRequest {
	in.need("states", "actions")
	return simulateRequest{readStates(in, 1), in.tensor("actions", env.Uint8), in.seed()}
}

// keptSimulators is for how many numbers of states an environment keeps a
// pool ready.
const keptSimulators = 4

// simulator is a pool that steps states of an environment's games apart from
// them.
type simulator struct {
	pool   *vec.Pool
	frames chan *frame
}

func (s *session) simulate(e *environment, id uint64, q simulateRequest) (reply, error) {
	n := len(q.states)
	if n > s.server.cfg.MaxGames {
		return reply{}, fail(codeLimit, "states", "send them in several requests", "states has %d entries, want at most %d", n, s.server.cfg.MaxGames)
	}
	if err := wantActions(&q.actions, n*e.pool.Learners(), e.pool.Spec()); err != nil {
		return reply{}, err
	}
	if e.pool.Outside() {
		return reply{}, fail(codeBadOption, "env", "make an environment with built-in opponents for it", "agents outside the server cannot be asked in a simulation")
	}
	sim, err := s.simulator(e, n)
	if err != nil {
		return reply{}, err
	}
	var seed uint64
	if q.seed != nil {
		seed = *q.seed
	} else {
		var drawn [8]byte
		rand.Read(drawn[:]) // never fails
		seed = binary.LittleEndian.Uint64(drawn[:])
	}
	for k := range q.states {
		if err := loadOne(sim.pool, k, q.states[k]); err != nil {
			return reply{}, s.fromVec(err, "states")
		}
		sim.pool.Reseed(k, env.Seed{Value: seed + uint64(k)})
	}
	f := s.take(sim.frames)
	if err := sim.pool.Step(f.batch, q.actions.data); err != nil {
		return reply{}, s.fromVec(err, "states")
	}
	msg, err := f.simulated(id, seed, sim.pool)
	if err != nil {
		return reply{}, s.fromVec(err, "states")
	}
	return reply{msg, f}, nil
}

// simulator is the environment's pool for n states. The one that has not been
// used for longest makes room for a new one.
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
	cfg := e.pool.Config().WithGames(n)
	cfg.Autoreset = vec.Disabled
	pool, l, err := s.newPool(kindSimulated, e.handle, cfg)
	if err != nil {
		return nil, inField(err, "states")
	}
	sim := &simulator{pool, newFrames(l, pool, false)}
	e.sims = append(e.sims, sim)
	return sim, nil
}

func (s *session) freeSimulator(sim *simulator) {
	sim.pool.Close()
	s.server.release(sim.pool.Games())
}
