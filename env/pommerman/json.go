package pommerman

import (
	"encoding/json"
	"errors"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// The readable form of a state is the reference's own: an object whose values
// are JSON texts in strings, as its get_json_info writes and its
// game_state_file reads. What those lack stands in one more key, "pommego". A
// file of the reference alone is accepted: then no ring is due and the RNG is
// those of seed 0.

// jsonState is the object with its values still as text.
type jsonState struct {
	BoardSize json.RawMessage `json:"board_size"`
	StepCount json.RawMessage `json:"step_count"`
	Board     json.RawMessage `json:"board"`
	Agents    json.RawMessage `json:"agents"`
	Bombs     json.RawMessage `json:"bombs"`
	Flames    json.RawMessage `json:"flames"`
	Items     json.RawMessage `json:"items"`
	Intended  json.RawMessage `json:"intended_actions"`
	Collapses json.RawMessage `json:"collapses,omitempty"`
	RadioSize json.RawMessage `json:"radio_vocab_size,omitempty"`
	RadioNum  json.RawMessage `json:"radio_num_words,omitempty"`
	RadioFrom json.RawMessage `json:"radio_from_agent,omitempty"`
	Pommego   *jsonExtra      `json:"pommego,omitempty"`
}

// jsonExtra is what the reference's fields lack.
type jsonExtra struct {
	Format   int    `json:"format"`
	Rules    string `json:"rules"` // fingerprint, in hexadecimal
	RNG      string `json:"dice"`  // state of the game's RNG, in hexadecimal
	RingDue  int    `json:"ring_due"`
	Training int    `json:"training_agent"`
}

type jsonAgent struct {
	ID       int    `json:"agent_id"`
	Alive    bool   `json:"is_alive"`
	Position [2]int `json:"position"`
	Ammo     int    `json:"ammo"`
	Blast    int    `json:"blast_strength"`
	Kicks    bool   `json:"can_kick"`
}

type jsonBomb struct {
	Position [2]int `json:"position"`
	Bomber   int    `json:"bomber_id"`
	Life     int    `json:"life"`
	Blast    int    `json:"blast_strength"`
	Moving   *int   `json:"moving_direction"`
}

type jsonFlame struct {
	Position [2]int `json:"position"`
	Life     int    `json:"life"`
}

func position(c grid.Cell) [2]int { return [2]int{c.Row(), c.Col()} }

// text marshals a value into JSON text inside a JSON string.
func text(v any) json.RawMessage {
	inner, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers, strings and lists always marshal
	}
	outer, _ := json.Marshal(string(inner))
	return outer
}

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	r, s := &m.game.rules, &m.State
	out := jsonState{
		BoardSize: text(r.BoardSize), StepCount: text(s.StepCount), Intended: text([]int{}),
		Board: text(m.jsonBoard()), Agents: text(m.jsonAgents()), Bombs: text(m.jsonBombs()),
		Flames: text(m.jsonFlames()), Items: text(m.jsonItems()),
		Pommego: &jsonExtra{
			Format: stateFormat, Rules: saved.Hex(m.game.fingerprint),
			RNG: saved.Hex(s.RNG.State), RingDue: int(s.due) - 1, Training: int(s.training) - 1,
		},
	}
	if r.FirstCollapse != NoCollapse {
		out.Collapses = text(r.Collapses())
	}
	if r.RadioWords > 0 {
		from := map[string][]int{}
		for a := range r.Seats() {
			words := make([]int, r.RadioWords)
			for w := range words {
				words[w] = int(s.Radio[a][w])
			}
			from[fmt.Sprintf("Agent%d", a)] = words
		}
		out.RadioSize, out.RadioNum, out.RadioFrom = text(r.RadioVocab), text(r.RadioWords), text(from)
	}
	body, err := json.Marshal(out)
	return append(dst, body...), err
}

func (m *Match) jsonBoard() [][]int {
	n := m.game.rules.BoardSize
	rows := make([][]int, n)
	for row := range rows {
		rows[row] = make([]int, n)
		for col := range rows[row] {
			rows[row][col] = int(m.Board[grid.At(row, col)])
		}
	}
	return rows
}

func (m *Match) jsonAgents() []jsonAgent {
	list := []jsonAgent{}
	for i, a := range m.Agents[:m.game.rules.Seats()] {
		list = append(list, jsonAgent{i, a.Alive, position(a.Cell), int(a.Ammo), int(a.Blast), a.Kicks})
	}
	return list
}

