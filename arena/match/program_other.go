//go:build !unix

package match

import (
	"context"
	"errors"
)

// program does not exist on this system: without deadlines for pipes and groups
// of processes the rules cannot be enforced.
type program struct{}

var errNoPrograms = errors.New("exec: and library: players need Linux or macOS; serve the agent by HTTP instead")

func startProgram([]string, int64, *tail) (*program, error) { return nil, errNoPrograms }

func (*program) bound(context.Context) (release func()) { return func() {} }

func (*program) send([]byte) error { return errNoPrograms }

func (*program) receive() ([]byte, error) { return nil, errNoPrograms }

func (*program) end(reason error) error { return reason }

func (*program) finish() {}
