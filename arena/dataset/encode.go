package dataset

import (
	"pommego/env"
	"pommego/internal/disk"
)

// encoder turns episodes into rows. It belongs to one goroutine.
type encoder struct {
	game   env.Game
	plan   *plan
	starts *starts
	steps  *stepRows // nil for layout Games
	table  *table
}

func newEncoder(game env.Game, p *plan) (*encoder, error) {
	s, err := newStarts(game)
	if err != nil {
		return nil, err
	}
	e := &encoder{game: game, plan: p, starts: s, table: newTable(p.about.Columns)}
	if p.config.Layout == Steps {
		spec := game.Spec()
		e.steps = newStepRows(spec, spec.Encoding(p.config.Observation), p.config.Agents, p.searched)
	}
	return e, nil
}

func (e *encoder) Close() { e.starts.Close() }

// someRows is how many rows are handed to the writer together.
const someRows = 256

// encode writes the games of a shard that are to be in the data set.
func (e *encoder) encode(p *disk.Pending, s *shard) (*summary, error) {
	c := &e.plan.config
	sh := shapeOf(e.game.Spec())
	out := newWriter(p, e.plan.about.Columns, c.Layout, e.plan.text)
	stats := newStatistics(e.game.Spec(), c.Agents)
	e.table.reset()
	for game := s.first; game < s.first+s.count; game++ {
		ep, err := s.journal.episode(game)
		if err != nil {
			return nil, err
		}
		ep.Seed = c.seed(game)
		if err := e.rows(ep); err != nil {
			return nil, err
		}
		stats.count(ep, c.Agents, sh)
		if e.table.rows() < someRows {
			continue
		}
		if err := out.write(e.table); err != nil {
			return nil, err
		}
		e.table.reset()
	}
	if err := out.write(e.table); err != nil {
		return nil, err
	}
	file, err := out.finish()
	file.Game, file.Games = s.first, stats.Games
	return &summary{file, stats}, err
}

// rows adds an episode's rows to the table.
func (e *encoder) rows(ep *Episode) error {
	if e.steps != nil {
		m, err := e.starts.begin(ep)
		if err != nil {
			return err
		}
		return e.steps.add(e.table, ep, m)
	}
	start, err := e.starts.dealt(ep.Seed)
	if err != nil {
		return err
	}
	ep.Start = start
	gameRow(e.table, ep, e.plan.config.Agents, e.plan.missed)
	return nil
}