func (m *Match) jsonBombs() []jsonBomb {
	list := []jsonBomb{}
	for i := range m.bombs() {
		b := &m.Bombs[i]
		out := jsonBomb{position(b.Cell), b.Owner(), int(b.Life), int(b.Blast), nil}
		if d := int(b.Moving()); d != 0 {
			out.Moving = &d
		}
		list = append(list, out)
	}
	return list
}

func (m *Match) jsonFlames() []jsonFlame {
	list := []jsonFlame{}
	for life, layer := range m.flames {
		for c := range layer.All {
			list = append(list, jsonFlame{position(c), life})
		}
	}
	return list
}

func (m *Match) jsonItems() [][2]any {
	list := [][2]any{}
	for i := range m.Board {
		if item := m.Hidden(grid.Cell(i)); item != Passage {
			list = append(list, [2]any{position(grid.Cell(i)), int(item)})
		}
	}
	return list
}

// take reads one value of the object, as the reference writes it (JSON text in
// a string) or plainly.
func take(name string, raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return fmt.Errorf("pommerman: state has no %q", name)
	}
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("pommerman: state's %q: %w", name, err)
	}
	return nil
}

// RestoreJSON sets the state from what AppendJSON or the reference wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	var in jsonState
	if err := json.Unmarshal(state, &in); err != nil {
		return fmt.Errorf("pommerman: state is not a JSON object of the expected form: %w", err)
	}
	var s State
	r := &m.game.rules
	for _, read := range []func(*jsonState, *State) error{r.readBoard, r.readAgents, r.readBombs, r.readFlames, r.readItems, r.readRadio} {
		if err := read(&in, &s); err != nil {
			return err
		}
	}
	if err := m.readExtra(&in, &s); err != nil {
		return err
	}
	if err := r.Check(&s); err != nil {
		return err
	}
	m.State = s
	return nil
}

func (r *Rules) readBoard(in *jsonState, s *State) error {
	var size, steps int
	var rows [][]int
	if err := errors.Join(take("board_size", in.BoardSize, &size), take("step_count", in.StepCount, &steps), take("board", in.Board, &rows)); err != nil {
		return err
	}
	if size != r.BoardSize || len(rows) != size {
		return fmt.Errorf("pommerman: state has a board of size %d with %d rows, want %d", size, len(rows), r.BoardSize)
	}
	if steps < 0 || steps > r.MaxSteps {
		return fmt.Errorf("pommerman: state has step_count %d, want 0 to %d", steps, r.MaxSteps)
	}
	s.StepCount = uint16(steps)
	for i := range s.Board {
		s.Board[i] = Rigid
	}
	for row, cells := range rows {
		if len(cells) != size {
			return fmt.Errorf("pommerman: row %d of the state's board has %d cells, want %d", row, len(cells), size)
		}
		for col, v := range cells {
			if v < 0 || v > 15 {
				return fmt.Errorf("pommerman: the state's board holds %d at row %d, column %d, want 0 to 15", v, row, col)
			}
			s.Board[grid.At(row, col)] = Item(v)
		}
	}
	return nil
}

// cell checks a position and turns it into a cell.
func (r *Rules) cell(what string, p [2]int) (grid.Cell, error) {
	n := r.BoardSize
	if p[0] < 0 || p[1] < 0 || p[0] >= n || p[1] >= n {
		return 0, fmt.Errorf("pommerman: %s is at %v, want rows and columns 0 to %d", what, p, n-1)
	}
	return grid.At(p[0], p[1]), nil
}

// small checks that numbers fit the bytes they are kept in.
func small(what string, values ...int) error {
	for _, v := range values {
		if v < 0 || v > 255 {
			return fmt.Errorf("pommerman: %s has the value %d, want 0 to 255", what, v)
		}
	}
	return nil
}

func (r *Rules) readAgents(in *jsonState, s *State) error {
	var list []jsonAgent
	if err := take("agents", in.Agents, &list); err != nil {
		return err
	}
	if len(list) != r.Seats() {
		return fmt.Errorf("pommerman: state has %d agents, want %d", len(list), r.Seats())
	}
	var seen env.SeatSet
	for _, a := range list {
		if a.ID < 0 || a.ID >= r.Seats() || seen.Has(a.ID) {
			return fmt.Errorf("pommerman: state has agent_id %d, want each of 0 to %d once", a.ID, r.Seats()-1)
		}
		seen = seen.With(a.ID)
		c, err := r.cell(fmt.Sprintf("agent %d", a.ID), a.Position)
		if err := errors.Join(err, small("agent", a.Ammo, a.Blast)); err != nil {
			return err
		}
		s.Agents[a.ID] = Agent{c, uint8(a.Ammo), uint8(a.Blast), a.Alive, a.Kicks}
	}
	return nil
}

