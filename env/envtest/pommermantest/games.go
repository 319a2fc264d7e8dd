package pommermantest

import (
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/seat"
)

// Roster lists the agents that play.
type Roster = seat.Roster[pommerman.View]

// Players returns an agent that moves at random, and those of some rosters.
func Players(rosters ...Roster) Roster {
	random := seat.Random(func(*pommerman.View, int) int { return int(pommerman.LayBomb) + 1 })
	return append(Roster{random}, slices.Concat(rosters...)...)
}

// Situation is a state that came up in play, and the rules of that game.
type Situation struct {
	Rules *pommerman.Rules
	State pommerman.State
}

// Variants returns one set of rules of each kind.
func Variants() []pommerman.Rules {
	ffa, team := pommerman.Playground(pommerman.FFA), pommerman.Playground(pommerman.Team)
	return []pommerman.Rules{
		ffa, team, ffa.Collapsing(60), team.Fogged(4).Collapsing(60),
		pommerman.Playground(pommerman.TeamRadio).Fogged(4), pommerman.Playground(pommerman.OneVsOne),
		pommerman.Rules2018(pommerman.FFA), pommerman.Rules2018(pommerman.Team),
		pommerman.Java(pommerman.FFA), pommerman.Java(pommerman.Team),
		pommerman.JavaDocument(pommerman.FFA), pommerman.JavaDocument(pommerman.Team),
	}
}

// Situations plays games between the roster's heuristic, simple and random agents by all
// rules, and calls visit with every third state.
func Situations(t testing.TB, roster Roster, games int, visit func(*Situation)) {
	t.Helper()
	for i, rules := range Variants() {
		game, err := pommerman.New("sample", "", rules, roster)
		if err != nil {
			t.Fatal(err)
		}
		for value := range uint64(games) {
			seed := env.Seed{Value: value, Episode: uint64(i)}
			match := game.New(1)[0].(*pommerman.Match)
			match.Reset(seed)
			PlayOn(t, game, match, seed, func() {
				if match.StepCount%3 == 0 {
					visit(&Situation{game.Rules(), match.State})
				}
			})
		}
	}
}

// PlayOn plays a game to its end, or for 200 steps, and calls visit before each.
func PlayOn(t testing.TB, game *pommerman.Game, match env.Match, seed env.Seed, visit func()) {
	names := []string{"heuristic", "simple", "random", "heuristic"}
	players := make([]env.Agent, game.Spec().Seats)
	for k := range players {
		players[k] = Agent(t, game, names[(k+int(seed.Value))%len(names)])
		players[k].Reset(seed.RNG(env.StreamAgents + uint64(k)))
	}
	for n := 0; n < 200 && !match.Status().Over; n++ {
		visit()
		step(game, match, players)
	}
}

// step makes a step with what agents choose.
func step(game *pommerman.Game, match env.Match, players []env.Agent) {
	width := len(game.Spec().Actions)
	actions := make([]uint8, len(players)*width)
	for k, p := range players {
		if match.Status().In.Has(k) {
			p.Act(match, k, actions[k*width:][:width])
		}
	}
	match.Step(actions)
}

// Tally is the outcome of some games for one seat.
type Tally struct{ Won, Lost, Tied, Steps int }

// PlaySeat plays a game of one agent in a seat against simple in the others, and
// returns how it ended for that agent.
func PlaySeat(t testing.TB, game *pommerman.Game, name string, seat int, seed env.Seed, sum *Tally) (won bool) {
	match := game.New(1)[0]
	match.Reset(seed)
	players := make([]env.Agent, game.Spec().Seats)
	for k := range players {
		players[k] = Agent(t, game, "simple")
		if k == seat {
			players[k] = Agent(t, game, name)
		}
		players[k].Reset(seed.RNG(env.StreamAgents + uint64(k)))
	}
	for !match.Status().Over {
		step(game, match, players)
	}
	status := match.Status()
	sum.Steps += status.Steps
	switch {
	case status.Winners.Has(seat):
		sum.Won++
	case status.Result == env.Win || !status.In.Has(seat):
		sum.Lost++
	default:
		sum.Tied++
	}
	return status.Winners.Has(seat)
}

