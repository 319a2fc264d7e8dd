package match

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"pommego/env"
)

// libraryHost is the program that loads a shared library and plays for it. It is written in Python:
// a Go program that loads libraries depends on the system's C library, and this program does not.
//
//go:embed library.py
var libraryHost string

// newLibrary makes a player from "library:PATH", whose host starts with its first game.
func newLibrary(game env.Game, name string) (Player, error) {
	if errNoPrograms != nil {
		return nil, fmt.Errorf("match: player %q: %w", name, errNoPrograms)
	}
	path := strings.TrimPrefix(name, "library:")
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("match: player %q, want library:PATH with the path of a shared library: %w", name, err)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, fmt.Errorf("match: player %q: libraries are loaded by Python 3, want python3 in PATH: %w", name, err)
	}
	const command = `exec "$0" -I -S -c "$1" "$2"`
	return &execPlayer{remote: remote{Local(name), game, path}, command: []string{command, python, libraryHost, path}}, nil
}
