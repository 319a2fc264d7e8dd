package gamestate

import (
	"encoding/json"
	"errors"
	"fmt"
)

// saveKey is where a state's JSON keeps what is not the original game's own, and
// poolKey where in there the environment keeps its part.
const (
	saveKey = "pommego"
	poolKey = "pool"
)

type object map[string]json.RawMessage

// JoinJSON puts an environment's part into a match's JSON.
func JoinJSON(match []byte, part any) (json.RawMessage, error) {
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

// SplitJSON takes a state apart again. part is nil where there is none, as in a
// state of the original game.
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
