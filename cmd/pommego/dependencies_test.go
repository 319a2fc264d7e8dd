package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// linked is the modules that the program links on the systems it is built for: their paths,
// and for each its version and the folders with its packages and itself.
func linked(t *testing.T) map[string]module {
	t.Helper()
	modules := map[string]module{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}} {{$.Dir}}{{end}}{{end}}", ".")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if of := strings.Fields(line); len(of) > 0 {
				m := modules[of[0]]
				modules[of[0]] = module{of[1], of[2], append(m.folders, of[2:]...)}
			}
		}
	}
	return modules
}

type module struct {
	version, root string
	folders       []string
}

// TestDependenciesAreListed compares docs/maintainers/dependencies.md with the modules that
// the program links on the systems it is built for.
func TestDependenciesAreListed(t *testing.T) {
	linked := linked(t)
	page, err := os.ReadFile("../../docs/maintainers/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, row[1])
	}
	slices.Sort(listed)
	want := slices.Sorted(maps.Keys(linked))
	for _, module := range want {
		if !slices.Contains(listed, module) {
			t.Errorf("%s is linked but not in docs/maintainers/dependencies.md: say there what it is for", module)
		}
	}
	for i, module := range listed {
		if _, ok := linked[module]; !ok {
			t.Errorf("docs/maintainers/dependencies.md lists %s, which is not linked", module)
		}
		if i > 0 && listed[i-1] == module {
			t.Errorf("docs/maintainers/dependencies.md lists %s twice", module)
		}
	}
	if len(listed) == 0 {
		t.Error("docs/maintainers/dependencies.md lists no modules")
	}
}

// noticesFile lies in wheels and archives beside the program.
const noticesFile = "../../python_client/THIRD_PARTY_NOTICES.txt"

const noticesHead = `The program pommego contains the modules below, under their licences, and Go's standard library,
whose licence is that of golang.org/x/sys. Made by "make notices".
`

// notices are the files in which a module says its licence, and what it took from others.
var notices = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|third_party_licen[cs]es?)([-._].*)?$`)

// TestNotices compares THIRD_PARTY_NOTICES.txt with the licences of all that is linked.
func TestNotices(t *testing.T) {
	var text strings.Builder
	text.WriteString(noticesHead)
	all := linked(t)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		files := all[path].notices(t)
		if len(files) == 0 {
			t.Errorf("%s has no licence", path)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(all[path].root, file)
			rule := strings.Repeat("=", 100)
			fmt.Fprintf(&text, "\n%s\n%s %s: %s\n%s\n\n%s\n", rule, path, all[path].version, filepath.ToSlash(name), rule,
				bytes.TrimSpace(content))
		}
	}
	if *update {
		if err := os.WriteFile(noticesFile, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(noticesFile); err != nil || string(kept) != text.String() {
		t.Errorf("THIRD_PARTY_NOTICES.txt is not what the linked modules say (%v): make notices", err)
	}
}

// notices lists the module's, those of the packages that are linked included.
func (m module) notices(t *testing.T) (files []string) {
	t.Helper()
	for _, folder := range m.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Type().IsRegular() && notices.MatchString(e.Name()) {
				files = append(files, filepath.Join(folder, e.Name()))
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
