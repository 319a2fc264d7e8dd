package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"pommego/env"
	"pommego/llm/dialogue"
)

// Result is how a match ended.
type Result struct {
	Result  env.Result  `json:"-"` // of the match as a whole
	Winners env.SeatSet `json:"winners"`

	Results []env.SeatResult `json:"result"`  // by seat
	Outcome []float64        `json:"outcome"` // by seat, what the last game paid: env.Match.Outcome

	Steps  int          `json:"steps"` // of the last game
	Total  int          `json:"total"` // steps of all games
	Games  int          `json:"games"` // played, re-runs included
	Seats  []SeatReport `json:"seats"`
	Seed   env.Seed     `json:"seed"`
	Counts env.Counts   `json:"counts"` // what the last game counted, nil if it counts nothing

	// Void is why the match cannot be scored, "" if it can: the server of a language model failed, which ended
	// the game, or each move of an agent behind HTTP did.
	Void string `json:"void,omitempty"`
}

// SeatReport is how a player did, over all games of a match.
type SeatReport struct {
	Agent  string `json:"agent"`
	Moves  int    `json:"moves"`  // that it was asked for
	Late   int    `json:"late"`   // of these: answered too late or not at all
	Failed int    `json:"failed"` // of these: not answered with an action
	Gone   int    `json:"gone"`   // moves it was not asked for, because it was given up

	Think     time.Duration `json:"think_ns"`
	Longest   time.Duration `json:"longest_ns"`
	Ticks     uint64        `json:"ticks"` // simulated by agents that search
	LastError string        `json:"last_error,omitempty"`

	Answers dialogue.Usage `json:"answers,omitzero"` // of a language model
}

// Moment is a game at its start and after each step.
type Moment struct {
	Number  int // of the game: 0 is the first, the others are re-runs of ties
	Game    env.Game
	Match   env.Match // to look at
	Seed    env.Seed  // decides the board
	RNGSeed env.Seed  // decides everything else random: Seed, or another episode of it
	Actions []uint8   // of the step just made, nil at the start; valid during the call
	Late    env.SeatSet
	Failed  env.SeatSet // seats whose answer was not a valid action
	Gone    env.SeatSet // seats that were not asked; all three play stop

	// Events are what happened in the step just made, with Rules.Events; valid
	// during the call.
	Events []env.Event

	Tracker env.Tracker // follows the match; to look at

	players []Player
	asked   env.SeatSet // in the step just made
}

// Thoughts is what the seats that searched based the step's actions on. Call it only within Watch.
func (at *Moment) Thoughts() (all []env.Thought) {
	for _, seat := range at.asked.List() {
		if t, ok := env.ThoughtOf(at.Game.Spec(), seat, at.players[seat]); ok {
			all = append(all, t)
		}
	}
	return all
}

// Watch is shown a match as it is played. An error ends the match.
type Watch func(Moment) error

// Play plays a match: one game, and more if it is a tie and the rules say so.
// Player k sits in seat k. It returns an error if a player is absent at the
// start, if ctx ends before the match is decided, or if watch, which may be nil,
// returns one.
func Play(ctx context.Context, game env.Game, players []Player, seed env.Seed, r Rules, watch Watch) (*Result, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if seats := game.Spec().Seats; len(players) != seats {
		return nil, fmt.Errorf("match: %d players, want %d for %s", len(players), seats, game.Spec().ID)
	}
	for _, p := range players {
		if _, ok := p.(*model); ok {
			r.Limit, r.Events = cmp.Or(r.Limit, ModelLimit), true // which it is told
		}
	}
	c := &contest{
		ctx: ctx, rules: r.of(game), players: players, watch: watch, begun: time.Now(),
		result: &Result{Seed: seed, Seats: make([]SeatReport, len(players))},
	}
	for seat, p := range players {
		c.result.Seats[seat].Agent = p.Name()
	}
	if err := c.play(game, seed); err != nil {
		return nil, err
	}
	for seat, s := range c.result.Seats {
		if AtURL(s.Agent) && s.Moves > 0 && s.Failed == s.Moves {
			c.void(seat, fmt.Sprintf("each of its %d moves failed: %s", s.Moves, s.LastError))
		}
	}
	return c.result, nil
}

// contest is a match that is being played.
type contest struct {
	ctx     context.Context
	rules   Rules
	players []Player
	watch   Watch
	result  *Result
	gone    env.SeatSet // players given up in this game
	before  env.SeatSet // seats that were in when the last step began
	stopped env.SeatSet // those with too much in memory
	begun   time.Time
}

// void notes why the match cannot be scored: the first reason.
func (c *contest) void(seat int, why string) {
	c.result.Void = cmp.Or(c.result.Void, fmt.Sprintf("seat %d, %s: %s", seat, c.players[seat].Name(), why))
}

// note notes a player that was stopped for its memory.
func (c *contest) note(seat int, err error) {
	if errors.Is(err, errMemory) {
		c.stopped = c.stopped.With(seat)
	}
}

