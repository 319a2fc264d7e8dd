package dataset

import (
	"fmt"

	"pommego/env"
)

// gameColumns are the columns of layout Games.
func gameColumns(spec *env.Spec, missed bool) []Column {
	all := []Column{
		{Name: "game", Type: Int64, Meaning: "number of the game in the data set, from 0"},
		{Name: "seed", Type: Uint64, Null: true, Meaning: "seed of the game; null: it began from a position that no seed gives"},
		{Name: "episode", Type: Uint64, Null: true, Meaning: "the seed's episode"},
		{Name: "steps", Type: Int32, Meaning: "steps made"},
		{Name: "result", Type: String, Meaning: "Win, Tie, Loss, or Incomplete if it was truncated"},
		{Name: "truncated", Type: Bool, Meaning: "the game was cut off before its end"},
	}
	for seat := range spec.Seats {
		all = append(all,
			Column{Name: fmt.Sprintf("agent%d", seat), Type: String, Meaning: fmt.Sprintf("who played seat %d", seat)},
			Column{Name: fmt.Sprintf("outcome%d", seat), Type: Float64, Meaning: fmt.Sprintf("how it ended for seat %d: 1 won, -1 lost, as the game itself values ties; 0: not decided", seat)},
			Column{Name: fmt.Sprintf("lived%d", seat), Type: Int32, Meaning: fmt.Sprintf("steps for which seat %d was in", seat)},
		)
		if missed {
			all = append(all, Column{Name: fmt.Sprintf("missed%d", seat), Type: Int32, Meaning: fmt.Sprintf("moves of seat %d that came late or were none, and were replaced by choice 0", seat)})
		}
	}
	return append(all,
		Column{Name: "start", Type: Bytes, Meaning: "the game at its start: a saved state, as get_state gives and set_state takes, of an environment in which every seat learns"},
		Column{Name: "actions", Type: Bytes, Meaning: fmt.Sprintf("uint8 (steps, %d seats, %d components); 0 for seats that were out", spec.Seats, len(spec.Actions))},
	)
}

// gameRow adds an episode to a table of gameColumns. The table keeps parts of
// the episode.
func gameRow(t *table, e *Episode, names []string, missed bool) {
	t.int64(e.Game)
	t.seed(e)
	t.int32(e.Steps)
	t.text(e.Result.String())
	t.bool(e.Truncated)
	for seat, agent := range e.Agents {
		t.text(names[agent])
		t.float64(e.Outcome[seat])
		t.int32(int(e.Lived[seat]))
		if missed {
			t.int32(int(e.Missed[seat]))
		}
	}
	t.bytes(e.Start)
	t.bytes(e.Actions)
}

// seed adds an episode's seed and the seed's episode.
func (t *table) seed(e *Episode) {
	if !e.Dealt {
		t.null()
		t.null()
		return
	}
	t.uint64(e.Seed.Value)
	t.uint64(e.Seed.Episode)
}
