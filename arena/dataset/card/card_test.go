package card_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/dataset"
	"pommego/arena/dataset/card"
	"pommego/env/catalog"
	"pommego/internal/chart"
)

func manifest(t *testing.T, c dataset.Config) *dataset.Manifest {
	t.Helper()
	game, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := dataset.Generate(context.Background(), game, c, filepath.Join(t.TempDir(), "set"),
		dataset.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCard(t *testing.T) {
	for _, layout := range []dataset.Layout{dataset.Games, dataset.Steps} {
		m := manifest(t, dataset.Config{Layout: layout, Agents: []string{"simple", "random", "static", "simple"}, Games: 6,
			MaxSteps: 90})
		files, err := card.Files(m)
		if err != nil {
			t.Fatal(err)
		}
		text := string(files[dataset.CardName])
		for _, want := range []string{
			"---\npretty_name: PommeFFACompetition-v0", "data_files: data/*.parquet", "6 games of",
			"`simple`, `random`, `static`",
			"| `random` | 6 |", "The same command gives the same bytes", "cut off after 90 steps", "| Incomplete | 6 |", "| 3 |",
			"| stop | up |",
			"data." + map[dataset.Layout]string{dataset.Games: "rebuild", dataset.Steps: "load"}[layout],
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: the card does not say %q:\n%s", layout, want, text)
			}
		}
		for _, want := range []string{"\nlicense: apache-2.0\n", "\n## Licence\n",
			"\ndataset_info:\n  features:\n  - name: game\n    dtype: int64\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: the card does not hold %q", layout, want)
			}
		}
		for _, f := range m.Fields {
			for i, n := range f.Names {
				if want := fmt.Sprintf("\n| %d | `%s` | ", i, n.Name); !strings.Contains(text, want) {
					t.Errorf("the card does not describe %s of %s", n.Name, f.Name)
				}
			}
		}
		for _, c := range m.Columns {
			if !strings.Contains(text, "\n  - name: "+c.Name+"\n    dtype: ") {
				t.Errorf("%v: the card gives no feature for column %q", layout, c.Name)
			}
			if !strings.Contains(text, "| `"+c.Name+"` |") {
				t.Errorf("%v: the card does not describe column %q", layout, c.Name)
			}
		}
		pictures := 0
		for name, content := range files {
			if !strings.HasSuffix(name, ".svg") {
				continue
			}
			pictures++
			if !strings.Contains(text, "]("+name+")") {
				t.Errorf("%v: the card does not show %s", layout, name)
			}
			if bars(content) == 0 {
				t.Errorf("%v: %s shows nothing", layout, name)
			}
		}
		if pictures != 3 {
			t.Errorf("%v: %d pictures, want 3", layout, pictures)
		}
		again, err := card.Files(m)
		if err != nil {
			t.Fatal(err)
		}
		for name := range files {
			if !bytes.Equal(files[name], again[name]) {
				t.Errorf("%v: %s is another one when it is made again", layout, name)
			}
		}
	}
}

// bars is how many rectangles of a series' colour a picture has.
func bars(picture []byte) int {
	n := 0
	for _, c := range chart.Colours {
		n += strings.Count(string(picture), fmt.Sprintf(`fill="#%02X%02X%02X"`, c.R, c.G, c.B))
	}
	return n
}

// TestCardOfMany makes a card of many agents, some of whom never play.
func TestCardOfMany(t *testing.T) {
	m := manifest(t, dataset.Config{Agents: []string{"simple", "random", "static", "heuristic"}, Seating: dataset.Drawn,
		Games: 1, MaxSteps: 3})
	m.Unrepeatable = []string{`agent "x" thinks by the clock`}
	m.Statistics.Agents = append(m.Statistics.Agents, dataset.AgentStatistics{Agent: "nobody"})
	files, err := card.Files(m)
	if err != nil {
		t.Fatal(err)
	}
	text := string(files[dataset.CardName])
	if !strings.Contains(text, "**Not repeatable**: agent \"x\" thinks by the clock") ||
		strings.Contains(text, "same bytes") || strings.Contains(text, "nobody") {
		t.Errorf("the card says\n%s\nwant that it is not repeatable, and nothing of agents that do not play", text)
	}
}
