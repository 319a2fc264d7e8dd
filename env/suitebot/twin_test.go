package suitebot

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// The slow twin: the rules page written down as plainly as it can be, with maps
// and coordinates instead of bits and tables, and no thought of speed. It shares
// no code with the fast step, and reads only fields of the Rules.

type spot struct{ x, y int }

type twinBomb struct {
	owner  int
	rounds int // until it goes off
}

type twinAgent struct {
	at, home                        spot
	score, gain                     int
	collected, kills, deaths        int
	dead, inCollision, diedThisStep bool
}

type twin struct {
	r      *Rules
	points map[spot]bool // the fields that hold their points
	bombs  map[spot]twinBomb
	agents []twinAgent
	blast  map[spot]bool
	round  int
}

// newTwin reads a State.
func newTwin(p *Game, s *State) *twin {
	t := &twin{r: p.Rules(), points: map[spot]bool{}, bombs: map[spot]twinBomb{}, blast: map[spot]bool{},
		round: int(s.StepCount)}
	at := func(c Cell) spot { return spot{int(c) % t.r.Width, int(c) / t.r.Width} }
	for c := range Cell(t.r.Width * t.r.Height) {
		if !s.Spent.Has(c) {
			t.points[at(c)] = true
		}
		if s.Blast.Has(c) {
			t.blast[at(c)] = true
		}
	}
	for i := range t.r.Players {
		t.agents = append(t.agents, twinAgent{
			at: at(s.Agents[i]), home: at(s.Homes[i]), score: int(s.Scores[i]), gain: int(s.Gains[i]),
			collected: int(s.Collected[i]), kills: int(s.Kills[i]), deaths: int(s.Deaths[i]),
		})
	}
	for k := range s.fuses {
		for owner, f := range s.fuses[k] {
			if f != 0 {
				t.bombs[at(Cell(f-1))] = twinBomb{owner, k + 1}
			}
		}
	}
	return t
}

// text writes everything down, so that two states can be compared and read.
func (t *twin) text() string {
	out := fmt.Appendf(nil, "round %d\n", t.round)
	for y := range t.r.Height {
		for x := range t.r.Width {
			switch at := (spot{x, y}); {
			case t.blast[at] && !t.points[at]:
				out = append(out, '*')
			case t.blast[at]:
				out = append(out, '!')
			case t.points[at]:
				out = append(out, '.')
			default:
				out = append(out, 'x')
			}
		}
		out = append(out, '\n')
	}
	for i, a := range t.agents {
		out = fmt.Appendf(out, "agent %d at %v home %v score %d gain %d collected %d kills %d deaths %d\n", i, a.at, a.home,
			a.score, a.gain, a.collected, a.kills, a.deaths)
	}
	for _, at := range slices.SortedFunc(maps.Keys(t.bombs),
		func(a, b spot) int { return slices.Compare([]int{a.y, a.x}, []int{b.y, b.x}) }) {
		out = fmt.Appendf(out, "bomb at %v %+v\n", at, t.bombs[at])
	}
	return string(out)
}

// step plays a round.
func (t *twin) step(actions []Action) {
	t.round++
	t.blast = map[spot]bool{}
	for i := range t.agents {
		a := &t.agents[i]
		a.gain, a.dead, a.inCollision, a.diedThisStep = 0, false, false, false
		a.at = t.moved(a.at, actions[i])
	}
	t.collisions()
	if t.r.HomeDeaths == AfterMoves {
		t.intruders()
	}
	for i := range t.agents {
		if actions[i] == PlantBomb && (!t.agents[i].dead || t.r.DeadPlant) {
			t.bombs[t.agents[i].at] = twinBomb{i, t.r.BombDelay + 1} // counts down in this round too
		}
	}
	t.explode()
	for i := range t.agents {
		if t.agents[i].dead {
			t.die(i)
		}
	}
	if t.r.HomeDeaths == AtEnd {
		for i := range t.agents {
			t.agents[i].dead = false
		}
		t.intruders()
		for i := range t.agents {
			if t.agents[i].dead {
				t.die(i)
			}
		}
	}
	for i := range t.agents {
		t.agents[i].score += t.agents[i].gain
	}
}

