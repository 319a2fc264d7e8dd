package pommerman

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"pommego/env"
	"pommego/env/record"
)

// guesses are the ids that a recording without one may be of: the first by whose rules the
// fewest values differ.
var guesses = []string{"PommeRadioCompetition-v2", "OneVsOne-v0", "PommeFFACompetition-v0",
	"PommeTeamCompetition-v0", "PommeFFA-v1", "PommeTeamCompetition-v1"}

// Original is the format record.Original. game makes the game of an id, the record's variant.
func Original(game func(id string) (env.Game, error)) record.Format {
	f := Recording
	f.Name, f.Keys = record.Original, []string{"initial"}
	f.Match = func(h *record.Head) (*Match, string, error) {
		id, least := h.Variant, 0
		for _, h.Variant = range guesses {
			if id != "" && least == 0 || bytes.Contains(h.Initial, []byte("radio_")) != strings.Contains(h.Variant, "Radio") {
				continue
			}
			text, _ := json.Marshal(h)
			if r, err := f.Check(text); err == nil && (id == "" || r.Mismatches < least) {
				id, least = h.Variant, r.Mismatches
			}
		}
		h.Variant = cmp.Or(id, "PommeFFACompetition-v0")
		g, err := game(h.Variant)
		if err != nil {
			return nil, "", err
		}
		m, ok := g.New(1)[0].(*Match)
		if !ok {
			return nil, "", fmt.Errorf("%s is not Pommerman, want one of its ids", id)
		}
		return m, h.Variant, nil
	}
	f.Read = func(m *Match, text json.RawMessage, t *Snapshot, in *record.Inputs, o *record.Outcome) error {
		var object jsonFields
		if err := cmp.Or(json.Unmarshal(text, &object), json.Unmarshal(text, o)); err != nil {
			return err
		}
		err := m.game.rules.readJSON(object, t)
		if object["intended_actions"] != nil {
			err = cmp.Or(object.take("intended_actions", &in.Actions), err)
		}
		in.Messages = t.Radio
		return err
	}
	return f.Format()
}
