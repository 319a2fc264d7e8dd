package basewar

import (
	"encoding/json"
	"fmt"
	"hash/crc64"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format basewar-trace/1, with the keys
// of record.Head, record.Inputs and record.Outcome. config has env_id and rules, an
// object of the rules' fields. States are [Snapshot]s. actions has one action for each
// bomber (those of the dead are ignored). obs has for each encoding the CRC-64 (ECMA),
// in hexadecimal, of the observations of all seats in order, field after field.

// recording says what is special in recorded games of BaseWar.
var recording = record.Form[*Match, Snapshot, sums]{
	Name: "basewar-trace/1", Keys: []string{"config"},
	Match: matchOf,
	SetRules: func(h *record.Head, m *Match, id string) {
		h.Config = saved.JSON(recordConfig{id, saved.JSON(m.game.rules)})
	},
	Act: act, Acted: acted,
	Shape: func(m *Match) *saved.Shape { return &m.game.form.Shape },
	Show: func(m *Match) *Snapshot {
		t := m.game.form.Snapshot(&m.State)
		t.RNG = saved.RNG{}
		return t
	},
	Start: func(m *Match, t *Snapshot, _ string) (err error) { m.State, err = m.game.form.Read(t); return err },

	Together: true,
	Observe:  func(m *Match, _ int) *sums { return &sums{m.sum(encodingPlanes), m.sum(encodingRaw)} },
}

// sums holds the checksums of what all seats observe, by encoding.
type sums struct {
	Planes string `json:"planes"`
	Raw    string `json:"raw"`
}

// Recorded is the format of recorded games.
var Recorded = recording.Format()

// Record begins the record of the match: record.Recordable.
func (m *Match) Record(info record.Info) (record.Recorder, error) { return recording.Record(m, info) }

type recordConfig struct {
	EnvID string          `json:"env_id"`
	Rules json.RawMessage `json:"rules"`
}

func matchOf(h *record.Head) (*Match, string, error) {
	var config recordConfig
	var rules Rules
	if err := saved.DecodeJSON(h.Config, &config); err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	if err := saved.DecodeJSON(config.Rules, &rules); err != nil {
		return nil, "", fmt.Errorf("config: rules: %w", err)
	}
	if err := rules.Validate(); err != nil {
		return nil, "", fmt.Errorf("config: %w", err)
	}
	return &Match{game: undealt(rules)}, config.EnvID, nil
}

// act returns the recorded actions of a round. It ignores those of the dead.
func act(m *Match, in *record.Inputs) ([]uint8, error) {
	moves, err := in.Moves(NumBombers, int(NumActions), false, func(id int) bool { return !m.Bombers[id].Alive() })
	if err != nil {
		return nil, err
	}
	actions := make([]uint8, NumBombers)
	for id, move := range moves {
		actions[m.game.actionAt[id]] = move
	}
	return actions, nil
}

func acted(m *Match, actions []uint8) (in record.Inputs) {
	for id := range NumBombers {
		in.Actions = append(in.Actions, int(actions[m.game.actionAt[id]]))
	}
	return in
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// sum returns the checksum of what all seats observe in one encoding.
func (m *Match) sum(encoding int) string {
	var seats []uint8
	for seat := range m.game.Spec().Seats {
		seats = append(seats, uint8(seat))
	}
	e := &m.game.Spec().Encodings[encoding]
	fields := make([][]byte, len(e.Fields))
	for f := range fields {
		n := e.Fields[f].Size()
		if !e.Fields[f].Shared {
			n *= len(seats)
		}
		fields[f] = make([]byte, n)
	}
	m.Observe(encoding, seats, fields)
	sum := uint64(0)
	for _, field := range fields {
		sum = crc64.Update(sum, crcTable, field)
	}
	return saved.Hex(sum)
}

// dictionary is what a program that plays gets each round, as a JSON object: its seat
// and side, and the whole state of the map. Cells are [row, column].
type dictionary struct {
	Seat       int          `json:"seat"`
	Side       string       `json:"side"` // blue or green
	Own        []int        `json:"own"`  // the bombers that the action moves, in its order
	StepCount  int          `json:"step_count"`
	MaxSteps   int          `json:"max_steps"`
	Board      [][]int      `json:"board"` // rows: 0 free, 1 stone, 2 box, 3 blue's base, 4 green's base
	Bombers    []dictBomber `json:"bombers"`
	Bombs      []dictBomb   `json:"bombs"`
	Blast      [][]int      `json:"blast"`  // cells that explosions reached in the last round
	Energy     [2]int       `json:"energy"` // the energy of blue's and green's base
	Score      [2]int       `json:"score"`  // the points of blue and green
	BlastRange int          `json:"blast_range"`
	BombLife   int          `json:"bomb_life"`
}

type dictBomber struct {
	ID       int    `json:"id"`
	Side     string `json:"side"`
	Position [2]int `json:"position"` // its last position when it is dead
	Lives    int    `json:"lives"`
	Bombs    int    `json:"bombs"` // how many bombs it can lay now
}

type dictBomb struct {
	Position [2]int `json:"position"`
	Life     int    `json:"life"`
	Owner    string `json:"owner"` // blue, green or public
}

// AppendObservation appends what the program in a seat gets: env.Game.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	r, s := &g.rules, &m.(*Match).State
	d := dictionary{
		Seat: seat, Side: SideOf(seat).String(), StepCount: int(s.StepCount), MaxSteps: r.MaxSteps,
		Board: grid.Rows[int](r.BoardSize, func(c grid.Cell) int { return int(r.ground(s, c)) }),
		Bombs: []dictBomb{}, Blast: [][]int{}, BlastRange: r.BlastRange, BombLife: r.BombLife,
		Energy: [2]int{int(s.Energy[Blue]), int(s.Energy[Green])}, Score: [2]int{int(s.Score[Blue]), int(s.Score[Green])},
	}
	for _, id := range r.Own(seat) {
		d.Own = append(d.Own, int(id))
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		d.Bombers = append(d.Bombers, dictBomber{id, SideOf(id).String(), b.Cell.Place(), int(b.Lives), int(b.Bombs)})
	}
	for i := range s.bombs() {
		b := &s.Bombs[i]
		d.Bombs = append(d.Bombs, dictBomb{b.Cell.Place(), int(b.Life), b.Owner().String()})
	}
	for c := range s.Blast.All {
		d.Blast = append(d.Blast, []int{c.Row(), c.Col()})
	}
	return append(dst, saved.JSON(d)...)
}

// ActionSpace is the number of actions; for a side it is the list of its bombers'
// numbers of actions.
func (g *Game) ActionSpace() string {
	if g.rules.Sides {
		return "[6, 6, 6]"
	}
	return "6"
}

// GameType is the name of the game; it has another name if a seat is a side.
func (g *Game) GameType() string {
	if g.rules.Sides {
		return `"basewar-sides"`
	}
	return `"basewar"`
}
