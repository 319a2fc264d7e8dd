package tournament

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"
)

// Record is one finished game.
type Record struct {
	Game    int      `json:"game"` // its number in the schedule
	Seed    uint64   `json:"seed"`
	Agents  []string `json:"agents"`  // by seat
	Outcome []int    `json:"outcome"` // by seat: +1 won, -1 lost, 0 tied
	Steps   int      `json:"steps"`
	Played  int      `json:"played"` // games, the re-runs of ties included

	Moves  []int    `json:"moves"` // by seat, as all that follows
	Ticks  []uint64 `json:"ticks"`
	Late   []int    `json:"late"`
	Failed []int    `json:"failed"`
	Errors []string `json:"errors,omitempty"`

	Clock Clock `json:"clock"`
}

// Clock is what the clock said about one game, by seat. Nothing in Results
// comes from here.
type Clock struct {
	Think   []time.Duration `json:"think_ns"`   // all moves together
	Longest []time.Duration `json:"longest_ns"` // one move
}

// A line of the log is a JSON object whose first key is a checksum of what
// follows it.
const (
	sumOpen  = `{"crc32":"`
	sumClose = `",`
	sumAt    = len(sumOpen) + 8 + len(sumClose) // where the summed part begins
)

// appendLine appends v, an object with one key or more, as a line of the log.
func appendLine(dst []byte, v any) ([]byte, error) {
	object, err := json.Marshal(v)
	if err != nil {
		return dst, err
	}
	body := object[1:]
	dst = fmt.Appendf(dst, "%s%08x%s", sumOpen, crc32.ChecksumIEEE(body), sumClose)
	return append(append(dst, body...), '\n'), nil
}

var (
	errTorn = errors.New("it does not end with a line feed")
	errSum  = errors.New("its checksum is wrong")
)

// readLine reads what appendLine wrote.
func readLine(line []byte, v any) error {
	n := len(line) - 1
	switch {
	case n < 0 || line[n] != '\n':
		return errTorn
	case n < sumAt || string(line[:len(sumOpen)]) != sumOpen || string(line[sumAt-len(sumClose):sumAt]) != sumClose:
		return errors.New("it does not begin with a checksum")
	}
	body := line[sumAt:n]
	if string(line[len(sumOpen):sumAt-len(sumClose)]) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) {
		return errSum
	}
	return json.Unmarshal(append([]byte{'{'}, body...), v)
}

// check says whether the record can be of the game it claims to be.
func (s *schedule) check(r *Record) error {
	if r.Game < 0 || r.Game >= s.games() {
		return fmt.Errorf("it is of game %d, want 0 to %d", r.Game, s.games()-1)
	}
	f := s.game(r.Game)
	if names := s.names(&f); r.Seed != f.seed.Value || !slices.Equal(r.Agents, names) {
		return fmt.Errorf("it says that game %d has seed %d and agents %q, want %d and %q", r.Game, r.Seed, r.Agents, f.seed.Value, names)
	}
	n := s.spec.Seats
	for _, have := range []int{len(r.Outcome), len(r.Moves), len(r.Ticks), len(r.Late), len(r.Failed), len(r.Clock.Think), len(r.Clock.Longest)} {
		if have != n {
			return fmt.Errorf("it has a list of %d seats, want %d", have, n)
		}
	}
	if r.Errors != nil && len(r.Errors) != n {
		return fmt.Errorf("it has errors of %d seats, want %d or none", len(r.Errors), n)
	}
	return nil
}
