package dataset

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pommego/env/catalog"
)

func manifest(t *testing.T, c Config) *Manifest {
	t.Helper()
	game, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := Generate(context.Background(), game, c, filepath.Join(t.TempDir(), "set"),
		Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCard(t *testing.T) {
	for _, layout := range []Layout{Games, Steps} {
		m := manifest(t, Config{Layout: layout, Agents: []string{"simple", "random", "static", "simple"}, Games: 6,
			MaxSteps: 90})
		written, err := card(m)
		if err != nil {
			t.Fatal(err)
		}
		text := string(written)
		for _, want := range []string{
			"---\npretty_name: PommeFFACompetition-v0", "data_files: data/*.parquet", "6 games of",
			"`simple`, `random`, `static`",
			"| `random` | 6 |", "The same command gives the same bytes", "cut off after 90 steps", "; 6 games were cut off",
			"data." + map[Layout]string{Games: "rebuild", Steps: "load"}[layout],
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: the card does not say %q:\n%s", layout, want, text)
			}
		}
		for _, want := range []string{"\nlicense: apache-2.0\n", "\n## Licence\n"} {
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
			if !strings.Contains(text, "| `"+c.Name+"` |") {
				t.Errorf("%v: the card does not describe column %q", layout, c.Name)
			}
		}
		again, err := card(m)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written, again) {
			t.Errorf("%v: the card is another one when it is made again", layout)
		}
	}
}

// TestCardOfMany makes a card of many agents, some of whom never play.
func TestCardOfMany(t *testing.T) {
	m := manifest(t, Config{Agents: []string{"simple", "random", "static", "heuristic"}, Seating: Drawn,
		Games: 1, MaxSteps: 3})
	m.Unrepeatable = []string{`agent "x" thinks by the clock`}
	m.Statistics.Agents = append(m.Statistics.Agents, AgentStatistics{Agent: "nobody"})
	m.Statistics.Agents[0].Agent = "exec:./a |\ntee"
	written, err := card(m)
	if err != nil {
		t.Fatal(err)
	}
	text := string(written)
	if !strings.Contains(text, "\n| `exec:./a \\| tee` | ") || !strings.Contains(text, "played by `exec:./a | tee`") {
		t.Errorf("the card says\n%s\nwant a command with a bar and a line feed in one cell", text)
	}
	for name, want := range map[string]string{"a`b": "`` a`b ``", "`a``": "``` `a`` ```", "a": "`a`"} {
		if got := code(name); got != want {
			t.Errorf("%q is written as %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(text, "**Not repeatable**: agent \"x\" thinks by the clock") ||
		strings.Contains(text, "same bytes") || strings.Contains(text, "nobody") {
		t.Errorf("the card says\n%s\nwant that it is not repeatable, and nothing of agents that do not play", text)
	}
}
