package main

import (
	"encoding/json"
	"testing"

	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/pommerman"
)

// What agents with omniscient=1 plan on is, in every recorded position, the copy of the game that
// the original, without fog, gave its player: with what others carry and what is hidden.
func TestOmniscientCopy(t *testing.T) {
	copies, carried, hidden := 0, 0, 0
	for _, file := range []string{"ffa", "ffa-36", "ffa-collapse", "team", "team-collapse", "rolling", "radio"} {
		for n, line := range tracetest.Lines(t, "testdata/java/"+file+".jsonl.gz") {
			g, err := recordingJava.Parse(line)
			if err != nil {
				t.Fatal(err)
			}
			var rec struct {
				Config json.RawMessage
				Steps  []struct{ Obs []json.RawMessage }
			}
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatal(err)
			}
			for i, step := range rec.Steps {
				if err := g.Step(); err != nil {
					t.Fatal(err)
				}
				m := g.Match
				if m.vision >= 0 || m.Status().Over || len(m.lost) > 0 {
					continue // in fog, or with items that two flames hide, the copies differ
				}
				var whole pommerman.State
				rulesOf(m.Match).CopyWhole(&m.State, &whole)
				for seat, text := range step.Obs {
					if !m.Agents[seat].Alive {
						continue
					}
					o, err := readObservationJava(rec.Config, text, seat)
					if err != nil {
						t.Fatal(err)
					}
					if whole != *o.Copy() {
						t.Fatalf("%s, record %d, step %d, seat %d: %+v, want %+v", file, n+1, i+1, seat, *o.Copy(), whole)
					}
					plain := new(pommerman.State) // of the seat's view alone
					rulesOf(m.Match).CopyJava(&o.View, plain)
					for k, a := range whole.Agents {
						if a != plain.Agents[k] && a.Alive {
							carried++
						}
					}
					if len(o.text.Items) > 0 {
						hidden++
					}
					copies++
				}
			}
		}
	}
	if copies < 200 || carried < 100 || hidden < 100 {
		t.Errorf("%d copies were compared, %d with things that agents carry and %d with hidden items, want more", copies,
			carried, hidden)
	}
	var s pommerman.State
	s.RNG = env.RNG{State: 1}
	today := pommerman.Playground(pommerman.FFA)
	if today.CopyWhole(&s, &s); s.RNG.State != 0 {
		t.Error("a copy has the RNG of the game")
	}
}
