package orders

import (
	"slices"
	"strconv"
	"strings"
)

// Words is what the numbers of a message mean. A message may be numbers, or a sentence, of which
// the first words that are listed here stand for their numbers. 0 says nothing.
var Words = [...]string{
	1: "see spotted enemy enemies",
	2: "danger dangerous careful fire flames",
	3: "help save trapped stuck",
	4: "attack hunt kill",
	5: "come follow together here",
	6: "away leave run retreat",
	7: "bomb bombs bombing dig",
	8: "yes ok agree safe",
}

// wordOf is the number for which a word of a sentence stands, 0 for none.
func wordOf(w string) int {
	if n, err := strconv.Atoi(w); err == nil && n > 0 && n < len(Words) {
		return n
	}
	return max(0, slices.IndexFunc(Words[:], func(all string) bool { return slices.Contains(strings.Fields(all), w) }))
}
