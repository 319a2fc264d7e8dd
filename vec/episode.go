package vec

import (
	"slices"

	"pommego/env"
)

// phase is the state of a game in the pool.
type phase uint8

const (
	unset   phase = iota // never reset
	running              // can be stepped
	ended                // its episode is over; it needs a reset
	broken               // it panicked; the caller has to reset it
)

type game struct {
	match   env.Match
	tracker env.Tracker // follows match; nil if nothing is counted
	watcher Watcher     // nil: nobody watches
	seed    env.Seed
	seeded  bool
	status  env.Status  // the status of match after its last step
	before  env.SeatSet // the seats that were in before that step
	variant int         // the variant whose rules the match is played by

	rows    []uint8 // the learners' seats
	others  []uint8 // the agents' seats
	returns []float64
	actions []uint8 // the actions of the last step, by seat; none at first

	lineup  lineup               // who plays this episode
	made    []lineup             // by number: the line-ups that the game can have
	outside map[env.Agent]string // the open agents outside this program, with their names
	begun   int                  // steps of the match before this episode

	fault *GameError // why the game is broken
}

// lineup says who plays the seats of one game that do not learn, in the order of the
// opponents.
type lineup struct {
	names   []string
	agents  []env.Agent // nil where the caller plays
	outside bool        // some of the agents are outside this program
	number  int         // its number among all line-ups that the pool has had, -1 if it is none of them
}

// waits reports whether one of the agents waits for something outside this program.
func (l *lineup) waits() bool {
	return slices.ContainsFunc(l.agents, func(a env.Agent) bool { return a != nil && a.Waits() })
}

// reset does what Reset asks of game i.
func (w *worker) reset(i int) {
	p, g := w.p, &w.p.games[i]
	o := &p.job.reset
	if o.Mask != nil && !o.Mask[i] {
		w.show(i)
		return
	}
	seed := env.Seed{Value: g.seed.Value, Episode: g.seed.Episode + 1}
	switch {
	case o.Seed != nil:
		seed = env.Seed{Value: *o.Seed + uint64(i)}
	case o.Seeds != nil:
		seed = env.Seed{Value: o.Seeds[i]}
	case !g.seeded:
		seed = env.Seed{Value: p.entropy + uint64(i)}
	}
	var start *Start
	if o.Starts != nil {
		start = o.Starts[i]
	}
	if start == nil {
		start = p.starts.draw(seed)
	}
	w.beginAt(i, seed, start)
	w.show(i)
}

func (w *worker) next(i int) {
	seed := w.p.games[i].seed
	seed.Episode++
	w.beginAt(i, seed, w.p.starts.draw(seed))
}

// beginAt begins an episode of game i, in a saved position unless that is nil.
func (w *worker) beginAt(i int, seed env.Seed, start *Start) {
	p, g := w.p, &w.p.games[i]
	g.seed, g.seeded, g.fault, g.begun, g.actions = seed, true, nil, 0, g.actions[:0]
	p.seating.deal(seed, g.rows, g.others)
	if start == nil {
		p.cfg.Variants.play(g, p.cfg.Variants.pick(i, seed))
		g.match.Reset(seed)
	} else {
		start.begin(i, seed)
	}
	if g.tracker != nil {
		g.tracker.Begin(g.match)
	}
	p.count(i, p.counted) // those with which the episode begins
	if p.train {
		g.match.SetTrainingSeat(int(g.rows[0]))
	}
	g.field(g.made[p.lineUpSet.pick(i, seed)])
	for k, a := range g.lineup.agents {
		if a != nil {
			a.Reset(seed.RNG(env.StreamAgents + uint64(g.others[k])))
		}
	}
	clear(g.returns)
	g.status = g.match.Status()
	p.phases[i] = running
	p.tell(i)
}

// step does what Step asks of game i.
func (w *worker) step(i int) {
	p, g, b := w.p, &w.p.games[i], w.p.job.batch
	if p.phases[i] == ended { // only with autoreset: otherwise checkStep refuses
		w.next(i)
		w.show(i)
		return
	}
	if !w.move(i, w.given(i)) {
		return
	}
	done := w.score(i)
	if done {
		g.lineup.each(func(k int, o env.Outside) { o.End(g.match, g.tracker, int(g.others[k])) })
		p.phases[i], p.over[i] = ended, 1
		if p.cfg.Autoreset == SameStep {
			place := i // with Config.BatchSize the final position stays in the game's own place until the game is received
			if p.queue == nil {
				place = b.nextFinal(i)
			}
			w.write(place, i, &b.last)
			w.next(i)
		}
	}
	w.writeEpisode(i)
	w.write(i, i, &b.now)
}

