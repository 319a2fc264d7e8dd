package vec

import "time"

// What a step of a game takes is measured, and decides how the work is handed
// out: how many workers a call wakes and how many games one of them takes at a
// time. So it says who steps a game and when, and never what comes of it.

const (
	// minShare is the fewest games that are worth a worker however little they
	// take: waking one costs as much as stepping them.
	minShare = 64
	// wakeTime is the work that is worth a worker however few games it is.
	wakeTime = 50 * time.Microsecond

	// chunkGames is the most games a worker takes at a time, and chunkTime for
	// how long those should keep it: what lies behind a slow game waits for it.
	chunkGames = 32
	chunkTime  = 20 * time.Microsecond

	// waitingWorkers is how many workers a pool has at most, beyond one a core,
	// for agents that wait for something outside this program.
	waitingWorkers = 64
)

// cost is what a step of one game takes on average.
type cost struct {
	mean time.Duration
	last time.Duration // in the last step
}

// note adds a step of so many games, which took all workers together so long. Of
// two steps in a row the shorter counts: in the other the system may have
// given the processor to somebody else.
func (c *cost) note(games int, took time.Duration) {
	now := took / time.Duration(games)
	c.mean += (min(now, c.last) - c.mean) / 4
	c.last = now
}

// chunk is how many games a worker should take at a time.
func (c *cost) chunk() int {
	return int(min(chunkGames, max(1, chunkTime/max(1, c.mean))))
}

// workers is how many of them so many games are worth.
func (c *cost) workers(games int) int {
	return max(1, games/minShare, int(time.Duration(games)*c.mean/wakeTime))
}
