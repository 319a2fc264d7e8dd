package dataset

import (
	"encoding/json"
	"path/filepath"

	"pommego/env"
	"pommego/internal/disk"
	"pommego/llm/dialogue"
	"pommego/llm/words"
)

// encoder writes episodes to data files, one file after the other. It belongs to
// one goroutine.
type encoder struct {
	about   *About
	spec    *env.Spec
	columns []column
	starts  *starts
	table   *table

	// Of the layouts Steps and Dialogues.
	encoding int
	rewards  []float64
	fates    []float64
	words    *words.Writer    // of layout Dialogues, else nil
	prompt   string           // there
	models   []*dialogue.Seat // of the game under way

	// The file under way.
	name  string // with slashes
	out   *writer
	stats *Statistics
}

func newEncoder(game env.Game, about *About, columns []column) *encoder {
	spec := game.Spec()
	e := &encoder{
		about: about, spec: spec, columns: columns, starts: newStarts(game), table: newTable(descriptions(columns)),
		encoding: spec.Encoding(about.Observation), rewards: make([]float64, spec.Seats), fates: make([]float64, spec.Seats),
	}
	if about.Layout == Dialogues {
		e.words, e.starts.tracker = words.New(game, spec, e.starts.match), game.NewTrackers(1, true)[0]
		e.prompt = e.words.Prompt(words.Form{})
	}
	return e
}

// begin begins file k of the data set in a folder.
func (e *encoder) begin(w *staging, k int) error {
	about := *e.about
	if about.Generated != nil { // a file does not depend on how many others there are
		c := about.Generated.Base()
		about.Generated = &c
	}
	text, err := json.Marshal(&about)
	if err != nil {
		return err
	}
	e.name = dataName(e.about.Layout, k)
	pending, err := disk.Begin(w.disk, filepath.Join(w.folder, filepath.FromSlash(e.name)), w.scratch)
	if err != nil {
		return err
	}
	e.table.reset()
	e.out = newWriter(pending, e.about.Columns, e.about.Layout, string(text))
	e.stats = newStatistics(e.about.Agents)
	return nil
}

// abort gives up the file under way, if there is one.
func (e *encoder) abort() {
	if e.out != nil {
		e.out.pending.Abort()
	}
}

// someRows is how many rows are handed to the writer together.
const someRows = 256

func (e *encoder) put(ep *Episode) error {
	if err := e.rows(ep); err != nil {
		return err
	}
	e.stats.count(ep, e.about.Agents)
	if e.table.rows() < someRows {
		return nil
	}
	return e.flush()
}

func (e *encoder) flush() error {
	err := e.out.write(e.table)
	e.table.reset()
	return err
}

// end completes the file, which then has its name; first is the number of its first game.
func (e *encoder) end(first int) (*summary, error) {
	if err := e.flush(); err != nil {
		return nil, err
	}
	file, err := e.out.finish()
	if err == nil {
		err = e.out.pending.Commit()
	}
	file.Path, file.Game, file.Games = e.name, first, e.stats.Games
	return &summary{file, e.stats}, err
}

// rows adds an episode's rows to the table, which keeps parts of the episode.
func (e *encoder) rows(ep *Episode) error {
	if err := e.starts.complete(ep); err != nil {
		return err
	}
	if e.about.Layout != Games {
		return e.stepRows(ep)
	}
	if ep.Start == nil {
		ep.Start = e.starts.dealt(ep.Seed)
	}
	e.add(&row{e: ep, agents: e.about.Agents})
	return nil
}

func (e *encoder) add(r *row) {
	for i := range e.columns {
		if write := e.columns[i].write; write != nil {
			e.table.add(write(r))
		} else {
			e.table.addTurn(r.turns[r.seat])
		}
	}
}

// stepRows plays an episode again and adds a row for each step and seat, of layout Dialogues for
// those that are in.
func (e *encoder) stepRows(ep *Episode) error {
	m, err := e.starts.begin(ep)
	if err != nil {
		return err
	}
	e.models = e.models[:0]
	for seat := 0; e.words != nil && seat < e.spec.Seats; seat++ {
		e.models = append(e.models, dialogue.NewSeat(e.words, m, seat, words.Form{}, 0))
	}
	r := row{e: ep, agents: e.about.Agents}
	decisions := ep.Decisions
	return ep.play(m, e.starts.tracker, shapeOf(e.spec), func(step int) {
		r.step, r.before, r.now = step, m.Status(), e.look(m)
		if e.words != nil {
			r.turns = e.turns(m, &r, decisions)
		}
	}, func(step int, after env.Status) {
		if r.after = after; step == ep.Steps-1 {
			r.last = e.look(m)
		}
		m.Rewards(e.rewards)
		decided := after.Decided &^ r.before.Decided
		if clear(e.fates); decided != 0 {
			m.Outcome(e.fates)
		}
		r.counts = countsOf(e.spec, e.starts.tracker, m)
		for r.seat = range e.spec.Seats {
			if e.words != nil && !r.before.In.Has(r.seat) {
				continue
			}
			r.reward, r.fate, r.decision = e.rewards[r.seat], 0, nil
			if decided.Has(r.seat) {
				r.fate = e.fates[r.seat]
			}
			if len(decisions) > 0 && decisions[0].Step == step && decisions[0].Seat == r.seat {
				r.decision, decisions = &decisions[0], decisions[1:]
			}
			e.add(&r)
		}
		ep.Counts = r.counts
	})
}

// look writes what all seats see into the table's memory.
func (e *encoder) look(m env.Match) *shown {
	masks := e.spec.MaskSize()
	s := &shown{mask: e.table.alloc(masks * e.spec.Seats)}
	for _, f := range e.about.Fields {
		n := e.spec.Seats
		if f.Shared {
			n = 1
		}
		s.obs = append(s.obs, e.table.alloc(n*f.Size()))
	}
	if e.about.Mask == safe {
		m.(env.Careful).ObserveSafely(e.encoding, e.starts.seats, s.obs, s.mask)
		return s
	}
	if len(s.obs) > 0 {
		m.Observe(e.encoding, e.starts.seats, s.obs)
	}
	for seat := range e.spec.Seats {
		m.Mask(seat, s.mask[seat*masks:(seat+1)*masks])
	}
	return s
}
