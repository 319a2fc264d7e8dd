package suitebot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pommego/env/saved"
)

// jsonState is the readable form of a state.
type jsonState struct {
	Format int         `json:"format"`
	Rules  string      `json:"rules"` // fingerprint, in hexadecimal
	Round  int         `json:"round"` // rounds played
	Fields []string    `json:"fields"`
	Agents []jsonAgent `json:"agents"`
	Bombs  []jsonBomb  `json:"bombs"`
	RNG    string      `json:"dice"` // state of the game's RNG, in hexadecimal
}

type jsonAgent struct {
	X         int    `json:"x"`
	Y         int    `json:"y"`
	Home      [2]int `json:"home"`
	Score     int    `json:"score"`
	Gain      int    `json:"gain"` // in the last round
	Collected int    `json:"collected"`
	Kills     int    `json:"kills"`
	Deaths    int    `json:"deaths"`
}

type jsonBomb struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Rounds int `json:"rounds"` // until it goes off
	Owner  int `json:"owner"`
}

// AppendJSON appends the state in its readable form.
func (m *Match) AppendJSON(dst []byte) ([]byte, error) {
	p, s, values := m.game.plan, &m.State, m.game.form.Table.Values(&m.State)
	out := jsonState{
		Format: stateFormat, Rules: saved.Hex(m.game.form.Rules), Round: int(s.StepCount),
		Bombs: []jsonBomb{}, RNG: saved.Hex(s.RNG.State),
	}
	for line := range slices.Chunk([]byte(values["fields"].(string)), p.rules.Width) {
		out.Fields = append(out.Fields, string(line))
	}
	homes := values["homes"].([][]int)
	for seat, v := range values["agents"].([][]int) {
		out.Agents = append(out.Agents, jsonAgent{v[0], v[1], [2]int(homes[seat]), v[2], int(s.Gains[seat]), v[3], v[4], v[5]})
	}
	for _, v := range values["bombs"].([][]int) {
		out.Bombs = append(out.Bombs, jsonBomb{v[0], v[1], v[2], v[3]})
	}
	body, err := json.Marshal(out)
	return append(dst, body...), err
}

// RestoreJSON sets the state from what AppendJSON wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	var in jsonState
	if err := saved.DecodeJSON(state, &in); err != nil {
		return fmt.Errorf("suitebot: state is not a JSON object of the expected form: %w", err)
	}
	if err := m.game.form.Header.Check(in.Format, in.Rules); err != nil {
		return err
	}
	for y, line := range in.Fields {
		if len(line) != m.game.plan.rules.Width {
			return fmt.Errorf("suitebot: state: row %d has %d fields, want %d", y, len(line), m.game.plan.rules.Width)
		}
	}
	var agents, homes, gains, bombs [][]int
	for _, a := range in.Agents {
		agents = append(agents, []int{a.X, a.Y, a.Score, a.Collected, a.Kills, a.Deaths})
		homes, gains = append(homes, a.Home[:]), append(gains, []int{a.Gain})
	}
	for _, b := range in.Bombs {
		bombs = append(bombs, []int{b.X, b.Y, b.Rounds, b.Owner})
	}
	return m.game.form.RestoreValues(saved.Values{
		"step_count": in.Round, "fields": strings.Join(in.Fields, ""), "homes": homes,
		"agents": agents, "gains": gains, "bombs": bombs, "dice": in.RNG,
	}, &m.State)
}
