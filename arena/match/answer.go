package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pommego/env"
)

// maxAnswer is the most bytes that a remote player's answer may have.
const maxAnswer = 64 << 10

// readAction reads an action from JSON into numbers that are all zero. A list has one
// entry per component; anything else is the first component alone. Components that a
// list lacks stay 0, and further entries are ignored, as in the reference.
func readAction(text json.RawMessage, choices []env.Choice, action []uint8) error {
	if len(text) == 0 {
		return errors.New("the answer has no action")
	}
	var list []json.RawMessage
	if text[0] != '[' {
		list = []json.RawMessage{text}
	} else if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		return fmt.Errorf("the action is %s, want a list of %d numbers or names", Short(text), len(choices))
	}
	for i := range choices[:min(len(choices), len(list))] {
		v, err := readChoice(list[i], &choices[i])
		if err != nil {
			return fmt.Errorf("the action is %s, want %w", Short(text), err)
		}
		action[i] = v
	}
	return nil
}

// readChoice reads one component: its number, or its name in capitals or not. 3.0 is a
// whole number. The error says what is wanted.
func readChoice(text json.RawMessage, choice *env.Choice) (uint8, error) {
	var name string
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &name); err != nil {
			return 0, errors.New("a JSON string that ends")
		}
		i := slices.IndexFunc(choice.Names, func(known string) bool { return strings.EqualFold(known, name) })
		if i < 0 {
			return 0, fmt.Errorf("a number or one of %s for %s", strings.Join(choice.Names, ", "), choice.Name)
		}
		return uint8(i), nil
	}
	var v *float64
	if err := json.Unmarshal(text, &v); err != nil {
		return 0, fmt.Errorf("a number or a name for %s, or a list of them", choice.Name)
	}
	if v == nil || !(*v >= 0 && *v < float64(choice.N)) || *v != float64(uint8(*v)) {
		return 0, fmt.Errorf("a whole number of 0 to %d for %s", choice.N-1, choice.Name)
	}
	return uint8(*v), nil
}

// Short is the beginning of an answer, for an error.
func Short(text []byte) string {
	const most = 60
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
