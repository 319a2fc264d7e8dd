package orders

import (
	"strconv"
	"strings"
	"unicode"

	"pommego/arena/scene"
	"pommego/env"
)

// Parse reads an answer to orders. An answer without one plain meaning is a single stop.
func Parse(text string, head *scene.Head) (Orders, Reading) {
	text = ends(text)
	for _, part := range parts(text) {
		r := reader{head: head, tokens: tokens(part)}
		if o, ok := r.read(); ok {
			if r.strange {
				continue
			}
			if asSaid := strings.TrimSpace(text); asSaid == o.Text(head) {
				return o, Legal
			}
			return o, Repaired
		}
	}
	r := reader{head: head, tokens: tokens(text), sentence: true}
	if o, ok := r.read(); ok {
		return o, Repaired
	}
	return Orders{}, Illegal
}

// most is how many bytes of each end of an answer are read.
const most = 4096

// ends is a text without the middle of what is too long.
func ends(text string) string {
	if len(text) <= 2*most {
		return text
	}
	return text[:most] + "\n" + text[len(text)-most:]
}

// parts are the parts of a text that may be the answer proper: all of it, what is last in
// brackets or fences, its last line, and what is there after a colon.
func parts(text string) []string {
	all := []string{text}
	for _, pair := range [...][2]string{{"```", "```"}, {"{", "}"}, {"[", "]"}, {"<answer>", "</answer>"}} {
		if end := strings.LastIndex(text, pair[1]); end >= 0 {
			if start := strings.LastIndex(text[:end], pair[0]); start >= 0 {
				all = append(all, text[start+len(pair[0]):end])
			}
		}
	}
	text = strings.TrimSpace(text)
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return append(all, line, line[strings.LastIndexByte(line, ':')+1:])
}

// tokens are the words and numbers of a text, in lower case.
func tokens(text string) []string {
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text))
	return strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// reader reads the tokens of an answer.
type reader struct {
	head     *scene.Head
	tokens   []string
	at       int
	sentence bool // words that mean nothing may stand between the others

	o       Orders
	orders  int
	strange bool
	differ  bool
}

var fillers = words("action actions move moves order orders cell ticks tick steps for k to answer final json text then and")

var negations = words("not dont no never avoid cannot cant wont without nor neither isnt shouldnt")

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

func (r *reader) next() string {
	if r.at == len(r.tokens) {
		return ""
	}
	r.at++
	return r.tokens[r.at-1]
}

// number reads a number if one comes next, behind fillers.
func (r *reader) number() (int, bool) {
	at := r.at
	for at < len(r.tokens) && fillers[r.tokens[at]] {
		at++
	}
	if at == len(r.tokens) {
		return 0, false
	}
	n, err := strconv.Atoi(r.tokens[at])
	if err != nil || n < 0 {
		return 0, false
	}
	r.at = at + 1
	return n, true
}

// read reads all tokens.
func (r *reader) read() (Orders, bool) {
	said := false
	for w := r.next(); w != ""; w = r.next() {
		switch a, k := r.action(w), kindOf(w); {
		case w == "say":
			said = r.say()
		case k == Bomb && r.ticks():
			r.order(k)
		case a >= 0:
			r.o.Actions = append(r.o.Actions, uint8(a))
		case k == Go && !r.cell():
			r.strange = true
		case k != Play:
			r.ticks()
			r.order(k)
		case !fillers[w]:
			r.strange = true
			if negations[w] {
				r.differ = true
			}
		}
	}
	switch n := len(r.o.Actions); {
	case r.differ, r.orders > 1, r.orders == 1 && n > 0, r.orders+n == 0 && !said, n > MostWords*Movers(r.head):
		return Orders{}, false
	case r.sentence && n > 0:
		for _, a := range r.o.Actions {
			if a != r.o.Actions[0] {
				return Orders{}, false
			}
		}
		r.o.Actions = r.o.Actions[:1]
	}
	return r.o, r.sentence || !r.strange
}

// action is the choice that a word names, -1 if it names none.
func (r *reader) action(w string) int {
	for i, name := range r.head.Actions[0].Names {
		if w == name || w == "stop" && i == 0 || w == "bomb" && name == "plant_bomb" {
			return i
		}
	}
	return -1
}

func kindOf(w string) Kind {
	for k := Go; k <= Wait; k++ {
		if kindNames[k] == w {
			return k
		}
	}
	return Play
}

func (r *reader) order(k Kind) {
	r.o.Kind = k
	r.orders++
}

// cell reads a row and a column of the board.
func (r *reader) cell() bool {
	row, one := r.number()
	col, two := r.number()
	r.o.Cell = env.Place{row, col}
	return one && two && row < r.head.Rows && col < r.head.Cols
}

// ticks reads for how long an order holds, if it is there.
func (r *reader) ticks() bool {
	n, ok := r.number()
	if ok {
		r.o.Ticks = min(max(n, 1), MostTicks)
	}
	return ok
}

// say reads the message: what is left of the answer.
func (r *reader) say() bool {
	n, mute := 0, len(r.head.Actions) == Movers(r.head)
	for w := r.next(); w != ""; w = r.next() {
		if word := wordOf(w); word > 0 && n < len(r.o.Said) && !mute {
			r.o.Said[n] = uint8(word)
			n++
		}
	}
	return n > 0
}
