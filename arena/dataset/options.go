package dataset

import (
	"time"

	"pommego/internal/disk"
)

// Options are the things that a data set's content does not depend on. The zero
// value works on all cores.
type Options struct {
	// Workers is how many games are played at a time; 0: one a core. With an
	// agent at a URL it is one, as a server plays one game at a time.
	Workers int

	// Version is the program's version, which the manifest names. Build tells
	// builds apart: a data set that another build began is refused, since its agents
	// may have played differently.
	Version string
	Build   string

	// Progress, if not nil, is called at the start and after each game, by one
	// goroutine at a time.
	Progress func(Progress)

	Disk disk.FS // nil: disk.OS

	// Part, unless nil, is the files to make, of a data set whose others are made
	// elsewhere. They stay unfinished in their folder, for another call to take.
	Part *Part
	// Take lists folders with parts: their files are copied, and not made again.
	Take []string
}

// Part is some of a data set's files, by their numbers.
type Part struct{ First, Last int }

// Progress says how far a run is.
type Progress struct {
	Games      int // so far, those of earlier runs included
	TotalGames int
	Resumed    int // games of earlier runs
}

// Work is what a run has done.
type Work struct {
	Games, Steps int // played in this run
	Wall         time.Duration
}
