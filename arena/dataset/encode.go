package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/ledger"
	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/record"
	"pommego/env/saved"
	"pommego/internal/disk"
)

// encoder turns episodes into rows. It belongs to one goroutine.
type encoder struct {
	about   *About
	spec    *env.Spec
	columns []column
	replay  *ledger.Replay
	table   *table

	// For the layouts Steps and Dialogues.
	encoding int
	played   []row // the rows of the current game
	tell     Tell  // the texts of the current game in layout Dialogues; else nil
}

func newEncoder(game env.Game, about *About, columns []column) *encoder {
	spec := game.Spec()
	return &encoder{
		about: about, spec: spec, columns: columns, replay: ledger.NewReplay(game, about.Layout == Dialogues),
		table: newTable(about.Columns), encoding: spec.Encoding(about.Observation),
	}
}

// summary describes a file that is complete.
type summary struct {
	File       File        `json:"file"`
	Statistics *Statistics `json:"statistics"`
}

// someRows is how many rows the writer gets at a time.
const someRows = 256

// write makes file k of the data set in a folder.
func (e *encoder) write(w *staging, k int, games []*Episode) (*summary, error) {
	about := *e.about
	if about.Generated != nil { // a file does not depend on the number of games in other files
		about.Generated = new(about.Generated.Base())
	}
	name := dataName(about.Layout, k)
	pending, err := disk.Begin(w.disk, filepath.Join(w.folder, filepath.FromSlash(name)), w.scratch)
	if err != nil {
		return nil, err
	}
	defer pending.Abort() // does nothing once the file is committed
	out, stats := newWriter(pending, about.Columns, about.Layout, string(saved.JSON(&about))), newStatistics(about.Agents)
	for i, ep := range games {
		if err := e.rows(ep); err != nil {
			return nil, fmt.Errorf("%s: %w", cmp.Or(ep.from, fmt.Sprintf("game %d", ep.Game)), err)
		}
		stats.count(ep)
		if e.table.rows() < someRows && i < len(games)-1 {
			continue
		}
		if err := out.write(e.table); err != nil {
			return nil, err
		}
		e.table.reset()
	}
	file, err := out.finish()
	if err == nil {
		err = pending.Commit()
	}
	file.Path, file.Game, file.Games = name, games[0].Game, len(games)
	return &summary{file, stats}, err
}

// gameRow adds an episode's row in layout Games. It plays the episode again if its end is unknown.
func (e *encoder) gameRow(ep *Episode) error {
	var err error
	if ep.Counts != nil {
		err = ep.Check(e.spec)
	} else if err = e.replay.Begin(&ep.Played, &ep.Ending); err == nil {
		err = e.replay.Follow(func(record.Moment) error { return nil })
	}
	if err != nil {
		return err
	}
	if ep.Start == nil {
		ep.Start = e.replay.Dealt(ep.Seed)
	}
	e.add(&row{e: ep})
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

// rows plays an episode again and adds a row for each step and seat; in layout Dialogues only for seats that are
// in. Some columns hold how the game ended, so the rows wait for the end. The table refers to the episode's memory.
func (e *encoder) rows(ep *Episode) error {
	if e.about.Layout == Games {
		return e.gameRow(ep)
	}
	if err := e.replay.Begin(&ep.Played, &ep.Ending); err != nil {
		return err
	}
	if e.played = e.played[:0]; e.about.Layout == Dialogues {
		if NewTell == nil {
			return fmt.Errorf("layout %s needs NewTell, which puts games in words", Dialogues)
		}
		e.tell = NewTell(e.replay.Game, e.replay.Match)
	}
	rewards, fates := make([]float64, e.spec.Seats), make([]float64, e.spec.Seats)
	r, left := row{e: ep, step: -1}, ep.Decisions // the decisions from the row's step on
	err := e.replay.Follow(func(at record.Moment) error {
		m := at.Match
		if r.after = m.Status(); r.step == ep.Steps-1 {
			r.last = e.look(m)
		}
		m.Rewards(rewards)
		decided := r.after.Decided &^ r.before.Decided
		if clear(fates); decided != 0 {
			m.Outcome(fates)
		}
		r.counts = ledger.CountsOf(e.spec, at.Tracker, m)
		for r.seat = range e.spec.Seats {
			if r.step < 0 || e.tell != nil && !r.before.In.Has(r.seat) {
				continue
			}
			r.reward, r.fate, r.decision = rewards[r.seat], 0, nil
			if decided.Has(r.seat) {
				r.fate = fates[r.seat]
			}
			if len(left) > 0 && left[0].Step == r.step && left[0].Seat == r.seat {
				r.decision, left = &left[0], left[1:]
			}
			e.played = append(e.played, r)
		}
		if r.step++; r.step < ep.Steps {
			r.before, r.now = r.after, e.look(m)
			if e.tell != nil {
				r.turns = e.turns(m, &r, left)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range e.played {
		e.add(&e.played[i])
	}
	return nil
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
		m.(env.Careful).ObserveSafely(e.encoding, e.replay.Seats, s.obs, s.mask)
		return s
	}
	if len(s.obs) > 0 {
		m.Observe(e.encoding, e.replay.Seats, s.obs)
	}
	for seat := range e.spec.Seats {
		m.Mask(seat, s.mask[seat*masks:(seat+1)*masks])
	}
	return s
}

// Tell returns what layout Dialogues has of a seat before a step: the prompt, what the seat knows, and the answer
// that plays its action. The answer gives a reason if there are values, those of all choices from a search.
type Tell = func(now *scene.Step, seat int, action []uint8, values []float64) [3]string

// NewTell begins to tell a game; m is at its start, and follows it. A program that makes or verifies data sets of
// layout Dialogues sets it.
var NewTell func(game env.Game, m env.Match) Tell

// dialogueColumns are the columns that layout Dialogues has in place of observations.
func dialogueColumns(about *Env) []column {
	return []column{
		{Column{Name: "env", Type: String, Meaning: "the game's id"},
			func(*row) parquet.Value { return text(about.ID) }, nil},
		{Column: Column{Name: "messages", Type: Messages,
			Meaning: "system: what a model reads first; user: what the seat knows; assistant: its reason, if it has searched, " +
				"and its action"}},
	}
}

// turns returns, for each seat that is in, the text that it reads before a step and its answer. left
// has the episode's decisions from this step on.
func (e *encoder) turns(m env.Match, r *row, left []ledger.Decision) map[int]turn {
	turns, now := map[int]turn{}, scene.Describe(e.spec, m, e.replay.Tracker, nil)
	now.Events = e.replay.Tracker.Events()
	parts := len(e.spec.Actions)
	for _, seat := range now.Status.In {
		at := slices.IndexFunc(left[:min(len(left), e.spec.Seats)], func(d ledger.Decision) bool {
			return d.Step == r.step && d.Seat == seat
		})
		var values []float64
		if at >= 0 && left[at].Arrays[ledger.Values] != nil {
			values = make([]float64, e.spec.MaskSize())
			_, _ = binary.Decode(left[at].Arrays[ledger.Values], le, values)
		}
		turns[seat] = e.tell(&now, seat, r.e.Actions[(r.step*e.spec.Seats+seat)*parts:][:parts], values)
	}
	return turns
}
