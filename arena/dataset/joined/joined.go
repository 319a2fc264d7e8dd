package joined

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"pommego/arena/dataset"
	"pommego/env"
	"pommego/env/pommerman"
)

// Game is a file of the original.
type Game struct {
	Agents     []string `json:"agents"`
	Config     string   `json:"config"`
	FinishedAt string   `json:"finished_at"`
	Result     Result   `json:"result"`
	Winners    []int    `json:"winners,omitempty"`
	State      []State  `json:"state"`
}

// Result is how a game ended.
type Result struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// State is one state: JSON texts in strings, by their keys.
type State map[string]json.RawMessage

// ErrFile says that a text is no record of a game.
var ErrFile = errors.New("it is no game as the original's join_json_state writes it")

// Parse reads a file.
func Parse(text []byte) (*Game, error) {
	g := new(Game)
	if err := json.Unmarshal(text, g); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if len(g.State) == 0 || g.Result.Name == "" {
		return nil, fmt.Errorf("%w: it has no states or no result", ErrFile)
	}
	counts := make(map[int]State, len(g.State))
	for i, s := range g.State {
		var count int
		if err := s.take("step_count", &count); err != nil {
			return nil, fmt.Errorf("state %d: %w", i, err)
		}
		if counts[count] != nil {
			return nil, fmt.Errorf("%w: two states have step_count %d", ErrFile, count)
		}
		counts[count] = s
	}
	slices.SortFunc(g.State, func(a, b State) int { return cmp.Compare(a.count(), b.count()) })
	for i, s := range g.State {
		if want := g.State[0].count() + i; s.count() != want {
			return nil, fmt.Errorf("%w: the state of step_count %d is missing", ErrFile, want)
		}
	}
	return g, nil
}

// take reads one value of a state: JSON text in a string, or plain.
func (s State) take(name string, v any) error {
	raw, there := s[name]
	if !there {
		return fmt.Errorf("%w: a state has no %q", ErrFile, name)
	}
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%w: a state's %q: %w", ErrFile, name, err)
	}
	return nil
}

// count is a state's step_count, which Parse has looked at.
func (s State) count() int {
	var n int
	_ = s.take("step_count", &n)
	return n
}

// match is a match of game as Pommerman knows it.
func match(game env.Game) (*pommerman.Match, *pommerman.Game, error) {
	g, ok := game.(*pommerman.Game)
	if !ok {
		return nil, nil, fmt.Errorf("%s is no Pommerman game", game.Spec().ID)
	}
	return g.New(1)[0].(*pommerman.Match), g, nil
}

// Episode is the game's start and actions. Playing it must give the states and
// the result that are recorded.
func (g *Game) Episode(game env.Game) (*dataset.Episode, error) {
	m, p, err := match(game)
	if err != nil {
		return nil, err
	}
	spec := game.Spec()
	if len(g.Agents) != spec.Seats {
		return nil, fmt.Errorf("%w: it names %d agents, %s has %d seats", ErrFile, len(g.Agents), spec.ID, spec.Seats)
	}
	want := p.New(1)[0].(*pommerman.Match)
	if err := want.RestoreJSON(g.State[0].text()); err != nil {
		return nil, fmt.Errorf("the first state: %w", err)
	}
	m.State = want.State
	e := &dataset.Episode{Lived: make([]int32, spec.Seats), Missed: make([]int32, spec.Seats), Outcome: make([]float64, spec.Seats)}
	if e.Start, err = dataset.Start(game, g.State[0].text()); err != nil {
		return nil, err
	}
	for _, s := range g.State[1:] {
		if err := g.step(e, p, m, want, s); err != nil {
			return nil, fmt.Errorf("step %d: %w", e.Steps, err)
		}
	}
	return e, g.ended(e, m.Status(), m)
}

// step makes one step as recorded and compares what comes of it.
func (g *Game) step(e *dataset.Episode, p *pommerman.Game, m, want *pommerman.Match, s State) error {
	before := m.Status()
	if before.Over {
		return fmt.Errorf("%w: the game is over, and more states follow", ErrFile)
	}
	actions, err := s.actions(p.Rules(), before.In)
	if err != nil {
		return err
	}
	for seat := range e.Lived {
		if before.In.Has(seat) {
			e.Lived[seat]++
		}
	}
	m.Step(actions)
	e.Actions = append(e.Actions, actions...)
	e.Steps++
	if err := want.RestoreJSON(s.text()); err != nil {
		return err
	}
	return compare(p.Rules(), &m.State, &want.State)
}

// ErrDiffers says that a game comes out differently than it is recorded.
var ErrDiffers = errors.New("by these rules the game continues differently than recorded")

