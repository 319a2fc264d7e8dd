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

// jsonObject is the object, with its values in JSON text in strings.
type jsonObject struct{ saved.Object }

// nest adds a value.
func (o *jsonObject) nest(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers, strings and lists always marshal
	}
	o.add(name, string(text))
}

func (o *jsonObject) add(name string, v any) {
	o.Entries = append(o.Entries, saved.Entry{Name: name})
	o.Values[name] = v
}

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	r, values := &m.game.rules, m.game.form.Table.Values(&m.State)
	rows := func(name string) [][]int { return values[name].([][]int) }
	out := jsonObject{saved.Object{Values: saved.Values{}}}
	out.nest("board_size", r.BoardSize)
	out.nest("step_count", m.StepCount)
	out.nest("board", m.jsonBoard())
	agents, bombs, flames, items := []jsonAgent{}, []jsonBomb{}, []jsonFlame{}, []jsonItem{}
	for i, v := range rows("agents") {
		agents = append(agents, jsonAgent{i, v[2] != 0, [2]int(v), v[3], v[4], v[5] != 0})
	}
	for _, v := range rows("bombs") {
		bombs = append(bombs, jsonBomb{[2]int(v), v[4], v[2], v[3], unless(v[5], 0)})
	}
	for _, v := range rows("flames") {
		flames = append(flames, jsonFlame{[2]int(v), v[2]})
	}
	for _, v := range rows("items") {
		items = append(items, jsonItem{v[:2], v[2]})
	}
	out.nest("agents", agents)
	out.nest("bombs", bombs)
	out.nest("flames", flames)
	out.nest("items", items)
	out.nest("intended_actions", []int{})
	if r.FirstCollapse != NoCollapse {
		out.nest("collapses", r.Collapses())
	}
	if r.RadioWords > 0 {
		from := map[string][]int{}
		for a, words := range rows("radio") {
			from[fmt.Sprintf("Agent%d", a)] = words
		}
		out.nest("radio_vocab_size", r.RadioVocab)
		out.nest("radio_num_words", r.RadioWords)
		out.nest("radio_from_agent", from)
	}
	ended, _ := values["results"].([]int)
	out.add("pommego", jsonExtra{stateFormat, saved.Hex(m.game.form.Rules), saved.Hex(m.RNG.State), int(m.due) - 1, int(m.training) - 1, ended})
	text, err := json.Marshal(out)
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
	in := jsonReader{Rules: &m.game.rules, values: saved.Values{}}
	if err := json.Unmarshal(state, &in.object); err != nil {
		return fmt.Errorf("pommerman: state is not a JSON object of the expected form: %w", err)
	}
	for _, read := range []func() error{in.board, in.agents, in.bombs, in.flames, in.items, in.radio} {
		if err := read(); err != nil {
			return fmt.Errorf("pommerman: state: %w", err)
		}
	}
	in.values["dice"] = saved.Hex(env.Seed{}.RNG(env.StreamGame).State)
	if text := in.object["pommego"]; text != nil {
		var x jsonExtra
		if err := json.Unmarshal(text, &x); err != nil {
			return fmt.Errorf("pommerman: state: \"pommego\": %w", err)
		}
		if err := m.game.form.Header.Check(x.Format, x.Rules); err != nil {
			return err
		}
		if x.Results != nil {
			in.values["results"] = x.Results
		}
		in.values["dice"], in.values["ring_due"], in.values["training_agent"] = x.RNG, x.RingDue, x.Training
	}
	return m.game.form.RestoreValues(in.values, &m.State)
}

// jsonReader turns the object into values of the table.
type jsonReader struct {
	*Rules
	object map[string]json.RawMessage
	values saved.Values
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

func (in *jsonReader) board() error {
	var size, steps int
	var rows [][]int
	if err := errors.Join(in.take("board_size", &size), in.take("step_count", &steps), in.take("board", &rows)); err != nil {
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
	e := in.digitMap("board")
	in.values["step_count"], in.values["board"] = steps, e.Draw(func(i int) int { return rows[i/size][i%size] })
	return nil
}

func (in *jsonReader) agents() error {
	var list []jsonAgent
	if err := in.take("agents", &list); err != nil {
		return err
	}
	rows := make([][]int, len(list))
	for _, a := range list {
		if a.ID < 0 || a.ID >= len(rows) || rows[a.ID] != nil {
			return fmt.Errorf("there is an agent_id %d, want each of 0 to %d once", a.ID, in.Seats()-1)
		}
		rows[a.ID] = []int{a.Position[0], a.Position[1], int(toByte(a.Alive)), a.Ammo, a.Blast, int(toByte(a.Kicks))}
	}
	in.values["agents"] = rows
	return nil
}

func (in *jsonReader) bombs() error {
	var list []jsonBomb
	err := in.take("bombs", &list)
	rows := [][]int{}
	for _, b := range list {
		rows = append(rows, []int{b.Position[0], b.Position[1], b.Life, b.Blast, b.Bomber, valueOr(b.Moving, 0)})
	}
	in.values["bombs"] = rows
	return err
}

// flames sorts flames into the order of games, the only one that a state can hold.
func (in *jsonReader) flames() error {
	var list []jsonFlame
	err := in.take("flames", &list)
	rows := [][]int{}
	for _, f := range list {
		rows = append(rows, []int{f.Position[0], f.Position[1], f.Life})
	}
	sortFlames(rows)
	in.values["flames"] = rows
	return err
}

// sortFlames puts rows of flames into the order in which games list them.
func sortFlames(rows [][]int) {
	slices.SortFunc(rows, func(a, b []int) int { return cmp.Or(a[2]-b[2], slices.Compare(a, b)) })
}

func (in *jsonReader) items() error {
	var list [][2]json.RawMessage
	if err := in.take("items", &list); err != nil {
		return err
	}
	rows := [][]int{}
	for i, pair := range list {
		var at [2]int
		var item int
		if err := errors.Join(json.Unmarshal(pair[0], &at), json.Unmarshal(pair[1], &item)); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
		rows = append(rows, []int{at[0], at[1], item})
	}
	in.values["items"] = rows
	return nil
}

// radio sets the words that were sent; missing ones mean silence.
func (in *jsonReader) radio() error {
	var from map[string][]int
	if in.RadioWords == 0 {
		return nil
	}
	if len(in.object["radio_from_agent"]) > 0 {
		if err := in.take("radio_from_agent", &from); err != nil {
			return err
		}
	}
	rows := make([][]int, in.Seats())
	for a := range rows {
		rows[a] = from[fmt.Sprintf("Agent%d", a)]
		for len(rows[a]) < in.RadioWords {
			rows[a] = append(rows[a], 0)
		}
	}
	in.values["radio"] = rows
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