// play plays games until one has a winner or the rules end it.
func (c *contest) play(game env.Game, seed env.Seed) error {
	rngSeed := seed
	rngSeed.Episode += uint64(c.rules.Repetition)
	values := rngSeed.RNG(env.StreamReruns)
	var status env.Status
	var twin env.Game // on a collapsing board
	for number := 0; number <= reruns(c.rules.Ties); number++ {
		at := Moment{Number: number, Game: game, Seed: seed, RNGSeed: rngSeed, players: c.players}
		if number > 0 {
			at.Seed = env.Seed{Value: values.Uint64()}
			at.RNGSeed = at.Seed
		}
		if collapses(c.rules.Ties, number) {
			if twin == nil {
				twin = game.Collapsing()
			}
			at.Game = twin
		}
		at.Match, at.Tracker = at.Game.New(1)[0], at.Game.NewTrackers(1, c.rules.Events)[0]
		if err := c.playGame(at); err != nil && c.result.Void == "" {
			return err
		}
		status = at.Match.Status()
		c.result.Games, c.result.Steps = number+1, status.Steps
		c.result.Counts = env.CountsOf(at.Game.Spec(), at.Tracker, at.Match)
		c.result.Total += status.Steps
		c.result.Outcome = make([]float64, len(c.players))
		at.Match.Outcome(c.result.Outcome)
		if status.Result != env.Tie {
			break
		}
	}
	c.conclude(status, game.Spec().Teams)
	return nil
}

// forfeit makes each side lose that has a stopped program; it returns the status and the
// seats that lost. If no winner is left, the only other side wins; several other sides tie.
func (c *contest) forfeit(last env.Status, sides [][]int) (status env.Status, lost env.SeatSet) {
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
	return last, lost
}

// conclude records how the match ended.
func (c *contest) conclude(last env.Status, teams [][]int) {
	last, lost := c.forfeit(last, teams)
	if last.Result == env.Tie && c.rules.Ties == RerunJava {
		last.Result = env.Loss
	}
	c.result.Result, c.result.Winners = last.Result, last.Winners
	c.result.Results = last.SeatResults(teams, c.before)
	for _, seat := range lost.List() {
		c.result.Results[seat] = env.Lost
	}
}

// playGame plays one game to its end.
func (c *contest) playGame(at Moment) error {
	if err := c.deal(at); err != nil {
		return err
	}
	at.Tracker.Begin(at.Match)
	c.gone = 0
	if err := c.begin(at); err != nil {
		return err
	}
	if err := c.show(at); err != nil {
		return err
	}
	actions := make([]uint8, len(c.players)*len(at.Game.Spec().Actions))
	for status := at.Match.Status(); !status.Over; status = at.Match.Status() {
		at.Late, at.Failed, at.Gone, c.before, at.asked = 0, 0, c.gone, status.In, status.In&^c.gone
		clear(actions)
		if err := c.decide(&at, status, actions); err != nil {
			return err
		}
		at.Tracker.Step(at.Match, actions)
		at.Actions, at.Events = actions, at.Tracker.Events()
		if now := at.Match.Status(); now.Over && c.rules.Events {
			at.Events = append(at.Events, env.EndEvent(now))
		}
		if err := c.show(at); err != nil {
			return err
		}
	}
	c.end(at)
	return nil
}

// deal sets the match to the start of the game.
func (c *contest) deal(at Moment) error {
	at.Match.Reset(at.Seed)
	if c.rules.From != nil {
		if err := at.Match.Restore(c.rules.From); err != nil {
			return fmt.Errorf("match: the saved game to begin from: %w", err)
		}
	}
	if c.rules.From != nil || at.RNGSeed != at.Seed {
		at.Match.Reseed(at.RNGSeed)
	}
	return nil
}

func (c *contest) show(at Moment) error {
	if c.watch == nil {
		return nil
	}
	return c.watch(at)
}

// begin tells the players that a game begins. A player that is absent in the
// first game ends the match; one that is absent later has crashed, and plays
// stop.
func (c *contest) begin(at Moment) error {
	for seat, p := range c.players {
		ctx, cancel := context.WithTimeout(c.ctx, c.rules.Wait)
		err := p.Begin(ctx, Start{Game: at.Game, Seat: seat, Seed: at.RNGSeed, Limit: c.rules.limit(p),
			Memory: c.rules.Memory, Tracker: at.Tracker})
		cancel()
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err == nil:
		case at.Number == 0 && (errors.Is(err, ErrAbsent) || !p.Remote()):
			return fmt.Errorf("match: seat %d: %w", seat, err)
		default:
			c.result.Seats[seat].LastError = fmt.Sprintf("at the start of game %d: %v", at.Number+1, err)
		}
	}
	return nil
}

// end tells the players how the game went, unless the context ends.
func (c *contest) end(at Moment) {
	status, rewards := at.Match.Status(), make([]float64, len(c.players))
	at.Match.Rewards(rewards)
	counts := env.CountsOf(at.Game.Spec(), at.Tracker, at.Match)
	for seat, p := range c.players {
		ctx, cancel := context.WithTimeout(c.ctx, endLimit)
		err := p.End(ctx, Outcome{Result: status.Result, Winners: status.Winners, Steps: status.Steps, Reward: rewards[seat],
			Counts: counts})
		cancel()
		if c.ctx.Err() != nil {
			return
		}
		if err == nil {
			continue
		}
		c.note(seat, err)
		if report := &c.result.Seats[seat]; report.LastError == "" { // a move's error matters more
			report.LastError = fmt.Sprintf("at the end of game %d: %v", at.Number+1, err)
		}
	}
}

// endLimit is how long a player may take to receive the outcome of its game.
const endLimit = 500 * time.Millisecond
