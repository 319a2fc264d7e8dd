package pommerman

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// The readable form of a state is the reference's own: an object whose values are JSON
// texts in strings, as its get_json_info writes and its game_state_file reads.
// Everything else is in one more key, "pommego". A file of the reference without that
// key is accepted: then no ring is due and the RNG is that of seed 0. If a ring is due,
// the form shows the state after its fall, as the reference's form does. Then "pommego"
// also holds the form of the state before the fall, and only that one has "ring_due".

// jsonState is that object, with its values as JSON text in strings.
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

func nest(v any) string { return string(saved.JSON(v)) }

// jsonExtra is the part of a state that the reference's fields lack.
type jsonExtra struct {
	Format   int    `json:"format"`
	Rules    string `json:"rules"` // the rules' fingerprint, in hexadecimal
	RNG      string `json:"dice"`  // the state of the game's RNG, in hexadecimal
	RingDue  int    `json:"ring_due"`
	Training int    `json:"training_agent"`
	Results  []int  `json:"results,omitempty"`

	BeforeRing json.RawMessage `json:"before_ring,omitempty"` // the form of the state before the ring that is due falls
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

// jsonItem is written as [[row, column], item].
type jsonItem struct {
	at   [2]int
	item int
}

func (i jsonItem) MarshalJSON() ([]byte, error) { return json.Marshal([]any{i.at, i.item}) }

func (i *jsonItem) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[2]any{&i.at, &i.item})
}

// No key of an agent, a bomb, a flame or "pommego" may be missing. There may be more keys.

func (a *jsonAgent) UnmarshalJSON(text []byte) error { return complete(text, a) }
func (b *jsonBomb) UnmarshalJSON(text []byte) error  { return complete(text, b) }
func (f *jsonFlame) UnmarshalJSON(text []byte) error { return complete(text, f) }

func complete(text []byte, to any) error {
	_, err := saved.DecodeSome(text, to)
	return err
}

func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	out := m.readable()
	if shown := Recording.Shown(m); shown != m {
		before := saved.JSON(&out)
		out = shown.readable()
		out.Own.BeforeRing = before
	}
	return append(dst, saved.JSON(&out)...), nil
}

func (m *Match) readable() jsonState {
	r, t := &m.game.rules, m.game.form.Snapshot(&m.State)
	agents, bombs, flames, items := []jsonAgent{}, []jsonBomb{}, []jsonFlame{}, []jsonItem{}
	board := grid.Rows[int](r.BoardSize, func(c grid.Cell) int { return int(m.Board[c]) })
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
		items = append(items, jsonItem{[2]int(v), v[2]})
	}
	out := jsonState{
		BoardSize: nest(r.BoardSize), StepCount: nest(t.StepCount), Board: nest(board),
		Agents: nest(agents), Bombs: nest(bombs),
		Flames: nest(flames), Items: nest(items), Intended: nest([]int{}),
		Own: jsonExtra{Format: stateFormat, Rules: saved.Hex(m.game.form.Rules), RNG: saved.Hex(m.RNG.State), RingDue: t.Due,
			Training: t.Training, Results: t.Results},
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
	return out
}

// RestoreJSON sets the state from what AppendJSON or the reference wrote. If a state with
// the form before a ring was changed, the match gets the changed state, after the ring.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	after, x := Match{game: m.game}, jsonExtra{}
	if err := after.restore(state, &x); err != nil {
		return err
	}
	if x.BeforeRing != nil {
		before := Match{game: m.game}
		if err := before.restore(x.BeforeRing, new(jsonExtra)); err != nil {
			return err
		}
		if m.game.rules.Settled(before.State) == after.State {
			after = before
		}
	}
	m.State = after.State
	return nil
}

