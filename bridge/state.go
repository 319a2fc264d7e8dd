package bridge

import (
	"crypto/rand"
	"encoding/binary"
	"slices"

	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/arena/picture"
	"pommego/env"
	"pommego/vec"
)

// pickGames is the games a request lists, all of them if it lists none.
func (e *environment) pickGames(r *request) ([]int, error) {
	if !r.given("games") {
		all := make([]int, e.pool.Games())
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	seen := make([]bool, e.pool.Games())
	for i, game := range r.games {
		if game >= len(seen) {
			return nil, inField(outOfRange(element("games", i), game, 0, uint64(len(seen)-1)), "games")
		}
		if seen[game] {
			return nil, fail(CodeBadOption, "games", "", "games names %d twice", game)
		}
		seen[game] = true
	}
	return r.games, nil
}

// findGames is findRunning for requests about some of the games.
func (s *session) findGames(r *request) (*environment, []int, error) {
	e, err := s.findRunning(r)
	if err != nil {
		return nil, nil, err
	}
	games, err := e.pickGames(r)
	return e, games, err
}

func (s *session) getState(r *request) (reply, error) {
	e, games, err := s.findGames(r)
	if err != nil {
		return reply{}, err
	}
	msg := append([]byte(nil), msgpcode.FixedMapLow|4)
	msg = appendKey(appendKey(msg, "type"), "states")
	msg = appendUint64(appendKey(msg, "id"), r.id)
	msg = appendUint32(appendKey(msg, "env"), e.handle)
	msg = appendArrayHeader(appendKey(msg, "states"), len(games))
	for i, game := range games {
		if r.json {
			msg, err = appendJSONState(msg, e.pool, game)
		} else {
			msg, err = appendState(msg, e.pool, game)
		}
		if err != nil {
			return reply{}, s.fromVec(err, "games")
		}
		if most := s.server.cfg.MaxBatchBytes; len(msg) > most {
			return reply{}, fail(CodeLimit, "games", "ask for fewer games at a time", "the states of %d games have more than %d bytes", i+1, most)
		}
	}
	return reply{msg: msg}, nil
}

// appendJSONState appends a game's state as a text.
func appendJSONState(msg []byte, pool *vec.Pool, game int) ([]byte, error) {
	text, err := pool.SaveJSON(game)
	if err != nil {
		return msg, err
	}
	msg = binary.BigEndian.AppendUint32(append(msg, msgpcode.Str32), uint32(len(text)))
	return append(msg, text...), nil
}

func (s *session) setState(r *request) (reply, error) {
	e, games, err := s.findGames(r)
	if err != nil {
		return reply{}, err
	}
	if len(r.states) != len(games) {
		return reply{}, fail(CodeWrongShape, "states", "", "states has %d entries, want %d, one for each of games", len(r.states), len(games))
	}
	if err := e.load(games, r.states); err != nil {
		return reply{}, s.fromVec(err, "states")
	}
	f := s.take(e.frames)
	e.pool.Observe(f.batch)
	return f.reply(r.id), nil
}

// load sets all of the states, or none.
func (e *environment) load(games []int, states []savedState) error {
	var before [][]byte
	for i, game := range games {
		saved, err := e.pool.Save(game, nil)
		if err != nil {
			saved = nil // a broken game: there is nothing to go back to
		}
		before = append(before, saved)
		if err := loadOne(e.pool, game, states[i]); err != nil {
			for k, saved := range slices.Backward(before[:i]) {
				if saved != nil {
					_ = e.pool.Load(games[k], saved) // was saved here a moment ago
				}
			}
			return err
		}
	}
	return nil
}

func loadOne(pool *vec.Pool, game int, s savedState) error {
	if s.json {
		return pool.LoadJSON(game, s.data)
	}
	return pool.Load(game, s.data)
}

func (s *session) render(r *request) (reply, error) {
	e, err := s.findRunning(r)
	if err != nil {
		return reply{}, err
	}
	if r.game >= e.pool.Games() {
		return reply{}, outOfRange("game", r.game, 0, uint64(e.pool.Games()-1))
	}
	if r.tile > 0 {
		return e.renderPixels(r)
	}
	text := e.pool.Match(r.game).AppendText(nil, r.colour)
	msg, err := encode(entries{"type", "text", "id", r.id, "env", r.env, "text", string(text)})
	return reply{msg: msg}, err
}

// renderPixels draws a game as an image: red, green and blue of each pixel.
func (e *environment) renderPixels(r *request) (reply, error) {
	pictured, ok := e.pool.Match(r.game).(env.Pictured)
	if !ok {
		return reply{}, fail(CodeBadOption, "tile", "leave it out for a picture as text", "%s cannot be drawn in pixels", e.pool.Spec().ID)
	}
	img := picture.Image(pictured.Picture(), r.tile)
	width, height := img.Rect.Dx(), img.Rect.Dy()
	pixels := make([]byte, 0, 3*width*height)
	for at := 0; at < len(img.Pix); at += 4 {
		pixels = append(pixels, img.Pix[at:at+3]...)
	}
	msg, err := encode(entries{"type", "image", "id", r.id, "env", r.env, "pixels", Tensor{env.Uint8, []int{height, width, 3}, pixels}})
	return reply{msg: msg}, err
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

func (s *session) simulate(r *request) (reply, error) {
	e, err := s.find(r)
	if err != nil {
		return reply{}, err
	}
	n := len(r.states)
	if n > s.server.cfg.MaxGames {
		return reply{}, fail(CodeLimit, "states", "send them in several requests", "states has %d entries, want at most %d", n, s.server.cfg.MaxGames)
	}
	if err := wantActions(&r.actions, n*e.pool.Learners(), e.pool.Spec()); err != nil {
		return reply{}, err
	}
	sim, err := s.simulator(e, n)
	if err != nil {
		return reply{}, err
	}
	seed := r.seed
	if !r.given("seed") {
		var drawn [8]byte
		rand.Read(drawn[:]) // never fails
		seed = binary.LittleEndian.Uint64(drawn[:])
	}
	for k := range r.states {
		if err := loadOne(sim.pool, k, r.states[k]); err != nil {
			return reply{}, s.fromVec(err, "states")
		}
		sim.pool.Reseed(k, env.Seed{Value: seed + uint64(k)})
	}
	f := s.take(sim.frames)
	if err := sim.pool.Step(f.batch, r.actions.data); err != nil {
		return reply{}, s.fromVec(err, "states")
	}
	msg, err := f.simulated(r.id, seed, sim.pool)
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
	cfg := e.pool.Config()
	cfg.Games, cfg.Autoreset = n, vec.Disabled
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
