package champion

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/learned"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/search"
	"pommego/env/seat"
)

// TestChampionOptions: options arrive where they belong, and bad ones are refused.
func TestChampionOptions(t *testing.T) {
	made := func(name string) settings {
		t.Helper()
		b, err := Roster.New(name)
		if err != nil {
			t.Fatal(err)
		}
		return b.(*champion).settings
	}
	if s := made("champion"); s.weights != defaultWeights || s.budget.Ticks != 500 {
		t.Errorf("champion has %+v, want the default weights and 500 ticks", s)
	}
	if s := made("champion:ms=20"); s.budget.Ticks != 0 || s.budget.Time.Milliseconds() != 20 {
		t.Errorf("with ms alone the budget is %+v, want 20 ms and no limit of ticks", s.budget)
	}
	for level, ticks := range levels {
		if s := made(fmt.Sprintf("champion:level=%d", level+1)); s.budget.Ticks != ticks {
			t.Errorf("level %d has the budget %+v, want %d ticks", level+1, s.budget, ticks)
		}
	}
	if s := made("champion:ticks=7,level=2,ms=1"); s.budget.Ticks != 7 || s.budget.Time.Milliseconds() != 1 {
		t.Errorf("with a level, ticks and ms the budget is %+v, want 7 ticks and 1 ms", s.budget)
	}
	want := defaultWeights
	want.Hunt, want.Chase = 0, 0
	if s := made("champion:level=2,weights=peaceful"); s.weights != want || s.budget.Ticks != 12 {
		t.Errorf("peaceful has %+v, want 12 ticks and the weights %+v", s, want)
	}
	for _, test := range []struct{ name, want, reason string }{
		{"champion:c=3", `"c" does not exist, champion takes: level, weights, ms, ticks`,
			"an unknown option lists what exists"},
		{"champion:level=7", "level=7, want a whole number from 1 to 6", "a level too high"},
		{"champion:ms=0", "ms=0, want a number from 0.01 to 60000", "no time"},
		{"champion:weights=brave", "weights=brave, want one of default, peaceful, reckless; only", "no such weights"},
		{"champion:net=ppo-duel", `"net" does not exist, champion takes`, "the search without a network"},
		{"guided:net=nobody", "net=nobody, want one of mappo-radio, mappo-team, ppo-duel, ppo-ffa; only", "no such network"},
		{"champion:weights=champion.go", "weights=champion.go, want one of", "a file, which the game does not read"},
	} {
		if bot, err := Roster.New(test.name); err == nil || bot != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: New(%q) gives %v, want an error with %q", test.reason, test.name, err, test.want)
		}
	}
}

// TestGuided: with an advice of no points guided decides as champion does. The more points it is, the
// closer are its moves to those that the network prefers.
func TestGuided(t *testing.T) {
	prefers := func(advice int32) (share float64) {
		budget, w := search.Budget{Ticks: 12}, defaultWeights
		w.Advice = advice
		guide, moves, liked := new(learned.Guide), 0, 0
		plain, guided := &champion{settings: settings{budget, w, nil}}, &champion{settings: settings{budget, w, guide}}
		v := new(pommerman.View)
		pommermantest.Situations(t, players, 1, func(sit *pommermantest.Situation) {
			if sit.Rules.See(&sit.State, 0, v); !v.Self.Alive {
				return
			}
			plain.Reset(env.RNG{State: 1})
			guided.Reset(env.RNG{State: 1})
			got := pommermantest.ActionOf(guided, v)
			if want := pommermantest.ActionOf(plain, v); advice == 0 && got != want {
				t.Fatalf("step %d: guided plays %v, champion %v", v.StepCount, got, want)
			}
			if moves++; guide.Scores(v, 100)[got] >= -100 {
				liked++
			}
		})
		return float64(liked) / float64(moves)
	}
	none, usual, much := prefers(0), prefers(defaultWeights.Advice), prefers(10_000)
	if none > 0.7 || usual < 0.9 || much <= usual {
		t.Errorf("of its moves %.2f are likely by the network without advice, %.2f with, %.2f with much; "+
			"want 0.7 at most, then 0.9 or more, then more", none, usual, much)
	}
}

