package benchmarks

import "sync"

type workerPool struct {
	start []chan struct{}
	done  sync.WaitGroup
	steps []int
}

func newWorkerPool(workers int, job func(worker int) int) *workerPool {
	p := &workerPool{steps: make([]int, workers)}
	for w := range workers {
		start := make(chan struct{})
		p.start = append(p.start, start)
		go func() {
			for range start {
				p.steps[w] = job(w)
				p.done.Done()
			}
		}()
	}
	return p
}

// run does all shares once and returns the number of moves made.
func (p *workerPool) run() int {
	p.done.Add(len(p.start))
	for _, start := range p.start {
		start <- struct{}{}
	}
	p.done.Wait()
	sum := 0
	for _, n := range p.steps {
		sum += n
	}
	return sum
}

func (p *workerPool) stop() {
	for _, start := range p.start {
		close(start)
	}
}

// share is worker w's part of n items.
func share(n, workers, w int) (from, to int) { return n * w / workers, n * (w + 1) / workers }

// inParallel is work on n things, of which each of the workers does its share.
func (o Options) inParallel(n int, job func(worker, from, to int) int) work {
	pool := newWorkerPool(o.workers(), func(w int) int {
		from, to := share(n, o.workers(), w)
		return job(w, from, to)
	})
	return work{pool.run, pool.stop}
}
