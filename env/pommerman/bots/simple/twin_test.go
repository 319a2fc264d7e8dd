package simple

import (
	"fmt"
	"math"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// pos is a cell by row and column.
type pos struct{ row, col int }

func (p pos) next(d grid.Dir) pos {
	row, col := d.Delta()
	return pos{p.row + row, p.col + col}
}

func (p pos) cell() grid.Cell { return grid.At(p.row, p.col) }

func posOf(c grid.Cell) pos { return pos{c.Row(), c.Col()} }

func (p pos) apart(o pos) int { return abs(p.row-o.row) + abs(p.col-o.col) }

// twin makes a simple agent's decision the slow way, straight from the rules:
// a whole search over maps, lists for everything, nothing put off.
type twin struct {
	v       *pommerman.View
	recent  []pos
	heading grid.Dir
	draws   *tape

	self  pos
	bombs map[pos]int // blast by cell
	order []pos       // the bombs' cells in row-major order
	dist  map[pos]int // of every cell in sight, -1 for those out of reach
	prev  map[pos]pos
	cells map[pommerman.Item][]pos
}

// tape is a script of coins and a choice drawn from an RNG, counting how many
// were asked for.
type tape struct {
	coins  env.RNG
	choose env.RNG
	tossed int
	picks  [][2]int
}

func (t *tape) Coin() bool {
	t.tossed++
	return t.coins.Coin()
}

func (t *tape) Choice(n int) int {
	k := t.choose.IntN(n)
	t.picks = append(t.picks, [2]int{n, k})
	return k
}

func (t *tape) Whole() bool { return true }

func (t *twin) decide() pommerman.Action {
	v := t.v
	t.self = posOf(v.Self.Cell)
	t.bombs = map[pos]int{}
	for _, b := range v.Bombs[:v.NumBombs] {
		t.bombs[posOf(b.Cell)] = int(b.Blast)
		t.order = append(t.order, posOf(b.Cell))
	}
	t.search()
	if unsafe, blast := t.unsafe(); len(unsafe) > 0 {
		return t.pick(t.escapes(unsafe, blast))
	}
	if t.adjacentEnemy() && v.Self.Ammo > 0 {
		if t.mayBomb() {
			return pommerman.LayBomb
		}
		if len(t.cells[pommerman.Passage]) == 0 {
			return pommerman.Stop
		}
	}
	if d := t.toward(3, v.Enemies[:]...); d != grid.Stay && (d != t.heading || t.draws.Coin()) {
		t.heading = d
		return pommerman.Action(d)
	}
	if d := t.toward(2, pommerman.ExtraBomb, pommerman.IncrRange, pommerman.Kick); d != grid.Stay {
		return pommerman.Action(d)
	}
	if t.toward(1, pommerman.Wood) != grid.Stay {
		if v.Self.Ammo > 0 && t.mayBomb() {
			return pommerman.LayBomb
		}
		return pommerman.Stop
	}
	if d := t.toward(2, pommerman.Wood); d != grid.Stay && t.isClear(t.self.next(d)) {
		return pommerman.Action(d)
	}
	return t.wander()
}

func (t *twin) on(p pos) bool {
	n := t.v.Rules.BoardSize
	return p.row >= 0 && p.col >= 0 && p.row < n && p.col < n
}

func (t *twin) item(p pos) pommerman.Item { return t.v.Board[p.cell()] }

// passable: a passage, an item, or an agent that is no enemy.
func (t *twin) passable(p pos) bool {
	if !t.on(p) {
		return false
	}
	item := t.item(p)
	for _, e := range t.v.Enemies {
		if item == e {
			return false
		}
	}
	isItem := item >= pommerman.ExtraBomb && item < t.v.Rules.Dummy()
	isAgent := item >= t.v.Rules.Agent0() && item < t.v.Rules.Agent0()+pommerman.MaxAgents
	return item == pommerman.Passage || isItem || isAgent
}

// search finds the ways to all cells in sight, and tosses every coin.
func (t *twin) search() {
	t.dist, t.prev, t.cells = map[pos]int{}, map[pos]pos{}, map[pommerman.Item][]pos{}
	n := t.v.Rules.BoardSize
	for row := max(0, t.self.row-10); row < min(n, t.self.row+10); row++ {
		for col := max(0, t.self.col-10); col < min(n, t.self.col+10); col++ {
			p := pos{row, col}
			item := t.item(p)
			if t.self.apart(p) > 10 || item == pommerman.Fog || item == pommerman.Rigid || item == pommerman.Flames {
				continue
			}
			t.dist[p] = -1
			t.cells[item] = append(t.cells[item], p)
		}
	}
	var waiting []pos
	if _, ok := t.dist[t.self]; ok {
		t.dist[t.self] = 0
		waiting = append(waiting, t.self)
	}
	for ; len(waiting) > 0; waiting = waiting[1:] {
		from := waiting[0]
		if !t.passable(from) {
			continue
		}
		for _, d := range grid.Dirs {
			to := from.next(d)
			known, ok := t.dist[to]
			switch {
			case !ok:
			case known < 0:
				t.dist[to] = t.dist[from] + 1
				t.prev[to] = from
				waiting = append(waiting, to)
			case known == t.dist[from]+1 && t.draws.Coin():
				t.prev[to] = from
			}
		}
	}
}

// unsafe lists the directions with a threatening bomb, and its blast.
func (t *twin) unsafe() (dirs []grid.Dir, blast map[grid.Dir]int) {
	blast = map[grid.Dir]int{}
	threaten := func(d grid.Dir, strength int) {
		if _, ok := blast[d]; !ok {
			dirs = append(dirs, d)
		}
		blast[d] = max(blast[d], strength)
	}
	for _, at := range t.order {
		strength := t.bombs[at]
		if far, ok := t.dist[at]; !ok || far < 0 || far > strength {
			continue
		}
		switch {
		case at == t.self:
			threaten(grid.Right, strength)
			threaten(grid.Left, strength)
			threaten(grid.Up, strength)
			threaten(grid.Down, strength)
		case at.row == t.self.row && at.col > t.self.col:
			threaten(grid.Right, strength)
		case at.row == t.self.row:
			threaten(grid.Left, strength)
		case at.col == t.self.col && at.row > t.self.row:
			threaten(grid.Down, strength)
		case at.col == t.self.col:
			threaten(grid.Up, strength)
		}
	}
	return dirs, blast
}

// escapes lists the directions to flee in.
func (t *twin) escapes(unsafe []grid.Dir, blast map[grid.Dir]int) []grid.Dir {
	if len(unsafe) == 4 {
		for _, d := range unsafe {
			if t.passable(t.self.next(d)) && !t.stuck(t.self.next(d), blast[d]) {
				return []grid.Dir{d}
			}
		}
		return []grid.Dir{grid.Stay}
	}
	var safe, allowed []grid.Dir
	for _, d := range grid.Dirs {
		to := t.self.next(d)
		_, bad := blast[d]
		if t.on(to) && !bad && (t.passable(to) || t.item(to) == pommerman.Fog) {
			safe = append(safe, d)
		}
	}
	if len(safe) > 0 {
		return safe
	}
	for _, d := range unsafe {
		if t.on(t.self.next(d)) {
			allowed = append(allowed, d)
		}
	}
	return allowed
}

// stuck floods from a cell, the agent's own being blocked, and reports whether
// that never leads out of the cell's row and column nor beyond the blast.
func (t *twin) stuck(from pos, blast int) bool {
	seen := map[pos]bool{from: true}
	for waiting := []pos{from}; len(waiting) > 0; waiting = waiting[1:] {
		at := waiting[0]
		if at.row != from.row && at.col != from.col || at.apart(from) > blast {
			return false
		}
		for _, d := range grid.Dirs {
			if to := at.next(d); !seen[to] && to != t.self && t.passable(to) {
				seen[to] = true
				waiting = append(waiting, to)
			}
		}
	}
	return true
}

func (t *twin) adjacentEnemy() bool {
	for _, e := range t.v.Enemies {
		for _, p := range t.cells[e] {
			if t.dist[p] == 1 {
				return true
			}
		}
	}
	return false
}

func (t *twin) mayBomb() bool {
	for _, p := range t.cells[pommerman.Passage] {
		if t.dist[p] >= 0 && (t.dist[p] > int(t.v.Self.Blast) || p.row != t.self.row && p.col != t.self.col) {
			return true
		}
	}
	return false
}

// toward goes back from the nearest of the items along the way found.
func (t *twin) toward(radius int, wanted ...pommerman.Item) grid.Dir {
	best, at := math.MaxInt, t.self
	for _, item := range wanted {
		for _, p := range t.cells[item] {
			if d := t.dist[p]; d > 0 && d <= radius && d <= best {
				best, at = d, p
			}
		}
	}
	if at == t.self {
		return grid.Stay
	}
	for t.prev[at] != t.self {
		at = t.prev[at]
	}
	d, _ := tactics.Line(t.self.cell(), at.cell())
	return d
}

// isClear reports whether no bomb's row or column reaches p.
func (t *twin) isClear(p pos) bool {
	for at, strength := range t.bombs {
		if (at.row == p.row || at.col == p.col) && at.apart(p) <= strength {
			return false
		}
	}
	return true
}

func (t *twin) wander() pommerman.Action {
	var ways, fresh, moves []grid.Dir
	for _, d := range []grid.Dir{grid.Stay, grid.Left, grid.Right, grid.Up, grid.Down} {
		if to := t.self.next(d); t.passable(to) && t.isClear(to) {
			ways = append(ways, d)
		}
	}
	for _, d := range ways {
		known := false
		for _, p := range t.recent {
			known = known || p == t.self.next(d)
		}
		if !known {
			fresh = append(fresh, d)
		}
	}
	if len(fresh) > 0 {
		ways = fresh
	}
	for _, d := range ways {
		if d != grid.Stay {
			moves = append(moves, d)
		}
	}
	if len(ways) > 1 {
		ways = moves
	}
	if len(ways) == 0 {
		ways = []grid.Dir{grid.Stay}
	}
	t.recent = append(t.recent, t.self)
	t.recent = t.recent[max(0, len(t.recent)-6):]
	return t.pick(ways)
}

func (t *twin) pick(ways []grid.Dir) pommerman.Action {
	return pommerman.Action(ways[t.draws.Choice(len(ways))])
}

// compareWithTwin makes one decision both ways and compares everything.
func compareWithTwin(v *pommerman.View, before Memory, seed uint64) error {
	fast := &tape{coins: env.RNG{State: seed}, choose: env.RNG{State: ^seed}}
	slow := *fast
	a := simple{Memory: before, draws: draws{script: fast}}
	got, by := a.decide(v)
	t := twin{v: v, heading: before.Heading, draws: &slow}
	for _, c := range before.Recent.List() {
		t.recent = append(t.recent, posOf(c))
	}
	want := t.decide()
	after := Memory{Heading: t.heading}
	for _, p := range t.recent {
		after.Recent.Add(p.cell())
	}
	if got != want || a.Memory != after || fmt.Sprint(*fast) != fmt.Sprint(slow) {
		return fmt.Errorf("%v by %v, memory %v, draws %v; slow twin: %v, memory %v, draws %v; view:\n%s",
			got, by, a.Memory, *fast, want, after, slow, pommermantest.Picture(v))
	}
	return nil
}

// TestTwin compares the agent with its slow twin on drawn-up views.
func TestTwin(t *testing.T) {
	for seed := range uint64(10000) {
		v, m := randomView(seed)
		if v.NumBombs == 0 && seed%2 == 0 { // by some rules a bomb hides the agent that stands on it
			v.Bombs[0], v.NumBombs = pommerman.Bomb{Cell: v.Self.Cell, Life: 5, Blast: uint8(1 + seed%3)}, 1
			v.Board[v.Self.Cell] = pommerman.BombItem
		}
		if err := compareWithTwin(v, m, seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// FuzzTwin does the same for views from anywhere.
func FuzzTwin(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, view, coins uint64) {
		v, m := randomView(view)
		if err := compareWithTwin(v, m, coins); err != nil {
			t.Fatal(err)
		}
	})
}

// dice is a script with the draws that an agent makes without one.
type dice struct {
	draws
	coins int
}

func (d *dice) Coin() bool       { d.coins++; return d.draws.coin() }
func (d *dice) Choice(n int) int { return d.draws.choice(n) }
func (d *dice) Whole() bool      { return false }

// TestDrawsLikeScript compares an agent that tosses the coins for ties all at once with
// one that a script tells each of them in the order of a search.
func TestDrawsLikeScript(t *testing.T) {
	tossed := 0
	for seed := range uint64(10000) {
		v, m := randomView(seed)
		script := &dice{draws: draws{rng: env.RNG{State: seed}}}
		a, b := simple{Memory: m, draws: script.draws}, simple{Memory: m, draws: draws{script: script}}
		got, _ := a.decide(v)
		want, by := b.decide(v)
		if got != want || a.Memory != b.Memory || a.rng != script.rng || a.left != script.left {
			t.Fatalf("seed %d: %v with memory %v and draws %v, want %v by %v, memory %v, draws %v; view:\n%s", seed, got,
				a.Memory, a.draws, want, by, b.Memory, script.draws, pommermantest.Picture(v))
		}
		tossed = max(tossed, script.coins)
	}
	if tossed < 10 {
		t.Errorf("%d coins at most for a decision, want 10 or more in some", tossed)
	}
}

// randomView makes a view and a memory.
func randomView(seed uint64) (*pommerman.View, Memory) {
	v, rng := pommermantest.RandomView(seed)
	return v, randomMemory(v, rng)
}

// randomMemory remembers cells around the agent.
func randomMemory(v *pommerman.View, rng *env.RNG) (m Memory) {
	for range rng.IntN(10) {
		row := v.Self.Cell.Row() + rng.IntN(3) - 1
		col := v.Self.Cell.Col() + rng.IntN(3) - 1
		if c := grid.At(row, col); c.OnBoard(v.Rules.BoardSize) {
			m.Recent.Add(c)
		}
	}
	m.Heading = grid.Dir(rng.IntN(5))
	return m
}

// BenchmarkDecide makes decisions with an RNG.
func BenchmarkDecide(b *testing.B) {
	var views [500]*pommerman.View
	var memories [500]Memory
	for i := range views {
		views[i], memories[i] = randomView(uint64(i))
	}
	var a simple
	for i := 0; b.Loop(); i++ {
		a.Memory = memories[i%len(views)]
		a.decide(views[i%len(views)])
	}
}

func abs(x int) int { return max(x, -x) }
