package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamesCannotControlTheTerminal: names, notes and results in files come from anyone. On the
// screen they show what they hold; in JSON they are what they were.
func TestNamesCannotControlTheTerminal(t *testing.T) {
	const evil = "\x1b]0;x\a\u009b2J\u202e\u200b\U000E0041\nforged" // Go's, and JSON's below
	name := `\u001b]0;x\u0007` + strings.ReplaceAll(evil[6:], "\n", `\n`)
	game := filepath.Join(t.TempDir(), "g.jsonl")
	pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "static", "--record", game, "--quiet").want(t, exitOK)
	text, err := os.ReadFile(game)
	if err != nil {
		t.Fatal(err)
	}
	named := strings.ReplaceAll(string(text), `"static"`, `"`+name+`"`)
	named = strings.Replace(named, `"setup":`, `"name":"`+name+`","note":"`+name+`","setup":`, 1)
	wrong := strings.Replace(named, `"result":"`, `"result":"`+name, -1)
	other := strings.Replace(named, `"env_id":"`, `"env_id":"`+name, -1)
	for _, c := range []struct {
		args []string
		code int
		file string
	}{
		{[]string{"replay"}, exitOK, named}, {[]string{"replay", "--json"}, exitOK, named},
		{[]string{"replay"}, exitOK, other}, {[]string{"verify"}, exitError, wrong}, {[]string{"verify"}, exitOK, other},
		{[]string{"verify", "--json"}, exitError, wrong}, {[]string{"view"}, exitError, name},
		{[]string{"play", "--agents", "static", "--quiet", "--start"}, exitError, other},
		{[]string{"verify"}, exitError, `{"format":"` + name + `"}`}, {[]string{"data", "states", "--at", "1"}, exitOK, named},
	} {
		r := pommego(t, append(c.args, writeFile(t, "f.jsonl", c.file))...)
		all := r.out + r.errors
		if regexp.MustCompile(`[^\P{C}\n\t]|(?m)^forged`).MatchString(all) || all == "" {
			t.Errorf("%v prints %q", c.args, all)
		}
		if r.code != c.code {
			t.Errorf("%v: exit code %d, want %d: %s", c.args, r.code, c.code, all)
		}
		var printed struct{ Policies []string }
		if len(c.args) == 2 && c.args[0] == "replay" {
			if r.decodes(t, &printed); len(printed.Policies) != 2 || printed.Policies[1] != evil {
				t.Errorf("the names are %q, want %q", printed.Policies, evil)
			}
		}
	}
}
