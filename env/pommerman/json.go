package pommerman

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/saved"
)

// The readable form of a state is the reference's own: an object whose values
// are JSON texts in strings, as its get_json_info writes and its
// game_state_file reads. Everything else is in one more key, "pommego". A file of the
// reference without that key is accepted: then no ring is due and the RNG is that of
// seed 0.

// jsonState is the object, with its values in JSON text in strings.
type jsonState struct {
	BoardSize  string    `json:"board_size"`
	StepCount  string    `json:"step_count"`
	Board      string    `json:"board"`
	Agents     string    `json:"agents"`
	Bombs      string    `json:"bombs"`
	Flames     string    `json:"flames"`
	Items      string    `json:"items"`
	Intended   string    `json:"intended_actions"`
	Collapses  string    `json:"collapses,omitempty"`
	RadioVocab string    `json:"radio_vocab_size,omitempty"`
	RadioWords string    `json:"radio_num_words,omitempty"`
	RadioFrom  string    `json:"radio_from_agent,omitempty"`
	Own        jsonExtra `json:"pommego"`
}

// nest is a value as JSON text.
func nest(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers, strings and lists always marshal
	}
	return string(text)
}

// jsonExtra is the part of a state that the reference's fields lack.
type jsonExtra struct {
	Format   int    `json:"format"`
	Rules    string `json:"rules"` // fingerprint, in hexadecimal
	RNG      string `json:"dice"`  // state of the game's RNG, in hexadecimal
	RingDue  int    `json:"ring_due"`
	Training int    `json:"training_agent"`
	Results  []int  `json:"results,omitempty"`
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

// jsonItem is [[row, column], item].
type jsonItem [2]any

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	r, t := &m.game.rules, m.game.form.Snapshot(&m.State)
	agents, bombs, flames, items := []jsonAgent{}, []jsonBomb{}, []jsonFlame{}, []jsonItem{}
	for i, v := range t.Agents {
		agents = append(agents, jsonAgent{i, v[2] != 0, [2]int(v), v[3], v[4], v[5] != 0})
	}
	for _, v := range t.Bombs {
		bombs = append(bombs, jsonBomb{[2]int(v), v[4], v[2], v[3], unless(v[5], 0)})
	}
	for _, v := range t.Flames {
		flames = append(flames, jsonFlame{[2]int(v), v[2]})
	}
	for _, v := range t.Items {
		items = append(items, jsonItem{v[:2], v[2]})
	}
	out := jsonState{
		BoardSize: nest(r.BoardSize), StepCount: nest(t.StepCount), Board: nest(m.jsonBoard()),
		Agents: nest(agents), Bombs: nest(bombs),
		Flames: nest(flames), Items: nest(items), Intended: nest([]int{}),
		Own: jsonExtra{stateFormat, saved.Hex(m.game.form.Rules), saved.Hex(m.RNG.State), t.Due, t.Training, t.Results},
	}
	if r.FirstCollapse != NoCollapse {
		out.Collapses = nest(r.Collapses())
	}
	if r.RadioWords > 0 {
		from := map[string][]int{}
		for a, words := range t.Radio {
			from[fmt.Sprintf("Agent%d", a)] = words
		}
		out.RadioVocab, out.RadioWords, out.RadioFrom = nest(r.RadioVocab), nest(r.RadioWords), nest(from)
	}
	text, err := json.Marshal(&out)
	return append(dst, text...), err
}

func (m *Match) jsonBoard() [][]int {
	n := m.game.rules.BoardSize
	rows := make([][]int, n)
	for i := range n * n {
		rows[i/n] = append(rows[i/n], int(m.Board[m.game.rules.cell(i)]))
	}
	return rows
}

// RestoreJSON sets the state from what AppendJSON or the reference wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	in := jsonReader{Rules: &m.game.rules}
	t := &Snapshot{Due: -1, Training: m.game.rules.TrainingAgent, RNG: saved.RNG(env.Seed{}.RNG(env.StreamGame))}
	if err := json.Unmarshal(state, &in.object); err != nil {
		return fmt.Errorf("pommerman: state is not a JSON object of the expected form: %w", err)
	}
	for _, read := range []func(t *Snapshot) error{in.board, in.agents, in.lists, in.items, in.radio} {
		if err := read(t); err != nil {
			return fmt.Errorf("pommerman: state: %w", err)
		}
	}
	if text := in.object["pommego"]; text != nil {
		var x jsonExtra
		if err := json.Unmarshal(text, &x); err != nil {
			return fmt.Errorf("pommerman: state: \"pommego\": %w", err)
		}
		if err := m.game.form.CheckReadable(stateFormat, x.Format, x.Rules); err != nil {
			return err
		}
		rng, err := saved.ParseRNG(x.RNG)
		if err != nil {
			return fmt.Errorf("pommerman: state: %w", err)
		}
		t.Results, t.RNG, t.Due, t.Training = x.Results, saved.RNG(rng), x.RingDue, x.Training
	}
	return m.game.form.Set(t, &m.State)
}

