// Package race is a game as small as they come, for the test that adds one to
// the catalog: two runners on a straight track. Each round both walk one field, or
// run two; a runner stumbles half the time and stays. The first at the end
// wins.
package race

import (
	"encoding/json"
	"fmt"

	"pommego/env"
	"pommego/env/record"
	"pommego/env/seat"
)

// Seats is how many runners there are.
const Seats = 2

// Rules are the game's numbers.
type Rules struct {
	Length   int `json:"length" doc:"fields from the start to the end"`
	MaxSteps int `json:"max_steps" doc:"the last round"`
}

// Standard is a race that is over soon.
func Standard() Rules { return Rules{Length: 20, MaxSteps: 50} }

// Validate says what is wrong with the rules.
func (r *Rules) Validate() error {
	if r.Length < 1 || r.Length > 200 || r.MaxSteps < 1 || r.MaxSteps > 1000 {
		return fmt.Errorf("rules: length is %d and max_steps %d, want 1 to 200 and 1 to 1000", r.Length, r.MaxSteps)
	}
	return nil
}

// State is a running game.
type State struct {
	At    [Seats]uint8 `json:"at"`
	Steps uint16       `json:"steps"`
	RNG   env.RNG      `json:"rng"`
}

// Game is the race with one set of rules: env.Game.
type Game struct {
	seat.Common[Match, View, *Match]
	rules Rules
}

// View is what a seat may know: where it and the other stand.
type View struct{ Own, Other int }

// Recorded is the format of recorded games.
var Recorded = record.Format{Name: recordFormat, Check: checkRecord, Open: openRecord}

// New makes the game with the given id and rules.
func New(id, description string, rules Rules, bots seat.Roster[View]) (*Game, error) {
	if err := rules.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	g := &Game{rules: rules}
	g.Describe(env.Spec{
		Game: "race", Version: 1, Seats: Seats, Teams: [][]int{{0}, {1}}, MaxSteps: rules.MaxSteps,
		Actions: []env.Choice{{Name: "pace", N: 3, Names: []string{"rest", "walk", "run"}}},
		Encodings: []env.Encoding{{Name: "fields", Fields: []env.Field{{
			Name: "track", DType: env.Uint8, Shape: []int{Seats}, High: float64(rules.Length),
			Names: []env.Name{{Name: "own", Meaning: "the seat's field"}, {Name: "other", Meaning: "the other's"}},
		}}}},
		Rules: rules,
	}, Match{game: g})
	g.Open(id, description, bots)
	return g, nil
}

// Deal puts both on the start.
func (g *Game) Deal(s *State, seed env.Seed) { *s = State{RNG: seed.RNG(env.StreamGame)} }

// Step plays a round.
func (g *Game) Step(s *State, actions []uint8) {
	s.Steps++
	for i, pace := range actions {
		if stumbles := s.RNG.Coin(); pace == 2 && stumbles {
			pace = 0
		}
		s.At[i] = min(s.At[i]+pace, uint8(g.rules.Length))
	}
}

// The other methods of env.Game, whose comments say what they do.

func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	at := m.(*Match).At
	return fmt.Appendf(dst, `{"own": %d, "other": %d}`, at[seat], at[1-seat])
}

func (g *Game) ActionSpace() string { return "3" }

func (g *Game) GameType() string { return `"race"` }

// first is who has reached the end.
func (g *Game) first(s *State) (set env.SeatSet) {
	for i, at := range s.At {
		if int(at) == g.rules.Length {
			set = set.With(i)
		}
	}
	return set
}

// Over reports whether somebody has, or time is up.
func (g *Game) Over(s *State) bool { return g.first(s) != 0 || int(s.Steps) >= g.rules.MaxSteps }

// status tells how a state stands.
func (g *Game) status(s *State) env.Status {
	all := env.AllSeats(Seats)
	st := env.Playing(all, int(s.Steps))
	if g.Over(s) {
		st.Over, st.Decided, st.Result = true, all, env.Tie
		if first := g.first(s); first.Len() == 1 {
			st.Result, st.Winners = env.Win, first
		}
	}
	return st
}

// check reports whether a state from outside cannot be.
func (g *Game) check(s *State) error {
	if int(max(s.At[0], s.At[1])) > g.rules.Length || int(s.Steps) > g.rules.MaxSteps {
		return fmt.Errorf("race: fields %v after %d steps: the track has %d fields, and a game %d steps", s.At, s.Steps,
			g.rules.Length, g.rules.MaxSteps)
	}
	return nil
}

// Match is one running game: env.Match over a State.
type Match struct {
	State
	game *Game
}

// The methods of env.Match, whose comments say what they do.

func (m *Match) Reset(seed env.Seed)  { m.game.Deal(&m.State, seed) }
func (m *Match) Reseed(seed env.Seed) { m.RNG = seed.RNG(env.StreamGame) }
func (m *Match) SetTrainingSeat(int)  {}
func (m *Match) Step(actions []uint8) { m.game.Step(&m.State, actions) }
func (m *Match) Status() env.Status   { return m.game.status(&m.State) }

func (m *Match) Rewards(dst []float64) { m.Outcome(dst) }

func (m *Match) Outcome(dst []float64) { env.Outcome(m.Status().Winners, dst[:Seats]) }

func (m *Match) Mask(_ int, dst []uint8) { dst[0], dst[1], dst[2] = 1, 1, 1 }

func (m *Match) Observe(_ int, seats []uint8, dst [][]byte) {
	for i, s := range seats {
		dst[0][Seats*i], dst[0][Seats*i+1] = m.At[s], m.At[1-s]
	}
}

func (m *Match) View(seat int, v *View) { *v = View{int(m.At[seat]), int(m.At[1-seat])} }

func (m *Match) Stage() env.Stage {
	return env.Stage{Rows: Seats, Cols: m.game.rules.Length + 1,
		Colours: []env.Colour{env.SeatColour(0), env.SeatColour(1)},
		Looks:   []env.Look{{Chars: ".", Sprite: "floor", Meaning: "track"}}}
}

func (m *Match) Describe(s *env.Scene) {
	s.Clear(Seats * (m.game.rules.Length + 1))
	for seat, at := range m.At {
		s.Agents = append(s.Agents, env.SceneAgent{At: env.Place{seat, int(at)}, Seat: seat, Alive: true})
	}
}

func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(&m.State)
	return append(dst, text...), err
}
