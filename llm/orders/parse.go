package orders

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"pommego/arena/scene"
	"pommego/env"
)

// Read is the part of an answer that is read: of a long one only the two ends, so that time and memory are bounded.
func Read(text string) string {
	if len(text) > 2*most {
		return text[:most-1] + "\n" + text[len(text)-most:]
	}
	return text
}

// Parse turns an answer into orders. An answer without one plain meaning becomes a single stop: one that is cut off in
// a thought, offers a choice, doubts or refuses. why says what was repaired, or what is wrong.
func Parse(text string, head *scene.Head) (o Orders, reading Reading, why string) {
	text = Read(text)
	if strings.TrimSpace(text) == "" {
		return o, Illegal, "it is empty"
	}
	if thought := strings.LastIndex(text, "</think>"); thought >= 0 {
		text = text[thought+len("</think>"):]
	} else if strings.Contains(text, "<think>") {
		return o, Illegal, "its thought is not closed"
	}
	text = strings.TrimSpace(text)
	last := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	for _, part := range parts(text, last) {
		r := reader{head: head, tokens: tokens(part.text)}
		r.read()
		switch {
		case part.is != "" && !r.strange && r.doubt == "" && len(r.Actions) > MostWords*head.Movers():
			return o, Illegal, r.wrong() // else its last line alone would be played
		case !r.plain() || r.strange:
		case r.Text(head) == saysNothing.ReplaceAllString(last, ""):
			return r.Orders, Legal, ""
		case part.is != "":
			return r.Orders, Repaired, part.is
		}
	}
	r := reader{head: head}
	text = strings.ReplaceAll(text, "?", "?\n") // a question is a doubt
	for clause := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(".;!\n", c) }) {
		if words := tokens(clause); !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(doubts, w) }) {
			r.tokens = append(r.tokens, words...)
		}
	}
	if r.read(); r.plain() && len(slices.Compact(r.Actions)) <= 1 {
		r.Actions = r.Actions[:min(1, len(r.Actions))]
		return r.Orders, Repaired, "the one move or order in it" // of those that the answer does not doubt
	}
	whole := reader{head: head, tokens: tokens(text)}
	whole.read()
	return o, Illegal, whole.wrong()
}

// most is how many bytes of each end of an answer are read, and mostBraces how many { may begin JSON.
const most, mostBraces = 4096, 64

// part is a part of an answer, and what the model is told if it is repaired; "": it has to be legal.
type part struct{ text, is string }

