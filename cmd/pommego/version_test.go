package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"pommego/bridge"
	"pommego/env"
)

// TestVersionOfBuilds: whatever the build knows of its sources, the release is in
// the version.
func TestVersionOfBuilds(t *testing.T) {
	number := strings.TrimSpace(release)
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(number) {
		t.Fatalf("version.txt holds %q, want a version such as 1.2.3", release)
	}
	const commit = "e2bb53f4c6eaa1b2c3d4e5f60718293a4b5c6d7e"
	for _, tc := range []struct {
		reason, module, commit, modified, want string
	}{
		{"an sdist, or go build -buildvcs=false", "(devel)", "", "", number},
		{"a checkout without tags", "v0.0.0-20261122071254-e2bb53f4c6ea", commit, "false", number + "+e2bb53f4c6ea"},
		{"with changes", "v0.0.0-20261122071254-e2bb53f4c6ea+dirty", commit, "true", number + "+e2bb53f4c6ea.modified"},
		{"the release's tag", "v" + number, commit, "false", number},
		{"the release's tag with changes", "v" + number + "+dirty", commit, "true", number + "+e2bb53f4c6ea.modified"},
		{"another tag", "v99.0.0", commit, "false", number + "+e2bb53f4c6ea"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: tc.module}}
		if tc.commit != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: tc.commit},
				{Key: "vcs.modified", Value: tc.modified}}
		}
		if got := buildOf(info, true).Version; got != tc.want {
			t.Errorf("%s: version %q, want %q", tc.reason, got, tc.want)
		}
	}
	if got := buildOf(nil, false).Version; got != number {
		t.Errorf("a program without build information has version %q, want %q", got, number)
	}
}

// The version is the same wherever the program says it.
func TestVersion(t *testing.T) {
	var b built
	r := pommego(t, "version", "--json")
	r.want(t, exitOK)
	r.decodes(t, &b)
	if b.Version == "" || b.Protocol != bridge.Version || b.Seeds != env.SeedVersion || b.Go == "" || b.Platform == "" {
		t.Errorf("version --json says %+v", b)
	}
	for _, args := range [][]string{{"version"}, {"--version"}} {
		r := pommego(t, args...)
		if r.want(t, exitOK); r.out != "pommego "+b.Version+"\n" {
			t.Errorf("%v prints %q, want version %s", args, r.out, b.Version)
		}
	}
	folder := filepath.Join(t.TempDir(), "set")
	pommego(t, "generate", "--out", folder, "--games", "1", "--agents", "random", "--rules", `{"max_steps": 3}`).want(t,
		exitOK)
	var m struct{ Program string }
	if readManifest(t, folder, &m); m.Program != b.Version {
		t.Errorf("a data set is of program %q, want %q", m.Program, b.Version)
	}
}

// TestVersionOfCheckout builds from repositories that are made for it: without a
// tag, tagged, changed, and with neither paths nor version control recorded.
func TestVersionOfCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil || testing.Short() {
		t.Skip("it needs git, and builds the program anew several times")
	}
	dir := t.TempDir()
	source, err := os.ReadFile("version.go")
	if err != nil {
		t.Fatal(err)
	}
	// What version.go needs, without the rest of the program.
	small := regexp.MustCompile(`(?s)func newVersion.*`).ReplaceAllString(string(source),
		`func main() { fmt.Println(version()) }`)
	small = regexp.MustCompile(`\t".*/(cobra|bridge|env)"\n`).ReplaceAllString(small, "")
	small = strings.NewReplacer("bridge.Version", "2", "env.SeedVersion", "1").Replace(small)
	for name, text := range map[string]string{"go.mod": "module pommego\n\ngo 1.26\n", "cmd/pommego/version.go": small,
		"cmd/pommego/version.txt": release} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	number, binary := strings.TrimSpace(release), filepath.Join(t.TempDir(), "small")
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=auto", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	built := func(flags ...string) string {
		t.Helper()
		run("go", append(append([]string{"build", "-o", binary}, flags...), "./cmd/pommego")...)
		return run(binary)
	}
	if got := built(); got != number {
		t.Errorf("without a repository the version is %q, want %q", got, number)
	}
	run("git", "init", "--quiet")
	run("git", "add", ".")
	run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "a")
	commit := run("git", "rev-parse", "HEAD")[:12]
	for _, flags := range [][]string{{}, {"-trimpath"}, {"-trimpath", "-ldflags", "-s -w"}} {
		if got, want := built(flags...), number+"+"+commit; got != want {
			t.Errorf("go build %v: the version is %q, want %q", flags, got, want)
		}
	}
	if got := built("-buildvcs=false"); got != number {
		t.Errorf("go build -buildvcs=false: the version is %q, want %q", got, number)
	}
	run("git", "tag", "v"+number)
	if got := built(); got != number {
		t.Errorf("at its tag the version is %q, want %q", got, number)
	}
	if err := os.WriteFile(filepath.Join(dir, "changed"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := built(), number+"+"+commit+".modified"; got != want {
		t.Errorf("with a change the version is %q, want %q", got, want)
	}
}
