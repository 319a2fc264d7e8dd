package orders

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/basewar"
	"pommego/env/catalog"
	"pommego/env/suitebot"
)

var manyOrders = flag.Int("orders", 480, "how many orders TestNobodyWalksIntoFire gives in games of each id")

// harm counts what a seat has suffered.
func harm(m env.Match, seat int) int {
	switch m := m.(type) {
	case *basewar.Match:
		return -int(m.Bombers[seat].Lives)
	case *suitebot.Match:
		return int(m.Deaths[seat])
	}
	if m.Status().In.Has(seat) {
		return 0
	}
	return 1
}

// oracle says, by playing on with all others stopping, whether a seat can come to no harm.
type oracle struct {
	spec    *env.Spec
	scratch env.Match
	scene   env.Scene
	seat    int
}

func (o *oracle) after(state []byte, move uint8) (next []byte, at env.Place, hurt, over bool) {
	if err := o.scratch.Restore(state); err != nil {
		panic(err)
	}
	before := harm(o.scratch, o.seat)
	if o.scratch.Status().Over {
		return state, at, false, true
	}
	actions := make([]uint8, o.spec.Seats*len(o.spec.Actions))
	actions[o.seat*len(o.spec.Actions)] = move
	o.scratch.Step(actions)
	if hurt, over = harm(o.scratch, o.seat) > before, o.scratch.Status().Over; hurt || over {
		return nil, at, hurt, over
	}
	o.scratch.Describe(&o.scene)
	for _, a := range o.scene.Agents {
		if a.Seat == o.seat {
			at = a.At
		}
	}
	return o.scratch.Append(nil), at, false, false
}

// lives reports whether some moves bring the seat through the next ticks.
func (o *oracle) lives(state []byte, ticks int) bool {
	now := map[env.Place][]byte{{}: state}
	for range ticks {
		next := map[env.Place][]byte{}
		for _, s := range now {
			for move := range uint8(moves) {
				to, at, hurt, over := o.after(s, move)
				if over && !hurt {
					return true
				}
				if _, known := next[at]; !hurt && !known {
					next[at] = to
				}
			}
		}
		if now = next; len(now) == 0 {
			return false
		}
	}
	return true
}

// drawn is an order drawn at random.
func drawn(rng *rand.Rand, head *scene.Head) Orders {
	o := Orders{Kind: Go + Kind(rng.IntN(int(Wait))), Ticks: rng.IntN(15)}
	if o.Kind == Go {
		o.Cell = env.Place{rng.IntN(head.Rows), rng.IntN(head.Cols)}
	}
	return o
}

// TestNobodyWalksIntoFire plays games with orders drawn at random among rule-based agents. When
// a seat comes to harm, no move of its orders may have been the one after which it could not be
// avoided any more, had all others stopped.
func TestNobodyWalksIntoFire(t *testing.T) {
	for _, id := range []string{"PommeFFACompetition-v0", "PommeTeamCompetition-v0", "PommeTeamCompetition-v1",
		"OneVsOne-v0", "PommeFFAJava-v0", "PommeTeamJavaDocument-v0", "PommeFFA2018-v0", "BaseWar-v0", "SuiteBot-v0"} {
		t.Run(id, func(t *testing.T) { walk(t, id) })
	}
}

type tick struct {
	state []byte
	move  uint8
	order Orders
}

func walk(t *testing.T, id string) {
	game, err := catalog.Game(id)
	if err != nil {
		t.Fatal(err)
	}
	spec, rng := game.Spec(), rand.New(rand.NewPCG(1, 2))
	ms := game.New(2)
	m, o := ms[0], oracle{spec: spec, scratch: ms[1]}
	o.scratch.Reset(env.Seed{Value: 1})
	most, given, ticks, harmed, doomed := *manyOrders, 0, 0, 0, 0
	if testing.Short() {
		most /= 10
	}
	for seed := uint64(1); given < most; seed++ {
		m.Reset(env.Seed{Value: seed})
		head := scene.HeadOf(spec, m)
		tracker := game.NewTrackers(1, true)[0]
		tracker.Begin(m)
		o.seat = int(seed) % spec.Seats
		c := NewController(m)
		var others []env.Agent
		for seat := range spec.Seats {
			a, err := game.NewAgent("simple")
			if err != nil {
				t.Fatal(err)
			}
			a.Reset(env.Seed{Value: seed}.RNG(env.StreamAgents + uint64(seat)))
			others = append(others, a)
		}
		actions := make([]uint8, spec.Seats*len(spec.Actions))
		var last []tick
		var order Orders
		for !m.Status().Over && m.Status().In.Has(o.seat) {
			step := scene.Describe(spec, m, tracker, actions)
			seen := step.Seen(&head, o.seat)
			n := len(spec.Actions)
			own := actions[o.seat*n : (o.seat+1)*n]
			for seat, a := range others {
				a.Act(m, seat, actions[seat*n:(seat+1)*n])
			}
			if len(last) == 0 || c.Act(&head, &seen, o.seat, own) {
				order = drawn(rng, &head)
				given++
				c.Take(order)
				if c.Act(&head, &seen, o.seat, own) {
					break
				}
			}
			last = append(last, tick{m.Append(nil), own[0], order})
			before := harm(m, o.seat)
			tracker.Step(m, actions)
			ticks++
			if harm(m, o.seat) == before {
				continue
			}
			harmed++
			for i := max(0, len(last)-14); i < len(last); i++ {
				const ahead = 16
				if !o.lives(last[i].state, ahead) {
					continue
				}
				next, _, hurt, over := o.after(last[i].state, last[i].move)
				if hurt || !over && !o.lives(next, ahead) {
					doomed++
					if doomed < 4 {
						t.Errorf("seed %d: %d ticks before harm, seat %d by %q made %d\n%s", seed, len(last)-1-i, o.seat,
							last[i].order.Text(&head), last[i].move, o.picture(last[i].state))
					}
					break
				}
			}
			last = last[len(last):]
		}
	}
	t.Logf("%d orders, %d ticks, %d times harmed, of them %d that could be foreseen", given, ticks, harmed, doomed)
}

// picture draws a state.
func (o *oracle) picture(state []byte) (text string) {
	_ = o.scratch.Restore(state)
	o.scratch.Describe(&o.scene)
	stage := o.scratch.Stage()
	rows := []byte(o.scene.Ground)
	for _, f := range o.scene.Flames {
		rows[f.At[0]*stage.Cols+f.At[1]] = '*'
	}
	for _, b := range o.scene.Bombs {
		rows[b.At[0]*stage.Cols+b.At[1]] = "0123456789abcdefghijklmnop"[b.Life]
		text += fmt.Sprintf("%+v\n", b)
	}
	for _, a := range o.scene.Agents {
		if a.Alive {
			rows[a.At[0]*stage.Cols+a.At[1]] = byte('A' + a.Seat)
			text += fmt.Sprintf("%+v\n", a)
		}
	}
	for row := range stage.Rows {
		text += string(rows[row*stage.Cols:][:stage.Cols]) + "\n"
	}
	return text
}
