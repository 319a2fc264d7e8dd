package vec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"pommego/env"
)

// saveKey is where a state's JSON keeps what is not the original game's own, and
// poolKey where in there the pool keeps its part.
const (
	saveKey = "pommego"
	poolKey = "pool"
)

// poolJSON is the pool's part of a readable state: what Save writes besides the
// match.
type poolJSON struct {
	Version     int         `json:"version"`
	Game        string      `json:"game"`
	Fingerprint string      `json:"fingerprint"`
	Ended       bool        `json:"ended"`
	Train       bool        `json:"ends_with_learner"`
	Seed        uint64      `json:"seed"`
	Episode     uint64      `json:"episode"`
	Learners    []int       `json:"learners"` // their seats
	Returns     []float64   `json:"returns"`
	Agents      []agentJSON `json:"agents"`
}

type agentJSON struct {
	Name   string `json:"name"`
	Memory []byte `json:"memory"`
}

type object map[string]json.RawMessage

// SaveJSON is Save in a readable form: the match's own, as Match.AppendJSON
// writes it, with the pool's part added under "pommego", "pool".
func (p *Pool) SaveJSON(game int) (json.RawMessage, error) {
	s, err := p.take(game)
	if err != nil {
		return nil, err
	}
	text, err := p.games[game].match.AppendJSON(nil)
	if err != nil {
		return nil, fmt.Errorf("vec: saving game %d: %w", game, err)
	}
	part := poolJSON{
		Version: saveVersion, Game: p.spec.ID, Fingerprint: p.stampText(), Ended: s.ended, Train: s.train,
		Seed: s.seed.Value, Episode: s.seed.Episode, Returns: s.returns,
	}
	for _, seat := range s.rows {
		part.Learners = append(part.Learners, int(seat))
	}
	for k, name := range s.names {
		part.Agents = append(part.Agents, agentJSON{name, s.memories[k]})
	}
	text, err = addPart(text, &part)
	if err != nil {
		return nil, fmt.Errorf("vec: saving game %d: %w", game, err)
	}
	return text, nil
}

func (p *Pool) stampText() string { return fmt.Sprintf("%016x", p.stamp) }

// addPart puts the pool's part into a match's JSON.
func addPart(match []byte, part *poolJSON) (json.RawMessage, error) {
	outer, inner, err := open(match)
	if err != nil {
		return nil, err
	}
	if inner[poolKey], err = json.Marshal(part); err != nil {
		return nil, err
	}
	if outer[saveKey], err = json.Marshal(inner); err != nil {
		return nil, err
	}
	return json.Marshal(outer)
}

// open takes a state apart as far as the pool knows it.
func open(state []byte) (outer, inner object, err error) {
	if err := json.Unmarshal(state, &outer); err != nil {
		return nil, nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if outer == nil {
		return nil, nil, errors.New("it is null, want a JSON object")
	}
	if own, there := outer[saveKey]; there {
		if err := json.Unmarshal(own, &inner); err != nil {
			return nil, nil, fmt.Errorf("%q in it is no JSON object: %w", saveKey, err)
		}
	}
	if inner == nil {
		inner = make(object)
	}
	return outer, inner, nil
}

// LoadJSON is Load for the readable form. Of a state without the pool's part,
// such as one from the original game, the match alone is taken: the game keeps
// its seed and episode, its agents start with an empty memory and its returns
// at 0.
func (p *Pool) LoadJSON(game int, state json.RawMessage) error {
	if game < 0 || game >= len(p.games) {
		return &StateError{game, fmt.Errorf("there is no such game, want 0 to %d", len(p.games)-1)}
	}
	s, match, err := p.decodeJSON(game, state)
	if err == nil {
		err = p.put(game, s, func(m env.Match) error { return m.RestoreJSON(match) })
	}
	if err != nil {
		return &StateError{game, err}
	}
	return nil
}

// decodeJSON splits a state into the pool's part and the match's.
func (p *Pool) decodeJSON(game int, state []byte) (*saved, json.RawMessage, error) {
	outer, inner, err := open(state)
	if err != nil {
		return nil, nil, err
	}
	own, there := inner[poolKey]
	if !there {
		s, err := p.invent(game)
		return s, state, err
	}
	delete(inner, poolKey)
	if len(inner) == 0 {
		delete(outer, saveKey)
	} else if outer[saveKey], err = json.Marshal(inner); err != nil {
		return nil, nil, err
	}
	match, err := json.Marshal(outer)
	if err != nil {
		return nil, nil, err
	}
	s, err := p.decodePart(own)
	return s, match, err
}

func (p *Pool) decodePart(text []byte) (*saved, error) {
	var part poolJSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&part); err != nil {
		return nil, fmt.Errorf("%s.%s: %w", saveKey, poolKey, err)
	}
	switch {
	case part.Version != saveVersion:
		return nil, fmt.Errorf("it has version %d, want %d", part.Version, saveVersion)
	case part.Fingerprint != p.stampText():
		return nil, fmt.Errorf("it is of %q with its rules, want %q with the rules of this pool", part.Game, p.spec.ID)
	case len(part.Returns) != len(part.Learners):
		return nil, fmt.Errorf("%d returns for %d learners", len(part.Returns), len(part.Learners))
	}
	s := &saved{
		ended: part.Ended, train: part.Train, seed: env.Seed{Value: part.Seed, Episode: part.Episode}, returns: part.Returns,
	}
	for _, seat := range part.Learners {
		if seat < 0 || seat >= p.spec.Seats {
			return nil, fmt.Errorf("a learner sits at %d, want 0 to %d", seat, p.spec.Seats-1)
		}
		s.rows = append(s.rows, uint8(seat))
	}
	for _, a := range part.Agents {
		s.names, s.memories = append(s.names, a.Name), append(s.memories, a.Memory)
	}
	return s, nil
}

// invent makes up the pool's part for a match that comes without one.
func (p *Pool) invent(game int) (*saved, error) {
	g := &p.games[game]
	s := &saved{bare: true, train: p.train, seed: g.seed, rows: make([]uint8, len(g.rows)), returns: make([]float64, len(g.rows))}
	if !g.seeded {
		s.seed = env.Seed{Value: p.entropic(game)}
	}
	others := make([]uint8, len(g.others))
	p.seating.deal(s.seed, s.rows, others)
	l, err := p.newLineup(g.next.names)
	if err != nil {
		return nil, err
	}
	for k, a := range l.agents {
		a.Reset(s.seed.RNG(env.StreamAgents + uint64(others[k])))
		s.names, s.memories = append(s.names, l.names[k]), append(s.memories, a.Append(nil))
	}
	return s, nil
}
