package vec

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"math"

	"pommego/env"
)

// saveVersion is the version of what Save writes:
//
//	version                         1 byte
//	fingerprint of game and rules   8
//	id of the game                  bytes
//	episode has ended, learner's
//	death ends the game             1 each
//	seed, episode                   8 each
//	learners' seats                 bytes
//	their returns                   8 each
//	number of agents                1
//	  name, memory of each          bytes each
//	match                           bytes
//	CRC-32 of all before            4
//
// where "bytes" are their number (4 bytes) and they themselves, and numbers are
// little-endian.
const saveVersion = 1

// saved is a game as Save writes it.
type saved struct {
	bare     bool // made up for a match that came alone
	ended    bool
	train    bool
	seed     env.Seed
	rows     []uint8
	returns  []float64
	names    []string
	memories [][]byte
	match    []byte
}

// fingerprint tells games and rules apart.
func fingerprint(s *env.Spec) uint64 {
	text, err := json.Marshal([]any{s.ID, s.Game, s.Version, s.Seats, s.Teams, s.MaxSteps, s.Actions, s.Rules})
	if err != nil {
		panic(err) // env.Spec is made to be marshalled
	}
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()
}

// Save appends one game to dst, whole: the match with its RNG, the agents'
// memory and RNG, seed and episode, the learners' seats, the statistics, and
// whether the episode has ended. What Save wrote can be loaded into any pool
// with the same rules, the same seats learning and the same OnDeath, whatever
// its observation, reward, autoreset and size.
func (p *Pool) Save(game int, dst []byte) ([]byte, error) {
	s, err := p.take(game)
	if err != nil {
		return dst, err
	}
	start, le := len(dst), binary.LittleEndian
	dst = le.AppendUint64(append(dst, saveVersion), p.stamp)
	dst = appendBytes(dst, []byte(p.spec.ID))
	dst = append(dst, toByte(s.ended), toByte(s.train))
	dst = le.AppendUint64(le.AppendUint64(dst, s.seed.Value), s.seed.Episode)
	dst = appendBytes(dst, s.rows)
	for _, r := range s.returns {
		dst = le.AppendUint64(dst, math.Float64bits(r))
	}
	dst = append(dst, uint8(len(s.names)))
	for k, name := range s.names {
		dst = appendBytes(appendBytes(dst, []byte(name)), s.memories[k])
	}
	p.scratch = p.games[game].match.Append(p.scratch[:0])
	dst = appendBytes(dst, p.scratch)
	return le.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:])), nil
}

func appendBytes(dst, b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(b))), b...)
}

// take collects what is saved of a game, but for the match.
func (p *Pool) take(game int) (*saved, error) {
	if game < 0 || game >= len(p.games) {
		return nil, fmt.Errorf("vec: there is no game %d, want 0 to %d", game, len(p.games)-1)
	}
	g := &p.games[game]
	switch p.phases[game] {
	case unset:
		return nil, fmt.Errorf("vec: saving game %d: %w", game, ErrNotReset)
	case broken:
		return nil, fmt.Errorf("vec: saving game %d: %w (%v)", game, ErrBroken, g.fault.Value)
	}
	s := &saved{
		ended: p.phases[game] == ended, train: p.train, seed: g.seed,
		rows: g.rows, returns: g.returns, names: g.lineup.names,
	}
	for _, a := range g.lineup.agents {
		s.memories = append(s.memories, a.Append(nil))
	}
	return s, nil
}

// Load replaces one game by what Save wrote. On an error, always a *StateError,
// nothing has changed. The agents of the state play on to the end of its episode,
// then the pool's own do.
func (p *Pool) Load(game int, state []byte) error {
	if game < 0 || game >= len(p.games) {
		return &StateError{game, fmt.Errorf("there is no such game, want 0 to %d", len(p.games)-1)}
	}
	s, err := p.decode(state)
	if err == nil {
		err = p.put(game, s, func(m env.Match) error { return m.Restore(s.match) })
	}
	if err != nil {
		return &StateError{game, err}
	}
	return nil
}

var errDamaged = errors.New("it is not what Save wrote, or damaged")