// TestWeightsOfAFile: a file holds the weights that differ from the default. What is no
// weight, or out of range, is refused.
func TestWeightsOfAFile(t *testing.T) {
	want := defaultWeights
	want.Kill, want.TightRoom = 7, 0
	if w, err := readWeights([]byte(`{"kill": 7, "tight_room": 0}`)); err != nil || w != want {
		t.Errorf("weights are %+v, %v, want %+v", w, err, want)
	}
	for _, test := range []struct{ text, want string }{
		{``, "EOF"},
		{`{"kill": 7} {}`, "more follows the JSON value"},
		{`{"kil": 7}`, `unknown field "kil"`},
		{`{"kill": 0.5}`, "cannot unmarshal number 0.5"},
		{`{"kill": 3000000000}`, "cannot unmarshal number 3000000000"},
		{`{"kill": -1}`, "kill is -1, want 0 to 10000"},
		{`{"worst": 101}`, "worst is 101, want 0 to 100"},
		{`{"half": 0}`, "half is 0, want 1 to 100"},
		{`[]`, "cannot unmarshal array"},
	} {
		if _, err := readWeights([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("weights %s: %v, want an error with %q", test.text, err, test.want)
		}
	}
}

// TestChampionForecast holds forecasts against what the rules do with a board that
// all have left: burns is where somebody would die, and what opens can be entered.
func TestChampionForecast(t *testing.T) {
	var compared int
	pommermantest.Situations(t, players, 1, func(sit *pommermantest.Situation) {
		for i := range sit.State.Bombs[:sit.State.NumBombs] {
			if sit.State.Bombs[i].Moving() != grid.Stay {
				return // which rolls until something is in its way
			}
		}
		s := sit.State
		p, m := new(planner), championMemory{belief: pommerman.Belief{State: s}}
		for seat := range sit.Rules.Seats() {
			m.where[seat].Add(s.Agents[seat].Cell)
		}
		p.begin(sit.Rules, 0, &defaultWeights, search.Budget{Ticks: 1}, &m)
		for seat := range sit.Rules.Seats() {
			if s.Agents[seat].Alive {
				s.Agents[seat].Alive = false
				p.lift(&s, seat)
			}
		}
		n := node{State: s}
		p.forecast(&p.calm, &n, 0)
		for step := 1; step <= p.ground.span; step++ {
			before := grid.Bits{} // by the Java rules flames go out at the end of a step
			for life := 1; sit.Rules.StepKind == pommerman.StepJava && life <= sit.Rules.FlameLife; life++ {
				before = before.Or(n.Burning(life))
			}
			sit.Rules.Step(&n.State, make([]uint8, pommerman.MaxAgents*(1+sit.Rules.RadioWords)))
			deadly := before
			for life := 1; life <= sit.Rules.FlameLife; life++ {
				if life == sit.Rules.FlameLife || sit.Rules.Traits().FlamesKill {
					deadly = deadly.Or(n.Burning(life))
				}
			}
			if got := p.calm.burns[step].AndNot(p.ground.fallen[step]); got != deadly.AndNot(p.ground.fallen[step]) {
				t.Fatalf("%v step, game type %v: %d steps on, forecast %v, the rules burn %v, from bombs %v", sit.Rules.StepKind,
					sit.Rules.GameType, step, cellsOf(got), cellsOf(deadly), s.Bombs[:s.NumBombs])
			}
			compared++
		}
	})
	if compared < 1000 {
		t.Errorf("only %d steps compared", compared)
	}
}

// TestChampionBuriedBombs: a bomb on a ring that falls before it explodes burns nothing.
func TestChampionBuriedBombs(t *testing.T) {
	v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA).Collapsing(500), `
		...o...
		.......
		.......
		...A...
		.......
		.......
		......B`)
	p := new(planner)
	for count, burns := range map[int]bool{495: true, 498: false} {
		v.StepCount, v.Bombs[0].Life = count, 5
		s := pommermantest.StateOf(v)
		p.begin(v.Rules, 0, &defaultWeights, search.Budget{Ticks: 1}, &championMemory{belief: pommerman.Belief{State: *s}})
		if p.forecast(&p.calm, &p.root, 0); p.calm.burns[5].Has(grid.At(1, 3)) != burns {
			t.Errorf("at step count %d a bomb on the outer ring burns beside it in step 5: %v, want %v", count, !burns, burns)
		}
	}
}

