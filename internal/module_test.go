package internal

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestModulePath: the module's path is in go.mod files and imports alone, where tools/module.sh renames it.
func TestModulePath(t *testing.T) {
	_, own, _ := strings.Cut(text(t, "../go.mod"), "module ")
	own, _, _ = strings.Cut(own, "\n")
	own = regexp.QuoteMeta(own)
	homes := regexp.MustCompile(`(?m)^(repository-code: |  "codeRepository": |repo_url: |Repository = ).*$`)
	imports := regexp.MustCompile(`(?m)^(module |(?:import |\t)(?:\w+ )?")` + own + `(/[\w/]+)?"?$`)
	stray := regexp.MustCompile(`(^|[^\w./-])(https?://)?` + own +
		`/(arena|benchmarks|bridge|cmd|env|internal|llm|tools|vec)\b|https?://` + own + `\b`)
	files, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is no checkout: ", err)
	}
	renamed := 0
	for file := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", file))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("pommego/")) && !bytes.Contains(text, []byte("/pommego")) {
			continue
		}
		text = homes.ReplaceAll(text, nil)
		if ext := filepath.Ext(file); ext == ".go" || ext == ".mod" || ext == ".md" {
			if imports.Match(text) {
				renamed++
			}
			text = imports.ReplaceAll(text, nil)
		}
		for _, found := range stray.FindAll(text, -1) {
			t.Errorf("%s: %q names the module outside of an import: write it without the module path", file, found)
		}
	}
	if renamed < 400 {
		t.Errorf("%d files name the module, want all that import packages of it", renamed)
	}
}

var (
	proxy  = flag.String("proxy", "", "try a module proxy that tools/module.sh has written into this folder")
	wanted = flag.String("module", "", "the module's path there, in lower case")
)

// TestProxy: with a module proxy and nothing else of the project, a program outside gets the
// module and trains, and go install makes the command. Modules of others come from the module
// cache, or from where the go command gets them.
func TestProxy(t *testing.T) {
	if *proxy == "" {
		t.Skip("make module-proxy")
	}
	version := strings.TrimSpace(text(t, filepath.Join(*proxy, *wanted, "@v", "list")))
	folder := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOMODCACHE="+folder+"/modules", "GOBIN="+folder, "GOWORK=off",
			"GONOSUMDB="+*wanted, "GOFLAGS=-mod=mod -modcacherw -pgo=off", // the profile would compile everything anew
			"GOPROXY=file://"+*proxy+",file://"+goEnv(t, "GOMODCACHE")+"/cache/download,"+goEnv(t, "GOPROXY"))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		t.Logf("%v\n%s", args, out)
		return string(out)
	}
	run("go", "mod", "init", "learn")
	run("go", "get", *wanted+"@latest")
	page := text(t, filepath.Join(folder, "modules", *wanted+"@"+version, "docs", "maintainers", "go.md"))
	_, program, _ := strings.Cut(page, "\n```go\n")
	program, rest, _ := strings.Cut(program, "```\n")
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := run("go", "run", "."); !strings.Contains(rest, "It prints `"+strings.TrimSpace(got)+"`") {
		t.Errorf("the program of docs/maintainers/go.md printed %q", got)
	}
	run("go", "install", *wanted+"/cmd/pommego@"+version)
	if got, want := run("./pommego", "version"), "pommego "+version[1:]+"\n"; got != want {
		t.Errorf("the installed program says %q, want %q", got, want)
	}
	got := run("./pommego", "play", "--agents", "simple", "--seed", "7", "--quiet", "--json")
	if !strings.Contains(got, `"won"`) {
		t.Errorf("the installed program plays %q", got)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func text(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