// given returns the caller's actions for the rows of game i.
func (w *worker) given(i int) []uint8 {
	n := len(w.p.games[i].rows) * len(w.p.spec.Actions)
	return w.p.job.actions[i*n : (i+1)*n]
}

// move makes the step with the actions of the rows and the agents. It makes none, and returns false, if the pool was
// stopped as the agents decided: their actions do not count.
func (w *worker) move(i int, given []uint8) bool {
	g, actions := &w.p.games[i], given
	if len(g.others) > 0 {
		if actions = w.decide(g, given); w.p.stopped() {
			return false
		}
	}
	w.acting = actions
	if g.tracker != nil {
		g.tracker.Step(g.match, actions)
	} else {
		g.match.Step(actions)
	}
	w.acting = nil
	g.actions = append(g.actions[:0], actions...)
	if g.watcher != nil {
		g.watcher.Stepped(actions)
	}
	return true
}

// decide returns the actions of all seats: those of the rows and those of the agents.
// Each agent sees the position before the step.
func (w *worker) decide(g *game, given []uint8) []uint8 {
	components := len(w.p.spec.Actions)
	for k, seat := range g.rows {
		copy(w.actions[int(seat)*components:], given[k*components:(k+1)*components])
	}
	for k, a := range g.lineup.agents {
		if a == nil {
			continue
		}
		seat := int(g.others[k])
		action := w.actions[seat*components : (seat+1)*components]
		clear(action)
		if g.status.In.Has(seat) {
			a.Act(g.match, seat, action)
		}
	}
	return w.actions
}

// score writes what the step paid and whether it ended the episode.
func (w *worker) score(i int) (done bool) {
	p, g, b := w.p, &w.p.games[i], w.p.job.batch
	before := g.status.Decided
	g.before, g.status = g.status.In, g.match.Status()
	if p.cfg.Reward == Reference {
		g.match.Rewards(w.numbers)
		w.pay(i, env.AllSeats(p.spec.Seats))
	} else if decided := g.status.Decided &^ before; decided != 0 {
		g.match.Outcome(w.numbers)
		w.pay(i, decided)
	}
	terminated := g.status.Over
	truncated := !terminated && p.cfg.MaxEpisodeSteps > 0 && g.status.Steps-g.begun >= p.cfg.MaxEpisodeSteps
	done = terminated || truncated
	if done {
		b.done[i] = 1
		for row := i * len(g.rows); row < (i+1)*len(g.rows); row++ {
			b.terminated[row], b.truncated[row] = toByte(terminated), toByte(truncated)
		}
	}
	w.writeGame(i, done)
	if b.stepCounts != nil {
		w.writeStepCounts(i)
	}
	return done
}

// pay adds to the rows of these seats the rewards in w.numbers.
func (w *worker) pay(i int, seats env.SeatSet) {
	g, b := &w.p.games[i], w.p.job.batch
	for k, seat := range g.rows {
		if seats.Has(int(seat)) {
			row := i*len(g.rows) + k
			g.returns[k] += w.numbers[seat]
			b.reward[row] += w.numbers[seat] // adds, because Play makes several steps
			b.returns[row] = g.returns[k]
		}
	}
}

// show writes the position of game i, with rewards and flags 0.
func (w *worker) show(i int) {
	p, g, b := w.p, &w.p.games[i], w.p.job.batch
	if p.phases[i] == unset || p.phases[i] == broken {
		w.blank(i)
		return
	}
	copy(b.returns[i*len(g.rows):], g.returns) // the episode may have just begun
	w.writeGame(i, false)
	w.writeEpisode(i)
	w.write(i, i, &b.now)
}

func (w *worker) writeEpisode(i int) {
	g, b := &w.p.games[i], w.p.job.batch
	b.seed[i], b.episode[i] = g.seed.Value, g.seed.Episode
	if b.lineUp != nil {
		b.lineUp[i] = int32(g.lineup.number)
	}
}

