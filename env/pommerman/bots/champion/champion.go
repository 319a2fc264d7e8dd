// Package champion holds the strongest built-in agents of Pommerman: "champion", a tree
// search with pessimistic scenarios, and "champion-net", a small network that learned from
// it and does not search.
package champion

import (
	"sync"
	"time"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/saved"
	"pommego/env/search"
	"pommego/env/seat"
)

// champion is an agent that searches in every situation: tree search with
// pessimistic scenarios, after Osogami and Takahashi, "Real-time tree search with
// pessimistic scenarios" (2019). In order:
//
//   - The first ply has its own moves, and for each of them several scenarios: one
//     in which the others can be anywhere within reach, and one for each useful move
//     of a rival nearby.
//   - Further plies have its own moves alone. From then on the others are sets: the
//     cells that each can be on and live. Plies are added one by one until the
//     budget is used up, or there are as many as the option plies says. By default
//     there are few: further ones see no replies, and make it rash.
//   - From each leaf bombs, flames and the collapse go on as they will if nobody does
//     anything, and the sets of all agents with them, its own twice: once
//     with nobody in its way, and once without the cells that others can be on.
//     What is left of the sets at the end is the leaf's score; see [planner.leaf].
//   - For each scenario it asks what a rival could do in the next steps that is bent
//     on trapping it: lay a bomb, kick one, stand in the way; see [planner.threat].
//   - A move is worth what its worst scenario is worth and what they are worth on
//     average, mixed.
//
// It remembers what it saw in fog, and where those can be that it does not see; and
// it tells its teammate by radio what it sees, see [championMemory.say].
type champion struct {
	championMemory
	rng      env.RNG
	settings championSettings
	search.Memo
}

// championSettings say how a champion plays: its budget, which parts of its search
// are on, and what it values.
type championSettings struct {
	budget search.Budget

	replies  int  // how many near rivals' moves are looked at
	plies    int  // the longest way of its own moves
	tight    bool // it counts its ways of escape also with others in the way
	remember bool // it knows in fog what it saw
	radio    bool // it speaks and listens
	wary     bool // it asks what rivals could do to it next

	weights
}

// weights is what is worth how much, in points. A set of cells is worth its share of
// the points given, half of them with half cells.
type weights struct {
	room, doom           int32 // its own set; that it is empty
	tightRoom, tightDoom int32 // the same with others in its way
	death                int32
	trap, haven          int32 // that a rival could leave it nowhere to go; the cells that one leaves
	exposed              int32 // subtracted where a bomb may go off at any time
	hunt, kill           int32 // a rival's set gone; the rival too
	mate, mateDeath      int32 // a teammate's set; none left
	ammo, blast          int32 // each bomb it has, each range
	kick                 int32
	wood, dig            int32 // wood that is going to burn; the same while no rival can be walked to
	chase                int32 // to be at a rival
	corner               int32 // subtracted for what a rival reaches before it and its teammate do
	press                int32 // by how many percent hunt, corner and chase are more when it is urgent
	dare                 int32 // by how many percent tightRoom, tightDoom, trap and haven are less late in a game
	odds                 int32 // how urgent it is at least when its team outnumbers the other, in thousandths
	stale                int32 // subtracted for each recent visit to a cell
	restless             int32 // the same, times a sixteenth of championMemory.idle
	yield                int32 // subtracted, half of the time, for a move that has just come to nothing
	half, halfOthers     int32 // how many cells are worth half of what a set can be, its own and others'
	worst                int32 // the share of the worst scenario in percent; the rest is the mean
}

