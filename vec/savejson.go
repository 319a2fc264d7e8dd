package vec

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pommego/env"
	"pommego/env/gamestate"
	"pommego/env/saved"
)

// poolJSON is the pool's part of a readable state: everything that Save writes except
// the match.
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
	Counted     []byte      `json:"counted,omitempty"` // as env.Tracker.Append writes it
	Begun       int         `json:"begun,omitempty"`   // steps of the match before the episode began
}

type agentJSON struct {
	Name   string `json:"name"`
	Memory []byte `json:"memory"`
}

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
		Version: gamestate.Version, Game: p.spec.ID, Fingerprint: saved.Hex(p.form.Fingerprint),
		Ended: s.Ended, Train: s.Train, Seed: s.Seed.Value, Episode: s.Seed.Episode,
		Returns: s.Returns, Counted: s.Counted, Begun: s.Begun,
	}
	for _, seat := range s.Rows {
		part.Learners = append(part.Learners, int(seat))
	}
	for k, name := range s.Names {
		part.Agents = append(part.Agents, agentJSON{name, s.Memories[k]})
	}
	text, err = gamestate.JoinJSON(text, &part)
	if err != nil {
		return nil, fmt.Errorf("vec: saving game %d: %w", game, err)
	}
	return text, nil
}

// LoadJSON is Load for the readable form. From a state without the pool's part,
// such as one from the original game, only the match is loaded: the game keeps
// its seed and episode, its agents start with an empty memory and its returns
// at 0.
func (p *Pool) LoadJSON(game int, state json.RawMessage) error {
	s, err := p.decodeJSON(state)
	if err == nil {
		err = p.put(game, s)
	}
	if err != nil {
		return &StateError{game, err}
	}
	return nil
}

// decodeJSON decodes what SaveJSON wrote, or a match alone.
func (p *Pool) decodeJSON(state []byte) (s savedGame, err error) {
	match, own, err := gamestate.SplitJSON(state)
	s.State, s.bare = new(gamestate.State), own == nil
	s.restore = func(m env.Match) error { return m.RestoreJSON(match) }
	if err == nil && !s.bare {
		s.State, err = p.decodePool(own)
	}
	return s, err
}

func (p *Pool) decodePool(text []byte) (*gamestate.State, error) {
	var part poolJSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&part); err != nil {
		return nil, fmt.Errorf("pommego.pool: %w", err)
	}
	switch {
	case part.Version != gamestate.Version:
		return nil, fmt.Errorf("it has version %d, want %d", part.Version, gamestate.Version)
	case part.Fingerprint != saved.Hex(p.form.Fingerprint):
		return nil, p.form.Other(part.Game)
	case part.Begun < 0 || part.Begun > 1<<31-1:
		return nil, fmt.Errorf("its episode began after %d steps", part.Begun)
	case len(part.Returns) != len(part.Learners):
		return nil, fmt.Errorf("%d returns for %d learners", len(part.Returns), len(part.Learners))
	}
	s := &gamestate.State{
		Ended: part.Ended, Train: part.Train, Seed: env.Seed{Value: part.Seed, Episode: part.Episode},
		Returns: part.Returns, Counted: part.Counted, Begun: part.Begun,
	}
	for _, seat := range part.Learners {
		if seat < 0 || seat >= p.spec.Seats {
			return nil, fmt.Errorf("a learner sits at %d, want 0 to %d", seat, p.spec.Seats-1)
		}
		s.Rows = append(s.Rows, uint8(seat))
	}
	for _, a := range part.Agents {
		s.Names, s.Memories = append(s.Names, a.Name), append(s.Memories, a.Memory)
	}
	return s, nil
}

// invent returns default values for the pool's part of a state without one.
func (p *Pool) invent(game int) (*gamestate.State, error) {
	g := &p.games[game]
	s := &gamestate.State{
		Train: p.train, Seed: g.seed, Rows: make([]uint8, len(g.rows)), Returns: make([]float64, len(g.rows)),
	}
	if !g.seeded {
		s.Seed = env.Seed{Value: p.entropic(game)}
	}
	others := make([]uint8, len(g.others))
	p.seating.deal(s.Seed, s.Rows, others)
	l, err := p.newLineup(p.lineUpSet.Names[p.lineUpSet.pick(game, s.Seed)])
	if err != nil {
		return nil, err
	}
	for k, a := range l.agents {
		if a != nil {
			a.Reset(s.Seed.RNG(env.StreamAgents + uint64(others[k])))
		}
		s.Names, s.Memories = append(s.Names, l.names[k]), append(s.Memories, memory(a))
	}
	return s, nil
}
