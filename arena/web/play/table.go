package play

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/arena/web"
	"pommego/env"
)

// grace is how long a page may be gone, as during a reload, before it counts as closed.
const grace = 5 * time.Second

// lookSpeed is how many steps per second a page shows at first when only agents play.
const lookSpeed = 4

// Table is where people play one match after the other. It is safe for concurrent use.
type Table struct {
	offers func() []Offer
	orders chan *Order

	mu      sync.Mutex
	game    env.Game // nil before the first match
	number  int      // of the match, from 1: its number in the listing
	names   []string
	note    string // the goal of a seat
	leave   func() // ends the match
	people  map[int]*person
	feed    scene.Feed    // of the match
	end     string        // how the match ended; "" while it goes on
	record  []byte        // of the match, once it is over
	speed   float64       // the last speed that a page chose; 0: none
	began   time.Time     // when people could begin to think about the position; zero: no page is open yet
	pages   map[int]int   // how many pages are open, by seat; -1: pages without a seat
	opened  bool          // a page has been open
	changed chan struct{} // closed at the next change
}

// NewTable makes a table at which these offers can be chosen.
func NewTable(offers func() []Offer) *Table {
	return &Table{offers: offers, orders: make(chan *Order), pages: map[int]int{}, changed: make(chan struct{})}
}

// Deal begins a match between agents of these names; goal is the goal of a seat. Call Seat for each person
// then. The table calls leave when a person leaves before the match is over.
func (t *Table) Deal(game env.Game, names []string, goal string, leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.game, t.names, t.note, t.leave = game, names, goal, leave
	t.people, t.end, t.record = map[int]*person{}, "", nil
	t.number++
	t.feed.Clear()
	t.tell()
}

// tell wakes all goroutines that wait for a change; t.mu is held.
func (t *Table) tell() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Watch takes the match's positions: a match.Watch.
func (t *Table) Watch(at match.Moment) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	at.Describe(&t.feed, t.names, t.note)
	step := t.feed.Last()
	t.tell()
	if !step.Status.Over && !slices.ContainsFunc(step.Status.In, func(seat int) bool { return t.people[seat] != nil }) {
		t.linger()
	}
	return nil
}

// linger gives pages time to show a position when only agents play: the time of a move at the
// last speed, a second at most; t.mu is held.
func (t *Table) linger() {
	for began := time.Now(); t.looking() > 0; {
		due := began.Add(time.Duration(float64(time.Second) / max(1, cmp.Or(t.speed, lookSpeed))))
		if !t.wait(context.Background(), due) {
			return
		}
	}
}

// wait waits for a change until due, if that is not zero, and until ctx is done. It reports whether there was a
// change; t.mu is held before and after.
func (t *Table) wait(ctx context.Context, due time.Time) bool {
	changed := t.changed
	t.mu.Unlock()
	defer t.mu.Lock()
	var late <-chan time.Time
	if !due.IsZero() {
		late = time.After(time.Until(due))
	}
	select {
	case <-ctx.Done():
	case <-late:
	case <-changed:
		return due.IsZero() || time.Now().Before(due)
	}
	return false
}

// Keep stores the record of a match that is over or was stopped.
func (t *Table) Keep(record []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.record = append(append(t.record, record...), '\n')
}

// End ends the match; how says how it ended. Pages then show everything.
func (t *Table) End(how string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = how
	t.tell()
}

// Next waits until a page asks for a match, and before the first match until a page is open. It
// returns nil once all pages have been closed.
func (t *Table) Next(ctx context.Context) *Order {
	for {
		t.mu.Lock()
		away, changed := t.opened && t.looking() == 0, t.changed
		t.mu.Unlock()
		var closed <-chan time.Time
		if away {
			closed = time.After(grace)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-closed:
			return nil
		case order := <-t.orders:
			return order
		case <-changed:
		}
	}
}

// Listing lists the game once the match is over.
func (t *Table) Listing() (*web.Listing, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.game == nil {
		return nil, fmt.Errorf("%w yet", web.ErrNoGame)
	}
	games := []web.Entry{{Game: t.number, Agents: t.names}}
	return &web.Listing{Kind: "games", Title: t.game.Spec().ID, Games: games}, nil
}

// Game describes the last match, once it is over.
func (t *Table) Game(number int) (*scene.Timeline, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g := t.feed.Game(); number == t.number && t.end != "" && len(g.Steps) > 0 {
		return g, nil
	}
	return nil, noGame(number, t.number)
}

func noGame(number, last int) error {
	return fmt.Errorf("%w: game is %d, want %d, the last match, once it is over", web.ErrNoGame, number, last)
}

// ask is what a page gets when its seat is to move.
type ask struct {
	Step  int     `json:"step"`  // the number of the position
	Needs []bool  `json:"needs"` // by component: whether a choice has any effect
	Speed float64 `json:"speed"` // moves a second; 0: it waits
}

// person is a person as a match.Player.
type person struct {
	match.Local
	table *Table
	seat  int

	// The table's lock guards these.
	speed  float64
	asked  *ask    // nil: it is not its turn
	choice []uint8 // nil: none yet; while it is not its turn, for the next one
}

// ask asks all people in the game for their moves at the same time; t.mu is held.
func (t *Table) ask(m env.Match) {
	status := m.Status()
	for seat, p := range t.people {
		if status.In.Has(seat) {
			p.asked = &ask{status.Steps, needs(t.game.Spec(), m, seat), p.speed}
		}
	}
	t.began = time.Time{}
	t.tell()
}

// Act waits for the person's move, or until the time for it is over. The time runs while a
// page is open, from when the first person was asked about the position.
func (p *person) Act(ctx context.Context, m env.Match, seat int, action []uint8) (match.Cost, error) {
	t := p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.asked == nil || p.asked.Step != m.Status().Steps {
		t.ask(m)
	}
	var due time.Time
	for waits := true; waits && (p.speed > 0 || p.choice == nil); waits = t.wait(ctx, due) {
		if t.began.IsZero() && t.looking() > 0 {
			t.began = time.Now()
		}
		if due = (time.Time{}); p.speed > 0 && !t.began.IsZero() {
			due = t.began.Add(time.Duration(float64(time.Second) / p.speed))
		}
	}
	copy(action, p.choice)
	p.asked, p.choice = nil, nil
	return match.Cost{}, ctx.Err()
}

// needs lists by component whether any choice but 0 has an effect. If none has, all are
// true.
func needs(spec *env.Spec, m env.Match, seat int) []bool {
	mask, list := make([]uint8, spec.MaskSize()), make([]bool, len(spec.Actions))
	m.Mask(seat, mask)
	for i, c := range spec.Actions {
		list[i] = slices.Contains(mask[1:c.N], 1)
		mask = mask[c.N:]
	}
	if !slices.Contains(list, true) {
		for i := range list {
			list[i] = true
		}
	}
	return list
}