func (r *Rules) readBombs(in *jsonState, s *State) error {
	var list []jsonBomb
	if err := take("bombs", in.Bombs, &list); err != nil {
		return err
	}
	if len(list) > MaxBombs {
		return fmt.Errorf("pommerman: state has %d bombs, want at most %d", len(list), MaxBombs)
	}
	for i, b := range list {
		moving := 0
		if b.Moving != nil {
			moving = *b.Moving
		}
		c, err := r.cell(fmt.Sprintf("bomb %d", i), b.Position)
		if err := errors.Join(err, small("bomb", b.Life, b.Blast)); err != nil {
			return err
		}
		if b.Bomber < 0 || b.Bomber >= r.Seats() || moving < 0 || moving > int(grid.Right) {
			return fmt.Errorf("pommerman: bomb %d has bomber_id %d and moving_direction %d, want 0 to %d and 0 to 4", i, b.Bomber, moving, r.Seats()-1)
		}
		s.addBomb(NewBomb(c, uint8(b.Life), uint8(b.Blast), b.Bomber, grid.Dir(moving)))
	}
	return nil
}

// readFlames puts flames into their layers. The reference's order, oldest first
// and row-major, follows from those; another order cannot be kept.
func (r *Rules) readFlames(in *jsonState, s *State) error {
	var list []jsonFlame
	if err := take("flames", in.Flames, &list); err != nil {
		return err
	}
	for i, f := range list {
		c, err := r.cell(fmt.Sprintf("flame %d", i), f.Position)
		if err != nil {
			return err
		}
		if f.Life < 0 || f.Life >= r.FlameLife {
			return fmt.Errorf("pommerman: flame %d has life %d, want 0 to %d", i, f.Life, r.FlameLife-1)
		}
		if s.flames[f.Life].Has(c) {
			return fmt.Errorf("pommerman: two flames of life %d at %s", f.Life, where(c))
		}
		s.flames[f.Life].Add(c)
	}
	return nil
}

func (r *Rules) readItems(in *jsonState, s *State) error {
	var list [][2]json.RawMessage
	if err := take("items", in.Items, &list); err != nil {
		return err
	}
	for i, pair := range list {
		var at [2]int
		var item int
		if err := errors.Join(json.Unmarshal(pair[0], &at), json.Unmarshal(pair[1], &item)); err != nil {
			return fmt.Errorf("pommerman: state's item %d: %w", i, err)
		}
		c, err := r.cell(fmt.Sprintf("item %d", i), at)
		if err != nil {
			return err
		}
		if item < int(ExtraBomb) || item > int(Skull) {
			return fmt.Errorf("pommerman: item %d is %d, want 6 to 9", i, item)
		}
		s.hide(c, Item(item))
	}
	return nil
}

func (r *Rules) readRadio(in *jsonState, s *State) error {
	if r.RadioWords == 0 || len(in.RadioFrom) == 0 {
		return nil
	}
	var from map[string][]int
	if err := take("radio_from_agent", in.RadioFrom, &from); err != nil {
		return err
	}
	for a := range r.Seats() {
		for w, word := range from[fmt.Sprintf("Agent%d", a)] {
			if w >= r.RadioWords || word < 0 || word > 255 {
				return fmt.Errorf("pommerman: word %d of Agent%d is %d, want %d words of 0 to 255", w, a, word, r.RadioWords)
			}
			s.Radio[a][w] = uint8(word)
		}
	}
	return nil
}

// readExtra takes what the reference lacks, or its defaults.
func (m *Match) readExtra(in *jsonState, s *State) error {
	r := &m.game.rules
	s.RNG = env.Seed{}.RNG(env.StreamGame)
	s.training = int8(r.TrainingAgent + 1)
	x := in.Pommego
	if x == nil {
		return nil
	}
	if err := m.game.header().Check(x.Format, x.Rules); err != nil {
		return err
	}
	rng, err := saved.ParseRNG(x.RNG)
	if err != nil {
		return fmt.Errorf("pommerman: state: %w", err)
	}
	if x.RingDue < -1 || x.RingDue > 100 || x.Training < -1 || x.Training >= r.Seats() {
		return fmt.Errorf("pommerman: state has ring_due %d and training_agent %d, out of range", x.RingDue, x.Training)
	}
	s.RNG, s.due, s.training = rng, int8(x.RingDue+1), int8(x.Training+1)
	return nil
}
