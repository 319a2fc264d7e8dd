package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/record"
)

// Report is how a match ended.
type Report struct {
	End     env.Status       // the game's status; its winners are the match's
	Results []env.SeatResult // by seat
	Outcome []float64        // by seat, the reward of the end, which fits the result: env.Match.Outcome; 0 if undecided
	Seats   []SeatReport
	Counts  env.Counts // what the game counted, nil if it counts nothing

	// Void is why the match cannot be scored, "" if it can: the connection to a player failed (ErrVoid), which ended
	// the game, or each move of an agent behind HTTP failed.
	Void string
}

// SeatReport is what the match says of one player.
type SeatReport struct {
	Agent  string `json:"agent"`
	Moves  int    `json:"moves"`  // how many it was asked for
	Late   int    `json:"late"`   // of these: answered too late or not at all
	Failed int    `json:"failed"` // of these: not answered with an action
	Gone   int    `json:"gone"`   // moves it was not asked for, because it was given up

	Think     time.Duration `json:"think_ns"`
	Longest   time.Duration `json:"longest_ns"`
	Ticks     uint64        `json:"ticks"` // simulated by agents that search
	LastError string        `json:"last_error,omitempty"`

	Answers Answers `json:"answers,omitzero"` // of a language model
}

// Readings counts a language model's answers by how they were read.
type Readings struct {
	Legal    int `json:"legal"`
	Repaired int `json:"repaired"`
	Illegal  int `json:"illegal"`
	Late     int `json:"late"` // answers that did not come in time
}

// Answers is how a seat's answers were read, and what they cost.
type Answers struct {
	Readings
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	Cost      float64 `json:"cost"` // in the unit of the given prices
}

// Add adds the numbers, tokens and cost of other answers.
func (a *Answers) Add(b Answers) {
	a.Legal, a.Repaired, a.Illegal, a.Late = a.Legal+b.Legal, a.Repaired+b.Repaired, a.Illegal+b.Illegal, a.Late+b.Late
	a.TokensIn, a.TokensOut, a.Cost = a.TokensIn+b.TokensIn, a.TokensOut+b.TokensOut, a.Cost+b.Cost
}

// Moment is a game at its start and after each step.
type Moment struct {
	Game    env.Game
	Match   env.Match // read-only
	Seed    env.Seed  // decides the board
	Actions []uint8   // the actions of the last step, nil at the start; valid during the call
	Late    env.SeatSet
	Failed  env.SeatSet // seats whose answer was not a valid action
	Gone    env.SeatSet // seats that were not asked; late, failed and gone seats play stop
	Stopped env.SeatSet // seats whose program has had too much memory: their sides lose

	Tracker env.Tracker // follows the match; read-only

	Asked env.SeatSet // seats that were asked in the last step

	Players []Player // by seat
}

// Describe adds the position to a feed. The first position of a game begins one there, with names and a note.
func (at *Moment) Describe(to *scene.Feed, names []string, note string) {
	if at.Actions == nil {
		head := scene.HeadOf(at.Game.Spec(), at.Match)
		head.Seed, head.Names, head.Note = at.Seed.Value, names, note
		to.Begin(head, at.Match)
	}
	to.Describe(record.Moment{Match: at.Match, Game: at.Game, Tracker: at.Tracker, Actions: at.Actions,
		Thoughts: at.Thoughts()})
}

// Thoughts are the reasons of the seats that searched for the step's actions. Call it only within Watch.
func (at *Moment) Thoughts() (all []env.Thought) {
	for _, seat := range at.Asked.List() {
		if t, ok := env.ThoughtOf(at.Game.Spec(), seat, at.Players[seat]); ok {
			all = append(all, t)
		}
	}
	return all
}

// Watch is called with each position of a match as it is played. An error ends the match.
type Watch func(Moment) error

// Play plays a match. Player k sits in seat k. It returns an error if a player is absent at the
// start, if ctx ends before the match is decided, or if watch, which may be nil, returns one.
func Play(ctx context.Context, game env.Game, players []Player, seed env.Seed, r Rules, watch Watch) (*Report, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if seats := game.Spec().Seats; len(players) != seats {
		return nil, fmt.Errorf("match: %d players, want %d for %s", len(players), seats, game.Spec().ID)
	}
	if watch == nil {
		watch = func(Moment) error { return nil }
	}
	r = r.of(game, players...)
	c := &contest{ctx: ctx, rules: r, players: players, watch: watch, begun: time.Now(),
		report: &Report{Seats: make([]SeatReport, len(players)), Outcome: make([]float64, len(players))}}
	for seat, p := range players {
		c.report.Seats[seat].Agent = p.Name()
	}
	at := Moment{Game: game, Match: game.New(1)[0], Seed: seed, Tracker: game.NewTrackers(1, r.Events)[0],
		Players: players}
	if err := c.play(at); err != nil && c.report.Void == "" {
		return nil, err
	}
	c.conclude(at)
	return c.report, nil
}

// contest is a match that is being played.
type contest struct {
	ctx     context.Context
	rules   Rules
	players []Player
	watch   Watch
	report  *Report
	gone    env.SeatSet // players that were given up
	before  env.SeatSet // seats that were in when the last step began
	stopped env.SeatSet // seats whose program had too much in memory
	begun   time.Time
}

// void notes why the match cannot be scored: the first reason.
func (c *contest) void(seat int, why string) {
	c.report.Void = cmp.Or(c.report.Void, fmt.Sprintf("seat %d, %s: %s", seat, c.players[seat].Name(), why))
}

// note notes a player that was stopped for its memory.
func (c *contest) note(seat int, err error) {
	if errors.Is(err, errMemory) {
		c.stopped = c.stopped.With(seat)
	}
}