// championDefaults were chosen by hand in team games with fog; `make tune-champion`
// searches for better ones. Without dig it stays in its corner if the wood around it
// is close, and without dare it waits beside a rival in hiding, to the end. Without
// yield two of a team want to go to the same cell for hundreds of steps, and neither
// gets there; without restless one waits for another that does not move either.
var championDefaults = championSettings{
	budget:  search.Budget{Ticks: 2000},
	replies: 2, plies: 2, tight: true, remember: true, radio: true, wary: true,
	weights: weights{
		room: 500, doom: 3000, tightRoom: 700, tightDoom: 1000, death: 4000,
		trap: 1500, haven: 300, exposed: 400,
		hunt: 400, kill: 1800, mate: 250, mateDeath: 1500,
		ammo: 70, blast: 50, kick: 120, wood: 40, dig: 800, chase: 400, corner: 300, press: 300, dare: 85, odds: 1000,
		stale: 6, restless: 6, yield: 600, worst: 70, half: 5, halfOthers: 10,
	},
}

// championLevels are the ticks of the levels from 1 on.
var championLevels = [...]int{6, 12, 25, 50, 2000}

// championOption is an option of the agent, from lo to hi. Later ones replace what
// earlier ones set.
type championOption struct {
	key    string
	lo, hi float64
	whole  bool // no fractions
	set    func(s *championSettings, x float64)
}

var championOptions = []championOption{
	{"level", 1, float64(len(championLevels)), true, func(s *championSettings, x float64) { s.budget.Ticks = championLevels[int(x)-1] }},
	{"ms", 0.01, 60_000, false, func(s *championSettings, x float64) {
		s.budget = search.Budget{Time: time.Duration(x * float64(time.Millisecond))}
	}},
	{"ticks", 1, 1e9, true, func(s *championSettings, x float64) { s.budget.Ticks = int(x) }},
	{"replies", 0, maxReplies, true, func(s *championSettings, x float64) { s.replies = int(x) }},
	{"plies", 1, maxPlies, true, func(s *championSettings, x float64) { s.plies = int(x) }},
	{"tight", 0, 1, true, func(s *championSettings, x float64) { s.tight = x != 0 }},
	{"remember", 0, 1, true, func(s *championSettings, x float64) { s.remember = x != 0 }},
	{"radio", 0, 1, true, func(s *championSettings, x float64) { s.radio = x != 0 }},
	weightOption("w-room", func(w *weights) *int32 { return &w.room }),
	weightOption("w-tight", func(w *weights) *int32 { return &w.tightRoom }),
	weightOption("w-tight-doom", func(w *weights) *int32 { return &w.tightDoom }),
	weightOption("w-doom", func(w *weights) *int32 { return &w.doom }),
	{"wary", 0, 1, true, func(s *championSettings, x float64) { s.wary = x != 0 }},
	weightOption("w-exposed", func(w *weights) *int32 { return &w.exposed }),
	weightOption("w-trap", func(w *weights) *int32 { return &w.trap }),
	weightOption("w-haven", func(w *weights) *int32 { return &w.haven }),
	weightOption("w-death", func(w *weights) *int32 { return &w.death }),
	weightOption("w-hunt", func(w *weights) *int32 { return &w.hunt }),
	weightOption("w-kill", func(w *weights) *int32 { return &w.kill }),
	weightOption("w-mate", func(w *weights) *int32 { return &w.mate }),
	weightOption("w-mate-death", func(w *weights) *int32 { return &w.mateDeath }),
	weightOption("w-ammo", func(w *weights) *int32 { return &w.ammo }),
	weightOption("w-blast", func(w *weights) *int32 { return &w.blast }),
	weightOption("w-kick", func(w *weights) *int32 { return &w.kick }),
	weightOption("w-wood", func(w *weights) *int32 { return &w.wood }),
	weightOption("w-dig", func(w *weights) *int32 { return &w.dig }),
	weightOption("w-chase", func(w *weights) *int32 { return &w.chase }),
	weightOption("w-corner", func(w *weights) *int32 { return &w.corner }),
	weightOption("w-press", func(w *weights) *int32 { return &w.press }),
	{"w-odds", 0, 1000, true, func(s *championSettings, x float64) { s.odds = int32(x) }},
	{"w-dare", 0, 100, true, func(s *championSettings, x float64) { s.dare = int32(x) }},
	weightOption("w-stale", func(w *weights) *int32 { return &w.stale }),
	weightOption("w-restless", func(w *weights) *int32 { return &w.restless }),
	weightOption("w-yield", func(w *weights) *int32 { return &w.yield }),
	{"w-half", 1, 100, true, func(s *championSettings, x float64) { s.half = int32(x) }},
	{"w-half-others", 1, 100, true, func(s *championSettings, x float64) { s.halfOthers = int32(x) }},
	{"w-worst", 0, 100, true, func(s *championSettings, x float64) { s.worst = int32(x) }},
}

