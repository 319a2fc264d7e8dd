package dataset

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestConfigRefused(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Config)
		says   string
	}{
		{"no games", func(c *Config) { c.Games = 0 }, "games is 0"},
		{"less than no games", func(c *Config) { c.Games = -1 }, "games is -1"},
		{"a layout that does not exist", func(c *Config) { c.Layout = 9 }, "layout 9"},
		{"a seating that does not exist", func(c *Config) { c.Seating = 9 }, "seating 9"},
		{"files of no games", func(c *Config) { c.FileGames = -1 }, "games_per_file is -1"},
		{"games of less than no steps", func(c *Config) { c.MaxSteps = -1 }, "max_episode_steps is -1"},
		{"less than no memory", func(c *Config) { c.Memory = -1 }, "the memory for a program is -1"},
		{"an observation where there is none", func(c *Config) { c.Observation = "raw" }, "layout games"},
		{"an observation that does not exist", func(c *Config) { c.Layout, c.Observation = Steps, "smell" }, "planes, raw"},
		{"a mask where there is none", func(c *Config) { c.Mask = safe }, "layout games stores no masks"},
		{"a mask that does not exist", func(c *Config) { c.Layout, c.Mask = Steps, "sfae" }, "no mask \"sfae\", want legal"},
		{"nobody to draw from", func(c *Config) { c.Agents = nil }, "no agents, want one or more"},
		{"too few for the seats", func(c *Config) { c.Seating = Fixed }, "2 agents, want 1 or 4"},
		{"a name that is not UTF-8", func(c *Config) { c.Agents = []string{"exec:./b\xf6t"} }, `b\xf6t"]: want UTF-8`},
		{"an agent that does not exist", func(c *Config) { c.Agents = []string{"clever"} }, "clever"},
		{"an agent behind a server in drawn seats", func(c *Config) { c.Agents = []string{"http://localhost:1"} },
			"one at a time"},
		{"an agent behind a server in several seats", func(c *Config) {
			c.Agents, c.Seating = []string{"http://localhost:1"}, Fixed
		}, "one at a time"},
	} {
		config := small()
		c.change(&config)
		if _, err := config.Resolve(gameOf(t, ffa)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
}

func TestMasksOfGamesThatTellNothing(t *testing.T) {
	config := small()
	config.Layout, config.Mask, config.Agents = Steps, safe, []string{"random"}
	if _, err := config.Resolve(gameOf(t, "BaseWar-v0")); err == nil || !strings.Contains(err.Error(), "want legal") {
		t.Errorf("error %v, want one that names the mask that there is", err)
	}
}

func TestUnrepeatableAgents(t *testing.T) {
	for _, c := range []struct {
		agent string
		says  string // "": it is repeatable
	}{
		{"simple", ""},
		{"mcts:ticks=50", ""},
		{"mcts:c=3,ticks=50", ""},
		{"mcts:ms=5", "limit in time"},
		{"mcts:ticks=50,ms=5", "limit in time"},
		{"http://localhost:8000", "outside"},
		{"exec:python3 agent.py", "outside"},
	} {
		if why := unrepeatable(c.agent); (why != "") != (c.says != "") || !strings.Contains(why, c.says) {
			t.Errorf("%s: unrepeatable because it %q, want %q", c.agent, why, c.says)
		}
	}
	config := small()
	config.Agents, config.Seating = []string{"exec:agent", "simple", "exec:agent", "simple"}, Fixed
	inside, err := newPlan(gameOf(t, ffa), small(), Options{})
	if err != nil || inside.about.Unrepeatable != nil {
		t.Errorf("reasons %q of agents inside (%v), want none", inside.about.Unrepeatable, err)
	}
	mixed, err := newPlan(gameOf(t, ffa), config, Options{})
	if got := mixed.about.Unrepeatable; err != nil || len(got) != 1 || !strings.Contains(got[0], "exec:agent") {
		t.Errorf("reasons %q (%v), want one that names the agent", got, err)
	}
}

func TestLineup(t *testing.T) {
	for _, game := range []int{0, 3} {
		config := Config{Agents: []string{"a", "b", "c", "d"}}
		if got := config.lineup(game, 4); !slices.Equal(got, config.Agents) {
			t.Errorf("fixed, game %d: %v, want %v", game, got, config.Agents)
		}
	}
	config := Config{Seating: Drawn, Agents: []string{"a", "b", "c"}}
	var counts [4][3]int
	for game := range 3000 {
		for seat, agent := range config.lineup(game, 4) {
			counts[seat][slices.Index(config.Agents, agent)]++
		}
	}
	for seat := range counts {
		for agent, n := range counts[seat] {
			if n < 850 || n > 1150 {
				t.Errorf("drawn: agent %d sat in seat %d in %d of 3000 games, want about 1000", agent, seat, n)
			}
		}
	}
}

// TestNames wants every name to come back from JSON, and others to be refused.
func TestNames(t *testing.T) {
	type named struct {
		Layout  Layout
		Seating Seating
		Type    Type
	}
	for _, want := range []named{{Games, Fixed, Bool}, {Steps, Drawn, FixedBytes}, {Steps, ByClient, Uint64}} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got named
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Errorf("%s became %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{`{"Layout":"rows"}`, `{"Seating":"lost"}`, `{"Type":"complex"}`} {
		if err := json.Unmarshal([]byte(text), new(named)); err == nil || !strings.Contains(err.Error(), "want one of") {
			t.Errorf("%s: error %v, want one that lists what there is", text, err)
		}
	}
	if slices.Contains(Games.Names(), "") || slices.Contains(Fixed.Names(), "") {
		t.Errorf("names %q and %q, want none empty", Games.Names(), Fixed.Names())
	}
}

// TestFileGames: the slower agents are, the fewer games a kill can cost.
func TestFileGames(t *testing.T) {
	for _, c := range []struct {
		agents []string
		layout Layout
		want   int
	}{
		{[]string{"simple"}, Games, 10_000}, {[]string{"simple"}, Steps, 100},
		{[]string{"simple", "osla:ticks=9"}, Games, 100}, {[]string{"simple", "exec:x"}, Games, 1},
		{[]string{"exec:x"}, Steps, 1}, {[]string{"simple", "champion:noise=0.1"}, Games, 100},
	} {
		config, err := Config{Agents: c.agents, Seating: Drawn, Games: 1, Layout: c.layout}.Resolve(gameOf(t, ffa))
		if err != nil || config.FileGames != c.want {
			t.Errorf("%v of %q: %d games a file (%v), want %d", c.layout, c.agents, config.FileGames, err, c.want)
		}
	}
}