func (t *twin) moved(at spot, a Action) spot {
	switch a {
	case Up:
		at.y--
	case Down:
		at.y++
	case Left:
		at.x--
	case Right:
		at.x++
	}
	return spot{(at.x + t.r.Width) % t.r.Width, (at.y + t.r.Height) % t.r.Height}
}

func (t *twin) collisions() {
	for i := range t.agents {
		for k := range t.agents {
			if i != k && t.agents[i].at == t.agents[k].at {
				t.agents[i].dead = true
				t.agents[i].gain += t.r.CollisionPoints
			}
		}
	}
}

// intruders kills who stands on another's home base.
func (t *twin) intruders() {
	for i := range t.agents {
		for k := range t.agents {
			if i != k && t.agents[i].at == t.agents[k].home {
				t.agents[i].dead = true
				t.agents[k].gain += t.r.HomePoints
			}
		}
	}
}

// die puts an agent home; a second death in a round counts too.
func (t *twin) die(i int) {
	t.agents[i].deaths++
	t.agents[i].at = t.agents[i].home
}

// reaches reports whether a bomb at one place reaches another: some way round the
// torus leads there within the radius.
func (t *twin) reaches(from, to spot) bool {
	near := func(a, b, round int) bool {
		for _, d := range []int{a - b, a - b + round, a - b - round} {
			if max(d, -d) <= t.r.BlastRadius {
				return true
			}
		}
		return false
	}
	x, y := near(from.x, to.x, t.r.Width), near(from.y, to.y, t.r.Height)
	if t.r.BlastShape == Square {
		return x && y
	}
	return x && from.y == to.y || y && from.x == to.x
}

func (t *twin) explode() {
	exploding := map[spot]int{}
	for at, b := range t.bombs {
		b.rounds--
		t.bombs[at] = b
		if b.rounds == 0 {
			exploding[at] = b.owner
		}
	}
	for grown := true; grown; {
		grown = false
		for at, b := range t.bombs {
			if _, already := exploding[at]; already {
				continue
			}
			for from := range exploding {
				if t.reaches(from, at) {
					exploding[at], grown = b.owner, true
					break
				}
			}
		}
	}
	for at := range exploding {
		delete(t.bombs, at)
	}
	for y := range t.r.Height {
		for x := range t.r.Width {
			t.blowUp(spot{x, y}, exploding)
		}
	}
}

// blowUp is what happens to one field and to those who stand there.
func (t *twin) blowUp(at spot, exploding map[spot]int) {
	owners := map[int]bool{}
	for from, owner := range exploding {
		if t.reaches(from, at) {
			owners[owner] = true
		}
	}
	if len(owners) == 0 {
		return
	}
	t.blast[at] = true
	if t.points[at] && len(owners) == 1 {
		for owner := range owners {
			t.agents[owner].collected++
			t.agents[owner].gain += t.r.FieldPoints
		}
	}
	delete(t.points, at)
	for i := range t.agents {
		if a := &t.agents[i]; a.at == at && (!a.dead || t.r.DeadKills) {
			a.dead = true
			t.credit(i, maps.Clone(owners))
		}
	}
}

// credit gives the points for a victim.
func (t *twin) credit(victim int, owners map[int]bool) {
	if owners[victim] && len(owners) > 1 && !t.r.OwnBombsContest {
		delete(owners, victim)
	}
	if len(owners) != 1 {
		return
	}
	for owner := range owners {
		if owner == victim {
			t.agents[victim].gain += t.r.SelfKillPoints
			continue
		}
		t.agents[owner].kills++
		t.agents[owner].gain += t.r.KillPoints
	}
}

// compareStep plays a round with the state and with its slow twin.
func compareStep(t testing.TB, p *Game, s *State, actions []uint8) {
	t.Helper()
	before := *s
	slow := newTwin(p, s)
	moves := make([]Action, p.Rules().Players)
	for i := range moves {
		moves[i] = Action(actions[i])
	}
	slow.step(moves)
	p.Step(s, actions)
	if got, want := newTwin(p, s).text(), slow.text(); got != want {
		t.Fatalf("%+v\nactions %v from\n%s\ngave\n%s\nwant, by the slow twin,\n%s", *p.Rules(), moves,
			newTwin(p, &before).text(), got, want)
	}
	if err := p.form.Check(s); err != nil {
		t.Fatalf("actions %v from\n%s\nbroke an invariant: %v", moves, newTwin(p, &before).text(), err)
	}
}
