package play

import (
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

// Table is a match that people play in. It is safe for concurrent use.
type Table struct {
	game  env.Game
	names []string
	leave func() // ends the match

	mu      sync.Mutex
	people  map[int]*person
	head    scene.Head
	number  int           // of the game, from 1; 0 before the first
	steps   []scene.Step  // of the game, whole
	end     string        // how the match ended; "" while it goes on
	pages   int           // that look on
	changed chan struct{} // closed at the next change
}

// NewTable makes a table for agents of these names. leave is called when a person leaves
// before the match is over.
func NewTable(game env.Game, names []string, leave func()) *Table {
	return &Table{game: game, names: names, leave: leave, people: map[int]*person{}, changed: make(chan struct{})}
}

// tell wakes all who wait for a change; t.mu is held.
func (t *Table) tell() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Watch takes the match's positions: a match.Watch.
func (t *Table) Watch(at match.Moment) error {
	spec := at.Game.Spec()
	step := scene.Describe(spec, at.Match, at.Tracker, at.Actions)
	step.Thoughts = at.Thoughts()
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.Actions == nil {
		head := scene.HeadOf(spec, at.Match)
		head.Seed, head.Names = at.Seed.Value, t.names
		t.head, t.number, t.steps = head, t.number+1, nil
	}
	t.steps = append(t.steps, step)
	t.tell()
	return nil
}

// End says how the match has ended. Pages show everything from then on.
func (t *Table) End(how string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = how
	t.tell()
}

// Gone waits until no page looks on any more.
func (t *Table) Gone(ctx context.Context) {
	for {
		t.mu.Lock()
		pages, changed := t.pages, t.changed
		t.mu.Unlock()
		if pages == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// Listing is the game once the match is over: web.Games.
func (t *Table) Listing() (*web.Listing, error) {
	return &web.Listing{Kind: "games", Title: t.game.Spec().ID, Games: []web.Entry{{Game: 1, Agents: t.names}}}, nil
}

// Game describes the last game of a match that is over: web.Games.
func (t *Table) Game(int) (*scene.Game, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.end == "" || t.number == 0 {
		return nil, fmt.Errorf("%w yet: the match is not over", web.ErrNoGame)
	}
	return &scene.Game{Head: t.head, Steps: t.steps}, nil
}

// ask is what a page is told when its seat is to move.
type ask struct {
	Step  int     `json:"step"`  // the number of the position
	Needs []bool  `json:"needs"` // by component: whether a choice has any effect
	Speed float64 `json:"speed"` // moves a second; 0: it waits
}

// person is a person as a match.Player.
type person struct {
	table *Table
	name  string
	seat  int

	// Of the table's lock.
	speed  float64
	asked  *ask    // nil: it is not its turn
	choice []uint8 // nil: none yet
}

func (p *person) Name() string { return p.name }

func (p *person) Remote() bool { return false }

func (p *person) Begin(context.Context, match.Start) error { return nil }

func (p *person) End(context.Context, match.Outcome) error { return nil }

func (p *person) Close() error { return nil }

// Act waits for the person's move, or for the time for it, which runs once a page
// looks on.
func (p *person) Act(ctx context.Context, m env.Match, seat int, action []uint8) (match.Cost, error) {
	t := p.table
	t.mu.Lock()
	p.asked, p.choice = &ask{m.Status().Steps, needs(t.game.Spec(), m, seat), p.speed}, nil
	t.tell()
	defer func() {
		p.asked = nil
		t.mu.Unlock()
	}()
	var began time.Time
	for {
		if began.IsZero() && t.pages > 0 {
			began = time.Now()
		}
		var due <-chan time.Time
		switch window := time.Duration(0); {
		case p.speed > 0 && !began.IsZero():
			if window = time.Until(began.Add(time.Duration(float64(time.Second) / p.speed))); window <= 0 {
				copy(action, p.choice)
				return match.Cost{}, nil
			}
			due = time.After(window)
		case p.speed == 0 && p.choice != nil:
			copy(action, p.choice)
			return match.Cost{}, nil
		}
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-changed:
		case <-due:
		}
		t.mu.Lock()
		if ctx.Err() != nil {
			return match.Cost{}, ctx.Err()
		}
	}
}

// needs lists by component whether anything but choice 0 has an effect, all of them if
// nothing has.
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