// settle reports who has won a game whose last status is given. A side with a stopped program loses. If
// no winner is left, the only other side wins; several other sides tie.
func (c *contest) settle(last env.Status, sides [][]int) {
	var lost env.SeatSet
	var rest []env.SeatSet
	for _, side := range sides {
		var all env.SeatSet
		for _, seat := range side {
			all = all.With(seat)
		}
		if c.stopped&all != 0 {
			lost |= all
		} else {
			rest = append(rest, all)
		}
	}
	last.Winners &^= lost
	switch {
	case lost == 0 || last.Winners != 0:
	case len(rest) == 0:
		last.Result = env.Loss
	case len(rest) == 1:
		last.Result, last.Winners = env.Win, rest[0]
	case last.Result == env.Win:
		last.Result = env.Tie
	}
	c.report.End, c.report.Results = last, last.SeatResults(sides, c.before)
	for _, seat := range lost.List() {
		c.report.Results[seat] = env.Lost
	}
}

// conclude reports how the match ended.
func (c *contest) conclude(at Moment) {
	r, last, sides := c.report, at.Match.Status(), at.Game.Spec().Teams
	c.settle(last, sides)
	at.Match.Outcome(r.Outcome)
	for seat, result := range last.SeatResults(sides, c.before) {
		if result == env.Undecided {
			r.Outcome[seat] = 0
		}
		for _, e := range at.Game.Endings() {
			if result != e.Result && r.Results[seat] == e.Result {
				r.Outcome[seat] = e.Outcome
			}
		}
	}
	r.Counts = env.CountsOf(at.Game.Spec(), at.Tracker, at.Match)
	for seat, s := range r.Seats {
		if AtURL(s.Agent) && s.Moves > 0 && s.Failed == s.Moves {
			c.void(seat, fmt.Sprintf("each of its %d moves failed: %s", s.Moves, s.LastError))
		}
	}
}

func (c *contest) play(at Moment) error {
	seed, err := c.deal(at)
	if err != nil {
		return err
	}
	at.Tracker.Begin(at.Match)
	if err := c.begin(at, seed); err != nil {
		return err
	}
	if err := c.watch(at); err != nil {
		return err
	}
	actions := make([]uint8, len(c.players)*len(at.Game.Spec().Actions))
	status, most := at.Match.Status(), c.rules.MaxSteps
	for first := status.Steps; !status.Over && (most == 0 || status.Steps-first < most); status = at.Match.Status() {
		at.Late, at.Failed, at.Gone, c.before, at.Asked = 0, 0, c.gone, status.In, status.In&^c.gone
		clear(actions)
		if err := c.decide(&at, status, actions); err != nil {
			return err
		}
		at.Tracker.Step(at.Match, actions)
		at.Actions, at.Stopped = actions, c.stopped
		if err := c.watch(at); err != nil {
			return err
		}
	}
	if status.Over {
		c.end(at)
	}
	return nil
}

// deal sets the match to the start of the game. It returns the seed for everything random except
// the board.
func (c *contest) deal(at Moment) (env.Seed, error) {
	seed := at.Seed
	seed.Episode += uint64(c.rules.Repetition)
	at.Match.Reset(at.Seed)
	if c.rules.From != nil {
		if err := at.Match.Restore(c.rules.From); err != nil {
			return seed, fmt.Errorf("match: the saved game to begin from: %w", err)
		}
	}
	if c.rules.From != nil || seed != at.Seed {
		at.Match.Reseed(seed)
	}
	return seed, nil
}

// begin tells the players that the game begins. It returns an error if one is absent.
func (c *contest) begin(at Moment, seed env.Seed) error {
	for seat, p := range c.players {
		err := c.rules.begin(c.ctx, p, Start{Seat: seat, Seed: seed, Tracker: at.Tracker})
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err == nil:
		case errors.Is(err, ErrVoid):
			c.void(seat, err.Error())
			return err
		case errors.Is(err, ErrAbsent) || !p.Traits().Remote:
			return fmt.Errorf("match: seat %d: %w", seat, err)
		default:
			c.report.Seats[seat].LastError = fmt.Sprintf("at the start: %v", err)
		}
	}
	return nil
}

// end tells the players how the game went, unless the context ends.
func (c *contest) end(at Moment) {
	outcome := outcomes(at.Game, at.Match, at.Tracker)
	for seat, p := range c.players {
		o := outcome(seat)
		if c.stopped != 0 { // its side has lost, however the game went
			c.conclude(at)
			o.Result, o.Winners, o.Reward = c.report.End.Result, c.report.End.Winners, c.report.Outcome[seat]
		}
		ctx, cancel := context.WithTimeout(c.ctx, endLimit)
		err := p.End(ctx, o)
		cancel()
		if c.ctx.Err() != nil {
			return
		}
		c.note(seat, err)
		if report := &c.report.Seats[seat]; err != nil && report.LastError == "" { // a move's error matters more
			report.LastError = fmt.Sprintf("at the end: %v", err)
		}
	}
}

// outcomes is how a game that is over went for each seat.
func outcomes(game env.Game, m env.Match, t env.Tracker) func(seat int) Outcome {
	status, rewards := m.Status(), make([]float64, game.Spec().Seats)
	m.Rewards(rewards)
	counts := env.CountsOf(game.Spec(), t, m)
	return func(seat int) Outcome {
		return Outcome{status.Result, status.Winners, status.Steps, rewards[seat], counts}
	}
}

// endLimit is how long a player may take to receive the outcome of its game.
const endLimit = 500 * time.Millisecond
