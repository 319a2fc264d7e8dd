package main

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDependenciesAreListed compares docs/dependencies.md with the modules that
// the program links on the systems it is built for.
func TestDependenciesAreListed(t *testing.T) {
	linked := map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		for _, module := range strings.Fields(string(out)) {
			linked[module] = true
		}
	}
	page, err := os.ReadFile("../../docs/dependencies.md")
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
			t.Errorf("%s is linked but not in docs/dependencies.md: say there what it is for", module)
		}
	}
	for i, module := range listed {
		if !linked[module] {
			t.Errorf("docs/dependencies.md lists %s, which is not linked", module)
		}
		if i > 0 && listed[i-1] == module {
			t.Errorf("docs/dependencies.md lists %s twice", module)
		}
	}
	if len(listed) == 0 {
		t.Error("docs/dependencies.md lists no modules")
	}
}