// parts are the parts of a text that may be the answer proper: the whole text; its last line, if that is legal; and
// what is repaired. JSON comes before the whole text, in which its keys and other values would be words, too.
func parts(text, last string) []part {
	words, alone := object(text)
	all := []part{{text, "written otherwise"}, {last, ""}, {words, "what stands in { }"}}
	if alone {
		all = append(all[1:], all[0])
	}
	for _, pair := range [...][2]string{{"```", "```"}, {"{", "}"}, {"[", "]"}, {"<answer>", "</answer>"}} {
		if end := strings.LastIndex(text, pair[1]); end >= 0 {
			if start := strings.LastIndex(text[:end], pair[0]); start >= 0 {
				all = append(all, part{text[start+len(pair[0]) : end], "what stands in " + pair[0] + " " + pair[1]})
			}
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	colon := last[strings.LastIndexByte(last, ':')+1:]
	return append(all, part{last, "its last line"}, part{colon, "what follows its last colon"},
		part{first, "its first line"})
}

// object turns the last JSON object in a text into words; of objects in one another the outermost that has words.
// alone: no other one has words.
func object(text string) (words string, alone bool) {
	for range mostBraces {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		text = text[at:]
		var found json.RawMessage
		json.NewDecoder(strings.NewReader(text)).Decode(&found)
		if outer := Object(string(found)); outer != "" {
			words, alone = outer, words == ""
			text = text[len(found):]
		} else {
			text = text[1:]
		}
	}
	return words, alone
}

// Object turns an answer that is a JSON object into words; "" if it is none. Other keys are ignored.
func Object(text string) string {
	var keys map[string]any
	if json.Unmarshal([]byte(text), &keys) != nil {
		return ""
	}
	words := ""
	for _, key := range []string{"action", "actions", "move", "moves", "order", "cell", "ticks", "say"} {
		switch value, is := keys[key]; {
		case !is || value == nil:
		case key == "ticks":
			words += fmt.Sprint(" for ", value)
		case key == "say":
			words += fmt.Sprint("; say ", value)
		default:
			words += fmt.Sprint(" ", value)
		}
	}
	return words
}

// bullets matches the marks of a list's items, minus the sign of a number, and saysNothing what a message ends with.
var bullets, minus, saysNothing = regexp.MustCompile(`(?m)^\s*(?:\d+[.)]|[-*])\s+`), regexp.MustCompile(`-(\d)`),
	regexp.MustCompile(`(?:; say)?(?: 0)+$`)

// tokens are the words and numbers of a text, in lower case.
func tokens(text string) []string {
	text = minus.ReplaceAllString(bullets.ReplaceAllString(strings.ToLower(text), " "), " minus $1")
	text = strings.NewReplacer("'", "", "’", "", "</", " ", "/>", " ", "/", " or ", "?", " question ").Replace(text)
	between := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.FieldsFunc(text, between)
}

// Words without a meaning of their own, and words that deny, refuse or doubt others.
var (
	fillers = strings.Fields("action actions move moves order orders cell ticks tick steps for k to answer final json " +
		"text then and the at row column")
	doubts = strings.Fields("not dont no never avoid cannot cant wont without nor neither isnt shouldnt refuse decline " +
		"unable sorry or could might may maybe perhaps would if either options unless instead question")
)

type reader struct {
	Orders
	head   *scene.Head
	tokens []string // not read yet

	orders  int // how many orders it has read
	strange bool
	doubt   string // the first word that doubts
	off     bool   // the answer names a cell off the board
	said    bool
	unsaid  string // the first number of its message that is out of range
}

func (r *reader) read() {
	for len(r.tokens) > 0 {
		w := r.tokens[0]
		r.tokens = r.tokens[1:]
		choice, kind := r.choice(w), Kind(max(slices.Index(kindNames[:], w), 0))
		next := append(slices.Clone(r.tokens[:min(2, len(r.tokens))]), "", "")
		switch {
		case w == "say":
			r.say()
		case choice >= 0 && !(kind == Bomb && next[1] != "times" && r.ticks()):
			r.Actions = append(r.Actions, slices.Repeat([]uint8{uint8(choice)}, r.times())...)
		case kind == Go && r.choice(next[0]) >= 0: // go up
		case kind == Play || kind == Go && !r.cell():
			r.strange = r.strange || !slices.Contains(fillers, w)
			if r.doubt == "" && slices.Contains(doubts, w) {
				r.doubt = w
			}
		default:
			r.Kind, r.orders = kind, r.orders+1
			r.ticks()
		}
	}
}

// choice is the choice of an action that a word names; -1 if none. stop and bomb name their choices in all
// games, even if a game has other names for them.
func (r *reader) choice(w string) int {
	names := r.head.Actions[0].Names
	switch {
	case len(names) > lay && w == "stop":
		return 0
	case len(names) > lay && w == "bomb":
		return lay
	}
	return slices.Index(names, w)
}

// isNext reports whether a word begins something else than what is being read: a move, an order or a doubt.
func (r *reader) isNext(w string) bool {
	return r.choice(w) >= 0 || slices.Contains(kindNames[:], w) || slices.Contains(doubts, w)
}

// plain reports whether what has been read has one meaning.
func (r *reader) plain() bool {
	movers, words := r.head.Movers(), len(r.Actions)
	if r.unsaid != "" || r.doubt != "" || r.orders > 0 && (r.orders+words > 1 || movers > 1) {
		return false
	}
	if r.orders+words == 0 {
		return r.said
	}
	return words <= MostWords*movers
}

// wrong says why what has been read does not have one meaning.
func (r *reader) wrong() string {
	movers, words := r.head.Movers(), len(r.Actions)
	switch {
	case r.unsaid != "":
		return fmt.Sprintf("its message has %.20s, want numbers of 0 to %d", r.unsaid, r.head.Actions[movers].N-1)
	case r.off:
		return "its cell is not on the board"
	case r.doubt == "or" || r.doubt == "either" || r.doubt == "options":
		return "it leaves a choice: " + r.doubt
	case r.doubt != "":
		return "it denies, doubts or refuses: " + r.doubt
	case r.orders > 0 && movers > 1:
		return "a seat with several figures takes moves, not orders"
	case r.orders > 0 && r.orders+words > 1:
		return "it has more than one order"
	case words > MostWords*movers:
		return fmt.Sprintf("it has %d moves, want %d at most", words, MostWords*movers)
	case words > 0:
		return "its moves stand among other words"
	}
	return "no move and no order is in it"
}

// number skips fillers and reads a number if one comes next.
func (r *reader) number() (n int, ok bool) {
	for i, w := range r.tokens {
		if slices.Contains(fillers, w) {
			continue
		}
		if n, ok = digits(w); ok {
			r.tokens = r.tokens[i+1:]
		}
		return n, ok
	}
	return 0, false
}

// digits reads a word as a number; one above 65,535 as that.
func digits(w string) (n int, ok bool) {
	v, err := strconv.ParseUint(w, 10, 16)
	return int(v), err == nil || errors.Is(err, strconv.ErrRange)
}

// cell reads a row and a column of the board, or a column and a row if the answer says so.
func (r *reader) cell() bool {
	before := r.tokens
	row, _ := r.number()
	skipped := before[:len(before)-len(r.tokens)]
	col, ok := r.number()
	if c := slices.Index(skipped, "column"); c >= 0 && !slices.Contains(skipped[:c], "row") {
		row, col = col, row
	}
	if on := row < r.head.Rows && col < r.head.Cols; ok && on {
		r.Cell = env.Place{row, col}
	} else {
		r.off, ok = r.off || ok, false
	}
	return ok
}

// ticks reads for how long an order holds, if the answer says so: next, or after the object of the order. Two numbers
// are a cell.
func (r *reader) ticks() bool {
	before := r.tokens
	n, ok := r.number()
	if _, cell := r.number(); cell {
		r.tokens, ok = before, false
	}
	for i := 0; !ok && i+1 < len(r.tokens); i++ {
		if w := r.tokens[i]; r.isNext(w) {
			break
		} else if w == "for" {
			r.tokens = r.tokens[i:]
			n, ok = r.number()
		}
	}
	if ok {
		r.Ticks = min(max(n, 1), MostTicks)
	}
	return ok
}

// times reads how often to play a word: down x2, down for 3, down 3 times.
func (r *reader) times() int {
	words := append(slices.Clone(r.tokens[:min(3, len(r.tokens))]), "", "", "")
	count, by := strings.CutPrefix(words[0], "x")
	used := 1
	switch {
	case words[0] == "for" || words[0] == "x":
		count, used = words[1], 2
	case !by && words[1] != "times":
		return 1
	}
	n, ok := digits(count)
	if !ok {
		return 1
	}
	for used < 3 && slices.Contains([]string{"times", "ticks", "steps"}, words[used]) {
		used++
	}
	r.tokens = r.tokens[used:]
	return min(max(n, 1), MostWords)
}

// say reads the message: the rest of the tokens; in an answer that begins with it, those before the first move, order
// or doubt.
func (r *reader) say() {
	says, first := r.head.Actions[r.head.Movers():], r.orders+len(r.Actions) == 0
	for ; len(r.tokens) > 0; r.tokens = r.tokens[1:] {
		w := r.tokens[0]
		if first && r.isNext(w) {
			break
		}
		n, word, number := len(r.Said), 0, false
		if word, number = digits(w); n == len(says) || !number && w != "minus" {
			continue
		}
		if r.Said = append(r.Said, uint8(word)); !number || word >= says[n].N {
			r.unsaid = cmp.Or(r.unsaid, w)
		}
		r.said = r.said || word > 0
	}
}
