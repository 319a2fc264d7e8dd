package dataset

import (
	"time"

	"pommego/arena/ledger"
	"pommego/internal/disk"
)

// Options are settings that do not change the content of a data set. The zero
// value uses all cores.
type Options struct {
	// Version is the program's version, which the manifest names. Build tells
	// builds apart: a data set that another build began is refused, since its agents
	// may have played differently.
	Version string
	Build   string

	// Progress, if not nil, is called at the start and after each game, by one goroutine at a time.
	Progress func(ledger.Progress)

	Disk disk.FS // nil: disk.OS

	// Part, unless nil, lists the games to play; other runs play the others. The data set
	// stays unfinished in its folder until another call takes the games.
	Part *ledger.Part
	// Take lists folders with parts, whose games are copied and not played again.
	Take []string
}

// Work is how much a run has done.
type Work struct {
	Games, Steps int // played in this run
	Wall         time.Duration
}