// TestChampionThreats: what a rival can do is the same by the short way, from where it changes
// something, as by a forecast of its own with all steps.
func TestChampionThreats(t *testing.T) {
	compared, bombs := 0, 0
	p := new(planner)
	pommermantest.Situations(t, players, 4, func(sit *pommermantest.Situation) {
		m := championMemory{belief: pommerman.Belief{State: sit.State}}
		p.begin(sit.Rules, 0, &defaultWeights, search.Budget{Ticks: 1}, &m)
		n := p.root
		n.Agents[1].Blast = 5
		if n.NumBombs > 0 && n.StepCount%2 == 0 {
			n.Bombs[0].Life += 3 // it explodes after those that are laid
		}
		if !n.Agents[0].Alive || int(n.NumBombs) == len(n.Bombs) {
			return
		}
		p.forecast(&p.calm, &n, 1)
		p.walk(&n)
		for c := range p.ground.floor.All {
			steps := compared%(trapBombs+2) - 1
			if c == n.Agents[0].Cell || p.calm.burns[1].Has(c) {
				continue
			}
			b := n
			life := uint8(max(sit.Rules.BombLife+steps, 1))
			b.Bombs[b.NumBombs] = pommerman.NewBomb(c, life, n.Agents[1].Blast, 1, grid.Stay)
			b.NumBombs++
			if got, want := p.bombed(&n, 1, c, steps), p.held(&b, c, steps, 0); got != want {
				t.Fatalf("%+v: a bomb at %v in %d steps leaves %d cells, want %d, bombs %v", *sit.Rules, c, steps, got, want,
					n.Bombs[:n.NumBombs])
			}
			steps = max(steps, 0)
			if got, want := p.barred(c, steps, untouched, grid.Bits{}, grid.Bits{}), p.held(&n, c, steps, 0); got != want {
				t.Fatalf("%+v: somebody at %v in %d steps leaves %d cells, want %d, bombs %v", *sit.Rules, c, steps, got, want,
					n.Bombs[:n.NumBombs])
			}
			compared++
			if p.calm.last > 0 {
				bombs++
			}
		}
	})
	if compared < 10_000 || bombs < 1000 {
		t.Errorf("%d threats compared, %d of them with other bombs, want more", compared, bombs)
	}
}

// TestChampionShortForecast: by rules with short fuses, threats follow from the steps that the forecast covers, and not
// from what the planner held before.
func TestChampionShortForecast(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	rules.BombLife = 1
	v := pommermantest.Draw(t, rules, `
		Ao........B
		o..........
		...........
		...........
		...........
		...........
		...........
		...........
		...........
		...........
		...........`)
	v.Bombs[0].Life, v.Bombs[1].Life = 1, 1 // agent 0 is lost, wherever agent 1 goes
	m := championMemory{belief: pommerman.Belief{State: *pommermantest.StateOf(v)}}
	m.where[1].Add(m.belief.Agents[1].Cell)
	var points [2]int32
	for k, before := range []grid.Bits{{}, grid.Square(v.Rules.BoardSize)} {
		p := new(planner)
		for step := range p.calm.burns {
			p.calm.burns[step] = before
		}
		p.begin(v.Rules, 0, &defaultWeights, search.Budget{Ticks: 1}, &m)
		p.forecast(&p.calm, &p.root, 1)
		points[k] = p.threat(&p.root, 1)
	}
	if points[0] != points[1] {
		t.Errorf("threats are worth %d or %d, by what the planner held before", points[0], points[1])
	}
}

// TestChampionDuels: lines in which a rival moves too are worth what a search without a table
// of positions finds, and a budget too small for a depth leaves all values as they were.
func TestChampionDuels(t *testing.T) {
	compared, cut := 0, 0
	p := new(planner)
	pommermantest.Situations(t, players, 6, func(sit *pommermantest.Situation) {
		m := championMemory{belief: pommerman.Belief{State: sit.State}}
		for seat := range sit.Rules.Seats() {
			if a := &sit.State.Agents[seat]; a.Alive {
				m.where[seat].Add(a.Cell)
			}
		}
		p.begin(sit.Rules, 0, &defaultWeights, search.Budget{Ticks: 200_000}, &m)
		near, n := p.nearRivals()
		if !sit.State.Agents[0].Alive || n == 0 || near[0] == p.mate || !p.open() || !p.deepen(0) || !p.deepen(1) {
			return
		}
		for i := range p.openings {
			o := &p.openings[i]
			for reply := range p.repliesOf(&p.root.State, near[0]).All {
				child := p.root
				clear(p.actions[:])
				p.actions[near[0]*(1+p.rules.RadioWords)] = uint8(reply)
				p.step(&child, o.move, 1)
				p.isolate(&child, near[0])
				got, whole := p.line(&child, near[0], 1, 1)
				if want := plainLine(p, child, near[0], 1, 1); got != want || !whole {
					t.Fatalf("%+v: the line of %v and %v is worth %d, want %d", *sit.Rules, o.move, reply, got, want)
				}
				compared++
			}
		}
		before := p.openingsOf
		p.generation++ // the table is empty again
		p.Meter = search.NewMeter(search.Budget{Ticks: 2})
		if p.duels(); p.Spent() == 2 {
			cut++
			for i := range p.openings {
				if p.openings[i].value != before[i].value {
					t.Fatalf("%+v: a depth of which only a part was searched changed values", *sit.Rules)
				}
			}
		}
	})
	if compared < 1000 || cut < 20 {
		t.Errorf("%d lines compared, %d budgets too small, want more", compared, cut)
	}
}

