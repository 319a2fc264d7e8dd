package envtest

import (
	"fmt"
	"math"
	"time"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/ruleset"
)

// The fixed sizes of a toy game's state.
const (
	maxToySeats  = 8
	maxToyCells  = 64
	maxToyHeat   = 4
	strikeDamage = 100
	heatDamage   = 40
)

// ToyRules is a toy game's numbers. Start from [ToyTeams] or [ToySolo].
//
// Each seat stands on a cell of a board that ends at its edges. In a step the
// seats move in seat order, a taken cell blocking the way; then those who
// strike take energy from every enemy next to them who does not guard; then
// the RNG heats a few cells, more as the game goes on, and a hot cell takes
// energy from whoever stands there. A seat without energy is out. The last
// team wins; if none is left or the steps are up it is a tie.
type ToyRules struct {
	ID       string   `json:"id"`
	Rows     int      `json:"rows"`
	Cols     int      `json:"cols"`
	Teams    [][]int  `json:"teams"`
	Energy   int      `json:"energy"` // at the start
	MaxSteps int      `json:"max_steps"`
	Panic    ToyPanic `json:"panic"`
}

// ToyPanic makes a toy game break, for tests of what runs it. The zero value
// never does.
type ToyPanic struct {
	In   ToyCall `json:"in"`   // the call that panics
	Step int     `json:"step"` // once so many steps have been made
	Seed uint64  `json:"seed"` // in the game with this seed alone, in its first episode
}

// ToyCall names a call that a toy game can be made to panic in.
type ToyCall uint8

// The calls that can panic.
const (
	Nowhere ToyCall = iota
	InReset
	InStep
	InMask
	InObserve
	InAct // in any agent's Act
)

func (c ToyCall) String() string {
	if int(c) < len(toyCallNames) {
		return toyCallNames[c]
	}
	return "ToyCall(?)"
}

var toyCallNames = [...]string{"nowhere", "Reset", "Step", "Mask", "Observe", "Act"}

// ToyTeams is six seats in teams of three, two and one on a board that is not
// square.
func ToyTeams() ToyRules {
	return ToyRules{
		ID: "ToyTeams-v0", Rows: 5, Cols: 9, Teams: [][]int{{0, 1, 2}, {3, 4}, {5}}, Energy: 300, MaxSteps: 50,
	}
}

// ToySolo is three seats, each on its own.
func ToySolo() ToyRules {
	return ToyRules{
		ID: "ToySolo-v0", Rows: 4, Cols: 3, Teams: [][]int{{0}, {1}, {2}}, Energy: 300, MaxSteps: 24,
	}
}

// Toy is the game with the rules of [ToyTeams].
func Toy() env.Game { return NewToy(ToyTeams()) }

// NewToy makes a toy game. It panics if the rules make no sense.
func NewToy(rules ToyRules) env.Game {
	g := &toyGame{rules: rules, board: toyBoard{rules.Rows, rules.Cols}}
	seats := 0
	for _, team := range rules.Teams {
		var set env.SeatSet
		for _, seat := range team {
			set = set.With(seat)
		}
		g.teams = append(g.teams, set)
		seats += len(team)
	}
	if seats < 1 || seats > maxToySeats || seats > g.board.Cells() || g.board.Cells() > maxToyCells {
		panic(fmt.Sprintf("envtest: a toy game needs 1 to %d seats and room for them on at most %d cells", maxToySeats,
			maxToyCells))
	}
	g.spec = toySpec(&rules, seats)
	g.fingerprint = ruleset.Fingerprint("toy", 1, rules)
	return g
}

// toyBoard is a board that ends at its edges. Its cells are numbered row by row.
type toyBoard struct{ rows, cols int }

func (b toyBoard) Cells() int { return b.rows * b.cols }

func (b toyBoard) RowCol(cell int) (row, col int) { return cell / b.cols, cell % b.cols }

// Next is the neighbour of a cell, -1 where the board ends.
func (b toyBoard) Next(cell int, d grid.Dir) int {
	row, col := b.RowCol(cell)
	down, right := d.Delta()
	if row, col = row+down, col+right; row < 0 || row >= b.rows || col < 0 || col >= b.cols {
		return -1
	}
	return row*b.cols + col
}

