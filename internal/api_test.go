package internal

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the list of public names anew")

// section is the text of a page between a heading and the next of any level.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(string(read(t, page)), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q", page, heading)
	}
	before, _, _ := strings.Cut(rest, "\n#")
	return before
}

// packages are those that docs/maintainers/go.md names below a heading.
func packages(t *testing.T, heading string) (named []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(
		section(t, "docs/maintainers/go.md", heading), -1) {
		named = append(named, m[1])
	}
	return named
}

const public, changing = "### Public", "### May change"

// TestPackagesAreListed: the page names every package that a program outside can import.
func TestPackagesAreListed(t *testing.T) {
	var want []string
	walk(t, func(file string, _ count) {
		inside := strings.Split(path.Dir(file), "/")
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || slices.Contains(inside, "testdata") ||
			slices.Contains(inside, "internal") || inside[0] == "cmd" {
			return
		}
		want = append(want, path.Dir(file))
	})
	slices.Sort(want)
	want = slices.Compact(want)
	got := slices.Sorted(slices.Values(append(packages(t, public), packages(t, changing)...)))
	if !slices.Equal(got, want) {
		t.Errorf("docs/maintainers/go.md lists the packages\n%v\nwant each once:\n%v", got, want)
	}
}

// TestPublicNames compares what the public packages export with testdata/api.txt: a line
// for each name, with its type. A change that breaks programs is told in the changelog.
func TestPublicNames(t *testing.T) {
	var got bytes.Buffer
	for _, pkg := range packages(t, public) {
		names := exported(t, pkg)
		slices.SortFunc(names, func(a, b string) int { // what belongs to a type is behind it
			return cmp.Compare(a[strings.Index(a, " "):]+a, b[strings.Index(b, " "):]+b)
		})
		fmt.Fprintf(&got, "%s\n\t%s\n", pkg, strings.Join(slices.Compact(names), "\n\t"))
	}
	const list = "testdata/api.txt"
	if *update {
		if err := os.WriteFile(list, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(want)) {
		if !bytes.Contains(got.Bytes(), []byte(line)) {
			t.Errorf("gone or changed: %s", line)
		}
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("public names differ from %s: docs/versions.md says what a change needs, make api writes the list", list)
	}
}

// exported lists a package's names, with what they are: "Config.Games int".
func exported(t *testing.T, pkg string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if name := owner(d) + d.Name.Name; ast.IsExported(name) {
					names = append(names, "func "+name+signature(d.Type))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					names = append(names, specified(d.Tok, spec)...)
				}
			}
		}
	}
	return names
}

// owner is the type of a method and a dot; of a function "".
func owner(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	return strings.Trim(types.ExprString(d.Recv.List[0].Type), "*") + "."
}

func signature(f ast.Expr) string { return strings.TrimPrefix(types.ExprString(f), "func") }

// specified is the lines of a constant, a variable or a type.
func specified(token token.Token, spec ast.Spec) (lines []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for i, name := range s.Names {
			line := token.String() + " " + name.Name
			if s.Type != nil {
				line += " " + types.ExprString(s.Type)
			}
			if i < len(s.Values) && token.String() == "const" {
				line += " = " + types.ExprString(s.Values[i])
			}
			lines = append(lines, line)
		}
	case *ast.TypeSpec:
		name := s.Name.Name
		switch typ := s.Type.(type) {
		case *ast.StructType:
			lines = append([]string{"type " + name + " struct"}, members("field "+name, typ.Fields)...)
		case *ast.InterfaceType:
			lines = append([]string{"type " + name + " interface"}, members("func "+name, typ.Methods)...)
		default:
			is := types.ExprString(typ)
			if s.Assign.IsValid() {
				is = "= " + is
			}
			lines = append(lines, "type "+name+" "+is)
		}
	}
	return lines
}

// members is the lines of the fields of a struct or the methods of an interface.
func members(of string, list *ast.FieldList) (lines []string) {
	for _, field := range list.List {
		is := types.ExprString(field.Type)
		if len(field.Names) == 0 {
			lines = append(lines, of+" embeds "+is)
		}
		for _, name := range field.Names {
			if _, method := field.Type.(*ast.FuncType); method && strings.HasPrefix(of, "func ") {
				lines = append(lines, of+"."+name.Name+signature(field.Type))
			} else {
				lines = append(lines, of+"."+name.Name+" "+is)
			}
		}
	}
	return lines
}
