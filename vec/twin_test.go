package vec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"pommego/env"
)

// twin is what a pool should do, written to be obviously right and nothing else:
// one object a game, one map a row, one seat observed at a time.
type twin struct {
	cfg     Config
	spec    *env.Spec
	lineUps LineUps // as last set
	first   int     // the number of the first of them
	games   []*twinGame
}

type twinGame struct {
	number   int
	match    env.Match
	tracker  env.Tracker
	lineUp   int // its number
	learners []int
	agents   map[int]env.Agent // by seat
	seed     env.Seed
	before   env.SeatSet // who was in before the last step
	seeded   bool
	finished bool
	decided  map[int]bool
	returns  map[int]float64
}

// record is what a batch says of one game: by field, the bytes of each row, or
// one entry if the field is per game.
type record map[string][][]byte

func newTwin(cfg Config) *twin {
	t := &twin{cfg: cfg, spec: cfg.Game.Spec(), lineUps: cfg.LineUps}
	if names := slices.DeleteFunc(slices.Clone(append(cfg.Opponents, cfg.Seats...)),
		func(name string) bool { return name == Learner }); len(names) > 0 {
		t.lineUps.Names = [][]string{names}
	}
	for i := range cfg.Games {
		t.games = append(t.games, &twinGame{number: i, match: cfg.Game.New(1)[0]})
	}
	return t
}

// lineUp is the number of who plays the seats that do not learn.
func (t *twin) lineUp(g *twinGame, seed env.Seed) int {
	switch {
	case t.lineUps.ByGame != nil:
		return int(t.lineUps.ByGame[g.number])
	case t.lineUps.Weights == nil:
		return 0
	}
	sum := 0.0
	for _, weight := range t.lineUps.Weights {
		sum += weight
	}
	rng := seed.RNG(env.StreamLineUps)
	point := math.Ldexp(float64(rng.Uint64()>>11), -53) * sum
	for n, weight := range t.lineUps.Weights {
		if point -= weight; point < 0 {
			return n
		}
	}
	panic("no line-up is drawn")
}

// begin begins an episode.
func (t *twin) begin(g *twinGame, seed env.Seed) {
	g.seed, g.seeded, g.finished = seed, true, false
	g.decided, g.returns = map[int]bool{}, map[int]float64{}
	g.learners, g.agents = nil, map[int]env.Agent{}
	var agents []int // their seats, in the order of the names
	switch {
	case len(t.cfg.Opponents) > 0 || len(t.cfg.LineUps.Names) > 0:
		rng := seed.RNG(env.StreamSeats)
		learner := rng.IntN(t.spec.Seats)
		if t.cfg.Seat != nil {
			learner = *t.cfg.Seat
		}
		g.learners = []int{learner}
		for k := 1; k < t.spec.Seats; k++ {
			agents = append(agents, (learner+k)%t.spec.Seats)
		}
	default:
		for seat := range t.spec.Seats {
			if len(t.cfg.Seats) == 0 || t.cfg.Seats[seat] == Learner {
				g.learners = append(g.learners, seat)
			} else {
				agents = append(agents, seat)
			}
		}
	}
	n := t.lineUp(g, seed)
	g.lineUp = t.first + n
	own := len(g.learners)
	for k, seat := range agents {
		if t.policyAt(k, seat) {
			g.learners = append(g.learners, seat)
		}
		name := t.lineUps.Names[n][k]
		if name == Policy {
			continue
		}
		agent, err := t.cfg.Game.NewAgent(name)
		if err != nil {
			panic(err)
		}
		agent.Reset(seed.RNG(env.StreamAgents + uint64(seat)))
		g.agents[seat] = agent
	}
	g.match.Reset(seed)
	g.tracker = t.cfg.Game.NewTrackers(1, false)[0]
	g.tracker.Begin(g.match)
	alone := len(t.spec.Teams) == t.spec.Seats
	if own == 1 && alone && t.cfg.OnDeath == End {
		g.match.SetTrainingSeat(g.learners[0])
	}
}

