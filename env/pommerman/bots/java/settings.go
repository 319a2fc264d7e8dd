package java

import (
	"math"
	"slices"
	"time"

	"pommego/env/pommerman"
	"pommego/env/search"
	"pommego/env/seat"
)

// method is one of the searches.
type method uint8

const (
	lookAhead  method = iota // osla.go
	evolution                // rhea.go
	treeSearch               // mcts.go
)

// settings say how an agent searches.
type settings struct {
	method method

	// What a decision may spend; 0: no limit.
	iterations, ticks int
	time              time.Duration

	depth    int     // of treeSearch, in ticks
	c        float64 // of treeSearch
	length   int     // of evolution
	mutation float64 // of evolution
	advanced bool    // score by AdvancedHeuristic
}

// option is one option of an agent, from lo to hi, without fractions if whole.
type option struct {
	key    string
	lo, hi float64
	whole  bool
	set    func(s *settings, x float64)
}

// budgets are the options that limit a decision. Each but the first lifts the
// number of iterations, unless that is given too.
var budgets = []string{"iterations", "ticks", "ms"}

var options = []option{
	{"iterations", 1, 1e9, true, func(s *settings, x float64) { s.iterations = int(x) }},
	{"ticks", 1, 1e9, true, func(s *settings, x float64) { s.ticks = int(x) }},
	{"ms", 0.01, 60_000, false, func(s *settings, x float64) { s.time = time.Duration(x * float64(time.Millisecond)) }},
	{"depth", 1, 100, true, func(s *settings, x float64) { s.depth = int(x) }},
	{"c", 0, 1e6, false, func(s *settings, x float64) { s.c = x }},
	{"length", 1, search.MaxLength, true, func(s *settings, x float64) { s.length = int(x) }},
	{"mutation", 0, 1, false, func(s *settings, x float64) { s.mutation = x }},
	{"advanced", 0, 1, true, func(s *settings, x float64) { s.advanced = x != 0 }},
}

// searching is a kind of agent that searches as s says, unless options say
// otherwise. Where s has a number of iterations, budgets apply.
func searching(name string, s settings, takes ...string) seat.Kind[pommerman.View] {
	k := seat.Kind[pommerman.View]{Name: name, Options: append(takes, "advanced")}
	if s.iterations > 0 {
		k.Options = slices.Concat(budgets, k.Options)
	}
	k.Make = func(o seat.Options) (pommerman.Bot, error) {
		own, err := s.with(o)
		if err != nil {
			return nil, err
		}
		return &agent{settings: own}, nil
	}
	return k
}

// with is the settings with options applied.
func (s settings) with(o seat.Options) (settings, error) {
	if o["ticks"] != "" || o["ms"] != "" {
		s.iterations = 0
	}
	for i := range options {
		k := &options[i]
		if _, given := o[k.key]; !given {
			continue
		}
		x, err := o.Number(k.key, k.lo, k.hi, k.whole)
		if err != nil {
			return s, err
		}
		k.set(&s, x)
	}
	return s, nil
}

// meter spends the budget of a decision.
type meter struct {
	rounds, left int64        // what may be spent of iterations and ticks
	spent        uint64       // ticks
	deadline     time.Time    // zero: none
	memo         *search.Memo // knows when to stop; nil: at the end
}

// begin starts a decision.
func (m *meter) begin(s *settings) {
	*m = meter{rounds: limit(s.iterations), left: limit(s.ticks)}
	if s.time > 0 {
		m.deadline = time.Now().Add(s.time)
	}
}

func limit(n int) int64 {
	if n == 0 {
		return math.MaxInt64
	}
	return int64(n)
}

// round reports whether there is another iteration, and counts it.
func (m *meter) round() bool {
	m.rounds--
	return m.rounds >= 0 && m.left > 0 && (m.deadline.IsZero() || time.Now().Before(m.deadline)) && (m.memo == nil || !m.memo.Stopped())
}

// tick reports whether there is another tick, and counts it.
func (m *meter) tick() bool {
	if m.left <= 0 {
		return false
	}
	m.left--
	m.spent++
	return true
}
