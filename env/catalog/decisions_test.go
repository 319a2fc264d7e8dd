package catalog_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pommego/benchmarks"
	"pommego/env"
)

const decisionsFile = "testdata/decisions.txt"

// decisions is a line of the file: an agent in the games of an id. A new line has the hash
// "new", and -update writes it.
type decisions struct {
	id      string
	rules   int // the version of the id's rules
	agent   string
	version int // of the agent's decisions
	hash    string
}

func (d decisions) String() string {
	return fmt.Sprint(d.id, " ", d.rules, " ", d.agent, " ", d.version, " ", d.hash)
}

// TestDecisions compares the signatures of all agents, in each id and with all options that the
// Python client's suites give them, with those on file. They never change: an agent that decides
// otherwise has another version.
func TestDecisions(t *testing.T) {
	text, err := os.ReadFile(decisionsFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	t.Run("agents", func(t *testing.T) {
		for i, line := range lines {
			var want decisions
			if _, err := fmt.Sscan(line, &want.id, &want.rules, &want.agent, &want.version, &want.hash); err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			t.Run(want.id+"/"+want.agent, func(t *testing.T) {
				t.Parallel()
				got := decide(t, want.id, want.agent)
				compareDecisions(t, got, want)
				lines[i] = got.String() + "\n"
			})
		}
	})
	if *update && !t.Failed() {
		if err := os.WriteFile(decisionsFile, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compareDecisions compares what an agent decided with what is on file. An update may not
// hide that it decides otherwise.
func compareDecisions(t *testing.T, got, want decisions) {
	t.Helper()
	const rewrite = "go test ./env/catalog -run TestDecisions -update"
	switch same := got.rules == want.rules && got.version == want.version; {
	case same && got.hash != want.hash && want.hash != "new":
		agent, _, _ := strings.Cut(want.agent, ":")
		t.Errorf("%s decides otherwise than version %d of it: raise the Version of %s where its roster lists it, to "+
			"%d, then rewrite the hashes: %s", want.agent, want.version, agent, want.version+1, rewrite)
	case got != want && !*update:
		t.Errorf("%s has %v, got %v. Rewrite the hashes: %s", decisionsFile, want, got, rewrite)
	}
}

// decide plays the games.
func decide(t *testing.T, id, agent string) decisions {
	t.Helper()
	game := must(benchmarks.SignatureGame(id))(t)
	made := func() (env.Agent, error) { return game.NewAgent(agent) }
	spec, signature := game.Spec(), must(benchmarks.Sign(game, made, 1))(t)
	name, _, _ := strings.Cut(agent, ":")
	return decisions{id, spec.Version, agent, spec.AgentVersions[name], signature.Hash}
}