// policyAt reports whether opponent k, in this seat, has a row: it is a policy in a
// line-up that the pool was made with.
func (t *twin) policyAt(k, seat int) bool {
	for _, names := range t.cfg.LineUps.Names {
		if names[k] == Policy {
			return true
		}
	}
	return len(t.cfg.Seats) > 0 && t.cfg.Seats[seat] == Policy
}

// reset is Pool.Reset.
func (t *twin) reset(o ResetOptions) []record {
	var all []record
	for i, g := range t.games {
		if o.Mask == nil || o.Mask[i] {
			switch {
			case o.Seed != nil:
				t.begin(g, env.Seed{Value: *o.Seed + uint64(i)})
			case o.Seeds != nil:
				t.begin(g, env.Seed{Value: o.Seeds[i]})
			default:
				t.begin(g, env.Seed{Value: g.seed.Value, Episode: g.seed.Episode + 1})
			}
		}
		all = append(all, t.quiet(g))
	}
	return all
}

// step is Pool.Step.
func (t *twin) step(actions []uint8) []record {
	var all []record
	for _, g := range t.games {
		n := len(t.games[0].learners) * len(t.spec.Actions)
		all = append(all, t.stepGame(g, actions[:n]))
		actions = actions[n:]
	}
	return all
}

func (t *twin) stepGame(g *twinGame, rows []uint8) record {
	if g.finished {
		t.begin(g, env.Seed{Value: g.seed.Value, Episode: g.seed.Episode + 1})
		return t.quiet(g)
	}
	components := len(t.spec.Actions)
	acts := make([]uint8, t.spec.Seats*components)
	for k, seat := range g.learners {
		copy(acts[seat*components:(seat+1)*components], rows[k*components:])
	}
	for seat, agent := range g.agents {
		if g.match.Status().In.Has(seat) {
			agent.Act(g.match, seat, acts[seat*components:(seat+1)*components])
		}
	}
	before := t.counts(g)
	g.before = g.match.Status().In
	g.tracker.Step(g.match, acts)
	r := t.after(g)
	t.stepCounts(r, before, t.counts(g))
	if r["game.done"][0][0] == 1 {
		g.finished = true
		if t.cfg.Autoreset == SameStep {
			final := t.shows(g)
			t.begin(g, env.Seed{Value: g.seed.Value, Episode: g.seed.Episode + 1})
			for name, v := range final {
				r["final."+name] = v
			}
		}
	}
	t.present(g, r)
	return r
}

// after is what a step says of rewards and ends.
func (t *twin) after(g *twinGame) record {
	st := g.match.Status()
	terminated := st.Over
	truncated := t.cfg.MaxEpisodeSteps > 0 && st.Steps >= t.cfg.MaxEpisodeSteps && !terminated
	pay, outcome := make([]float64, t.spec.Seats), make([]float64, t.spec.Seats)
	g.match.Rewards(pay)
	g.match.Outcome(outcome)
	r := record{}
	for _, seat := range g.learners {
		reward := pay[seat]
		if t.cfg.Reward == Outcome {
			reward = 0
			if st.Decided.Has(seat) && !g.decided[seat] {
				g.decided[seat], reward = true, outcome[seat]
			}
		}
		g.returns[seat] += reward
		r.add("reward", float(reward))
		r.add("terminated", truth(terminated))
		r.add("truncated", truth(truncated))
	}
	t.statistics(g, r, terminated || truncated)
	return r
}

// quiet is what a game says when it has not been stepped.
func (t *twin) quiet(g *twinGame) record {
	r := record{}
	for range g.learners {
		r.add("reward", float(0))
		r.add("terminated", truth(false))
		r.add("truncated", truth(false))
	}
	t.statistics(g, r, false)
	t.stepCounts(r, t.counts(g), t.counts(g))
	t.present(g, r)
	return r
}

