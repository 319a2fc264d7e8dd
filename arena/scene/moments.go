package scene

import (
	"math/bits"
	"slices"

	"pommego/env"
)

// Finder finds what matters in a game, step by step: who is trapped or escapes, which kick killed, which side
// leads, and what decided the game. It is not safe for concurrent use.
type Finder struct {
	head   *Head
	sights []env.Foresight // by seat; nil in games without foresight
	ahead  env.Forecast
	danger map[int]env.Event // by seat: the last event, if it was trapped or had one way out
	kicks  []kick
	side   int // the side that leads; -1: none yet
	since  int // the step since which side leads
	even   int // the last step at which no other side was ahead
	fell   int // the step of the last loss of a figure or a base
}

// kick is a bomb that somebody kicked. Owner and due step identify it: no seat lays two that are due at the same step.
type kick struct {
	by   int
	bomb env.SceneBomb // as it was in the step seen
	due  int
	seen int // the last step in which it was on the board
}

func (h *Head) cell(at env.Place) int { return at[0]*h.Cols + at[1] }

// NewFinder makes a finder for a game that begins.
func NewFinder(head *Head, m env.Match) *Finder {
	f := &Finder{head: head, danger: map[int]env.Event{}, side: -1, even: m.Status().Steps}
	if foreseer, ok := m.(env.Foreseer); ok {
		for seat := range head.Colours {
			f.sights = append(f.sights, foreseer.Foresight(seat))
		}
	}
	return f
}

// Find adds the advantage, the events Trapped, Escaped and Leads, and details of other events to the next whole step
// of the game. m is in that position. Step.Seen removes what a seat does not know.
func (f *Finder) Find(s *Step, m env.Match) {
	f.follow(s)
	for i := range s.Events {
		switch e := &s.Events[i]; e.Kind {
		case env.Died:
			if f.head.Game != "suitebot" { // whose dead come back
				f.fell = s.Step
			}
			e.Kicked, e.Since = f.kickers(s, e), f.danger[e.Seat].Since
			delete(f.danger, e.Seat)
		case env.Ended:
			if e.Since = s.Step; f.fell >= s.Step-1 {
				e.Since = f.fell
			} else if f.side >= 0 && e.By.Has(f.head.Teams[f.side][0]) {
				e.Since = f.since
			}
		}
	}
	for i := range f.sights {
		f.sights[i].Look(m)
	}
	for i := range s.Agents {
		if a := &s.Agents[i]; a.Alive && !s.Status.Over && a.Name == "" && a.Lives < 2 {
			f.watch(s, a)
		}
	}
	if s.Advantage = f.advantage(s); !s.Status.Over {
		f.lead(s)
	}
}

// follow updates the bombs that were kicked, and adds new ones.
func (f *Finder) follow(s *Step) {
	for _, b := range s.Bombs {
		i := slices.IndexFunc(f.kicks, func(k kick) bool { return k.due == s.Step+b.Life && k.bomb.Owners == b.Owners })
		for _, e := range s.Events {
			rows, cols := f.head.Way(e.At, b.At)
			if e.Kind != env.Kicked || b.Moving != e.What || rows*rows+cols*cols > 1 {
				continue
			}
			if i < 0 {
				i, f.kicks = len(f.kicks), append(f.kicks, kick{due: s.Step + b.Life})
			}
			f.kicks[i].by = e.Seat
		}
		if i >= 0 {
			f.kicks[i].bomb, f.kicks[i].seen = b, s.Step
		}
	}
}

// kickers are the seats whose kick moved a bomb of a seat's killers to where the seat died.
func (f *Finder) kickers(s *Step, e *env.Event) (by env.SeatSet) {
	for _, k := range f.kicks {
		rows, cols := f.head.Way(k.bomb.At, e.At)
		rows, cols = max(rows, -rows), max(cols, -cols)
		burns := k.seen < s.Step && s.Step <= k.seen+max(f.head.FlameLife, 1)
		if burns && e.By&k.bomb.Owners != 0 && min(rows, cols) < 2 && max(rows, cols) <= k.bomb.Blast {
			by = by.With(k.by)
		}
	}
	return by
}

// watch adds an event if a figure lost its last way out, has one again, or took the only one at the last moment.
func (f *Finder) watch(s *Step, a *env.SceneAgent) {
	if len(f.sights) == 0 {
		return
	}
	was, in := f.danger[a.Seat]
	ways, soon := f.ways(s, a)
	if in && (ways > 0 || was.Kind == env.Escaped) {
		was.Kind, was.At = env.Escaped, a.At
		s.Events = append(s.Events, was)
		delete(f.danger, a.Seat)
	}
	e := env.Event{Kind: env.Trapped, Seat: a.Seat, At: a.At, Since: s.Step}
	for _, b := range s.Bombs {
		if slices.Contains(b.Reach, f.head.cell(a.At)) {
			e.By |= b.Owners
		}
	}
	switch {
	case ways == 0 && soon > 2 && was.Kind != env.Trapped: // otherwise a viewer could not see it
		s.Events = append(s.Events, e)
		f.danger[a.Seat] = e
	case ways == 1 && soon == 1:
		e.Kind = env.Escaped // it counts if the figure survives
		f.danger[a.Seat] = e
	}
}

