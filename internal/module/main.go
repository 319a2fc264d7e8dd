// Command module copies the repository's last commit under another module path, and
// makes a module proxy of the copy: go get and go install work from it as they will
// from the project's home.
//
//	go run ./internal/module example.org/pommego FOLDER
//
// FOLDER/copy is a clone with one commit more, FOLDER/proxy has the layout of GOPROXY.
// The checkout stays as it is. The module path stands in go.mod files and imports, and
// the address of a home in the lines of [homes]; anywhere else is an error.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// home is a file with the address of the project, which is that of its module. A path
// without a dot is no address: then there is no such line.
type home struct{ after, line string }

var homes = map[string]home{
	"CITATION.cff":                 {"license: Apache-2.0\n", "repository-code: \"https://%s\"\n"},
	"codemeta.json":                {"{\n", "  \"codeRepository\": \"https://%s\",\n"},
	"docs/mkdocs.yml":              {"docs_dir: pages\n", "repo_url: https://%s\n"},
	"python_client/pyproject.toml": {"[project.urls]\n", "Repository = \"https://%s\"\n"},
}

// renaming is a change of the module's path.
type renaming struct {
	from, to       string
	imports, stray *regexp.Regexp
}

func newRenaming(from, to string) renaming {
	const folders = `(arena|benchmarks|bridge|cmd|env|internal|tools|vec)\b`
	quoted := regexp.QuoteMeta(from)
	return renaming{
		from: from, to: to,
		imports: regexp.MustCompile(`(?m)^(module |(?:import |\t)(?:\w+ )?")` + quoted + `((?:/[\w/]+)?"?)$`),
		stray:   regexp.MustCompile(`(?m)(^|[^\w./-])(https?://)?` + quoted + `/` + folders + `|https?://` + quoted + `\b`),
	}
}

// renamed is the text of a file under the new path.
func (r renaming) renamed(file string, text []byte) ([]byte, error) {
	if !bytes.Contains(text, []byte(r.from)) {
		return text, nil
	}
	switch path.Ext(file) {
	case ".go", ".mod", ".md":
		text = r.imports.ReplaceAll(text, []byte("${1}"+r.to+"${2}"))
	}
	if h, ok := homes[file]; ok {
		text = bytes.Replace(text, fmt.Appendf(nil, h.line, r.from), nil, 1)
		if !bytes.Contains(text, []byte(h.after)) {
			return nil, fmt.Errorf("%s: it has no line %q, behind which the project's address goes", file, h.after)
		}
		if strings.Contains(r.to, ".") {
			text = bytes.Replace(text, []byte(h.after), fmt.Appendf(nil, h.after+h.line, r.to), 1)
		}
	}
	if stray := r.stray.Find(text); stray != nil {
		return nil, fmt.Errorf("%s: %q names the module outside of an import: write it without the module path",
			file, stray)
	}
	return text, nil
}

// apply renames the module in all files of a repository.
func (r renaming) apply(repository string) {
	files := git(repository, "ls-files", "-z")
	for file := range strings.SplitSeq(strings.TrimSuffix(files, "\x00"), "\x00") {
		name := filepath.Join(repository, file)
		text := must(os.ReadFile(name))
		if changed := must(r.renamed(file, text)); !bytes.Equal(text, changed) {
			check(os.WriteFile(name, changed, 0o666))
		}
	}
}

// copyTo makes the copy: a clone that is renamed.
func copyTo(copied, to string) {
	git(".", "clone", "--quiet", ".", copied)
	from := modfile.ModulePath(must(os.ReadFile(filepath.Join(copied, "go.mod"))))
	newRenaming(from, to).apply(copied)
	git(copied, "-c", "user.name=pommego", "-c", "user.email=pommego", "commit", "--quiet", "--all",
		"--message", "Rename the module to "+to)
}

// writeProxy packs the copy's commit as the version that cmd/pommego/version.txt says.
func writeProxy(proxy, copied, to string) {
	number := must(os.ReadFile(filepath.Join(copied, "cmd", "pommego", "version.txt")))
	version := "v" + strings.TrimSpace(string(number))
	var packed bytes.Buffer
	check(zip.CreateFromVCS(&packed, module.Version{Path: to, Version: version}, copied, "HEAD", ""))
	committed := strings.TrimSpace(git(copied, "log", "-1", "--format=%cI", "HEAD~")) // what was renamed
	folder := filepath.Join(proxy, must(module.EscapePath(to)), "@v")
	check(os.MkdirAll(folder, 0o777))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": must(json.Marshal(map[string]string{"Version": version, "Time": committed})),
		version + ".mod":  must(os.ReadFile(filepath.Join(copied, "go.mod"))),
		version + ".zip":  packed.Bytes(),
	} {
		check(os.WriteFile(filepath.Join(folder, name), content, 0o666))
	}
}

// git runs a command in a repository and returns what it prints.
func git(repository string, args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", repository}, args...)...)
	cmd.Stderr = os.Stderr
	return string(must(cmd.Output()))
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}

func main() {
	if len(os.Args) != 3 || module.CheckImportPath(os.Args[1]) != nil {
		fmt.Fprintln(os.Stderr, "usage: module PATH FOLDER, with a path such as example.org/pommego")
		os.Exit(2)
	}
	to, copied, proxy := os.Args[1], filepath.Join(os.Args[2], "copy"), filepath.Join(os.Args[2], "proxy")
	copyTo(copied, to)
	fmt.Printf("module %s: a copy in %s\n", to, copied)
	if module.CheckPath(to) == nil { // a name without a dot, such as pommego, resolves nowhere
		writeProxy(proxy, copied, to)
		fmt.Printf("a module proxy in %s\n", proxy)
	}
}
