package gamestate

import (
	"encoding/json"
	"errors"
	"fmt"

	"pommego/env/saved"
)

// saveKey is where a state's JSON keeps what is not the original game's own, and
// poolKey where in there the environment keeps its part.
const (
	saveKey = "pommego"
	poolKey = "pool"
)

type object map[string]json.RawMessage

// poolPart is the environment's part of a state's JSON.
type poolPart struct {
	Version     int    `json:"version"`
	Game        string `json:"game"`
	Fingerprint string `json:"fingerprint"`
	*State
}

// EncodeJSON is the readable form of a state, whose match is given by its own JSON, as
// Match.AppendJSON writes it: that, with all else under "pommego", "pool".
func (f Form) EncodeJSON(match []byte, s *State) (json.RawMessage, error) {
	outer, inner, err := open(match)
	if err != nil {
		return nil, err
	}
	inner[poolKey], err = json.Marshal(poolPart{Version, f.ID, saved.Hex(f.Fingerprint), s})
	if err != nil {
		return nil, err
	}
	if outer[saveKey], err = json.Marshal(inner); err != nil {
		return nil, err
	}
	return json.Marshal(outer)
}

// DecodeJSON reads what EncodeJSON wrote, and returns the match's JSON by itself. The
// state is nil where there is a match alone.
func (f Form) DecodeJSON(text []byte) (match json.RawMessage, s *State, err error) {
	match, own, err := SplitJSON(text)
	if err != nil || own == nil {
		return match, nil, err
	}
	part := poolPart{State: new(State)}
	if err := saved.DecodeJSON(own, &part); err != nil {
		return nil, nil, fmt.Errorf("pommego.pool: %w", err)
	}
	switch {
	case part.Version != Version:
		return nil, nil, fmt.Errorf("it has version %d, want %d", part.Version, Version)
	case part.Fingerprint != saved.Hex(f.Fingerprint):
		return nil, nil, f.Other(part.Game)
	case part.Begun < 0 || part.Begun > 1<<31-1:
		return nil, nil, fmt.Errorf("its episode began after %d steps, want 0 to %d", part.Begun, 1<<31-1)
	case len(part.Returns) != len(part.Rows):
		return nil, nil, fmt.Errorf("%d returns for %d learners, want one each", len(part.Returns), len(part.Rows))
	}
	return match, part.State, nil
}

// SplitJSON takes a state apart. part is nil where there is none, as in a state of the
// original game.
func SplitJSON(state []byte) (match, part json.RawMessage, err error) {
	outer, inner, err := open(state)
	if err != nil {
		return nil, nil, err
	}
	part, there := inner[poolKey]
	if !there {
		return state, nil, nil
	}
	delete(inner, poolKey)
	if len(inner) == 0 {
		delete(outer, saveKey)
	} else if outer[saveKey], err = json.Marshal(inner); err != nil {
		return nil, nil, err
	}
	match, err = json.Marshal(outer)
	return match, part, err
}

// open takes a state apart as far as it is not the game's own business.
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
