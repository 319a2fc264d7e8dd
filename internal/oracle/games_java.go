package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// The recorded games of the Java re-implementation, format
// pommerman-trace-java/1, which are read and not written: our own games by its
// rules are recorded as all of Pommerman is.
//
// They list single flames in the order in which they were laid, and the items that a
// state drops early. The rules depend on neither, so no state has them; the replay keeps
// them from what the step reports.

// javaReplay is a replayed match, with the recorded values that its state does not hold.
type javaReplay struct {
	*pommerman.Match
	flames []javaFlame
	lost   []pommerman.LostItem
	radio  [][]int // for each receiver the words sent to it, nil without radio
	vision int     // rows and columns away that a seat sees, -1: everything
}

type javaFlame struct {
	at   grid.Cell
	life int // 1 at least
}

// javaWords is how many words a message has.
const javaWords = 5

// Step makes one move. With radio the actions hold the words too.
func (m *javaReplay) Step(actions []uint8) {
	moves := actions
	if m.radio != nil {
		moves = nil
		for seat := range pommerman.MaxAgents {
			own := actions[seat*(1+javaWords):][:1+javaWords]
			moves = append(moves, own[0])
			m.radio[(seat+2)%4] = saved.Ints(own[1:])
		}
	}
	var log pommerman.JavaLog
	rulesOf(m.Match).StepJava(&m.State, moves, &log)
	m.keep(&log)
}

// keep brings flames and lost items up to date after a step.
func (m *javaReplay) keep(log *pommerman.JavaLog) {
	var out grid.Bits
	for i := range m.flames {
		if m.flames[i].life--; m.flames[i].life == 0 {
			out.Add(m.flames[i].at)
		}
	}
	for _, c := range log.Flames {
		m.flames = append(m.flames, javaFlame{c, rulesOf(m.Match).FlameLife})
	}
	m.flames = slices.DeleteFunc(m.flames, func(f javaFlame) bool { return f.life == 0 || m.Flame(f.at) == 0 })
	m.lost = slices.DeleteFunc(append(m.lost, log.Lost...), func(l pommerman.LostItem) bool { return out.Has(l.At) })
}

// recordingJava is what is special in those records.
var recordingJava = record.Form[*javaReplay]{
	Name: "pommerman-trace-java/1", Keys: []string{"config"},
	Match: javaReplayOf,
	Seats: func(*javaReplay) int { return pommerman.MaxAgents },

	Inputs: func(m *javaReplay) []saved.Entry {
		list := []saved.Entry{{Name: "actions", Shape: saved.Row, Least: pommerman.MaxAgents, Most: pommerman.MaxAgents}}
		if m.radio != nil {
			list = append(list, saved.Entry{Name: "messages", Shape: saved.Rows, Least: pommerman.MaxAgents, Most: pommerman.MaxAgents})
		}
		return list
	},
	Act: actJava,

	Table:  func(m *javaReplay) []saved.Entry { return m.table().Entries() },
	Values: func(m *javaReplay) saved.Values { return m.table().Values(m) },
	Start:  (*javaReplay).start,

	Outcome: []saved.Entry{{Name: "rewards", Shape: saved.Reals}, {Name: "done", Shape: saved.Flag}},

	Observed:   func(m *javaReplay) []saved.Entry { return m.observed() },
	Observe:    (*javaReplay).observe,
	ObserveRaw: (*javaReplay).observeRaw,
}

// javaConfig is what its games were made with.
var javaConfig = []saved.Entry{
	{Name: "mode", Shape: saved.Text}, {Name: "game_type"}, {Name: "num_agents"}, {Name: "board_size"}, {Name: "num_rigid"},
	{Name: "num_wood"}, {Name: "num_items"}, {Name: "max_steps"}, {Name: "vision_range"}, {Name: "collapse_board", Shape: saved.Flag},
	{Name: "collapse_start"}, {Name: "collapse_step"}, {Name: "bomb_life"}, {Name: "flame_life"}, {Name: "message_length"},
}