// counts are those of the learners.
func (t *twin) counts(g *twinGame) (all [][]int32) {
	for _, seat := range g.learners {
		own := make([]int32, len(t.spec.Counts))
		g.tracker.Counts(g.match, seat, own)
		all = append(all, own)
	}
	return all
}

func (t *twin) stepCounts(r record, before, after [][]int32) {
	if !t.cfg.StepCounts || len(t.spec.Counts) == 0 {
		return
	}
	for k := range after {
		var own []byte
		for i := range after[k] {
			own = binary.LittleEndian.AppendUint32(own, uint32(after[k][i]-before[k][i]))
		}
		r.add("counts", own)
	}
}

func (t *twin) statistics(g *twinGame, r record, done bool) {
	st := g.match.Status()
	for _, seat := range g.learners {
		r.add("game.return", float(g.returns[seat]))
	}
	var winners []byte
	for seat := range t.spec.Seats {
		winners = append(winners, truth(st.Winners.Has(seat))...)
	}
	for _, seat := range g.learners {
		if !t.cfg.Counts {
			break
		}
		counts := make([]int32, len(t.spec.Counts))
		if done {
			g.tracker.Counts(g.match, seat, counts)
		}
		var own []byte
		for _, n := range counts {
			own = binary.LittleEndian.AppendUint32(own, uint32(n))
		}
		if own != nil {
			r.add("game.counts", own)
		}
	}
	r.add("game.done", truth(done))
	r.add("game.length", binary.LittleEndian.AppendUint32(nil, uint32(st.Steps)))
	results := st.SeatResults(t.spec.Teams, g.before)
	for _, seat := range g.learners {
		code := uint8(0)
		if st.Over {
			code = results[seat].Code()
		}
		r.add("game.result", []byte{code})
	}
	r.add("game.winners", winners)
}

// present adds what the game shows now.
func (t *twin) present(g *twinGame, r record) {
	for name, v := range t.shows(g) {
		r[name] = v
	}
	r["game.seed"] = [][]byte{binary.LittleEndian.AppendUint64(nil, g.seed.Value)}
	r["game.episode"] = [][]byte{binary.LittleEndian.AppendUint64(nil, g.seed.Episode)}
	r["game.line_up"] = [][]byte{binary.LittleEndian.AppendUint32(nil, uint32(g.lineUp))}
}

func (t *twin) shows(g *twinGame) record {
	r := record{}
	encoding := max(0, t.spec.Encoding(t.cfg.Observation))
	for k, seat := range g.learners {
		var dst [][]byte
		for i := range t.spec.Encodings[encoding].Fields {
			dst = append(dst, make([]byte, t.spec.Encodings[encoding].Fields[i].Size()))
		}
		g.match.Observe(encoding, []uint8{uint8(seat)}, dst)
		for i, f := range t.spec.Encodings[encoding].Fields {
			if !f.Shared || k == 0 {
				r.add("obs."+f.Name, dst[i])
			}
		}
		mask := make([]uint8, t.spec.MaskSize())
		g.match.Mask(seat, mask)
		r.add("action_mask", mask)
		r.add("alive", truth(g.match.Status().In.Has(seat)))
		r.add("seat", []byte{uint8(seat)})
	}
	if t.cfg.State {
		var dst [][]byte
		for i := range t.spec.State {
			dst = append(dst, make([]byte, t.spec.State[i].Size()))
		}
		g.match.Observe(env.GlobalState, nil, dst)
		for i, f := range t.spec.State {
			r.add("state."+f.Name, dst[i])
		}
	}
	return r
}

func (r record) add(name string, v []byte) { r[name] = append(r[name], v) }

func truth(b bool) []byte { return []byte{toByte(b)} }

func float(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) }

