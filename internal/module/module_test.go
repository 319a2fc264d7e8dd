package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// TestRenamed: what changes in a file, and what is refused.
func TestRenamed(t *testing.T) {
	for _, tc := range []struct{ file, text, want, reason string }{
		{"a.go", "import \"a/vec\"\n", "import \"b.org/c/vec\"\n", "an import"},
		{"a.go", "import (\n\tx \"a/env\"\n)\n", "import (\n\tx \"b.org/c/env\"\n)\n", "an import with a name"},
		{"go.mod", "module a\n\ngo 1.26\n", "module b.org/c\n\ngo 1.26\n", "the module"},
		{"tools/go.mod", "module a/tools\n", "module b.org/c/tools\n", "a module inside"},
		{"a.go", "\treturn \"a/OneVsOne-v0\"\n", "\treturn \"a/OneVsOne-v0\"\n", "gymnasium's name of an id"},
		{"a.go", "\tf(\"../a/env\")\n", "\tf(\"../a/env\")\n", "a folder with the module's name"},
		{"a.go", "\tf(\"a/env\")\n", "", "the path in a program"},
		{"a.md", "Run `go doc a/vec`.\n", "", "the path in a document"},
		{"CITATION.cff", "a:\nlicense: Apache-2.0\n",
			"a:\nlicense: Apache-2.0\nrepository-code: \"https://b.org/c\"\n", "an address"},
		{"CITATION.cff", "a:\nlicense: MIT\n", "", "no place for the address"},
	} {
		got, err := newRenaming("a", "b.org/c").renamed(tc.file, []byte(tc.text))
		if string(got) != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s, %s: it becomes %q (%v), want %q", tc.reason, tc.file, got, err, tc.want)
		}
		again, err := newRenaming("b.org/c", "a").renamed(tc.file, got)
		if tc.want != "" && (string(again) != tc.text || err != nil) {
			t.Errorf("%s, %s: the way back gives %q (%v), want %q", tc.reason, tc.file, again, err, tc.text)
		}
	}
	_, err := newRenaming("b.org/c", "a").renamed("a.md", []byte("See https://b.org/c.\n"))
	if err == nil {
		t.Error("an address outside of its lines is not refused")
	}
}

// TestNoStrays renames the files of this checkout, in memory: the module's path is in
// go.mod files, imports and the lines of homes alone, and the way back gives the same bytes.
func TestNoStrays(t *testing.T) {
	const root = "../.."
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is no checkout: ", err)
	}
	from := modfile.ModulePath(mod)
	there, back := newRenaming(from, "example.org/renamed"), newRenaming("example.org/renamed", from)
	changed := 0
	for file := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		new, err := there.renamed(file, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if again, err := back.renamed(file, new); err != nil || string(again) != string(text) {
			t.Errorf("%s: renaming it back gives other bytes (%v)", file, err)
		}
		if string(new) != string(text) {
			changed++
		}
	}
	if changed < 400 {
		t.Errorf("%d files were changed, want all that import packages of the module", changed)
	}
}

var (
	proxy  = flag.String("proxy", "", "try a module proxy that the command has written into this folder")
	wanted = flag.String("module", "", "the module's path there")
)

// TestProxy: with a module proxy and nothing else of the project, a program outside gets the
// module and trains, and go install makes the command. Modules of others come from the module
// cache, or from where the go command gets them.
func TestProxy(t *testing.T) {
	if *proxy == "" {
		t.Skip("make module-proxy")
	}
	escaped, err := module.EscapePath(*wanted)
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(file(t, filepath.Join(*proxy, escaped, "@v", "list"))))
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
	page := string(file(t, filepath.Join(folder, "modules", escaped+"@"+version, "docs", "maintainers", "go.md")))
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

func file(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
