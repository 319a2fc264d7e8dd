package vec

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// stage prepares for first-ready batches. Workers write each game's rows to a batch of
// all games, the staging batch; the rows stay there until the game is received.
func (p *Pool) stage() {
	p.staging = p.newBatch(newLayout(p.whole()), p.cfg.Games, nil)
	p.queue = newQueue(p.cfg.Games, &p.cost)
	p.sent = make([]bool, p.cfg.Games)
	p.actions = make([]uint8, p.Rows()*len(p.spec.Actions))
	p.job = job{do: (*worker).step, batch: p.staging, actions: p.actions}
}

// whole is the plan of the batch of all games.
func (p *plan) whole() *plan {
	all := *p
	all.cfg.BatchSize, all.cfg.Headroom = 0, 0
	return &all
}

// Send begins a step of each of these games, with one byte of actions for each
// component of each of their rows, in the order of games. A game that was sent must
// be received before it is sent again. On an error no step has begun.
func (p *Pool) Send(games []int32, actions []uint8) error {
	if err := p.checkSend(games, actions); err != nil {
		return err
	}
	size := len(actions) / max(1, len(games))
	for k, g := range games {
		copy(p.actions[int(g)*size:], actions[k*size:(k+1)*size])
	}
	p.queue.send(games)
	return nil
}

func (p *Pool) checkSend(games []int32, actions []uint8) error {
	components, learners := len(p.spec.Actions), p.seating.learners
	switch {
	case p.closed:
		return fmt.Errorf("Send: %w", ErrClosed)
	case p.queue == nil:
		return errors.New("Send: the pool has no BatchSize; use Step, which steps all games")
	case len(actions) != len(games)*learners*components:
		return fmt.Errorf("Send: %d bytes of actions, want %d: %d games x %d learners x %d components",
			len(actions), len(games)*learners*components, len(games), learners, components)
	}
	for k, g := range games {
		err := p.checkSendGame(int(g), actions[k*learners*components:][:learners*components])
		if err != nil {
			for _, g := range games[:k] {
				p.sent[g] = false
			}
			return err
		}
		p.sent[g] = true
	}
	return nil
}

func (p *Pool) checkSendGame(game int, actions []uint8) error {
	switch {
	case game < 0 || game >= p.cfg.Games:
		return fmt.Errorf("Send: there is no game %d, want 0 to %d", game, p.cfg.Games-1)
	case p.sent[game]:
		return fmt.Errorf("Send: game %d: %w", game, ErrSent)
	case p.phases[game] != running && p.phases[game] != ended:
		return p.refuse("Send", game)
	}
	return p.checkActions(actions, game*p.seating.learners)
}

// Recv waits until BatchSize of the games that were sent or reset are ready, and writes
// the first of them to b; Batch.Games lists them. If it returns a *GameError, that game
// is no longer under way, and b and the other games are unchanged: call Recv again.
func (p *Pool) Recv(b *Batch) error {
	if err := p.checkBatch("Recv", b); err != nil {
		return err
	}
	if p.queue == nil {
		return errors.New("Recv: the pool has no BatchSize; use Step, which steps all games")
	}
	p.announce(p.queue.meanCost())
	games, broke := p.queue.recv(p.staging.games[:0], p.cfg.BatchSize)
	for _, g := range games {
		p.sent[g] = false
	}
	switch {
	case p.stopped():
		return ErrStopped
	case broke:
		return p.games[games[0]].fault
	case len(games) == 0:
		return fmt.Errorf("Recv: %w: %d, want %d; send more, or reset", ErrFew, p.queue.sent, p.cfg.BatchSize)
	}
	b.gather(p.staging, games, p.over)
	return nil
}

// rest waits until no game is being stepped. Ready games stay ready. Calls that read or
// change games call it first.
func (p *Pool) rest() {
	if p.queue != nil && !p.closed {
		p.queue.rest()
	}
}

// resetAll begins new episodes of all games, after which all are ready. Games that were
// sent or ready before are dropped.
func (p *Pool) resetAll(b *Batch, o ResetOptions) error {
	p.queue.rest()
	p.queue.forget()
	all := p.staging.games[:0]
	for i := range p.games {
		all = append(all, int32(i))
		p.sent[i], p.over[i] = true, 0
	}
	step := p.job
	p.job = job{do: (*worker).reset, batch: p.staging, reset: o}
	p.queue.send(all)
	p.queue.rest()
	p.job = step
	return p.Recv(b)
}

// serveSent steps games that were sent, until the workers are to end. Workers that
// always find more games would occupy all processors: so after each chunk they first
// let the goroutines run that send and receive.
func (w *worker) serveSent() {
	p := w.p
	for {
		w.giveWay()
		w.games = p.queue.take(w.games[:0], len(p.workers))
		if len(w.games) == 0 {
			return
		}
		begun := time.Now()
		for _, g := range w.games {
			w.at, w.hi = int(g), int(g)+1
			w.workOn()
		}
		w.faults = w.faults[:0] // each game keeps its own fault
		p.queue.put(w.games, p.phases, time.Since(begun))
		runtime.Gosched()
	}
}
