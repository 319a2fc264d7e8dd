package dataset

import (
	"time"

	"pommego/arena/ledger"
	"pommego/internal/disk"
)

// Options are the things that a data set's content does not depend on. The zero
// value works on all cores.
type Options struct {
	Workers int // how many games are played at a time: see ledger.Workers

	// Version is the program's version, which the manifest names. Build tells
	// builds apart: a data set that another build began is refused, since its agents
	// may have played differently.
	Version string
	Build   string

	// Progress, if not nil, is called at the start and after each game, by one goroutine at a time.
	Progress func(ledger.Progress)

	Disk disk.FS // nil: disk.OS

	// Part, unless nil, is the games to play, of a data set whose others are played
	// elsewhere. The data set stays unfinished in its folder, for another call to take the games.
	Part *ledger.Part
	// Take lists folders with parts: their games are taken over, and not played again.
	Take []string
}

// Work is what a run has done.
type Work struct {
	Games, Steps int // played in this run
	Wall         time.Duration
}
