package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/record"
	"pommego/env/saved"
)

// This file reads the recorded games of the Java re-implementation, format
// pommerman-trace-java/1. We write none: our own games by its rules are recorded like
// all games of Pommerman.
//
// These games list single flames in the order in which they were laid, and items that
// our states drop early. The rules depend on neither, so no state has them; the replay
// keeps them from what the step reports.

// javaReplay is a match that is replayed, with recorded values that its state does not hold.
type javaReplay struct {
	*pommerman.Match
	flames []javaFlame
	lost   []lostItem
	radio  [][]int // by receiver: the words sent to it; nil without radio
	vision int     // how many rows and columns away a seat sees, -1: everything
}

type javaFlame struct {
	at   grid.Cell
	life int // at least 1
}

// lostItem is an item that two flames destroy.
type lostItem struct {
	at   grid.Cell
	item pommerman.Item
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
	lit := len(m.flames)
	var lost []lostItem
	rulesOf(m.Match).StepJava(&m.State, moves, func(at grid.Cell, item pommerman.Item) {
		m.flames = append(m.flames, javaFlame{at, rulesOf(m.Match).FlameLife})
		if item != pommerman.Passage {
			lost = append(lost, lostItem{at, item})
		}
	})
	m.keep(lit, lost)
}

// keep updates flames and lost items after a step. The first before of the flames are
// those from before the step.
func (m *javaReplay) keep(before int, lost []lostItem) {
	var out grid.Bits
	for i := range m.flames[:before] {
		if m.flames[i].life--; m.flames[i].life == 0 {
			out.Add(m.flames[i].at)
		}
	}
	m.flames = slices.DeleteFunc(m.flames, func(f javaFlame) bool { return f.life == 0 || m.Flame(f.at) == 0 })
	m.lost = slices.DeleteFunc(append(m.lost, lost...), func(l lostItem) bool { return out.Has(l.at) })
}

// snapshotJava is what such a record holds of a state.
type snapshotJava struct {
	StepCount int        `json:"step_count"`
	Board     saved.Map  `json:"board"`
	Agents    saved.Rows `json:"agents"`
	Bombs     saved.Rows `json:"bombs"`
	Results   []int      `json:"results"`
	Flames    saved.Rows `json:"flames"` // in the order in which they were laid
	Items     saved.Rows `json:"items"`  // includes the lost items
	Radio     saved.Rows `json:"radio,omitempty"`
}

// observationJava is what a player observes: the maps, and then the copy of the game on
// which it can play.
type observationJava struct {
	observation2018
	Alive     []int      `json:"alive"`
	StepCount int        `json:"step_count"`
	Result    int        `json:"result"`
	Agents    agentsJava `json:"agents"`
	Bombs     saved.Rows `json:"bombs"`
	Flames    saved.Rows `json:"flames"`
	Items     saved.Rows `json:"items"`
}

// agentsJava is [row, col, ammo, blast_strength, can_kick] for each agent. row and col
// are null if they are not known.
type agentsJava [][]*int

func (a agentsJava) String() string {
	text, _ := json.Marshal(a) // lists of numbers always marshal
	return string(text)
}

// recordingJava says what is special in these records.
var recordingJava = record.Form[*javaReplay, snapshotJava, observationJava]{
	Name: "pommerman-trace-java/1", Keys: []string{"config"},
	Match: javaReplayOf, Act: actJava,
	Shape: (*javaReplay).shape, Show: (*javaReplay).show,
	Start:   func(m *javaReplay, t *snapshotJava, _ string) error { return m.start(t) },
	Adjust:  func(_ *javaReplay, o *record.Outcome) { o.Result, o.Winners = "", nil },
	Observe: (*javaReplay).observe,
}

