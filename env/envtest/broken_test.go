package envtest

import (
	"encoding/json"
	"fmt"
	"strings"

	"pommego/env"
)

// broken is a toy game in which single methods are replaced: what is nil here
// is sound.
type broken struct {
	env.Game
	spec     func(s *env.Spec)
	newAll   func(n int) []env.Match
	newAgent func(name string) (env.Agent, error)
	tracker  func(t env.Tracker) env.Tracker
	match    func(m *brokenMatch) // replaces methods of each match
	agent    func(a *brokenAgent) // replaces methods of each agent

	altered *env.Spec
}

func (g *broken) Spec() *env.Spec {
	if g.spec == nil {
		return g.Game.Spec()
	}
	if g.altered == nil {
		g.altered = copySpec(g.Game.Spec())
		g.spec(g.altered)
	}
	return g.altered
}

func copySpec(s *env.Spec) *env.Spec {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	c := new(env.Spec)
	if err := json.Unmarshal(text, c); err != nil {
		panic(err)
	}
	return c
}

func (g *broken) NewTrackers(n int, events bool) []env.Tracker {
	all := g.Game.NewTrackers(n, events)
	for i := range all {
		if g.tracker != nil {
			all[i] = g.tracker(all[i])
		}
	}
	return all
}

func (g *broken) New(n int) []env.Match {
	if g.newAll != nil {
		return g.newAll(n)
	}
	all := g.Game.New(n)
	for i, sound := range all {
		m := newBrokenMatch(sound)
		if g.match != nil {
			g.match(m)
		}
		all[i] = m
	}
	return all
}

func (g *broken) NewAgent(name string) (env.Agent, error) {
	if g.newAgent != nil {
		return g.newAgent(name)
	}
	sound, err := g.Game.NewAgent(name)
	if err != nil {
		return nil, err
	}
	a := newBrokenAgent(sound)
	if g.agent != nil {
		g.agent(a)
	}
	return a, nil
}

// brokenMatch calls its fields, which are the sound match's methods until they
// are replaced.
type brokenMatch struct {
	env.Match
	reset       func(seed env.Seed)
	reseed      func(seed env.Seed)
	train       func(seat int)
	step        func(actions []uint8)
	status      func() env.Status
	rewards     func(dst []float64)
	outcome     func(dst []float64)
	mask        func(seat int, dst []uint8)
	observe     func(encoding int, seats []uint8, dst [][]byte)
	safely      func(encoding int, seats []uint8, dst [][]byte, masks []byte)
	save        func(dst []byte) []byte
	restore     func(state []byte) error
	saveJSON    func(dst []byte) ([]byte, error)
	restoreJSON func(state json.RawMessage) error
	describe    func(s *env.Scene)
}

func newBrokenMatch(m env.Match) *brokenMatch {
	safely := func(encoding int, seats []uint8, dst [][]byte, masks []byte) {
		m.Observe(encoding, seats, dst)
		for i, seat := range seats {
			n := len(masks) / len(seats)
			m.Mask(int(seat), masks[i*n:][:n])
		}
	}
	return &brokenMatch{
		m, m.Reset, m.Reseed, m.SetTrainingSeat, m.Step, m.Status, m.Rewards, m.Outcome, m.Mask, m.Observe, safely,
		m.Append, m.Restore, m.AppendJSON, m.RestoreJSON, m.Describe,
	}
}

func (m *brokenMatch) Reset(seed env.Seed)                     { m.reset(seed) }
func (m *brokenMatch) Reseed(seed env.Seed)                    { m.reseed(seed) }
func (m *brokenMatch) SetTrainingSeat(seat int)                { m.train(seat) }
func (m *brokenMatch) Step(actions []uint8)                    { m.step(actions) }
func (m *brokenMatch) Status() env.Status                      { return m.status() }
func (m *brokenMatch) Rewards(dst []float64)                   { m.rewards(dst) }
func (m *brokenMatch) Outcome(dst []float64)                   { m.outcome(dst) }
func (m *brokenMatch) Mask(seat int, dst []uint8)              { m.mask(seat, dst) }
func (m *brokenMatch) Append(dst []byte) []byte                { return m.save(dst) }
func (m *brokenMatch) Restore(state []byte) error              { return m.restore(state) }
func (m *brokenMatch) AppendJSON(dst []byte) ([]byte, error)   { return m.saveJSON(dst) }
func (m *brokenMatch) RestoreJSON(state json.RawMessage) error { return m.restoreJSON(state) }
func (m *brokenMatch) Describe(s *env.Scene)                   { m.describe(s) }
func (m *brokenMatch) Observe(encoding int, seats []uint8, dst [][]byte) {
	m.observe(encoding, seats, dst)
}

func (m *brokenMatch) ObserveSafely(encoding int, seats []uint8, dst [][]byte, masks []byte) {
	m.safely(encoding, seats, dst, masks)
}

// brokenAgent is to env.Agent what brokenMatch is to env.Match.
type brokenAgent struct {
	env.Agent
	reset      func(rng env.RNG)
	reseed     func(rng env.RNG)
	act        func(m env.Match, seat int, action []uint8)
	save       func(dst []byte) []byte
	restore    func(state []byte) error
	statistics func(visits []int32, values []float64) bool
}

func newBrokenAgent(a env.Agent) *brokenAgent {
	return &brokenAgent{a, a.Reset, a.Reseed, a.Act, a.Append, a.Restore, func([]int32, []float64) bool { return false }}
}

func (a *brokenAgent) Reset(rng env.RNG)                         { a.reset(rng) }
func (a *brokenAgent) Reseed(rng env.RNG)                        { a.reseed(rng) }
func (a *brokenAgent) Act(m env.Match, seat int, action []uint8) { a.act(m, seat, action) }
func (a *brokenAgent) Append(dst []byte) []byte                  { return a.save(dst) }
func (a *brokenAgent) Restore(state []byte) error                { return a.restore(state) }

func (a *brokenAgent) SearchStatistics(visits []int32, values []float64) bool {
	return a.statistics(visits, values)
}

// failures is a TB that keeps what is reported.
type failures []string

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	*f = append(*f, fmt.Sprintf(format, args...))
}

// of returns the report of one clause, "" if it passed.
func (f failures) of(clause string) string {
	for _, report := range f {
		if strings.HasPrefix(report, clause+":") {
			return report
		}
	}
	return ""
}

// brokenTracker is a tracker in which single methods are replaced.
type brokenTracker struct {
	env.Tracker
	step   func(m env.Match, actions []uint8)
	counts func(dst []int32)
	events func() []env.Event
}

func (t *brokenTracker) Step(m env.Match, actions []uint8) {
	if t.step == nil {
		t.Tracker.Step(m, actions)
		return
	}
	t.step(m, actions)
}

func (t *brokenTracker) Counts(_ env.Match, _ int, dst []int32) {
	if t.counts != nil {
		t.counts(dst)
	}
}

func (t *brokenTracker) Events() []env.Event {
	if t.events == nil {
		return nil
	}
	return t.events()
}
