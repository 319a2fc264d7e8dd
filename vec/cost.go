package vec

import "time"

// The pool measures the time that steps of games take. The time decides how work is
// distributed: how many workers a call wakes, and how many games a worker takes at a
// time. So it affects which worker steps a game and when, but never the result.

const (
	// minShare is the fewest games that are worth a worker, however short their steps are:
	// waking a worker costs as much as stepping them.
	minShare = 64
	// wakeTime is the work that is worth a worker, however few games it is.
	wakeTime = 50 * time.Microsecond

	// chunkGames is the most games that a worker takes at a time. chunkTime is how long
	// they should take, because games after a slow one have to wait for it.
	chunkGames = 32
	chunkTime  = 20 * time.Microsecond

	// waitingWorkers is how many workers a pool may have, beyond one for each core, for
	// agents that wait for something outside this program.
	waitingWorkers = 64
)

// cost is how long a step of one game takes on average.
type cost struct {
	mean time.Duration
	last time.Duration // the same in the last step
}

// note adds a step: its number of games, and the time it took, summed over workers. Of
// two consecutive steps the shorter one counts, since during the other the system may
// have run other programs.
func (c *cost) note(games int, took time.Duration) {
	now := took / time.Duration(games)
	c.mean += (min(now, c.last) - c.mean) / 4
	c.last = now
}

// chunk returns how many games a worker should take at a time.
func (c *cost) chunk() int {
	return int(min(chunkGames, max(1, chunkTime/max(1, c.mean))))
}

func (c *cost) workers(games int) int {
	return max(1, games/minShare, int(time.Duration(games)*c.mean/wakeTime))
}