// javaConfig is the configuration of these games.
type javaConfig struct {
	Mode          string     `json:"mode"`
	GameType      int        `json:"game_type"`
	NumAgents     int        `json:"num_agents"`
	BoardSize     int        `json:"board_size"`
	NumRigid      int        `json:"num_rigid"`
	NumWood       int        `json:"num_wood"`
	NumItems      int        `json:"num_items"`
	MaxSteps      int        `json:"max_steps"`
	Vision        int        `json:"vision_range"`
	Collapses     saved.Flag `json:"collapse_board"`
	CollapseStart int        `json:"collapse_start"`
	CollapseStep  int        `json:"collapse_step"`
	BombLife      int        `json:"bomb_life"`
	FlameLife     int        `json:"flame_life"`
	Words         int        `json:"message_length"`
}

// javaReplayOf is a match by a record's configuration. With radio it is a team game,
// because radio only changes what is sent.
func javaReplayOf(h *record.Head) (*javaReplay, string, error) {
	var c javaConfig
	if err := saved.Decode(h.Config, &c); err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	kind := pommerman.GameType(c.GameType)
	if c.GameType < int(pommerman.FFA) || c.GameType > int(pommerman.TeamRadio) || c.NumAgents != pommerman.MaxAgents ||
		c.Words != javaWords {
		return nil, "", fmt.Errorf("config: game_type %d, num_agents %d and message_length %d, want 1 to 3, %d and %d",
			c.GameType, c.NumAgents, c.Words, pommerman.MaxAgents, javaWords)
	}
	r := pommerman.Java(min(kind, pommerman.Team))
	r.BoardSize, r.MaxSteps = c.BoardSize, c.MaxSteps
	r.NumRigid, r.NumWood, r.NumItems = c.NumRigid, c.NumWood, c.NumItems
	r.BombLife, r.FlameLife = c.BombLife, c.FlameLife
	r.FirstCollapse, r.CollapseEvery = c.CollapseStart, c.CollapseStep
	if !c.Collapses {
		r.FirstCollapse, r.CollapseEvery = pommerman.NoCollapse, 0
	}
	m := &javaReplay{vision: c.Vision}
	if m.vision < -1 {
		return nil, "", fmt.Errorf("config: vision_range is %d, want -1 (everything) or more", m.vision)
	}
	if r.ViewSize = max(m.vision, 0); m.vision == 0 {
		r.ViewSize = pommerman.OwnCell
	}
	if err := r.Validate(); err != nil {
		return nil, "", err
	}
	if kind == pommerman.TeamRadio {
		m.radio = make([][]int, pommerman.MaxAgents)
	}
	m.Match = pommerman.NewMatch(r)
	return m, "", nil
}

