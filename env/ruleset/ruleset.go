// Package ruleset is what the games have in common where they describe their
// rules: a struct of numbers, switches and named choices that marshals to JSON.
package ruleset

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strings"

	"pommego/env"
	"pommego/internal/enum"
)

// Check says which field of a struct of rules is out of its limits, the first if there are several: those
// that a number has in its tag, such as `limits:"1 to 9"`, or the names of a choice.
func Check(rules any) error {
	v := reflect.ValueOf(rules).Elem()
	for i, field := range Meanings(rules) {
		is, low, high := v.Field(i), 0, 0
		if choice, ok := is.Interface().(choice); ok && !choice.Known() {
			return fmt.Errorf("rules: %s is %d, want one of %s", field.Name, is.Uint(), strings.Join(choice.Names(), ", "))
		}
		if limits, ok := v.Type().Field(i).Tag.Lookup("limits"); ok {
			if _, err := fmt.Sscanf(limits, "%d to %d", &low, &high); err != nil {
				panic(fmt.Errorf("ruleset: %s has the limits %q: %w", field.Name, limits, err))
			}
			if err := Between(field.Name, int(is.Int()), low, high); err != nil {
				return err
			}
		}
	}
	return nil
}

// choice is an [enum.Text].
type choice interface {
	Known() bool
	Names() []string
}

// Between says that a number of the rules is out of limits that depend on others.
func Between(name string, is, low, high int) error {
	if is < low || is > high {
		return fmt.Errorf("rules: %s is %d, want %d to %d", name, is, low, high)
	}
	return nil
}

// Fingerprint is a number that tells the rules of a game apart: saved states
// carry it.
func Fingerprint(game string, version int, rules any) uint64 {
	text, err := json.Marshal(rules)
	if err != nil {
		panic(err) // numbers, switches and names always marshal
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d/%s", game, version, text)
	return h.Sum64()
}

// Alone is the teams of a game in which every seat plays for itself.
func Alone(seats int) [][]int {
	var teams [][]int
	for seat := range seats {
		teams = append(teams, []int{seat})
	}
	return teams
}

// Meanings lists what each field of a struct of rules means, in the fields' order:
// its name is that of its tag "json", its meaning the tag "doc".
func Meanings(rules any) []env.Name {
	var all []env.Name
	t := reflect.TypeOf(rules)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		all = append(all, env.Name{Name: name, Meaning: t.Field(i).Tag.Get("doc")})
	}
	return all
}

// Change sets fields of rules, which is a pointer to a struct, to what a JSON
// object has under their names. What is wrong is an error that says which field,
// what was given and what is wanted. It does not check what values go together.
// An object of all fields that JSON always has is a whole set of rules, as Marshal
// writes it: fields that JSON leaves out where they are zero are zero then.
func Change(rules any, changes json.RawMessage) error {
	var given map[string]json.RawMessage
	err := json.Unmarshal(changes, &given)
	if err == nil && given == nil {
		err = errors.New("it has none")
	}
	if err != nil {
		return fmt.Errorf("rules: %s is given, want an object of fields, such as {\"max_steps\": 100}: %w", short(changes),
			err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if err := set(rules, name, given[name]); err != nil {
			return fmt.Errorf("rules: %w", err)
		}
	}
	completeFrom(rules, given)
	return nil
}

// Difference says in what rules differ from others, both as JSON objects: the first
// field whose value is another one, such as "max_steps is 50, not 800"; "" if there
// is none.
func Difference(rules, others json.RawMessage) string {
	var is, not map[string]json.RawMessage
	if json.Unmarshal(rules, &is) != nil || json.Unmarshal(others, &not) != nil {
		return fmt.Sprintf("the rules are %s, not %s", short(rules), short(others))
	}
	text := func(value json.RawMessage) string {
		if value == nil {
			return "left out"
		}
		return short(value)
	}
	names := slices.Collect(maps.Keys(is))
	names = slices.AppendSeq(names, maps.Keys(not))
	slices.Sort(names)
	for _, name := range names {
		if a, b := text(is[name]), text(not[name]); a != b {
			return fmt.Sprintf("%s is %s, not %s", name, a, b)
		}
	}
	return ""
}

// Changes is the fields in which rules differ from others, all as JSON objects: Change
// makes these rules of the others with it. It lacks fields that the rules leave out.
func Changes(rules, others json.RawMessage) json.RawMessage {
	var is, not map[string]json.RawMessage
	if json.Unmarshal(rules, &is) != nil || json.Unmarshal(others, &not) != nil {
		return rules
	}
	maps.DeleteFunc(is, func(name string, value json.RawMessage) bool { return bytes.Equal(value, not[name]) })
	text, err := json.Marshal(is)
	if err != nil {
		panic(err) // it was made of JSON
	}
	return text
}

// completeFrom sets what JSON may leave out to zero, if all else is given.
func completeFrom(rules any, given map[string]json.RawMessage) {
	v := reflect.ValueOf(rules).Elem()
	var left []int
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case given[name] != nil:
		case options == "":
			return
		default:
			left = append(left, i)
		}
	}
	for _, i := range left {
		v.Field(i).SetZero()
	}
}

func set(rules any, name string, text json.RawMessage) error {
	v := reflect.ValueOf(rules).Elem()
	var names []string
	for i, field := range Meanings(rules) {
		if field.Name == name {
			return read(name, v.Field(i).Addr().Interface(), text)
		}
		names = append(names, field.Name)
	}
	return fmt.Errorf("there is no field %q%s, want one of %s", name, enum.Suggest(name, names), strings.Join(names, ", "))
}

// read reads the value of a field. A reading says itself which names it has.
func read(name string, to any, text json.RawMessage) error {
	if t, named := to.(encoding.TextUnmarshaler); named {
		var given string
		if json.Unmarshal(text, &given) != nil {
			given = string(text)
		}
		return t.UnmarshalText([]byte(given))
	}
	if string(text) == "null" || json.Unmarshal(text, to) != nil {
		return fmt.Errorf("%s is %s, want %s", name, short(text), kinds[reflect.TypeOf(to).Elem().Kind()])
	}
	return nil
}

// kinds is what JSON has to give for each kind of field.
var kinds = map[reflect.Kind]string{
	reflect.Int: "a whole number", reflect.Uint8: "a whole number of 0 to 255", reflect.Bool: "true or false",
	reflect.String: "a string",
}

// short is the beginning of what was given.
func short(text []byte) string {
	const most = 40
	if text = bytes.TrimSpace(text); len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "..."
	}
	if len(text) == 0 {
		return "nothing"
	}
	return string(text)
}