// compare says where a batch differs from the twin's records.
func compare(b *Batch, want []record) error {
	for _, f := range b.pool.layout.tensors {
		var all []byte
		for _, r := range want {
			all = append(all, slices.Concat(r[f.Name]...)...)
		}
		if err := sameField(&f, b.Bytes(f.Name), all); err != nil {
			return err
		}
	}
	var finished []int32
	for g, r := range want {
		if r["game.done"][0][0] == 0 {
			continue
		}
		finished = append(finished, int32(g))
		for _, f := range b.pool.layout.finals {
			n := int(f.MemSize()) / b.pool.Games()
			if err := sameField(&f, b.Bytes(f.Name)[b.FinalAt(int32(g))*n:][:n], slices.Concat(r[f.Name]...)); err != nil {
				return fmt.Errorf("game %d: %w", g, err)
			}
		}
	}
	if !slices.Equal(b.Finished(), finished) {
		return fmt.Errorf("finished games are %v, want %v", b.Finished(), finished)
	}
	return nil
}

func sameField(f *Tensor, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	if len(got) != len(want) {
		return fmt.Errorf("%s has %d bytes, want %d", f.Name, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			n := int(f.Dtype().Size())
			i = i / n * n
			return fmt.Errorf("%s %v: element %d is %v, want %v", f.Name, f.Shape(), i/n, got[i:i+n], want[i:i+n])
		}
	}
	return nil
}

// TestTwin runs pool and twin side by side through steps and everything that can
// come in between.
func TestTwin(t *testing.T) {
	eachConfig(t, func(t *testing.T, cfg Config) {
		cfg.Workers = 2
		p, tw := make1(t, cfg), newTwin(cfg)
		batches := []*Batch{p.NewBatch(nil), p.NewBatch(nil)}
		pl := &player{spec: p.Spec(), rng: env.RNG{State: 5}}
		b := batches[0]
		must(t, p.Reset(b, ResetOptions{Seed: ptr(100)}))
		if err := compare(b, tw.reset(ResetOptions{Seed: ptr(100)})); err != nil {
			t.Fatalf("first reset: %v", err)
		}
		episodes := 0
		for n := range 300 {
			var want []record
			now := batches[n%2]
			if o, names, yes := pl.interlude(p, b); yes {
				if names != nil {
					must(t, setOpponents(p, names))
					tw.first += len(tw.lineUps.Names)
					tw.lineUps = LineUps{Names: [][]string{names}}
				}
				must(t, p.Reset(now, o))
				want = tw.reset(o)
			} else {
				actions := pl.actions(b, resetNext(b))
				must(t, p.Step(now, actions))
				want = tw.step(actions)
			}
			if err := compare(now, want); err != nil {
				t.Fatalf("round %d: %v", n, err)
			}
			b = now
			episodes += len(b.Finished())
		}
		if episodes < 10 {
			t.Errorf("only %d episodes ended, want 10 for the test to mean something", episodes)
		}
	})
}

// interlude says whether to reset instead of stepping, and how, and which
// opponents to change to before that.
func (pl *player) interlude(p *Pool, b *Batch) (o ResetOptions, names []string, yes bool) {
	disabled := p.cfg.Autoreset == Disabled && len(b.Finished()) > 0
	if !disabled && pl.rng.IntN(50) > 0 {
		return o, nil, false
	}
	if pl.rng.Coin() || disabled {
		o.Mask = make([]bool, p.Games())
		for i := range o.Mask {
			o.Mask[i] = b.Bytes("game.done")[i] == 1 || pl.rng.IntN(4) == 0
		}
	}
	switch pl.rng.IntN(4) {
	case 0:
		o.Seed = ptr(pl.rng.Uint64())
	case 1:
		for range p.Games() {
			o.Seeds = append(o.Seeds, pl.rng.Uint64())
		}
	}
	if p.seating.agents > 0 && pl.rng.Coin() {
		for range p.seating.agents {
			names = append(names, []string{"still", "wander", "hunter"}[pl.rng.IntN(3)])
		}
	}
	return o, names, true
}
