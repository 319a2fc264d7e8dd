package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pommego/llm/orders"
	"pommego/llm/words"
)

// extraField begins the names of options that are fields of each request. Values are JSON or else text.
const extraField = "body."

// harmless matches names that an error may show: no key matches.
var harmless = regexp.MustCompile(`^[a-z_]{2,20}$`)

// options has a function for each option in a language model's name. The function sets the value. It returns "", or
// what is wanted if the value is wrong.
func (p *player) options() map[string]func(value string) (want string) {
	const real, whole = "a number", "a whole number"
	number := func(kind string, most float64, take func(n float64)) func(string) string {
		return func(value string) string {
			n, err := strconv.ParseFloat(value, 64)
			if take(n); err != nil || !(n >= 0 && n <= most) || kind == whole && n != math.Trunc(n) {
				return fmt.Sprintf("%s of 0 to %g", kind, most)
			}
			return ""
		}
	}
	count := func(most float64, to *int) func(string) string {
		return number(whole, most, func(n float64) { *to = int(n) })
	}
	text := func(to *string, want string, known ...string) func(string) string {
		return func(value string) string {
			if *to = value; value == "" || known != nil && !slices.Contains(known, value) {
				return want
			}
			return ""
		}
	}
	sent := func(field string) func(float64) { return func(n float64) { p.body[field] = n } }
	return map[string]func(string) string{
		"model": text(&p.model, "a name"), "key": text(&p.variable, "the name of an environment variable"),
		"system_prompt": text(&p.file, "the name of a file"), "turns": count(1e6, &p.turns),
		"hints": func(value string) string {
			hints, err := strconv.ParseBool(value)
			if p.form.Bare = !hints; err != nil {
				return "true or false"
			}
			return ""
		},
		"detail":      text(&p.form.Detail, strings.Join(words.Details, " or "), words.Details...),
		"temperature": number(real, 1e6, sent("temperature")), "top_p": number(real, 1, sent("top_p")),
		"max_tokens": number(whole, 1e9, sent("max_tokens")), "frame_ticks": count(orders.MostTicks, &p.form.Frame),
		"scratchpad": count(1e9, &p.scratchpad), "budget": count(1e9, &p.budget),
		"price_in":  number(real, 1e6, func(n float64) { p.in = n }),
		"price_out": number(real, 1e6, func(n float64) { p.out = n }),
	}
}

// readOptions reads the options in a name. Errors show the names of options and no values.
func (p *player) readOptions(parts []string) error {
	options := p.options()
	for len(parts) > 0 {
		name, value, _ := strings.Cut(parts[0], "=")
		parts = parts[1:]
		if field, extra := strings.CutPrefix(name, extraField); extra {
			if slices.Contains([]string{"", "model", "messages"}, field) {
				return fmt.Errorf("an option is wrong: %sFIELD wants a field other than model and messages", extraField)
			}
			for strings.IndexAny(value, `[{"`) == 0 && !json.Valid([]byte(value)) && len(parts) > 0 {
				value, parts = value+","+parts[0], parts[1:]
			}
			if p.body[field] = value; json.Valid([]byte(value)) {
				p.body[field] = json.RawMessage(value)
			}
		} else if take := options[name]; take == nil {
			if !harmless.MatchString(name) {
				name = "such"
			}
			return fmt.Errorf("an option is wrong: there is no %s option, want some of %s, and %sFIELD, each with a value", name,
				strings.Join(slices.Sorted(maps.Keys(options)), ", "), extraField)
		} else if want := take(value); want != "" {
			return fmt.Errorf("an option is wrong: %s wants %s", name, want)
		}
	}
	if want := options["model"](p.model); want != "" {
		return fmt.Errorf("an option is wrong: model wants %s", want)
	}
	return nil
}
