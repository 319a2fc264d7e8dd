package pommerman

import (
	"encoding/json"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/grid"
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
	*Match
	flames []javaFlame
	lost   []lostItem
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
		for seat := range MaxAgents {
			own := actions[seat*(1+javaWords):][:1+javaWords]
			moves = append(moves, own[0])
			m.radio[(seat+2)%4] = saved.Ints(own[1:])
		}
	}
	var log javaLog
	m.game.rules.stepJava(&m.State, moves, &log, nil)
	m.keep(&log)
}

// keep brings flames and lost items up to date after a step.
func (m *javaReplay) keep(log *javaLog) {
	var out grid.Bits
	for i := range m.flames {
		if m.flames[i].life--; m.flames[i].life == 0 {
			out.Add(m.flames[i].at)
		}
	}
	for _, c := range log.flames {
		m.flames = append(m.flames, javaFlame{c, m.game.rules.FlameLife})
	}
	m.flames = slices.DeleteFunc(m.flames, func(f javaFlame) bool { return f.life == 0 || m.Flame(f.at) == 0 })
	m.lost = slices.DeleteFunc(append(m.lost, log.lost...), func(l lostItem) bool { return out.Has(l.at) })
}

// recordingJava is what is special in those records.
var recordingJava = record.Form[*javaReplay]{
	Name: "pommerman-trace-java/1", Keys: []string{"config"},
	Match: javaReplayOf,
	Seats: func(*javaReplay) int { return MaxAgents },

	Inputs: func(m *javaReplay) []saved.Entry {
		list := []saved.Entry{{Name: "actions", Shape: saved.Row, Least: MaxAgents, Most: MaxAgents}}
		if m.radio != nil {
			list = append(list, saved.Entry{Name: "messages", Shape: saved.Rows, Least: MaxAgents, Most: MaxAgents})
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

// RecordedJava is the format of games recorded from the Java re-implementation.
var RecordedJava = recordingJava.Format()

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
	kind := GameType(number("game_type"))
	if kind < FFA || kind > TeamRadio || number("num_agents") != MaxAgents || number("message_length") != javaWords {
		return nil, "", fmt.Errorf("config: game_type %d, num_agents %d and message_length %d, want 1 to 3, %d and %d",
			kind, number("num_agents"), number("message_length"), MaxAgents, javaWords)
	}
	r := Java(min(kind, Team))
	r.BoardSize, r.MaxSteps = number("board_size"), number("max_steps")
	r.NumRigid, r.NumWood, r.NumItems = number("num_rigid"), number("num_wood"), number("num_items")
	r.BombLife, r.FlameLife = number("bomb_life"), number("flame_life")
	r.FirstCollapse, r.CollapseEvery = number("collapse_start"), number("collapse_step")
	if values["collapse_board"] == 0 {
		r.FirstCollapse, r.CollapseEvery = NoCollapse, 0
	}
	m := &javaReplay{vision: number("vision_range")}
	if m.vision < -1 {
		return nil, "", fmt.Errorf("config: vision_range is %d, want -1 (everything) or more", m.vision)
	}
	r = r.Seeing(m.vision)
	if err := r.Validate(); err != nil {
		return nil, "", err
	}
	if kind == TeamRadio {
		m.radio = make([][]int, MaxAgents)
	}
	m.Match = &Match{game: undealt(r)}
	return m, "", nil
}

// actJava is the recorded actions of a step, with radio and the words: zeros from
// a player that was not asked.
func actJava(m *javaReplay, inputs saved.Values) ([]uint8, error) {
	var actions []uint8
	messages, _ := inputs["messages"].([][]int)
	for seat, move := range inputs["actions"].([]int) {
		if !m.Agents[seat].Alive {
			move = int(Stop)
		}
		if move < 0 || move >= int(numActions) {
			return nil, fmt.Errorf("actions[%d] is %d, want 0 to %d", seat, move, numActions-1)
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
	m.State = m.game.form.Blank
	if err := m.table().Fill(m, values); err != nil {
		return err
	}
	m.loseItems()
	return m.game.rules.invariants(&m.State)
}

// loseItems drops the items under two flames that go out together.
func (m *javaReplay) loseItems() {
	for i, f := range m.flames {
		item, spared := m.Hidden(f.at), m.game.rules.fallsOn(f.at, int(m.StepCount), f.life-1)
		if item != Passage && slices.Contains(m.flames[:i], f) && !spared {
			m.lost = append(m.lost, lostItem{f.at, item})
			m.hide(f.at, Passage)
		}
	}
}

// table is what such a record holds of a state.
func (m *javaReplay) table() saved.Table[javaReplay] {
	r := &m.game.rules
	table := saved.Table[javaReplay]{}
	for _, f := range m.game.form.Table {
		if f.Hidden || f.Name == "flames" || f.Name == "items" || f.Name == "results" {
			continue
		}
		if f.Name == "bombs" {
			f.Entry = saved.UpTo("bombs", MaxBombs, slices.Clone(f.Columns)...)
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
	result := resultsField.Entry
	result.Optional = false
	table = append(table,
		saved.Field[javaReplay]{
			Entry: result,
			Value: func(m *javaReplay) any { return m.resultRow() },
			Set:   func(m *javaReplay, v any) error { return m.setResults(v.([]int)) },
		},
		saved.RowsField(saved.UpTo("flames", 1<<16, row, col, saved.Col("life", 1, r.FlameLife)), (*javaReplay).flameRows, (*javaReplay).setFlame),
		saved.RowsField(saved.UpTo("items", n*n, row, col, saved.Col("item", int(ExtraBomb), int(Kick))), (*javaReplay).itemRows,
			func(m *javaReplay, i int, row []int) error { return setItem(&m.State, i, row) }))
	if m.radio != nil {
		table = append(table, saved.RowsField(saved.Fixed("radio", MaxAgents, slices.Repeat([]saved.Column{saved.Col("word", 0, 255)}, javaWords)...),
			func(m *javaReplay, rows *saved.Listing) {
				for _, words := range m.radio {
					rows.Add(words...)
				}
			}, func(m *javaReplay, seat int, row []int) error { m.radio[seat] = row; return nil }))
	}
	return table
}

func (m *javaReplay) flameRows(rows *saved.Listing) {
	for _, f := range m.flames {
		rows.Add(f.at.Row(), f.at.Col(), f.life)
	}
}

func (m *javaReplay) setFlame(_ int, row []int) error {
	f := javaFlame{grid.At(row[0], row[1]), row[2]}
	m.flames = append(m.flames, f)
	m.State.flames[f.life-1].Add(f.at)
	return nil
}

// itemRows is the items hidden anywhere, the lost ones among them.
func (m *javaReplay) itemRows(rows *saved.Listing) {
	all := slices.Clone(m.lost)
	for i := range m.game.rules.BoardSize * m.game.rules.BoardSize {
		if c := m.game.rules.cell(i); m.Hidden(c) != Passage {
			all = append(all, lostItem{c, m.Hidden(c)})
		}
	}
	slices.SortFunc(all, func(a, b lostItem) int { return int(a.at) - int(b.at) })
	for _, i := range all {
		rows.Add(i.at.Row(), i.at.Col(), int(i.item))
	}
}

// observed is the entries of what a player is shown: the maps, and then the copy
// of the game that it can play on.
func (m *javaReplay) observed() []saved.Entry {
	var list []saved.Entry
	for _, e := range m.game.rules.observed().Entries() {
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
	r := &m.game.rules
	var v View
	m.View(seat, &v)
	values := r.observed().Values(&v)
	values["alive"] = r.items(func(seat int) bool { return m.result(seat) == env.Incomplete })
	values["result"] = int(m.result(seat))
	if m.radio != nil {
		values["message"] = make([]int, javaWords)
	}
	m.observeCopy(seat, values)
	return values
}

// observeCopy adds the playable copy: without what is out of view, and of it
// without where bombs roll, whose they are, how old flames are, and, in fog, what
// others carry and what is hidden.
func (m *javaReplay) observeCopy(seat int, values saved.Values) {
	w := m.game.rules.window(&m.State, seat)
	all := m.vision < 0
	agents, bombs, flames, items := [][]any{}, [][]int{}, [][]int{}, any([][]int{})
	for i, a := range m.Agents {
		if !all && i != seat {
			a.Ammo, a.Blast, a.Kicks = 1, 2, false
		}
		row := []any{nil, nil, a.Ammo, a.Blast, toByte(a.Kicks)}
		if w.has(a.Cell) {
			row[0], row[1] = a.Cell.Row(), a.Cell.Col()
		}
		agents = append(agents, row)
	}
	for _, b := range m.bombs() {
		if w.has(b.Cell) {
			bombs = append(bombs, []int{b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Blast), -1, 0})
		}
	}
	for _, f := range m.flames {
		if w.has(f.at) {
			flames = append(flames, []int{f.at.Row(), f.at.Col(), m.game.rules.FlameLife})
		}
	}
	if all {
		items = m.table().Values(m)["items"]
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
	for name, v := range m.game.rules.unpackRaw(record.Raw(m, &m.game.Spec().Encodings[encodingRaw], encodingRaw, seat)) {
		values[name] = v
	}
	values["alive"], values["message"] = alive, message
	return values
}
