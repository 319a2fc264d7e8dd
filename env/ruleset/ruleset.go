// Package ruleset is what the games' descriptions of their rules have in common. Rules
// are a struct of numbers, switches and named choices that marshals to JSON.
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
	"pommego/env/saved"
	"pommego/internal/enum"
)

// Check returns an error for the first field of a struct of rules that is out of its limits: those that a
// number has in its tag, such as `limits:"1 to 9"`, or the names of a choice. It returns nil if all are within.
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

// Between returns an error if a number of the rules is out of limits that depend on other rules, else nil. by is the
// other rule, if it is the upper limit.
func Between(name string, is, low, high int, by ...string) error {
	if is < low || is > high {
		return fmt.Errorf("rules: %s is %d, want %d to %s", name, is, low, strings.Join(append(by, fmt.Sprint(high)), " = "))
	}
	return nil
}

// Fingerprint is a number that tells the rules of a game apart. Saved states contain
// it.
func Fingerprint(game string, version int, rules any) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%d/%s", game, version, saved.JSON(rules))
	return h.Sum64()
}

// Alone returns the teams of a game in which every seat plays for itself.
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

// Change sets fields of rules, which is a pointer to a struct, to what a JSON object
// has under their names. An error says which field is wrong, what was given and what is
// wanted. Change does not check which values go together. If the object has all fields
// that Marshal always writes, it is a whole set of rules: then fields that Marshal
// leaves out when they are zero become zero.
func Change(rules any, changes json.RawMessage) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(changes, &given); err != nil || given == nil {
		wrong := fmt.Sprintf("rules: %s is given, want an object of fields, such as {\"max_steps\": 100}", short(changes))
		if json.Valid(changes) {
			return errors.New(wrong)
		}
		return fmt.Errorf("%s: %w", wrong, err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if err := set(rules, name, given[name]); err != nil {
			return fmt.Errorf("rules: %w", err)
		}
	}
	completeFrom(rules, given)
	return nil
}

// Difference returns the first field in which rules differ from others, such as "max_steps is 50, not 800"; "" if
// there is none. Both are JSON objects. Of long values it has what is around the first byte that differs.
func Difference(rules, others json.RawMessage) string {
	var is, not map[string]json.RawMessage
	if json.Unmarshal(rules, &is) != nil || json.Unmarshal(others, &not) != nil {
		return fmt.Sprintf("the rules are %s, not %s", short(rules), short(others))
	}
	names := slices.Collect(maps.Keys(is))
	names = slices.AppendSeq(names, maps.Keys(not))
	slices.Sort(names)
	for _, name := range names {
		if a, b := is[name], not[name]; !bytes.Equal(a, b) {
			return fmt.Sprintf("%s is %s, not %s", name, around(a, b), around(b, a))
		}
	}
	return ""
}

// around returns the part of a value in which it differs from another; nil is a value left out.
func around(value, other json.RawMessage) string {
	const before = 20
	same := 0
	for same < min(len(value), len(other)) && value[same] == other[same] {
		same++
	}
	switch {
	case value == nil:
		return "left out"
	case same <= before:
		return short(value)
	}
	return "..." + strings.ToValidUTF8(short(value[same-before:]), "")
}

// completeFrom sets the fields to zero that JSON may leave out, if all other fields are given.
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

// read reads the value of a field. If that is a choice, its own error lists the names.
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

// kinds says what JSON value each kind of field wants.
var kinds = map[reflect.Kind]string{
	reflect.Int: "a whole number", reflect.Uint8: "a whole number of 0 to 255", reflect.Bool: "true or false",
	reflect.String: "a string",
}

// short returns the beginning of what was given.
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
