package main

import (
	"testing"

	"github.com/spf13/pflag"
)

// mostFlags is how many flags the four commands have together, --help not counted. Each of
// them has --program-memory: all run agents' programs, and no option of an agent could
// limit them, as what follows exec: is a command. Three have --record-dialogues: what models are
// told and answer comes from each of them, and is no part of a recorded game. generate --dialogues
// is apart from --observation, as chat is no observation of an environment. tournament has --sprt, as a change of
// play is judged by it, and --wait as play has it: without it agents that start slowly could meet in no tournament.
const mostFlags = 68

// TestFlags keeps the commands that people use most small enough to read their help.
func TestFlags(t *testing.T) {
	root, flags := newRoot(), 0
	for _, name := range []string{"serve", "play", "generate", "tournament"} {
		cmd, _, err := root.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		cmd.Flags().VisitAll(func(*pflag.Flag) { flags++ })
	}
	if flags > mostFlags {
		t.Errorf("serve, play, generate and tournament have %d flags, want at most %d", flags, mostFlags)
	}
	if flags < mostFlags/2 {
		t.Errorf("%d flags were counted: the test misses some", flags)
	}
}