// actJava returns the recorded actions of a step; with radio also the words, which are
// zeros for a player that was not asked.
func actJava(m *javaReplay, in *record.Inputs) ([]uint8, error) {
	if err := in.Check(pommerman.MaxAgents, m.radio != nil); err != nil {
		return nil, err
	}
	var actions []uint8
	messages := in.Messages
	for seat, move := range in.Actions {
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
func (m *javaReplay) start(t *snapshotJava) error {
	if err := m.shape().Check(t); err != nil {
		return err
	}
	form := rulesOf(m.Match).Form()
	m.State = form.Take(&pommerman.Snapshot{
		StepCount: t.StepCount, Board: t.Board, Agents: t.Agents, Bombs: t.Bombs, Items: t.Items, Results: t.Results,
		Due: -1, Training: -1,
	})
	for _, f := range t.Flames {
		m.addFlame(f)
	}
	if len(t.Radio) > 0 && m.radio != nil {
		m.radio = t.Radio
	}
	m.loseItems()
	return form.Invariants(&m.State)
}

// shape says what values a recorded state and an observation may have.
func (m *javaReplay) shape() *saved.Shape {
	r := rulesOf(m.Match)
	shape := r.Form().Shape
	row, col := saved.Col("row", 0, r.BoardSize-1), saved.Col("col", 0, r.BoardSize-1)
	shape.Columns["flames"] = []saved.Column{row, col, saved.Col("life", 1, r.FlameLife)}
	shape.Columns["radio"] = slices.Repeat([]saved.Column{saved.Col("word", 0, 255)}, javaWords)
	return &shape
}

// show returns what a record shows of the match.
func (m *javaReplay) show() *snapshotJava {
	t := rulesOf(m.Match).Form().Snapshot(&m.State)
	flames := saved.Rows{}
	for _, f := range m.flames {
		flames.Add(f.at.Row(), f.at.Col(), f.life)
	}
	return &snapshotJava{t.StepCount, t.Board, t.Agents, t.Bombs, m.results(), flames, m.itemRows(), m.radio}
}

// addFlame adds a flame of a list.
func (m *javaReplay) addFlame(row []int) {
	f := javaFlame{grid.At(row[0], row[1]), row[2]}
	m.flames = append(m.flames, f)
	m.AddFlame(f.at, f.life)
}

// loseItems removes the items under two flames that go out together.
func (m *javaReplay) loseItems() {
	for i, f := range m.flames {
		item := m.Hidden(f.at)
		if item != pommerman.Passage && slices.Contains(m.flames[:i], f) && !m.fallsOn(f.at, f.life-1) {
			m.lost = append(m.lost, lostItem{f.at, item})
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

// results returns each agent's result so far.
func (m *javaReplay) results() (row []int) {
	for i := range pommerman.MaxAgents {
		row = append(row, int(rulesOf(m.Match).Result(&m.State, i)))
	}
	return row
}

// itemRows returns all hidden items, including the lost ones.
func (m *javaReplay) itemRows() saved.Rows {
	all := slices.Clone(m.lost)
	for _, c := range grid.Cells(rulesOf(m.Match).BoardSize) {
		if item := m.Hidden(c); item != pommerman.Passage {
			all = append(all, lostItem{c, item})
		}
	}
	slices.SortFunc(all, func(a, b lostItem) int { return int(a.at) - int(b.at) })
	rows := saved.Rows{}
	for _, i := range all {
		rows.Add(i.at.Row(), i.at.Col(), int(i.item))
	}
	return rows
}

// observe returns what a seat observes. A player whose result is known does not count
// as living, and no message arrives, because the original's copies have none.
func (m *javaReplay) observe(seat int) *observationJava {
	seen := pommerman.Recording.Observe(m.Match, seat)
	o := &observationJava{observation2018: *of2018(seen), StepCount: seen.StepCount, Result: m.results()[seat]}
	for i, result := range m.results() {
		if env.Result(result) == env.Incomplete {
			o.Alive = append(o.Alive, int(rulesOf(m.Match).Agent0())+i)
		}
	}
	if m.radio != nil {
		o.Message = make([]int, javaWords)
	}
	var v pommerman.View
	m.View(seat, &v)
	m.observeCopy(&v, o)
	return o
}

// observeCopy adds the copy on which the player can play. It lacks what is out of view,
// where bombs roll, whose they are and how old flames are; in fog also what others
// carry and what is hidden.
func (m *javaReplay) observeCopy(v *pommerman.View, o *observationJava) {
	seen := func(c grid.Cell) bool { return c.OnBoard(v.Rules.BoardSize) && v.Board[c] != pommerman.Fog }
	all := m.vision < 0
	for i, a := range m.Agents {
		if !all && i != v.Seat {
			a.Ammo, a.Blast, a.Kicks = 1, 2, false
		}
		kicks := 0
		if a.Kicks {
			kicks = 1
		}
		row := []*int{nil, nil, new(int(a.Ammo)), new(int(a.Blast)), &kicks}
		if seen(a.Cell) {
			row[0], row[1] = new(a.Cell.Row()), new(a.Cell.Col())
		}
		o.Agents = append(o.Agents, row)
	}
	for _, b := range m.Bombs[:m.NumBombs] {
		if seen(b.Cell) {
			o.Bombs.Add(b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Blast), -1, 0)
		}
	}
	for _, f := range m.flames {
		if seen(f.at) {
			o.Flames.Add(f.at.Row(), f.at.Col(), v.Rules.FlameLife)
		}
	}
	if all {
		o.Items = m.itemRows()
	}
}
