package match_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/envtest"
	"pommego/env/pommerman"
	recorded "pommego/env/record"
)

// record plays a match and checks its record: it replays without a difference.
func record(t *testing.T, game env.Game, players []match.Player, r match.Rules) (*match.Report,
	*recorded.Game[*pommerman.Match, pommerman.Snapshot, pommerman.Observation]) {
	t.Helper()
	rec, err := match.NewRecording(game, players, 3)
	if err != nil {
		t.Fatal(err)
	}
	result, err := match.Play(t.Context(), game, players, env.Seed{Value: 4}, r, rec.Watch)
	if err != nil {
		t.Fatal(err)
	}
	line, err := rec.Record()
	if err != nil {
		t.Fatal(err)
	}
	report, err := pommerman.Recorded.Check(line)
	if err != nil || report.Mismatches != 0 || report.Steps == 0 || report.Steps != rec.Steps() {
		t.Errorf("%+v, %v", report, err)
	}
	parsed, err := pommerman.Recording.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	return result, parsed
}

// The record says which moves were replaced.
func TestRecordSaysWhatWasReplaced(t *testing.T) {
	game := duel(t, "9")
	asked := 0
	shaky := &scripted{remote: true, act: func(ctx context.Context, action []uint8) (match.Cost, error) {
		asked++
		switch asked {
		case 2, 3, 4, 7:
			return match.Cost{}, errors.New("ouch")
		case 6:
			<-ctx.Done()
			return match.Cost{}, ctx.Err()
		}
		return match.Cost{}, nil
	}}
	result, parsed := record(t, game, []match.Player{shaky, seatsOf(t, game, "static")[0]},
		match.Rules{Limit: 200 * time.Millisecond})
	want := "agent 0 late 1 times, first at step 6; agent 0 failed 4 times, first at step 2"
	if parsed.Info().Note != want {
		t.Errorf("the note is %q, want %q", parsed.Info().Note, want)
	}
	if result.Seats[0].Late != 1 || result.Seats[0].Failed != 4 {
		t.Errorf("%+v, want 1 late and 4 failed", result.Seats[0])
	}
}

func TestRecordErrors(t *testing.T) {
	if _, err := match.NewRecording(envtest.Toy(), nil, 0); err == nil {
		t.Error("a game that cannot be recorded was")
	}
}