// plainLine is [planner.line] without a table.
func plainLine(p *planner, n node, rival, depth, age int) int32 {
	if !n.Agents[p.seat].Alive {
		return int32(16*age) - p.weights.Death
	}
	if depth == 0 || !n.Agents[rival].Alive {
		return p.end(&n, rival, age)
	}
	best := int32(math.MinInt32)
	for move := range tactics.UsefulMoves(p.rules, &n.State, p.seat).All {
		var values []int32
		sum := 0
		for reply := range p.repliesOf(&n.State, rival).All {
			child := n
			clear(p.actions[:])
			p.actions[rival*(1+p.rules.RadioWords)] = uint8(reply)
			p.step(&child, move, age+1)
			p.isolate(&child, rival)
			values = append(values, plainLine(p, child, rival, depth-1, age+1))
			sum += int(values[len(values)-1])
		}
		mixed := (70*int(slices.Min(values)) + 30*(sum/len(values))) / 100
		best = max(best, int32(mixed))
	}
	return best + p.sooner(&n)
}

func cellsOf(b grid.Bits) (list [][2]int) {
	for c := range b.All {
		list = append(list, [2]int{c.Row(), c.Col()})
	}
	return list
}

// itemBoard has an item to its right that an agent without bombs can but go to.
const itemBoard = `
	#######
	#..A.r#
	#######
	#######
	#######
	#######
	#######`

// TestChampionMoves: what it does where there is only one thing to do.
func TestChampionMoves(t *testing.T) {
	for _, test := range []struct {
		reason string
		board  string
		change func(*pommerman.View)
		want   pommerman.Action
	}{
		{reason: "away from a bomb, round the corner", board: `
			#######
			#.a...#
			####.##
			#######
			#######
			#######
			#######`, want: pommerman.Right},
		{reason: "a bomb shuts a rival in", board: `
			#######
			#B.A..#
			#####.#
			#####.#
			#######
			#######
			#######`, change: func(v *pommerman.View) { v.Self.Blast = 3 }, want: pommerman.LayBomb},
		{reason: "an item on the way to nothing else", board: itemBoard, change: func(v *pommerman.View) { v.Self.Ammo = 0 },
			want: pommerman.Right},
	} {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board)
		v.Alive = env.SeatSet(0).With(0).With(1)
		v.StepCount = 50
		if test.change != nil {
			test.change(v)
		}
		if move := pommermantest.ActionOf(pommermantest.Bot(t, players, "champion", 1), v); move != test.want {
			t.Errorf("%s: plays %v, want %v, on\n%s", test.reason, move, test.want, pommermantest.Picture(v))
		}
	}
}

