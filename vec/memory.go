package vec

import (
	"fmt"
	"reflect"
	"unsafe"

	"pommego/env"
)

// Memory is how many bytes a pool takes, about. They follow from its configuration
// and the sizes of one match and one of each agent.
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
	batch := int64(l.final) + int64(p.cfg.BatchGames())*12 // finished, games and lastAt
	one := int64(unsafe.Sizeof(game{})) + sizeOf(p.cfg.Game.New(1)[0])
	one += int64(p.seating.learners+p.seating.agents) + int64(p.seating.learners)*8 + 4 // rows, others, returns, phases
	if p.counts > 0 {
		one += sizeOf(env.NewTrackers(p.cfg.Game, 1, false)[0])
	}
	agents := p.lineUpBytes(p.lineUps)
	m := Memory{Pool: int64(p.cfg.Games)*one + agents, Agents: agents, Batch: batch}
	if p.cfg.BatchSize > 0 {
		all := newLayout(p.whole())
		m.Pool += int64(all.size+all.final) + 12*int64(p.cfg.Games)
	}
	return m, nil
}

// LineUpBytes is how much of a pool's memory is for the agents of line-ups, which
// must fit it.
func (p *Pool) LineUpBytes(l LineUps) (int64, error) {
	c, err := p.newCast(l)
	if err == nil {
		err = p.checkAgents(c)
	}
	if err != nil {
		return 0, err
	}
	return p.lineUpBytes(c.LineUps), nil
}

// lineUpBytes is the memory of the agents of checked line-ups, in all games.
func (p *plan) lineUpBytes(l LineUps) (sum int64) {
	bytes, known := make([]int64, len(l.Names)), map[string]int64{}
	for n, names := range l.Names {
		for _, name := range names {
			if _, seen := known[name]; !seen && name != Policy {
				agent, _ := p.newAgent(name) // has been made before
				known[name] = sizeOf(agent)
				if o, ok := agent.(env.Outside); ok {
					o.Close() // it has not been started
				}
			}
			bytes[n] += int64(unsafe.Sizeof(any(nil))) + known[name]
		}
	}
	for n := range bytes {
		sum += int64(unsafe.Sizeof(lineup{})) * int64(p.cfg.Games)
		if l.ByGame == nil {
			sum += bytes[n] * int64(p.cfg.Games)
		}
	}
	for _, n := range l.ByGame {
		sum += bytes[n]
	}
	return sum
}

// PlayerBytes is how much memory the agents take that SeatPlayers makes.
func (p *Pool) PlayerBytes(name string) (int64, error) {
	a, err := p.allowed(name, p.cfg.Game.NewAgent)
	if err != nil {
		return 0, fmt.Errorf("vec: %w", err)
	}
	return int64(p.Rows()) * (int64(unsafe.Sizeof(a)) + sizeOf(a)), nil
}

// sizeOf is the size of what v points to, with what the interfaces in it point to
// in turn. What else it refers to it shares with others of its kind.
func sizeOf(v any) int64 { return sizeBehind(reflect.ValueOf(v)) }

func sizeBehind(v reflect.Value) (size int64) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() {
		return 0
	}
	size = int64(v.Type().Size())
	if v.Kind() != reflect.Struct {
		return size
	}
	for i := range v.NumField() {
		size += sizeWithin(v.Field(i))
	}
	return size
}

// sizeWithin is the size of what the interfaces in a value point to.
func sizeWithin(v reflect.Value) (size int64) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() && v.Type() != reflect.TypeFor[env.Flag]() { // all have the same flag
			return sizeBehind(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			size += sizeWithin(v.Field(i))
		}
	}
	return size
}
