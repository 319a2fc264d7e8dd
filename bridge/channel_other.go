//go:build !linux

package bridge

import (
	"errors"
	"os"
	"sync/atomic"
)

const restingWaits = 0

func mapShared(int) (*os.File, []byte, error) {
	return nil, nil, errors.New("only Linux can so far")
}

// Without memory that is shared nobody calls these.

func unmapShared([]byte)               {}
func futexWait(*atomic.Uint32, uint32) {}
func futexWake(*atomic.Uint32)         {}
func fenceClients()                    {}
