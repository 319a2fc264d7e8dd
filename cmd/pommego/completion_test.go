package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completed is what the program offers a shell for a line.
func completed(t *testing.T, args ...string) []string {
	t.Helper()
	r := pommego(t, append([]string{"__complete"}, args...)...)
	if r.code != exitOK {
		t.Fatalf("completing %q: %+v", args, r)
	}
	var all []string
	for line := range strings.Lines(r.out) {
		if value, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(value, ":") {
			all = append(all, value)
		}
	}
	return all
}

// Commands and ids are offered.
func TestCompletion(t *testing.T) {
	for _, tc := range []struct {
		line       []string
		want, none string // offered, and not
	}{
		{[]string{"play", "--env", ""}, "SuiteBot-v0", "simple"},
		{[]string{"tournament", "--env", "Base"}, "BaseWarSides-v0", "simple"},
		{[]string{"envs", ""}, "PommeTeam-v0", "simple"},
		{[]string{"pla"}, "play", "replay"},
	} {
		got := completed(t, tc.line...)
		if tc.want != "" && !slices.Contains(got, tc.want) || slices.Contains(got, tc.none) {
			t.Errorf("%q offers %q, want %q in it and not %q", tc.line, got, tc.want, tc.none)
		}
	}
}

// The script works in a shell, and help names the command that writes it.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	if help := pommego(t, "--help"); !strings.Contains(help.out, "pommego completion") ||
		!strings.Contains(help.out, "\n  completion ") {
		t.Errorf("help does not name the command:\n%s", help.out)
	}
	for _, shell := range []string{"zsh", "fish", "powershell"} {
		pommego(t, "completion", shell).want(t, exitOK)
	}
	// The function stands in for the bash-completion package's own.
	script := `source <("$1" completion bash)
_get_comp_words_by_ref() { cur=BaseWarS prev=--env words=(pommego play --env BaseWarS) cword=3; }
_init_completion() { _get_comp_words_by_ref; }
__ltrim_colon_completions() { :; }
COMP_TYPE=9
compopt() { :; }
__start_pommego; echo "${COMPREPLY[@]}"`
	cmd := exec.Command(bash, "-c", script, "bash", program())
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program())+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "BaseWarSides-v0") {
		t.Errorf("bash completes with %q (%v), want BaseWarSides-v0", out, err)
	}
}
