package benchmarks

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pommego/env"
)

// TestNamesAreFixed pins the names scripts rely on.
func TestNamesAreFixed(t *testing.T) {
	want := []string{
		"rules/random", "rules/cautious", "rules/simple", "encode/raw", "encode/planes",
		"step/raw", "step/planes", "copy/raw", "copy/planes", "clear/planes", "step/near", "step/safe", "copy/near",
		"basewar:rules/random", "basewar:rules/cautious", "basewar:rules/simple",
		"basewar:step/raw", "basewar:step/planes", "basewar:copy/raw", "basewar:copy/planes",
		"suitebot:rules/random", "suitebot:rules/cautious", "suitebot:rules/simple",
		"suitebot:step/raw", "suitebot:step/planes", "suitebot:copy/raw", "suitebot:copy/planes",
	}
	if got := new(Options).Names(); !slices.Equal(got, want) {
		t.Errorf("measurements are %v, want %v", got, want)
	}
}

// TestRunMeasuresEverything makes a very short run: every measurement works,
// none allocates a step, and limits are there where they belong.
func TestRunMeasuresEverything(t *testing.T) {
	o := Options{Games: 128, Workers: 2, Time: 7 * time.Millisecond, Seed: 1}
	report, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Results) != len(measurements()) {
		t.Fatalf("%d results, want %d", len(report.Results), len(measurements()))
	}
	for i, r := range report.Results {
		if r.Name != measurements()[i].name || r.Median <= 0 || r.Min > r.Median || r.Median > r.Max {
			t.Errorf("result %+v, want %s with a rate between its bounds", r, measurements()[i].name)
		}
		if len(r.Rounds) != rounds || !slices.Contains(r.Rounds, r.Median) {
			t.Errorf("%s has rounds %v, want %d of them, its median %g among them", r.Name, r.Rounds, rounds, r.Median)
		}
		if (r.Limit > 0) != (measurements()[i].limit != "") {
			t.Errorf("%s has limit %g, want one: %v", r.Name, r.Limit, measurements()[i].limit != "")
		}
		if r.AllocsPerStep > 0.5 {
			t.Errorf("%s allocates %g times a step, want none", r.Name, r.AllocsPerStep)
		}
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil || !bytes.Contains(table.Bytes(), []byte("encode/planes")) {
		t.Errorf("table is %q (error %v)", table.String(), err)
	}
}

// TestRunOnly measures what is asked for and the limits that needs.
func TestRunOnly(t *testing.T) {
	report, err := Run(context.Background(), Options{Games: 8, Workers: 1, Time: time.Millisecond, Only: "encode/planes"})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Results) != 2 || report.Results[1].Name != "clear/planes" ||
		report.Results[0].Limit != report.Results[1].Median {
		t.Errorf("results are %+v, want encode/planes and its limit", report.Results)
	}
}

// TestRunStops ends with the context.
func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{Games: 8, Time: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
}

// BenchmarkAll is every measurement for Go's own tools; steps/s are moves of
// whole games.
func BenchmarkAll(b *testing.B) {
	for _, m := range measurements() {
		b.Run(m.name, func(b *testing.B) {
			w, err := m.setup(Options{Games: 256, Workers: 1, Seed: 1, Game: m.game})
			if err != nil {
				b.Fatal(err)
			}
			defer w.stop()
			b.ReportAllocs()
			steps := 0
			for b.Loop() {
				steps += w.run()
			}
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// TestSignature: it is the same on each run and with any number of workers, and another one as
// soon as a weight is.
func TestSignature(t *testing.T) {
	game, err := SignatureGame("PommeTeamCompetition-v0")
	if err != nil {
		t.Fatal(err)
	}
	sign := func(weights string, workers int) Signature {
		t.Helper()
		s, err := Sign(game, func() (env.Agent, error) {
			_, err := game.NewAgent("champion:level=1,weights=a file")
			file, ok := errors.AsType[*env.FileError](err)
			if !ok {
				return nil, err
			}
			return file.Make([]byte(weights))
		}, workers)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	want := sign("{}", 1)
	if want.Ticks < 1000 {
		t.Errorf("%+v, want thousands of ticks", want)
	}
	for _, workers := range []int{1, 2, 3, 7} {
		if got := sign("{}", workers); got != want {
			t.Errorf("%d workers: %+v, want %+v", workers, got, want)
		}
	}
	for _, changed := range []string{`{"room": 520}`, `{"trap": 1000}`, `{"wood": 45}`} {
		if got := sign(changed, 1); got.Hash == want.Hash {
			t.Errorf("weights %s: %+v, as with the default", changed, got)
		}
	}
}
