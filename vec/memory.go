package vec

import "unsafe"

const (
	// matchBytes is what one match of the largest game takes, with its tracker, and
	// agentBytes what the largest built-in agent takes in one seat.
	matchBytes = 2 << 10
	agentBytes = 3 << 10
)

// Memory is how many bytes a pool takes at most. They follow from its configuration.
type Memory struct {
	Pool   int64 // its games and their agents; with a BatchSize, the batch of all games
	Agents int64 // of Pool, for the agents
	Batch  int64 // each batch, besides the memory given to NewBatch
}

// MemoryOf is what a pool with this configuration will take. Not counted are the
// workers' buffers, which do not grow with games, and the memory in which agents
// search, which they share.
func MemoryOf(cfg Config) (Memory, error) {
	p, err := resolve(cfg)
	if err != nil {
		return Memory{}, err
	}
	l := newLayout(p)
	one := int64(unsafe.Sizeof(game{})) + matchBytes
	one += int64(p.seating.learners+p.seating.agents) + int64(p.seating.learners)*8 + 4 // rows, others, returns, phases
	if cfg.StepCounts {
		one += int64(p.seating.learners) * int64(p.counts) * 4
	}
	m := Memory{Agents: p.lineUpBytes(p.lineUps),
		Batch: int64(l.final) + 12*int64(p.cfg.BatchGames())} // finished, games and lastAt
	m.Pool = int64(p.cfg.Games)*one + m.Agents
	if p.cfg.BatchSize > 0 {
		all := newLayout(p.whole())
		m.Pool += int64(all.size+all.final) + 12*int64(p.cfg.Games)
	}
	return m, nil
}

// LineUpBytes is how much of a pool's memory the agents of line-ups take.
func (p *Pool) LineUpBytes(l LineUps) int64 { return p.lineUpBytes(l) }

func (p *plan) lineUpBytes(l LineUps) int64 {
	made := len(l.Names) // of each game, line-ups with agents
	if l.ByGame != nil {
		made = 1
	}
	each := len(l.Names)*int(unsafe.Sizeof(lineup{})) + made*p.seating.agents*agentBytes
	return int64(p.cfg.Games) * int64(each)
}

// PlayerBytes is how much memory the agents take that SeatPlayers makes.
func (p *Pool) PlayerBytes() int64 { return int64(p.Rows()) * agentBytes }
