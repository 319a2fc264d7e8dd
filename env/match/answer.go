package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pommego/env"
)

// maxAnswer is how many bytes a remote player may answer with.
const maxAnswer = 64 << 10

// readAction reads an action from JSON into numbers that are all zero: a number
// is the first component, and so is a string, which names one of its choices in
// capitals or not; a list is one number a component. What a list lacks
// stays 0, what it has beyond the components is not looked at, as in the
// reference. A number with a fraction of 0 is a whole one.
func readAction(text json.RawMessage, choices []env.Choice, action []uint8) error {
	if len(text) == 0 {
		return errors.New("the answer has no action")
	}
	if text[0] == '"' {
		return readName(text, choices[0], action)
	}
	var list []*float64
	if text[0] != '[' {
		list = make([]*float64, 1)
		if err := json.Unmarshal(text, &list[0]); err != nil {
			return fmt.Errorf("the action is %s, want a number or a list of numbers", short(text))
		}
	} else if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		return fmt.Errorf("the action is %s, want a list of %d numbers", short(text), len(choices))
	}
	for i, choice := range choices[:min(len(choices), len(list))] {
		v := list[i]
		if v == nil || !(*v >= 0 && *v < float64(choice.N)) || *v != float64(uint8(*v)) {
			return fmt.Errorf("the action is %s, want a whole number of 0 to %d for %s", short(text), choice.N-1, choice.Name)
		}
		action[i] = uint8(*v)
	}
	return nil
}

// readName reads an action that is the name of a choice.
func readName(text json.RawMessage, choice env.Choice, action []uint8) error {
	var name string
	if err := json.Unmarshal(text, &name); err != nil {
		return fmt.Errorf("the action is %s, which is no JSON string", short(text))
	}
	i := slices.IndexFunc(choice.Names, func(known string) bool { return strings.EqualFold(known, name) })
	if i < 0 {
		return fmt.Errorf("the action is %s, want a number or one of %s", short(text), strings.Join(choice.Names, ", "))
	}
	action[0] = uint8(i)
	return nil
}

// short is the beginning of what somebody answered, for an error.
func short(text []byte) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