// decode reads what Save wrote.
func (p *Pool) decode(state []byte) (*saved, error) {
	n := len(state) - 4
	if n < 1 || binary.LittleEndian.Uint32(state[n:]) != crc32.ChecksumIEEE(state[:n]) {
		return nil, errDamaged
	}
	r, s := reader{data: state[:n]}, new(saved)
	if v := r.byte(); v != saveVersion {
		return nil, fmt.Errorf("it has version %d, want %d", v, saveVersion)
	}
	stamp := r.uint64()
	if id := string(r.bytes()); !r.bad && stamp != p.stamp {
		return nil, fmt.Errorf("it is of %q with its rules, want %q with the rules of this pool", id, p.spec.ID)
	}
	ended, train := r.byte(), r.byte()
	s.ended, s.train = ended == 1, train == 1
	s.seed = env.Seed{Value: r.uint64(), Episode: r.uint64()}
	s.rows = r.bytes()
	for range s.rows {
		s.returns = append(s.returns, math.Float64frombits(r.uint64()))
	}
	for range r.byte() {
		s.names = append(s.names, string(r.bytes()))
		s.memories = append(s.memories, r.bytes())
	}
	s.match = r.bytes()
	if r.bad || len(r.data) > 0 || ended > 1 || train > 1 {
		return nil, errDamaged
	}
	return s, nil
}

// reader takes a saved game apart. Once it runs out it is bad and gives zeros.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.data) {
		r.bad = true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) byte() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) bytes() []byte {
	b := r.take(4)
	if b == nil {
		return nil
	}
	return r.take(int(binary.LittleEndian.Uint32(b)))
}

// put makes a saved game game i, its match restored by restore. Everything that
// can fail comes before the first change; the match, which restores itself or
// stays as it is, comes last and is put back if it contradicts the rest.
func (p *Pool) put(i int, s *saved, restore func(env.Match) error) error {
	if err := p.fits(s); err != nil {
		return err
	}
	l, err := p.newLineup(s.names)
	if err != nil {
		return err
	}
	for k, a := range l.agents {
		if err := a.Restore(s.memories[k]); err != nil {
			return fmt.Errorf("agent %d, %q: %w", k, s.names[k], err)
		}
	}
	g := &p.games[i]
	var before []byte
	if p.phases[i] == running || p.phases[i] == ended {
		before = g.match.Append(nil)
	}
	if err := restore(g.match); err != nil {
		return err
	}
	if s.bare && p.train {
		g.match.SetTrainingSeat(int(s.rows[0]))
	}
	over := g.match.Status().Over
	s.ended = s.ended || s.bare && over
	if over && !s.ended {
		p.putBack(i, before)
		return errors.New("the match in it is over, but the episode has not ended")
	}
	p.adopt(i, s, l)
	return nil
}

// putBack undoes a restored match. A game without a state before has to be reset
// anyway.
func (p *Pool) putBack(i int, before []byte) {
	if before == nil {
		return
	}
	if err := p.games[i].match.Restore(before); err != nil {
		panic(fmt.Sprintf("vec: game %d does not take its own state back: %v", i, err))
	}
}

// fits says why a saved game, apart from its match, cannot be one of the pool's.
func (p *Pool) fits(s *saved) error {
	switch {
	case !p.seating.fits(s.rows):
		return fmt.Errorf("its learners sit at %v, want %v", s.rows, p.seating.want())
	case len(s.names) != p.seating.agents:
		return fmt.Errorf("it has %d agents, want %d", len(s.names), p.seating.agents)
	case s.train != p.train:
		return fmt.Errorf("the learner's death ends its game: %v, want %v", s.train, p.train)
	}
	for _, r := range s.returns {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return fmt.Errorf("a return is %v", r)
		}
	}
	return nil
}

// want describes the learners' seats for an error.
func (s *seating) want() any {
	if s.drawn {
		return "any one seat"
	}
	return s.rows
}

// adopt takes over what was loaded.
func (p *Pool) adopt(i int, s *saved, l lineup) {
	g := &p.games[i]
	g.seed, g.seeded, g.fault, g.lineup = s.seed, true, nil, l
	if p.seating.drawn {
		p.seating.around(int(s.rows[0]), g.rows, g.others)
	} else {
		p.seating.deal(s.seed, g.rows, g.others)
	}
	copy(g.returns, s.returns)
	g.status = g.match.Status()
	p.phases[i] = running
	if s.ended {
		p.phases[i] = ended
	}
}
