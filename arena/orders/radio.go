package orders

import (
	"slices"
	"strconv"
	"strings"
)

// Words is what the numbers of a message mean, by which sentences are mapped to them: any
// of the words of a line stands for its number, which Words[0] lacks.
var Words = [...]string{
	1: "see enemy enemies",
	2: "danger fire careful",
	3: "help save",
	4: "attack hunt",
	5: "come follow here",
	6: "away leave",
	7: "bomb bombs",
	8: "yes ok",
}

// wordOf is the number that a word of a sentence stands for, 0 if none.
func wordOf(w string) int {
	if n, err := strconv.Atoi(w); err == nil && n > 0 && n < len(Words) {
		return n
	}
	for n, all := range Words {
		if slices.Contains(strings.Fields(all), w) {
			return n
		}
	}
	return 0
}