// javaReplayOf is a match by a record's configuration. Radio changes nothing but
// what is sent, so it is a team game.
func javaReplayOf(h *record.Head) (*javaReplay, string, error) {
	values, err := saved.Decode(h.Config, javaConfig)
	if err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	number := func(name string) int { return values[name].(int) }
	kind := pommerman.GameType(number("game_type"))
	if kind < pommerman.FFA || kind > pommerman.TeamRadio || number("num_agents") != pommerman.MaxAgents || number("message_length") != javaWords {
		return nil, "", fmt.Errorf("config: game_type %d, num_agents %d and message_length %d, want 1 to 3, %d and %d",
			kind, number("num_agents"), number("message_length"), pommerman.MaxAgents, javaWords)
	}
	r := pommerman.Java(min(kind, pommerman.Team))
	r.BoardSize, r.MaxSteps = number("board_size"), number("max_steps")
	r.NumRigid, r.NumWood, r.NumItems = number("num_rigid"), number("num_wood"), number("num_items")
	r.BombLife, r.FlameLife = number("bomb_life"), number("flame_life")
	r.FirstCollapse, r.CollapseEvery = number("collapse_start"), number("collapse_step")
	if values["collapse_board"] == 0 {
		r.FirstCollapse, r.CollapseEvery = pommerman.NoCollapse, 0
	}
	m := &javaReplay{vision: number("vision_range")}
	if m.vision < -1 {
		return nil, "", fmt.Errorf("config: vision_range is %d, want -1 (everything) or more", m.vision)
	}
	r = r.Seeing(m.vision)
	if err := r.Validate(); err != nil {
		return nil, "", err
	}
	if kind == pommerman.TeamRadio {
		m.radio = make([][]int, pommerman.MaxAgents)
	}
	m.Match = pommerman.NewMatch(r)
	return m, "", nil
}

// actJava is the recorded actions of a step, with radio and the words: zeros from
// a player that was not asked.
func actJava(m *javaReplay, inputs saved.Values) ([]uint8, error) {
	var actions []uint8
	messages, _ := inputs["messages"].([][]int)
	for seat, move := range inputs["actions"].([]int) {
		if !m.Agents[seat].Alive {
			move = int(pommerman.Stop)
		}
		if move < 0 || move >= choices {
			return nil, fmt.Errorf("actions[%d] is %d, want 0 to %d", seat, move, choices-1)
		}
		actions = append(actions, uint8(move))
		if m.radio == nil {
			continue
		}
		words := [javaWords]uint8{}
		if said := messages[seat]; said != nil && len(said) != javaWords {
			return nil, fmt.Errorf("messages[%d] has %d words, want null or %d", seat, len(said), javaWords)
		}
		for w, word := range messages[seat] {
			if word < 0 || word > 255 {
				return nil, fmt.Errorf("messages[%d][%d] is %d, want 0 to 255", seat, w, word)
			}
			words[w] = uint8(word)
		}
		actions = append(actions, words[:]...)
	}
	return actions, nil
}

// start sets the match to the recorded start.
func (m *javaReplay) start(values saved.Values) error {
	form := rulesOf(m.Match).Form()
	m.State = form.Blank
	if err := m.table().Fill(m, values); err != nil {
		return err
	}
	m.loseItems()
	return form.Invariants(&m.State)
}

// loseItems drops the items under two flames that go out together.
func (m *javaReplay) loseItems() {
	for i, f := range m.flames {
		item := m.Hidden(f.at)
		if item != pommerman.Passage && slices.Contains(m.flames[:i], f) && !m.fallsOn(f.at, f.life-1) {
			m.lost = append(m.lost, pommerman.LostItem{At: f.at, Item: item})
			m.Hide(f.at, pommerman.Passage)
		}
	}
}