// compare compares a state with the recorded one. A ring that is due has fallen
// there; the RNG and the training seat are not recorded.
func compare(r *pommerman.Rules, s, want *pommerman.State) error {
	got, recorded := r.Settled(*s), r.Settled(*want)
	got.RNG, recorded.RNG = env.RNG{}, env.RNG{}
	if got == recorded {
		return nil
	}
	for _, d := range []struct {
		name  string
		equal bool
	}{
		{"board", got.Board == recorded.Board},
		{"agents", got.Agents == recorded.Agents},
		{"bombs", got.Bombs == recorded.Bombs && got.NumBombs == recorded.NumBombs},
		{"radio", got.Radio == recorded.Radio},
	} {
		if !d.equal {
			return fmt.Errorf("%w: %s", ErrDiffers, d.name)
		}
	}
	return fmt.Errorf("%w: flames or items", ErrDiffers)
}

// text is the state as one JSON object.
func (s State) text() json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // it is made of JSON
	}
	return text
}

// actions is what led to the state: a number a seat and component.
func (s State) actions(r *pommerman.Rules, in env.SeatSet) ([]byte, error) {
	var intended []int
	if err := s.take("intended_actions", &intended); err != nil {
		return nil, err
	}
	if len(intended) != r.Seats() {
		return nil, fmt.Errorf("%w: %d intended_actions, want %d", ErrFile, len(intended), r.Seats())
	}
	var words map[string][]int
	if r.RadioWords > 0 {
		if err := s.take("radio_from_agent", &words); err != nil {
			return nil, err
		}
	}
	var actions []byte
	for seat, move := range intended {
		own := append([]int{move}, words[fmt.Sprintf("Agent%d", seat)]...)
		own = append(own, make([]int, 1+r.RadioWords)...)[:1+r.RadioWords]
		for i, v := range own {
			most := int(pommerman.LayBomb)
			if i > 0 {
				most = r.RadioVocab
			}
			switch {
			case !in.Has(seat):
				v = 0 // whatever it says
			case v < 0 || v > most:
				return nil, fmt.Errorf("%w: agent %d did %v, want 0 to %d", ErrFile, seat, own, most)
			}
			actions = append(actions, byte(v))
		}
	}
	return actions, nil
}

// ended compares how the game ended, and notes it.
func (g *Game) ended(e *dataset.Episode, s env.Status, m *pommerman.Match) error {
	var winners []int
	for seat := range e.Lived {
		if s.Winners.Has(seat) {
			winners = append(winners, seat)
		}
	}
	if s.Result.String() != g.Result.Name || !slices.Equal(winners, g.Winners) && s.Result == env.Win {
		return fmt.Errorf("%w: it ends with %v for %v, recorded is %s for %v", ErrDiffers, s.Result, winners, g.Result.Name, g.Winners)
	}
	e.Result, e.Winners, e.Truncated = s.Result, s.Winners, !s.Over
	m.Outcome(e.Outcome)
	for seat := range e.Outcome {
		if !s.Decided.Has(seat) {
			e.Outcome[seat] = 0
		}
	}
	return nil
}

// Format writes a file. names are the agents' by seat.
func Format(game env.Game, e *dataset.Episode, names []string) ([]byte, error) {
	m, p, err := match(game)
	if err != nil {
		return nil, err
	}
	begun, err := dataset.Begin(game, e)
	if err != nil {
		return nil, err
	}
	m.State = begun.(*pommerman.Match).State
	g := &Game{Agents: names, Config: game.Spec().ID, Result: Result{int(e.Result), e.Result.String()}}
	for seat := range names {
		if e.Winners.Has(seat) {
			g.Winners = append(g.Winners, seat)
		}
	}
	width := len(game.Spec().Actions)
	for step := 0; ; step++ {
		s, err := stateOf(p, m, e, step, width)
		if err != nil {
			return nil, err
		}
		g.State = append(g.State, s)
		if step == e.Steps {
			break
		}
		m.Step(e.Actions[step*width*len(names):][:width*len(names)])
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "    ")
	err = out.Encode(g)
	return text.Bytes(), err
}

// stateOf is the state of m after a number of steps.
func stateOf(p *pommerman.Game, m *pommerman.Match, e *dataset.Episode, step, width int) (State, error) {
	shown := p.New(1)[0].(*pommerman.Match)
	shown.State = p.Rules().Settled(m.State)
	text, err := shown.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	var s State
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	if step == 0 {
		return s, nil // with what the original's keys lack, such as the RNG
	}
	delete(s, "pommego")
	seats := p.Rules().Seats()
	intended := make([]int, seats)
	for seat := range intended {
		intended[seat] = int(e.Actions[((step-1)*seats+seat)*width])
	}
	inner, err := json.Marshal(intended)
	if err != nil {
		return nil, err
	}
	s["intended_actions"] = json.RawMessage(strconv.Quote(string(inner)))
	return s, nil
}
