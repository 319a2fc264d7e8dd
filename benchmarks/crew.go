package benchmarks

import "sync"

// crew is goroutines that do the same job on shares of their own, all at once.
type crew struct {
	start []chan struct{}
	done  sync.WaitGroup
	steps []int
}

// newCrew starts workers goroutines; job(w) does worker w's share and returns
// how many moves that were.
func newCrew(workers int, job func(worker int) int) *crew {
	c := &crew{steps: make([]int, workers)}
	for w := range workers {
		start := make(chan struct{})
		c.start = append(c.start, start)
		go func() {
			for range start {
				c.steps[w] = job(w)
				c.done.Done()
			}
		}()
	}
	return c
}

// run does all shares once.
func (c *crew) run() int {
	c.done.Add(len(c.start))
	for _, start := range c.start {
		start <- struct{}{}
	}
	c.done.Wait()
	sum := 0
	for _, n := range c.steps {
		sum += n
	}
	return sum
}

func (c *crew) stop() {
	for _, start := range c.start {
		close(start)
	}
}

// share is worker w's part of n things.
func share(n, workers, w int) (from, to int) { return n * w / workers, n * (w + 1) / workers }