// clearFlags writes, for games from to to-1, what holds for most games in most steps:
// nothing has been paid, and no episode has ended.
func (w *worker) clearFlags(from, to int) {
	p, b := w.p, w.p.job.batch
	n, seats := p.seating.learners, p.spec.Seats
	clear(b.reward[from*n : to*n])
	clear(b.terminated[from*n : to*n])
	clear(b.truncated[from*n : to*n])
	copy(b.returns[from*n:to*n], p.returns[from*n:])
	if b.counts != nil {
		clear(b.counts[from*n*p.counts : to*n*p.counts])
	}
	if b.stepCounts != nil {
		clear(b.stepCounts[from*n*p.counts : to*n*p.counts])
	}
	clear(b.done[from:to])
	clear(b.winners[from*seats : to*seats])
	clear(b.result[from*n : to*n]) // undecided
}

// writeGame writes the statistics of the episode so far.
func (w *worker) writeGame(i int, done bool) {
	p, g, b := w.p, &w.p.games[i], w.p.job.batch
	b.length[i] = int32(g.status.Steps - g.begun)
	if done {
		p.count(i, b.counts)
	}
	if b.late != nil {
		b.late[i], b.failed[i], b.void[i] = g.lineup.missed()
	}
	if !g.status.Over {
		return
	}
	team := len(p.spec.Teams) < p.spec.Seats
	for k, seat := range g.rows {
		b.result[i*len(g.rows)+k] = g.status.SeatResult(int(seat), team, g.before).Code()
	}
	winners := b.winners[i*p.spec.Seats : (i+1)*p.spec.Seats]
	for seat := range winners {
		winners[seat] = toByte(g.status.Winners.Has(seat))
	}
}

// writeStepCounts adds what was counted since the last step.
func (w *worker) writeStepCounts(i int) {
	p, g, n := w.p, &w.p.games[i], w.p.counts
	changed := g.tracker.Changed()
	for k, seat := range g.rows {
		if !changed.Has(int(seat)) {
			continue
		}
		at := (i*len(g.rows) + k) * n
		before, now := p.counted[at:at+n], w.counts[:n]
		g.tracker.Counts(g.match, int(seat), now)
		for c := range now {
			p.job.batch.stepCounts[at+c] += now[c] - before[c]
		}
		copy(before, now)
	}
}

// count writes what is counted so far for the rows of game i, unless to is nil.
func (p *Pool) count(i int, to []int32) {
	if to == nil {
		return
	}
	g, n := &p.games[i], p.counts
	for k, seat := range g.rows {
		at := (i*len(g.rows) + k) * n
		g.tracker.Counts(g.match, int(seat), to[at:at+n])
	}
}

// write writes what the rows of game i see into the rows of game number slot.
func (w *worker) write(slot, i int, to *shown) {
	p, g := w.p, &w.p.games[i]
	first := slot * len(g.rows)
	for f := range to.obs {
		w.obs[f] = to.obs[f].ofGame(slot)
	}
	for k, seat := range g.rows {
		row := first + k
		if p.cfg.Mask == Legal {
			g.match.Mask(int(seat), to.mask[row*p.maskN:(row+1)*p.maskN])
		}
		to.alive[row], to.seat[row] = toByte(g.status.In.Has(int(seat))), seat
		if to.rules != nil {
			to.rules[row] = int32(g.variant)
		}
	}
	if p.cfg.Mask == Legal {
		g.match.Observe(p.encoding, g.rows, w.obs)
	} else {
		masks := to.mask[first*p.maskN : (first+len(g.rows))*p.maskN]
		g.match.(env.Careful).ObserveSafely(p.encoding, g.rows, w.obs, masks)
	}
	if len(to.state) > 0 {
		for f := range to.state {
			w.state[f] = to.state[f].ofGame(slot)
		}
		g.match.Observe(env.GlobalState, nil, w.state)
	}
}

// blank writes the rows of a game that has nothing to show.
func (w *worker) blank(i int) {
	p, g, b := w.p, &w.p.games[i], w.p.job.batch
	first, n := i*len(g.rows), len(g.rows)
	for f := range b.now.obs {
		clear(b.now.obs[f].ofGame(i))
	}
	for f := range b.now.state {
		clear(b.now.state[f].ofGame(i))
	}
	w.clearFlags(i, i+1)
	clear(b.returns[first : first+n])
	clear(b.now.alive[first : first+n])
	copy(b.now.seat[first:], g.rows)
	b.length[i] = 0
	if b.late != nil {
		b.late[i], b.failed[i], b.void[i] = 0, 0, 0
	}
	w.writeEpisode(i)
	mask := b.now.mask[first*p.maskN : (first+n)*p.maskN]
	clear(mask)
	for row := range n {
		at := row * p.maskN
		for _, c := range p.spec.Actions {
			mask[at] = 1
			at += c.N
		}
	}
}

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