func weightOption(key string, of func(w *weights) *int32) championOption {
	return championOption{key, 0, 10_000, true, func(s *championSettings, x float64) { *of(&s.weights) = int32(x) }}
}

// Roster lists the agents.
var Roster = seat.Roster[pommerman.View]{championKind(), championNetKind()}

// championKind is the kind of the agent.
func championKind() seat.Kind[pommerman.View] {
	var list []seat.Setting[championSettings]
	for _, o := range championOptions {
		list = append(list, seat.Number(o.key, o.lo, o.hi, o.whole, o.set))
	}
	return seat.Configured("champion", championDefaults, list, func(s championSettings, _ seat.Options) pommerman.Bot {
		return &champion{settings: s}
	})
}

func (a *champion) Reset(rng env.RNG) {
	a.Forget()
	*a = champion{rng: rng, settings: a.settings, Memo: a.Memo}
}

func (a *champion) Reseed(rng env.RNG) { a.rng = rng }

func (a *champion) Act(v *pommerman.View, action []uint8) {
	clear(action)
	a.Forget()
	if !a.settings.remember {
		a.championMemory = championMemory{}
	}
	a.remember(v)
	if a.settings.radio {
		a.listen(v)
	}
	if v.Seat >= v.Rules.Seats() || !a.belief.Agents[v.Seat].Alive {
		return
	}
	p := planners.Get().(*planner)
	defer planners.Put(p)
	p.begin(v.Rules, v.Seat, &a.settings, a.Limit(a.settings.budget), &a.championMemory)
	move := p.decide(&a.rng, a.failed(v.Self.Cell))
	a.tries(v.Self.Cell, move)
	a.Ticks = p.Spent()
	if a.Ticks > 0 {
		a.KeepMoves(p.statistics[:])
	}
	action[0] = uint8(move)
	if a.settings.radio {
		a.say(v, move, action[1:])
	}
}

// urgency is how much it matters to get something decided, in thousandths: as it gets
// late, and with more in the team than in the other.
func (p *planner) urgency() int32 {
	own, rivals := 1, 0
	for other := range p.rules.Seats() {
		switch {
		case !p.others.Has(other):
		case other == p.mate:
			own++
		default:
			rivals++
		}
	}
	urgency := int(p.lateness())
	if own > rivals {
		urgency = max(urgency, int(p.settings.odds))
	}
	return int32(urgency)
}

// lateness is how late it is in the game, in thousandths: nothing in the first quarter,
// all in the last.
func (p *planner) lateness() int32 {
	return int32(min(max(2000*int(p.root.StepCount)/p.rules.MaxSteps-500, 0), 1000))
}

// at is what weights are when it is so urgent and so late: it hunts more, and fears
// less. Not so with more in its team, lest it gives that away.
func (w weights) at(urgency, late int32) weights {
	for _, x := range []*int32{&w.hunt, &w.corner, &w.chase} {
		*x += *x * (w.press * urgency / 1000) / 100
	}
	for _, x := range []*int32{&w.tightRoom, &w.tightDoom, &w.trap, &w.haven} {
		*x -= *x * (w.dare * late / 1000) / 100
	}
	return w
}

// planners are lent to agents while they act.
var planners = sync.Pool{New: func() any { return new(planner) }}

func (a *champion) code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	a.championMemory.code(c)
}

func (a *champion) Append(dst []byte) []byte { return saved.Append(dst, a, (*champion).code) }

func (a *champion) Restore(state []byte) error {
	a.Forget()
	return saved.Restore("bots: state of champion", state, a, champion{settings: a.settings, Memo: a.Memo}, (*champion).code)
}