// TestChampionUrgency: it hunts more and fears less as a game goes on, and hunts as soon
// as it outnumbers its rivals.
func TestChampionUrgency(t *testing.T) {
	rules := pommerman.Playground(pommerman.Team)
	m := championMemory{}
	for seat := range rules.Seats() {
		m.where[seat].Add(grid.At(seat, seat))
	}
	p := new(planner)
	weightsAt := func(step int, dead ...int) weights {
		now := m
		now.belief.StepCount = uint16(step)
		for _, seat := range dead {
			now.where[seat] = grid.Bits{}
		}
		p.begin(&rules, 0, &defaultWeights, search.Budget{Ticks: 1}, &now)
		return p.weights
	}
	early, middle, late := weightsAt(100), weightsAt(400), weightsAt(700)
	if d := defaultWeights; early.Chase != d.Chase || early.TightRoom != d.TightRoom {
		t.Errorf("early it values %+v, want the defaults %+v", early, d)
	}
	if !(early.Chase < middle.Chase && middle.Chase < late.Chase && early.TightRoom > middle.TightRoom &&
		middle.TightRoom > late.TightRoom) {
		t.Errorf("chase is worth %d, %d, %d and room in others' way %d, %d, %d, want ever more and ever less",
			early.Chase, middle.Chase, late.Chase, early.TightRoom, middle.TightRoom, late.TightRoom)
	}
	ahead := late
	ahead.TightRoom, ahead.TightDoom, ahead.Trap, ahead.Haven = early.TightRoom, early.TightDoom, early.Trap, early.Haven
	for _, test := range []struct {
		dead []int
		want weights
	}{{[]int{1}, ahead}, {[]int{2}, early}, {[]int{1, 2}, early}} {
		got := weightsAt(100, test.dead...)
		got.Wood, test.want.Wood = 0, 0 // which depends on where they are
		if got != test.want {
			t.Errorf("with %v dead it values %+v, want %+v", test.dead, got, test.want)
		}
	}
}

// TestChampionWary: it does not stay beside a bomb that a rival, of which it has not
// seen whether it can, could kick to where it is when it leaves at last. Where there is
// no rival it stays.
func TestChampionWary(t *testing.T) {
	for _, rival := range []bool{false, true} {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.Team).Fogged(4), `
			#######
			#...###
			#.#.###
			#BoA..#
			###.#.#
			###...#
			#######`)
		v.Alive = env.SeatSet(0).With(0)
		if rival {
			v.Alive = v.Alive.With(1)
		} else {
			v.Board[v.Self.Cell.Next(grid.Left).Next(grid.Left)] = pommerman.Passage
		}
		v.StepCount, v.Bombs[0].Life = 50, 2
		move := pommermantest.ActionOf(pommermantest.Bot(t, players, "champion:ticks=2000", 1), v)
		if stays := move == pommerman.Stop; stays == rival {
			t.Errorf("with a rival: %v: it plays %v, want it to stay only without, on\n%s", rival, move,
				pommermantest.Picture(v))
		}
	}
}

// TestChampionYields: if it does not get to where it wants to go, it now and then lets
// another one have the cell, which may want to go there as well.
func TestChampionYields(t *testing.T) {
	for _, yield := range []int32{0, 600} {
		w := defaultWeights
		w.Restless, w.Yield = 0, yield
		b, goes := &champion{settings: settings{search.Budget{Ticks: 60}, w, nil}}, 0
		b.Reset(env.RNG{State: 1})
		for step := range 40 {
			v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), itemBoard)
			v.Alive = env.SeatSet(0).With(0).With(1)
			v.StepCount, v.Self.Ammo = 50+step, 0
			if pommermantest.ActionOf(b, v) == pommerman.Right {
				goes++
			}
		}
		if yield == 0 && goes != 40 || yield > 0 && (goes < 20 || goes > 35) {
			t.Errorf("with %d for yielding, held where it is, tries %d of 40 times to go right, want all without yielding, "+
				"else 20 to 35", yield, goes)
		}
	}
}

// TestChampionRestless: the longer it stays where it was lately, the less it likes it
// there, until it has been elsewhere for some steps.
func TestChampionRestless(t *testing.T) {
	var m championMemory
	at := func(step, col int) (good int32) {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
			A.....#
			#######
			#######
			#######
			#######
			#######
			#######`)
		home := v.Self.Cell
		v.Alive = env.SeatSet(0).With(0)
		v.Board[home], v.Self.Cell, v.StepCount = pommerman.Passage, grid.At(0, col), step
		v.Board[v.Self.Cell] = v.Rules.Agent0()
		m.remember(v)
		p := new(planner)
		p.begin(v.Rules, 0, &defaultWeights, search.Budget{Ticks: 1}, &m)
		return p.ground.good[home]
	}
	var home [70]int32
	for step := range home {
		home[step] = at(50+step, 0)
	}
	if least := home[20] - 100; home[69] > least {
		t.Errorf("where it has been for 70 steps is worth %d to it, want at most %d, 100 less than after 20", home[69], least)
	}
	idle := m.idle
	for col := 1; col < 6; col++ {
		at(119+col, col)
	}
	if want := idle - 5*idleFade; m.idle != want {
		t.Errorf("after 70 steps on one cell and 5 to others it counts %d idle ones, want %d", m.idle, want)
	}
}