// restore sets the state from one form, and ignores any other form in it.
func (m *Match) restore(state json.RawMessage, x *jsonExtra) error {
	t := &Snapshot{Due: -1, Training: m.game.rules.TrainingAgent, RNG: saved.RNG(env.Seed{}.RNG(env.StreamGame))}
	var object jsonFields
	if err := json.Unmarshal(state, &object); err != nil {
		return fmt.Errorf("pommerman: state is not a JSON object of the expected form: %w", err)
	}
	if err := m.game.rules.readJSON(object, t); err != nil {
		return fmt.Errorf("pommerman: state: %w", err)
	}
	if text := object["pommego"]; text != nil {
		if err := complete(text, x); err != nil {
			return fmt.Errorf("pommerman: state: \"pommego\": %w", err)
		}
		if err := m.game.form.CheckReadable(stateFormat, x.Format, x.Rules); err != nil {
			return err
		}
		if err := t.RNG.UnmarshalText([]byte(x.RNG)); err != nil {
			return fmt.Errorf("pommerman: state: %w", err)
		}
		t.Results, t.Due, t.Training = x.Results, x.RingDue, x.Training
	} else if object["collapses"] != nil {
		var at []int
		if err := object.take("collapses", &at); err != nil {
			return fmt.Errorf("pommerman: state: %w", err)
		}
		if want := m.game.rules.Collapses(); !slices.Equal(at, want) {
			return fmt.Errorf("pommerman: state: \"collapses\" is %d, but by the rules' first_collapse and max_steps it is %d: "+
				"take rules with which they agree", at, want)
		}
	}
	err := m.game.form.Set(t, &m.State)
	if r := &m.game.rules; err == nil && object["pommego"] == nil && r.Traits().results {
		m.judge(r, env.AllSeats(MaxAgents)&^m.Living())
		m.timeOut(r)
	}
	return err
}

// jsonFields holds a state's values: JSON text in strings, as the reference writes them, or plain JSON.
type jsonFields map[string]json.RawMessage

func (f jsonFields) take(name string, v any) error {
	raw, inner := f[name], ""
	if len(raw) == 0 {
		return fmt.Errorf("%q is missing", name)
	}
	if json.Unmarshal(raw, &inner) == nil {
		raw = json.RawMessage(inner)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// readJSON fills a snapshot with what the reference's keys say. Missing words mean silence. It
// sorts flames and items into the order that games have, because a state can hold no other.
func (r *Rules) readJSON(object jsonFields, t *Snapshot) error {
	take := object.take
	var (
		n      int
		rows   [][]int
		agents []jsonAgent
		bombs  []jsonBomb
		flames []jsonFlame
		items  []jsonItem
		said   map[string][]int
	)
	err := cmp.Or(take("board_size", &n), take("step_count", &t.StepCount), take("board", &rows), take("agents", &agents),
		take("bombs", &bombs), take("flames", &flames), take("items", &items))
	if err == nil && r.RadioWords > 0 && object["radio_from_agent"] != nil {
		err = take("radio_from_agent", &said)
	}
	switch {
	case err != nil:
		return err
	case n != r.BoardSize || len(rows) != n || slices.ContainsFunc(rows, func(row []int) bool { return len(row) != n }):
		return fmt.Errorf("board_size is %d and board has %d rows, want %d rows and columns", n, len(rows), r.BoardSize)
	}
	t.Board.Draw(n*n, digits, func(i int) int {
		item := rows[i/n][i%n]
		if err == nil && (item < 0 || item >= len(digits)) {
			err = fmt.Errorf("the board shows %d at %s, which no board can", item, where(grid.At(i/n, i%n)))
		}
		return item
	})
	t.Agents = make(saved.Rows, len(agents))
	for _, a := range agents {
		if a.ID < 0 || a.ID >= len(agents) || t.Agents[a.ID] != nil {
			return fmt.Errorf("agent_id %d is out of range or occurs twice, want each of 0 to %d once", a.ID, r.Seats()-1)
		}
		alive, kicks := int(toByte(a.Alive)), int(toByte(a.Kicks))
		t.Agents[a.ID] = []int{a.Position[0], a.Position[1], alive, a.Ammo, a.Blast, kicks}
	}
	for _, b := range bombs {
		t.Bombs.Add(b.Position[0], b.Position[1], b.Life, b.Blast, b.Bomber, *cmp.Or(b.Moving, new(0)))
	}
	for _, f := range flames {
		t.Flames.Add(f.Position[0], f.Position[1], f.Life)
	}
	for _, i := range items {
		t.Items.Add(i.at[0], i.at[1], i.item)
	}
	slices.SortFunc(t.Flames, func(a, b []int) int { return cmp.Or(a[2]-b[2], slices.Compare(a, b)) })
	slices.SortFunc(t.Items, slices.Compare[[]int])
	for a := 0; r.RadioWords > 0 && a < r.Seats(); a++ {
		words := said[fmt.Sprintf("Agent%d", a)]
		t.Radio.Add(append(words, make([]int, max(r.RadioWords-len(words), 0))...)...)
	}
	return err
}

func unless(v, none int) *int {
	if v == none {
		return nil
	}
	return &v
}