// fallsOn reports whether a ring falls on a cell in one of the next steps.
func (m *javaReplay) fallsOn(c grid.Cell, steps int) bool {
	r := rulesOf(m.Match)
	far := r.BoardSize - 1
	ring := min(c.Row(), c.Col(), far-c.Row(), far-c.Col())
	at := r.FirstCollapse + ring*r.CollapseStep()
	return r.FirstCollapse != pommerman.NoCollapse && at >= int(m.StepCount) && at < int(m.StepCount)+steps
}

// fieldOf is the field of a state with a name.
func (m *javaReplay) fieldOf(name string) saved.Field[pommerman.State] {
	table := rulesOf(m.Match).Form().Table
	return table[slices.IndexFunc(table, func(f saved.Field[pommerman.State]) bool { return f.Name == name })]
}

// table is what such a record holds of a state.
func (m *javaReplay) table() saved.Table[javaReplay] {
	r := rulesOf(m.Match)
	table := saved.Table[javaReplay]{}
	for _, f := range r.Form().Table {
		if f.Hidden || f.Name == "flames" || f.Name == "items" || f.Name == "results" {
			continue
		}
		if f.Name == "bombs" {
			f.Entry = saved.UpTo("bombs", pommerman.MaxBombs, slices.Clone(f.Columns)...)
			f.Shape = saved.Rows
		}
		table = append(table, saved.Field[javaReplay]{
			Entry: f.Entry,
			Value: func(m *javaReplay) any { return f.Value(&m.State) },
			Set:   func(m *javaReplay, v any) error { return f.Set(&m.State, v) },
		})
	}
	n := r.BoardSize
	row, col := saved.Col("row", 0, n-1), saved.Col("col", 0, n-1)
	results := m.fieldOf("results")
	results.Optional = false
	items := m.itemEntry()
	items.Shape = saved.Rows
	table = append(table,
		saved.Field[javaReplay]{
			Entry: results.Entry,
			Value: func(m *javaReplay) any { return m.results() },
			Set:   func(m *javaReplay, v any) error { return results.Set(&m.State, v) },
		},
		saved.RowsField(saved.UpTo("flames", 1<<16, row, col, saved.Col("life", 1, r.FlameLife)), (*javaReplay).flameRows, (*javaReplay).setFlame),
		saved.Field[javaReplay]{Entry: items, Value: (*javaReplay).itemRows, Set: (*javaReplay).setItems})
	if m.radio != nil {
		table = append(table, saved.RowsField(saved.Fixed("radio", pommerman.MaxAgents, slices.Repeat([]saved.Column{saved.Col("word", 0, 255)}, javaWords)...),
			func(m *javaReplay, rows *saved.Listing) {
				for _, words := range m.radio {
					rows.Add(words...)
				}
			}, func(m *javaReplay, seat int, row []int) error { m.radio[seat] = row; return nil }))
	}
	return table
}

// results is each agent's result so far.
func (m *javaReplay) results() (row []int) {
	for i := range pommerman.MaxAgents {
		row = append(row, int(rulesOf(m.Match).Result(&m.State, i)))
	}
	return row
}

// itemEntry is the entry of items.
func (m *javaReplay) itemEntry() saved.Entry {
	n := rulesOf(m.Match).BoardSize
	return saved.UpTo("items", n*n, saved.Col("row", 0, n-1), saved.Col("col", 0, n-1), saved.Col("item", int(pommerman.ExtraBomb), int(pommerman.Kick)))
}

func (m *javaReplay) setItems(v any) error { return m.fieldOf("items").Set(&m.State, v) }

func (m *javaReplay) flameRows(rows *saved.Listing) {
	for _, f := range m.flames {
		rows.Add(f.at.Row(), f.at.Col(), f.life)
	}
}

func (m *javaReplay) setFlame(_ int, row []int) error {
	f := javaFlame{grid.At(row[0], row[1]), row[2]}
	m.flames = append(m.flames, f)
	m.AddFlame(f.at, f.life)
	return nil
}