// ways is how many moves of a figure survive what its seat foresees, and in how many steps it is hit where it stands,
// 64: never. A figure that can soon kick a bomb may change that, and counts as having several ways.
func (f *Finder) ways(s *Step, a *env.SceneAgent) (ways, soon int) {
	h, sight := f.head, f.sights[a.Seat]
	sight.Foresee(0, &f.ahead)
	soon = bits.TrailingZeros64(f.ahead.Burns[h.cell(a.At)])
	near := func(b env.SceneBomb) bool {
		rows, cols := h.Way(a.At, b.At)
		return rows*rows+cols*cols <= 4
	}
	if soon == 64 || a.Kicks && slices.ContainsFunc(s.Bombs, near) {
		return len(env.Moves), soon
	}
	open := func(tick, cell int) bool { // what has burnt is open, and other figures may move away
		burnt := s.Ground[cell] != env.GroundWall && f.ahead.Burns[cell]&(1<<tick-1) != 0
		stands := func(a env.SceneAgent) bool { return h.cell(a.At) == cell }
		return f.ahead.Open[cell] || burnt || slices.ContainsFunc(s.Agents, stands)
	}
	for move := range env.Moves {
		sight.Foresee(uint8(move), &f.ahead)
		to := h.Neighbour(h.cell(a.At), move)
		if to >= 0 && (move == 0 || f.ahead.Open[to]) && NewWay(h, f.ahead.Burns, open).Lives(1, to) {
			ways++
		}
	}
	return ways, soon
}

// advantage is each side's share of the prospects, in percent. Shares go by the square of what a side has: living
// figures, with the bombs that they carry and have laid, less if they are trapped; bases; points.
func (f *Finder) advantage(s *Step) []int {
	worth, all := make([]int, len(f.head.Teams)), 0
	add := func(seat, n int) {
		worth[slices.IndexFunc(f.head.Teams, func(team []int) bool { return slices.Contains(team, seat) })] += n
	}
	for _, a := range s.Agents {
		n := 100*max(a.Lives, 1) + 15*a.Ammo + 5*min(a.Blast, 8)
		if a.Kicks {
			n += 20
		}
		if f.danger[a.Seat].Kind == env.Trapped {
			n /= 4
		}
		if a.Alive {
			add(a.Seat, n)
		}
	}
	for _, b := range s.Bombs {
		if owner := b.Owners.First(); slices.Contains(s.Status.In, owner) {
			add(owner, 15)
		}
	}
	for _, b := range s.Bases {
		add(b.Owners.First(), 50*b.Energy)
	}
	for side, team := range f.head.Teams {
		for _, name := range []string{"points", "score"} {
			if counts := s.Counts[name]; counts != nil { // each seat of a side has the score of all
				worth[side] += 10 * max(int(counts[team[0]]), 0)
			}
		}
	}
	for _, n := range worth {
		all += n * n
	}
	for i, n := range worth {
		worth[i] = (100*n*n + all/2) / max(all, 1)
	}
	return worth
}

// lead adds an event if another side leads: if it has been ahead by enough, for long enough.
func (f *Finder) lead(s *Step) {
	const by, steps = 10, 4
	first := -1
	for side, share := range s.Advantage {
		others := slices.Delete(slices.Clone(s.Advantage), side, side+1)
		if len(others) > 0 && share-slices.Max(others) >= by {
			first = side
		}
	}
	if first < 0 || first == f.side {
		f.even = s.Step
	}
	if s.Step-f.even < steps {
		return
	}
	f.side, f.since = first, f.even+1
	e := env.Event{Kind: env.Leads, Seat: env.NoSeat, At: env.Nowhere, Since: f.since}
	for _, seat := range f.head.Teams[first] {
		e.By = e.By.With(seat)
	}
	s.Events = append(s.Events, e)
}

// Way finds where a figure can walk and survive. It is not safe for concurrent use.
type Way struct {
	Fire []uint64 // as env.Forecast has it
	Last int      // the last tick at which anything burns

	head  *Head
	open  func(tick, cell int) bool
	known []int8 // by tick up to Last, and cell: the result of Lives, 1 or -1; 0: not asked yet
}

// NewWay makes a Way from the cells that are going to burn, and those that are open at a tick.
func NewWay(head *Head, fire []uint64, open func(tick, cell int) bool) *Way {
	w := &Way{Fire: fire, head: head, open: open}
	for _, ticks := range fire {
		w.Last = max(w.Last, bits.Len64(ticks)-1)
	}
	w.known = make([]int8, (w.Last+1)*len(fire))
	return w
}

// Cold reports whether a cell does not burn at a tick.
func (w *Way) Cold(tick, cell int) bool { return w.Fire[cell]>>tick&1 == 0 }

// Step is the cell to which a move leads at a tick; -1 if it leads nowhere.
func (w *Way) Step(tick, cell, move int) int {
	if to := w.head.Neighbour(cell, move); move == 0 || to >= 0 && w.open(tick, to) {
		return to
	}
	return -1
}

// Lives reports whether a figure on a cell after a tick can survive all that is foreseen.
func (w *Way) Lives(tick, cell int) bool {
	if tick > w.Last {
		return true
	}
	known := &w.known[tick*len(w.Fire)+cell]
	if *known == 0 {
		*known = -1
		for move := 0; move < len(env.Moves) && w.Cold(tick, cell) && *known < 0; move++ {
			if to := w.Step(tick+1, cell, move); to >= 0 && w.Lives(tick+1, to) {
				*known = 1
			}
		}
	}
	return *known > 0
}

// Neighbour is the cell to which a move leads if nothing is in the way; -1 if it leads off the board.
func (h *Head) Neighbour(cell, move int) int {
	to, on := h.Next(env.Place{cell / h.Cols, cell % h.Cols}, move)
	if !on {
		return -1
	}
	return h.cell(to)
}
