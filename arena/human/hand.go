package human

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pommego/env"
)

// hand turns keys and lines into an action. The components whose choices have names
// are moves, those whose choices are numbers are words.
type hand struct {
	choices      []env.Choice
	moves, words []int // components

	action   []uint8 // being made
	needless []bool  // components that need no key
	moved    int     // moves given
	worded   int     // words given
}

func newHand(spec *env.Spec) hand {
	h := hand{choices: spec.Actions}
	for i, c := range spec.Actions {
		if _, err := strconv.Atoi(c.Names[len(c.Names)-1]); err == nil {
			h.words = append(h.words, i)
		} else {
			h.moves = append(h.moves, i)
		}
	}
	return h
}

// keysOf is the keys of a choice: letters, and names of keys.
func keysOf(component env.Choice, choice int) []string {
	name := component.Names[choice]
	switch {
	case choice == 0:
		return []string{".", "\r", "\n", "x"}
	case name == "up":
		return []string{"up", "w"}
	case name == "down":
		return []string{"down", "s"}
	case name == "left":
		return []string{"left", "a"}
	case name == "right":
		return []string{"right", "d"}
	case strings.HasSuffix(name, "bomb"):
		return []string{" ", "b"}
	}
	return []string{strconv.Itoa(choice)}
}

// take begins an action.
func (h *hand) take(action []uint8, needless []bool) {
	h.action, h.needless, h.moved, h.worded = action, needless, 0, 0
}

// help says which keys there are.
func (h *hand) help(keys bool) string {
	var parts []string
	if len(h.moves) > 0 {
		first := h.choices[h.moves[0]]
		for choice, name := range first.Names {
			key := keysOf(first, choice)
			shown := key[len(key)-1]
			if keys && key[0] == " " {
				shown = "space"
			}
			if keys && choice == 0 {
				shown = "."
			}
			parts = append(parts, shown+" "+name)
		}
	}
	text := strings.Join(parts, ", ")
	if keys {
		text = strings.Replace(text, "w up, s down, a left, d right", "arrows or w a s d move", 1)
	}
	if n := len(h.moves); n > 1 {
		text += fmt.Sprintf("; %d of them, for %s", n, h.names(h.moves))
	}
	if len(h.words) > 0 && keys {
		text += fmt.Sprintf("; before it %d digits for words", len(h.words))
	} else if len(h.words) > 0 {
		text += fmt.Sprintf("; then %d numbers for words", len(h.words))
	}
	if !keys {
		text += "; a line a move"
	}
	return text + "; q leave"
}

func (h *hand) names(components []int) string {
	var names []string
	for _, i := range components {
		names = append(names, h.choices[i].Name)
	}
	return strings.Join(names, ", ")
}

// key takes a key and reports whether the action is whole. Keys that mean nothing
// are passed over; after a whole action the next begins another.
func (h *hand) key(key string) (whole bool) {
	if number, err := strconv.Atoi(key); err == nil && len(h.words) > 0 {
		h.word(number)
		return false
	}
	if h.moved == len(h.moves) {
		h.moved = 0
	}
	h.pass()
	if h.moved < len(h.moves) {
		component := h.choices[h.moves[h.moved]]
		for choice := range component.Names {
			if slices.Contains(keysOf(component, choice), strings.ToLower(key)) {
				h.action[h.moves[h.moved]] = uint8(choice)
				h.moved++
				break
			}
		}
	}
	h.pass()
	return h.moved == len(h.moves)
}

// pass passes over the moves that need no key.
func (h *hand) pass() {
	for h.moved < len(h.moves) && h.needless[h.moves[h.moved]] {
		h.moved++
	}
}

// word takes a word; one that there is not says nothing.
func (h *hand) word(number int) bool {
	component := h.words[h.worded%len(h.words)]
	if number < 0 || number >= h.choices[component].N {
		return false
	}
	h.action[component] = uint8(number)
	h.worded++
	return true
}

// line takes a line: moves by name or key, words by number, in the order of the
// components. What it leaves out is choice 0.
func (h *hand) line(line string) error {
	h.moved, h.worded = 0, 0
	clear(h.action)
	for _, text := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,\t\r\n", r) }) {
		if err := h.token(text); err != nil {
			clear(h.action)
			return fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
	}
	return nil
}

func (h *hand) token(text string) error {
	if number, err := strconv.Atoi(text); err == nil && len(h.words) > 0 {
		if h.worded == len(h.words) || !h.word(number) {
			return fmt.Errorf("%q is one word too many, or none of 0 to %d", text, h.choices[h.words[0]].N-1)
		}
		return nil
	}
	if h.moved == len(h.moves) {
		return fmt.Errorf("%q is one move too many, want %d", text, len(h.moves))
	}
	component := h.choices[h.moves[h.moved]]
	for choice, name := range component.Names {
		if strings.EqualFold(name, text) || slices.Contains(keysOf(component, choice), strings.ToLower(text)) || text == strconv.Itoa(choice) {
			h.action[h.moves[h.moved]] = uint8(choice)
			h.moved++
			return nil
		}
	}
	return fmt.Errorf("there is no move %q, want one of %s", text, strings.Join(component.Names, ", "))
}
