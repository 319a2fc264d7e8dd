package vec

import (
	"unsafe"

	"pommego/env"
)

const (
	// matchBytes is the memory of one match of the largest game with its tracker.
	// agentBytes is that of the largest built-in agent in one seat.
	matchBytes = 2 << 10
	agentBytes = 3 << 10
	// nameBytes is what the name of an agent takes besides its letters.
	nameBytes = 40
)

// VariantBytes is how many bytes a game with rules of its own takes, once for all its matches.
const VariantBytes = 320 << 10

// Memory is how many bytes a pool takes at most. They follow from its configuration.
type Memory struct {
	Pool   int64 // its games and their agents; with a BatchSize, the batch of all games
	Agents int64 // the part of Pool that the agents take
	Slab   int64 // of one batch: the memory to give to NewBatch
	Batch  int64 // of one batch, besides Slab

	// Searches is what the workers take while agents search: for each worker the most that any one agent
	// needs. If agents that come later need more, the pool asks Config.Reserve for the difference.
	Searches int64
}

// memory is what a pool of the plan will take, but for the workers' buffers, which do
// not grow with the games.
func (p *plan) memory(l *layout) Memory {
	one := int64(unsafe.Sizeof(game{})) + matchBytes
	one += int64(p.seating.learners+p.seating.agents) + int64(p.seating.learners)*8 + 4 // rows, others, returns, phases
	if p.cfg.StepCounts {
		one += int64(p.seating.learners) * int64(p.counts) * 4
	}
	m := Memory{Agents: p.LineUpBytes(p.lineUps), Searches: p.searches, Slab: int64(l.size),
		Batch: int64(l.final) + 12*int64(p.cfg.BatchGames())} // finished, games and lastAt
	m.Pool = int64(p.cfg.Games)*one + m.Agents + int64(len(p.cfg.Variants.Games))*VariantBytes
	if p.cfg.BatchSize > 0 {
		all := newLayout(p.whole())
		m.Pool += int64(all.size+all.final) + 12*int64(p.cfg.Games)
	}
	return m
}

// LineUpBytes is how much of a pool's memory the agents of line-ups take.
func (p *plan) LineUpBytes(l LineUps) int64 {
	made, kept := len(l.Names), len(l.Names) // for each game: line-ups with agents, and all
	switch {
	case p.cfg.model != nil:
		made, kept = 1, 0 // those of the state
	case l.ByGame != nil:
		made = 1
	}
	each := int64(kept)*int64(unsafe.Sizeof(lineup{})) + int64(made)*int64(p.seating.agents)*agentBytes
	texts := 16 * len(l.Weights)
	for _, names := range l.Names {
		texts += nameBytes
		for _, name := range names {
			texts += nameBytes + len(name)
		}
	}
	return int64(p.cfg.Games)*each + int64(texts)
}

// Reserved is how many bytes Config.Reserve has granted. Refused requests do not count.
func (p *Pool) Reserved() int64 { return p.reserved }

// admit notes how much memory an agent needs to search, and asks Config.Reserve for what goes beyond the
// largest need so far. The need never falls, because games may still play with agents that were replaced.
func (p *plan) admit(a env.Agent) error {
	largest, waits := max(p.largest, a.SearchBytes()), p.waits || a.Waits()
	more := max(largest*int64(p.workerCount(waits))-p.searches, 0)
	if p.made && more > 0 && p.cfg.Reserve != nil {
		if err := p.cfg.Reserve(more); err != nil {
			return err
		}
		p.reserved += more
	}
	p.largest, p.waits, p.searches = largest, waits, p.searches+more
	return nil
}

// LoadBytes is how many bytes LoadAll takes while it loads so many games: for matches and agents besides the pool's.
func (p *Pool) LoadBytes(games int) int64 {
	return int64(games) * (matchBytes + int64(p.seating.agents)*agentBytes)
}

// PlayerBytes is how much memory the agents take that SeatPlayers makes.
func (p *Pool) PlayerBytes() int64 { return int64(p.Rows()) * agentBytes }
