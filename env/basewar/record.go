package basewar

import (
	"encoding/json"
	"fmt"
	"hash/crc64"
	"slices"

	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format basewar-trace/1: the
// rules, the state at the start, and for every round the actions, the state after
// it, what it paid, and every so often checksums of what was observed. States are
// written as in the readable form of saved states; booleans are 0 or 1.
//
//	format    "basewar-trace/1"
//	variant, name, note, setup, policies   information only
//	seed      that of the game; information only, for initial has the map
//	config    env_id and rules, an object of the rules' fields
//	obs_every every how many rounds obs is there
//	initial   a state
//	steps     a list of: actions (of each bomber; those of the dead are not
//	          looked at), a state, rewards, done, result, winners (the seats; only
//	          with "Win")
//	obs       in initial and steps: for each encoding the CRC-64 (ECMA) of the
//	          observations of all seats in order, field after field, in hexadecimal

// recording is what is special in recorded games of BaseWar.
var recording = record.Form[*Match]{
	Name: "basewar-trace/1", Keys: []string{"config"},
	Match:    matchOf,
	SetRules: setRules,
	Seats:    func(m *Match) int { return m.game.Spec().Seats },

	Inputs: func(*Match) []saved.Entry {
		actions := saved.Fixed("actions", NumBombers)
		actions.Shape = saved.Row
		return []saved.Entry{actions}
	},
	Act:   act,
	Acted: acted,

	Table:  func(m *Match) []saved.Entry { return m.game.form.Table.Entries() },
	Values: func(m *Match) saved.Values { return m.game.form.Table.Values(&m.State) },
	Start:  func(m *Match, v saved.Values) (err error) { m.State, err = m.game.form.Read(v); return err },

	Together: true,
	Observed: func(m *Match) (list []saved.Entry) {
		for _, e := range m.game.Spec().Encodings {
			list = append(list, saved.Entry{Name: e.Name, Shape: saved.Text})
		}
		return list
	},
	Observe:    func(m *Match, _ int) saved.Values { return m.sums() },
	ObserveRaw: observeRaw,
}

// Recorded is the format of recorded games.
var Recorded = recording.Format()

// Record begins the record of the match: record.Recordable.
func (m *Match) Record(info record.Info) (record.Recorder, error) { return recording.Record(m, info) }

type recordConfig struct {
	EnvID string          `json:"env_id"`
	Rules json.RawMessage `json:"rules"`
}

// matchOf is a match by the rules in a record's head.
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

func setRules(h *record.Head, m *Match, id string) error {
	rules, err := json.Marshal(m.game.rules)
	if err == nil {
		h.Config, err = json.Marshal(recordConfig{id, rules})
	}
	return err
}

// act is the recorded actions of a round. Those of the dead are not looked at.
func act(m *Match, inputs saved.Values) ([]uint8, error) {
	actions := make([]uint8, NumBombers)
	for id, a := range inputs["actions"].([]int) {
		switch {
		case !m.Bombers[id].Alive():
		case a < 0 || a >= int(NumActions):
			return nil, fmt.Errorf("actions[%d] is %d, want 0 to %d", id, a, NumActions-1)
		default:
			actions[m.game.actionAt[id]] = uint8(a)
		}
	}
	return actions, nil
}

func acted(m *Match, actions []uint8) saved.Values {
	list := make([]int, NumBombers)
	for id := range list {
		list[id] = int(actions[m.game.actionAt[id]])
	}
	return saved.Values{"actions": list}
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// sums is the checksums of what all seats observe, by encoding.
func (m *Match) sums() saved.Values {
	var seats []uint8
	for seat := range m.game.Spec().Seats {
		seats = append(seats, uint8(seat))
	}
	sums := saved.Values{}
	for i, e := range m.game.Spec().Encodings {
		fields := make([][]byte, len(e.Fields))
		for f := range fields {
			n := e.Fields[f].Size()
			if !e.Fields[f].Shared {
				n *= len(seats)
			}
			fields[f] = make([]byte, n)
		}
		m.Observe(i, seats, fields)
		sum := uint64(0)
		for _, field := range fields {
			sum = crc64.Update(sum, crcTable, field)
		}
		sums[e.Name] = saved.Hex(sum)
	}
	return sums
}

// observeRaw is the checksums, but a text in place of that of the raw encoding if
// that loses anything besides the last round's gains and the order of the bombs.
func observeRaw(m *Match, _ int) saved.Values {
	sums := m.sums()
	want, got := m.game.form.Table.Values(&m.State), m.game.unpackRaw(record.Raw(m, &m.game.Spec().Encodings[encodingRaw], encodingRaw, 0))
	slices.SortFunc(want["bombs"].([][]int), slices.Compare)
	for _, e := range m.game.form.Table.Entries() {
		if e.Name != "gained" {
			e.Compare(want[e.Name], got[e.Name], func(path string, _, _ any) { sums["raw"] = "one that loses " + path })
		}
	}
	return sums
}

// unpackRaw is the state as the raw encoding shows it.
func (g *Game) unpackRaw(raw map[string][]int) saved.Values {
	n := g.rules.BoardSize
	bombers, bombs, blast := [][]int{}, [][]int{}, [][]int{}
	for id := range NumBombers {
		var b []int
		for _, what := range []string{"row", "col", "lives", "bombs"} {
			b = append(b, raw[fmt.Sprintf("bomber%d_%s", id, what)][0])
		}
		bombers = append(bombers, b)
	}
	for i := range n * n {
		if life := raw["bomb_life"][i]; life > 0 {
			bombs = append(bombs, []int{i / n, i % n, life, raw["bomb_owners"][i]})
		}
		if raw["blast"][i] != 0 {
			blast = append(blast, []int{i / n, i % n})
		}
	}
	board := saved.Board("board", n, n, "01234")
	return saved.Values{
		"step_count": raw["step_count"][0], "board": board.Draw(func(i int) int { return raw["board"][i] }),
		"bombers": bombers, "bombs": bombs, "blast": blast,
		"energy": []int{raw["blue_energy"][0], raw["green_energy"][0]}, "score": []int{raw["blue_score"][0], raw["green_score"][0]},
	}
}