// toyGame is env.Game.
type toyGame struct {
	rules       ToyRules
	board       toyBoard
	teams       []env.SeatSet
	spec        env.Spec
	fingerprint uint64
}

func (g *toyGame) Spec() *env.Spec { return &g.spec }

func (g *toyGame) New(n int) []env.Match {
	block, all := make([]toyMatch, n), make([]env.Match, n)
	for i := range block {
		block[i].game = g
		all[i] = &block[i]
	}
	return all
}

func (g *toyGame) Copy(to, from env.Match) { *to.(*toyMatch) = *from.(*toyMatch) }

func (g *toyGame) NewTrackers(n int, _ bool) []env.Tracker { return env.Untracked(n) }

func (g *toyGame) Clock() (limit, giveUp time.Duration) { return 0, 0 }

func (g *toyGame) Endings() []env.Ending { return nil }

func (g *toyGame) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	return fmt.Appendf(dst, `{"seat": %d, "steps": %d}`, seat, m.Status().Steps)
}

func (g *toyGame) ActionSpace() string { return "[5, 3]" }

func (g *toyGame) GameType() string { return `"toy"` }

// team is the seats that share seat's fate, seat included.
func (g *toyGame) team(seat int) env.SeatSet {
	for _, t := range g.teams {
		if t.Has(seat) {
			return t
		}
	}
	panic("envtest: no such seat")
}

// distance is how many steps lie between two cells.
func (g *toyGame) distance(a, b uint8) int {
	ra, ca := g.board.RowCol(int(a))
	rb, cb := g.board.RowCol(int(b))
	return max(ra-rb, rb-ra) + max(ca-cb, cb-ca)
}

// The encodings' indices.
const (
	toyMaps = iota
	toyList
)

func toySpec(r *ToyRules, seats int) env.Spec {
	who := make([]env.Name, seats)
	for i := range who {
		who[i] = env.Name{Name: fmt.Sprintf("seat%d", i),
			Meaning: "row, column, share of energy left, and 1 oneself, 0.5 a mate, -1 an enemy"}
	}
	far := float64(max(r.Rows, r.Cols))
	board := env.Field{Name: "board", DType: env.Uint8, Shape: []int{3, r.Rows, r.Cols}, High: math.MaxUint8, Shared: true,
		Names: []env.Name{
			{Name: "seat", Meaning: "the seat standing there plus one"},
			{Name: "energy", Meaning: "that seat's energy, in tens"},
			{Name: "heat", Meaning: "steps for which the cell stays hot"},
		}}
	return env.Spec{
		ID: r.ID, Game: "toy", Version: 1, Description: "a brawl on a heating board",
		Seats: seats, Teams: r.Teams, Elimination: true, MaxSteps: r.MaxSteps,
		Actions: []env.Choice{
			{Name: "move", N: 5, Names: []string{"stay", "up", "down", "left", "right"}},
			{Name: "deed", N: 3, Names: []string{"none", "strike", "guard"}},
		},
		Encodings: []env.Encoding{
			toyMaps: {Name: "maps", Fields: []env.Field{
				board,
				{Name: "self", DType: env.Int16, Shape: []int{4}, Low: -far, High: math.MaxInt16, Names: []env.Name{
					{Name: "seat", Meaning: "the seat"},
					{Name: "energy", Meaning: "what it has left"},
					{Name: "down", Meaning: "rows down to the centre, negative if up"},
					{Name: "right", Meaning: "columns right to the centre, negative if left"},
				}},
				{Name: "odds", DType: env.Float32, Shape: []int{2}, High: 1, Names: []env.Name{
					{Name: "mates", Meaning: "the team's share of all energy"},
					{Name: "time", Meaning: "share of the steps left"},
				}},
			}},
			toyList: {Name: "list", Fields: []env.Field{
				{Name: "seats", DType: env.Float32, Shape: []int{seats, 4}, Low: -1, High: far, Names: who},
				{Name: "clock", DType: env.Int16, Shape: []int{1}, High: float64(r.MaxSteps), Shared: true, Names: []env.Name{
					{Name: "steps", Meaning: "steps made"},
				}},
			}},
		},
		State: []env.Field{board,
			{Name: "energy", DType: env.Int16, Shape: []int{seats}, High: float64(r.Energy), Shared: true, Names: who}},
		Agents: []string{"still", "wander", "hunter"},
		Rules:  *r,
	}
}