func Agent(t testing.TB, game *pommerman.Game, name string) env.Agent {
	t.Helper()
	a, err := game.NewAgent(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// StateOf makes a state of a drawn view. Agents that are drawn are alive.
func StateOf(v *pommerman.View) *pommerman.State {
	s := &pommerman.State{Board: v.Board, StepCount: uint16(v.StepCount)}
	for i := range v.NumBombs {
		b := &v.Bombs[i]
		s.Bombs[i] = pommerman.NewBomb(b.Cell, b.Life, b.Blast, 0, b.Moving())
		s.NumBombs++
	}
	for c, item := range v.Board {
		if seat := int(item) - int(v.Rules.Agent0()); seat >= 0 {
			s.Agents[seat] = pommerman.Agent{Cell: grid.Cell(c), Ammo: 1, Blast: 2, Alive: true}
		}
	}
	s.Agents[v.Seat] = v.Self
	s.RNG = env.RNG{State: 1}
	return s
}

// Strength plays every seed twice, with the agent and with simple in the same seat,
// against three times simple. It returns the share of the agent's wins among the seeds
// with which just one of the two won.
func Strength(t testing.TB, roster Roster, rules pommerman.Rules, name string, games int) (
	share float64, own, base Tally,
) {
	game, err := pommerman.New("strength", "", rules, roster)
	if err != nil {
		t.Fatal(err)
	}
	only, other := 0, 0
	for i := range games {
		seed := env.Seed{Value: uint64(i)}
		seat := i % rules.Seats()
		a := PlaySeat(t, game, name, seat, seed, &own)
		b := PlaySeat(t, game, "simple", seat, seed, &base)
		switch {
		case a && !b:
			only++
		case b && !a:
			other++
		}
	}
	return float64(only) / float64(max(only+other, 1)), own, base
}

// Rolling reports whether any bomb rolls.
func (s *Situation) Rolling() bool {
	return slices.ContainsFunc(s.State.Bombs[:s.State.NumBombs],
		func(b pommerman.Bomb) bool { return b.Moving() != grid.Stay })
}

// Stacked reports whether more than one bomb lies on a cell; a view shows only the last.
func (s *Situation) Stacked() bool {
	var cells grid.Bits
	for _, b := range s.State.Bombs[:s.State.NumBombs] {
		cells.Add(b.Cell)
	}
	return cells.Len() < int(s.State.NumBombs)
}

// RingsFall reports whether a ring falls within some steps.
func (s *Situation) RingsFall(steps int) bool {
	for t := range steps + 1 {
		if ring := s.Rules.RingAt(int(s.State.StepCount) + t); !ring.Empty() {
			return true
		}
	}
	return false
}

// Follow plays a game and shows one agent, which sits at seat 0, every view of its seat
// while it lives: visit must call its Act.
func Follow(
	t testing.TB, roster Roster, rules pommerman.Rules, seed uint64,
	visit func(game *pommerman.Game, m *pommerman.Match),
) {
	t.Helper()
	game, err := pommerman.New("follow", "", rules, roster)
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0].(*pommerman.Match)
	m.Reset(env.Seed{Value: seed})
	PlayOn(t, game, m, env.Seed{Value: seed}, func() {
		if m.Agents[0].Alive {
			visit(game, m)
		}
	})
}

// Quick gives an agent that searches a budget small enough for tests.
func Quick(roster Roster, name string) string {
	if _, err := roster.New(name + ":ticks=60"); err == nil {
		return name + ":ticks=60"
	}
	return name
}

// Bot makes a bot, quick if it searches, and gives it an RNG.
func Bot(t testing.TB, roster Roster, name string, seed uint64) pommerman.Bot {
	t.Helper()
	b, err := roster.New(Quick(roster, name))
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(env.Seed{Value: seed}.RNG(env.StreamAgents))
	return b
}

// Play returns the move that a bot makes in a random view.
func Play(b pommerman.Bot, seed uint64) uint8 {
	v, _ := RandomView(seed)
	return uint8(ActionOf(b, v))
}

// ActionOf returns the move that a bot makes in a view.
func ActionOf(b pommerman.Bot, v *pommerman.View) pommerman.Action {
	action := make([]uint8, 1+v.Rules.RadioWords)
	action[0] = 99
	b.Act(v, action)
	return pommerman.Action(action[0])
}

func SetOf(actions []pommerman.Action) (set pommerman.Moves) {
	for _, a := range actions {
		set = set.With(a)
	}
	return set
}