// itemRows is the items hidden anywhere, the lost ones among them.
func (m *javaReplay) itemRows() any {
	all := slices.Clone(m.lost)
	for _, c := range grid.Cells(rulesOf(m.Match).BoardSize) {
		if item := m.Hidden(c); item != pommerman.Passage {
			all = append(all, pommerman.LostItem{At: c, Item: item})
		}
	}
	slices.SortFunc(all, func(a, b pommerman.LostItem) int { return int(a.At) - int(b.At) })
	rows := [][]int{}
	for _, i := range all {
		rows = append(rows, []int{i.At.Row(), i.At.Col(), int(i.Item)})
	}
	return rows
}

// observed is the entries of what a player is shown: the maps, and then the copy
// of the game that it can play on.
func (m *javaReplay) observed() []saved.Entry {
	var list []saved.Entry
	for _, e := range rulesOf(m.Match).Observed().Entries() {
		switch e.Name {
		case "bomb_moving_direction", "flame_life", "game_type", "game_env":
		default:
			list = append(list, e)
		}
	}
	list = append(list, saved.Entry{Name: "result"})
	if m.radio != nil {
		list = append(list, saved.Entry{Name: "message", Shape: saved.Row})
	}
	for _, name := range []string{"agents", "bombs", "flames", "items"} {
		list = append(list, saved.Entry{Name: name, Shape: saved.JSON})
	}
	return list
}

// observe is what a seat observes. A player whose result is known is not among
// the living, and no message arrives: the original's copies have none.
func (m *javaReplay) observe(seat int) saved.Values {
	r := rulesOf(m.Match)
	var v pommerman.View
	m.View(seat, &v)
	values := r.Observed().Values(&v)
	alive := []int{}
	for i, result := range m.results() {
		if env.Result(result) == env.Incomplete {
			alive = append(alive, int(r.Agent0())+i)
		}
	}
	values["alive"], values["result"] = alive, int(r.Result(&m.State, seat))
	if m.radio != nil {
		values["message"] = make([]int, javaWords)
	}
	m.observeCopy(&v, values)
	return values
}

// observeCopy adds the playable copy: without what is out of view, and of it
// without where bombs roll, whose they are, how old flames are, and, in fog, what
// others carry and what is hidden.
func (m *javaReplay) observeCopy(v *pommerman.View, values saved.Values) {
	seen := func(c grid.Cell) bool { return c.OnBoard(v.Rules.BoardSize) && v.Board[c] != pommerman.Fog }
	all := m.vision < 0
	agents, bombs, flames, items := [][]any{}, [][]int{}, [][]int{}, any([][]int{})
	for i, a := range m.Agents {
		if !all && i != v.Seat {
			a.Ammo, a.Blast, a.Kicks = 1, 2, false
		}
		kicks := 0
		if a.Kicks {
			kicks = 1
		}
		row := []any{nil, nil, a.Ammo, a.Blast, kicks}
		if seen(a.Cell) {
			row[0], row[1] = a.Cell.Row(), a.Cell.Col()
		}
		agents = append(agents, row)
	}
	for _, b := range m.Bombs[:m.NumBombs] {
		if seen(b.Cell) {
			bombs = append(bombs, []int{b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Blast), -1, 0})
		}
	}
	for _, f := range m.flames {
		if seen(f.at) {
			flames = append(flames, []int{f.at.Row(), f.at.Col(), v.Rules.FlameLife})
		}
	}
	if all {
		items = m.itemRows()
	}
	for name, v := range map[string]any{"agents": agents, "bombs": bombs, "flames": flames, "items": items} {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // lists of numbers always marshal
		}
		values[name] = json.RawMessage(text)
	}
}

// observeRaw is the same with what the raw encoding shows in its place.
func (m *javaReplay) observeRaw(seat int) saved.Values {
	values := m.observe(seat)
	alive, message := values["alive"], values["message"]
	maps.Copy(values, pommerman.Recording.ObserveRaw(m.Match, seat))
	values["alive"], values["message"] = alive, message
	return values
}
