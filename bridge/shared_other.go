//go:build !linux

package bridge

import "os"

func mapShared(int) (*os.File, []byte, error) { return nil, nil, errNoShared }

func unmapShared([]byte) {}