// jsonReader fills a snapshot from the object.
type jsonReader struct {
	*Rules
	object map[string]json.RawMessage
}

// take reads one value of the object, as the reference writes it (JSON text in
// a string) or plainly.
func (in *jsonReader) take(name string, v any) error {
	raw := in.object[name]
	if len(raw) == 0 {
		return fmt.Errorf("there is no %q", name)
	}
	var inner string
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

func (in *jsonReader) board(t *Snapshot) error {
	var size int
	var rows [][]int
	if err := errors.Join(in.take("board_size", &size), in.take("step_count", &t.StepCount),
		in.take("board", &rows)); err != nil {
		return err
	}
	if size != in.BoardSize || len(rows) != size {
		return fmt.Errorf("the board is of size %d with %d rows, want %d", size, len(rows), in.BoardSize)
	}
	for row, cells := range rows {
		if len(cells) != size {
			return fmt.Errorf("row %d of the board has %d cells, want %d", row, len(cells), size)
		}
	}
	t.Board.Draw(size*size, digits, func(i int) int { return rows[i/size][i%size] })
	return nil
}

func (in *jsonReader) agents(t *Snapshot) error {
	var list []jsonAgent
	if err := in.take("agents", &list); err != nil {
		return err
	}
	t.Agents = make(saved.Rows, len(list))
	for _, a := range list {
		if a.ID < 0 || a.ID >= len(list) || t.Agents[a.ID] != nil {
			return fmt.Errorf("there is an agent_id %d, want each of 0 to %d once", a.ID, in.Seats()-1)
		}
		alive, kicks := int(toByte(a.Alive)), int(toByte(a.Kicks))
		t.Agents[a.ID] = []int{a.Position[0], a.Position[1], alive, a.Ammo, a.Blast, kicks}
	}
	return nil
}

// lists reads bombs and flames. It sorts flames into the order of games, the only one
// that a state can hold.
func (in *jsonReader) lists(t *Snapshot) error {
	var bombs []jsonBomb
	var flames []jsonFlame
	err := errors.Join(in.take("bombs", &bombs), in.take("flames", &flames))
	for _, b := range bombs {
		t.Bombs.Add(b.Position[0], b.Position[1], b.Life, b.Blast, b.Bomber, valueOr(b.Moving, 0))
	}
	for _, f := range flames {
		t.Flames.Add(f.Position[0], f.Position[1], f.Life)
	}
	slices.SortFunc(t.Flames, func(a, b []int) int { return cmp.Or(a[2]-b[2], slices.Compare(a, b)) })
	return err
}

// items reads the hidden items and puts them into the order of games.
func (in *jsonReader) items(t *Snapshot) error {
	var list [][2]json.RawMessage
	if err := in.take("items", &list); err != nil {
		return err
	}
	for i, pair := range list {
		var at [2]int
		var item int
		if err := errors.Join(json.Unmarshal(pair[0], &at), json.Unmarshal(pair[1], &item)); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
		t.Items.Add(at[0], at[1], item)
	}
	slices.SortFunc(t.Items, slices.Compare[[]int])
	return nil
}

// radio reads the words that were sent; missing ones mean silence.
func (in *jsonReader) radio(t *Snapshot) error {
	var from map[string][]int
	if in.RadioWords == 0 {
		return nil
	}
	if len(in.object["radio_from_agent"]) > 0 {
		if err := in.take("radio_from_agent", &from); err != nil {
			return err
		}
	}
	for a := range in.Seats() {
		words := from[fmt.Sprintf("Agent%d", a)]
		for len(words) < in.RadioWords {
			words = append(words, 0)
		}
		t.Radio.Add(words...)
	}
	return nil
}

func valueOr(p *int, otherwise int) int {
	if p == nil {
		return otherwise
	}
	return *p
}

func unless(v, none int) *int {
	if v == none {
		return nil
	}
	return &v
}