// TestChampionSurrounded: it has room for all moves of three rivals around it.
func TestChampionSurrounded(t *testing.T) {
	v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
		.......
		.......
		..B.C..
		...A...
		...D...
		.......
		.......`)
	b := pommermantest.Bot(t, players, "champion:ticks=2000", 1)
	pommermantest.ActionOf(b, v)
	if n := b.(seat.Searcher).Searched(); n < 200 {
		t.Errorf("it searched %d ticks, want all scenarios and what follows", n)
	}
}

// TestChampionWhere: in fog it knows some cell for every living other, and the right one
// for those in view.
func TestChampionWhere(t *testing.T) {
	a := &champion{settings: settings{search.Budget{Ticks: 20}, defaultWeights, nil}}
	sights := 0
	pommermantest.Follow(t, players, pommerman.Playground(pommerman.Team).Fogged(4), 5,
		func(_ *pommerman.Game, m *pommerman.Match) {
			var v pommerman.View
			m.View(0, &v)
			a.Act(&v, make([]uint8, 1))
			for other := 1; other < 4; other++ {
				where, at := a.where[other], m.Agents[other].Cell
				if m.Agents[other].Alive == where.Empty() {
					t.Fatalf("seat %d lives: %v, but its cells are %v", other, m.Agents[other].Alive, cellsOf(where))
				}
				if m.Agents[other].Alive && v.Board[at] != pommerman.Fog {
					sights++
					if where.Len() != 1 || !where.Has(at) {
						t.Fatalf("seat %d is seen at %v, but its cells are %v", other, at, cellsOf(where))
					}
				}
			}
		})
	if sights == 0 {
		t.Error("nobody was ever in view")
	}
}

// TestChampionHearsOtherwise: a rival that is known to be elsewhere than it is believed to be makes no moves there.
func TestChampionHearsOtherwise(t *testing.T) {
	v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
		.......
		.......
		.......
		..BA...
		.......
		.......
		.......`)
	m, p := championMemory{belief: pommerman.Belief{State: *pommermantest.StateOf(v)}}, new(planner)
	for at, want := range map[grid.Cell]int{grid.At(3, 2): 1, grid.At(3, 1): 0} {
		m.where[1] = grid.Bits{}
		m.where[1].Add(at)
		p.begin(v.Rules, 0, &defaultWeights, search.Budget{Ticks: 1}, &m)
		if _, n := p.nearRivals(); n != want {
			t.Errorf("with B at column %d by what is known, %d near rivals make moves, want %d", at.Col(), n, want)
		}
	}
}

// TestChampionWords: what one says another hears: where it is narrows down to the
// cells of the block and around it. What cannot be counts as a lie, and the third
// time nothing is believed any more.
func TestChampionWords(t *testing.T) {
	rules := pommerman.Playground(pommerman.TeamRadio).Fogged(4)
	v := pommermantest.Blank(&rules)
	pommermantest.Relate(v)
	for row := range rules.BoardSize {
		for col := range rules.BoardSize {
			v.Board[grid.At(row, col)] = pommerman.Passage
		}
	}
	v.StepCount = 2 * topics
	v.Self.Cell = grid.At(4, 9)
	words := make([]uint8, rules.RadioWords)
	speaker := championMemory{}
	speaker.say(v, pommerman.Down, words)
	if !slices.Equal(words, []uint8{4, 7}) {
		t.Errorf("at row 4 and column 9, moving down, it says %v, want 4 and 7", words)
	}

	mate := int(v.Teammate - rules.Agent0())
	listener := championMemory{}
	everywhere := grid.Square(rules.BoardSize)
	listener.where[mate] = everywhere
	v.StepCount++
	copy(v.Message[:], words)
	listener.listen(v)
	if w := listener.where[mate]; !w.Has(grid.At(5, 9)) || w.Len() > 16 || listener.lies != 0 {
		t.Errorf("it hears that its teammate is on one of %v, %d lies, want few cells and (5,9) among them", cellsOf(w),
			listener.lies)
	}
	for range mostLies {
		listener.where[mate] = grid.Bits{}
		listener.where[mate].Add(grid.At(0, 0))
		listener.listen(v)
	}
	listener.where[mate] = everywhere
	if listener.listen(v); listener.lies != mostLies || listener.where[mate] != everywhere {
		t.Errorf("after %d lies it still listens", listener.lies)
	}
}
