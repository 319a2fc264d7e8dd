package tournament

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/catalog"
)

const (
	ffaID  = "PommeFFACompetition-v0"
	teamID = "PommeTeam-v0"
	warID  = "BaseWar-v0"
	duelID = "OneVsOne-v0"
)

func game(t testing.TB, id string) env.Game {
	t.Helper()
	g, err := catalog.Game(id)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// onCores plays so many games at a time until the test ends.
func onCores(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// gauntlet is a small tournament of quick games against three of a kind.
func gauntlet() Config {
	return Config{Format: OneAgainstThree, Agents: []string{"random", "static", "simple"}, Against: "random", Games: 12,
		Seed: 5}
}

func TestNewErrors(t *testing.T) {
	five := []string{"simple", "random", "static", "simple", "random"}
	for _, test := range []struct {
		id     string
		change func(c *Config)
		want   string
		reason string
	}{
		{ffaID, func(c *Config) { c.Games = 0 }, "games is 0", "no games"},
		{ffaID, func(c *Config) { c.Games = maxRounds + 1 }, "games is 1000001", "too many games"},
		{ffaID, func(c *Config) { c.Games, c.Mirrored = 10, true },
			"games is 10, want a multiple of 4: mirrored boards are played from each of the 4 sides, 1 repetitions each",
			"a board that is not played from every side"},
		{ffaID, func(c *Config) { c.Limit = -time.Second }, "the limit for a move is -1s", "a negative time"},
		{ffaID, func(c *Config) { c.Format = 7 }, "no format 7", "an unknown format"},
		{ffaID, func(c *Config) { c.Agents = nil }, "0 agents", "nobody"},
		{ffaID, func(c *Config) { c.Agents = make([]string, 1001) }, "1001 agents, want 1 to 1000", "too many agents"},
		{duelID, func(c *Config) { c.SPRT = &SPRT{-801, 0} }, "from -800 to 800", "a test of a difference out of bounds"},
		{ffaID, func(c *Config) { c.Agents = five }, `"simple" is named twice`, "the same agent twice"},
		{ffaID, func(c *Config) { c.Against = "exec:./b\xf6t" }, "want UTF-8", "a name that a log cannot hold"},
		{ffaID, func(c *Config) { c.Against = "" }, "needs an agent", "nobody to play against"},
		{ffaID, func(c *Config) { c.Against = "nobody" }, `no agent is called "nobody"`, "an unknown opponent"},
		{ffaID, func(c *Config) { c.Agents[1] = "sample" }, `no agent is called "sample"`, "an unknown agent"},
		{teamID, func(c *Config) {}, "has teams", "one against three of which one is a friend"},
		{ffaID, func(c *Config) { c.Format = TwoAgainstTwo }, "no two teams", "two against two without teams"},
		{duelID, func(c *Config) { c.Format = TwoAgainstTwo }, "no two teams", "two against two with two seats"},
		{ffaID, func(c *Config) { c.Format = RoundRobin }, "play each other", "a fixed opponent in a round robin"},
		{ffaID, func(c *Config) { c.Format, c.Against = RoundRobin, "" }, "3 agents, want 4 or more",
			"a table that cannot be filled"},
		{teamID, func(c *Config) { c.Format, c.Against, c.Agents = TwoAgainstTwo, "", c.Agents[:1] }, "1 agents, want 2",
			"nobody to meet"},
	} {
		c := gauntlet()
		test.change(&c)
		got, err := New(game(t, test.id), c)
		if err == nil || got != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: New gives %v, want an error with %q", test.reason, err, test.want)
		}
	}
}

// TestTooManyGames: the number of tables grows fast with the agents.
func TestTooManyGames(t *testing.T) {
	c := Config{Format: RoundRobin, Games: 1}
	for i := range 1000 {
		c.Agents = append(c.Agents, strings.Repeat("a", i+1))
	}
	err := c.Validate(game(t, ffaID).Spec())
	if err == nil || !strings.Contains(err.Error(), "4.14e+10 games") {
		t.Errorf("a round robin of 1000 agents gives %v, want an error with the number of games", err)
	}
}

// TestOneServerOneSeat: a server cannot tell two seats of a game apart, which its first game says.
func TestOneServerOneSeat(t *testing.T) {
	const url = "http://127.0.0.1:1"
	for reason, test := range map[string]struct {
		id     string
		config Config
	}{
		"it sits three times":  {ffaID, Config{Format: OneAgainstThree, Agents: []string{"simple"}, Against: url}},
		"it is both of a team": {teamID, Config{Format: TwoAgainstTwo, Agents: []string{url}, Against: "simple"}},
		"it would play itself": {duelID, Config{Format: OneAgainstThree, Agents: []string{url}, Against: url}},
	} {
		test.config.Games = 1
		_, err := tournamentOf(t, test.id, test.config).Run(t.Context(), Options{})
		if err == nil || !strings.Contains(err.Error(), "has a seat already") {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

func TestFormats(t *testing.T) {
	for i, name := range RoundRobin.Names() {
		var f Format
		err := f.UnmarshalText([]byte(name))
		if err != nil || f != Format(i) || f.String() != name {
			t.Errorf("reading %q gives %v, %v", name, f, err)
		}
	}
	if err := new(Format).UnmarshalText([]byte("knock-out")); err == nil ||
		!strings.Contains(err.Error(), "round-robin, one-against-three, two-against-two") {
		t.Errorf("an unknown format gives %v, want an error that lists the formats", err)
	}
}

func TestConfigInJSON(t *testing.T) {
	c := gauntlet()
	c.Limit = time.Second
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"format":"one-against-three","agents":["random","static","simple"],"against":"random","games":12,"seed":5,"limit_ns":1000000000}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	var back Config
	if err := json.Unmarshal(text, &back); err != nil || back.Limit != c.Limit || back.Format != c.Format {
		t.Errorf("read back: %+v, %v", back, err)
	}
}
