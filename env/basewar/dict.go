package basewar

import (
	"encoding/json"

	"pommego/env"
	"pommego/env/grid"
)

// dictionary is what a playing program is sent each round, as a JSON object: its
// seat and side, and the whole state of the map. Cells are [row,
// column].
type dictionary struct {
	Seat       int          `json:"seat"`
	Side       string       `json:"side"` // blue or green
	Own        []int        `json:"own"`  // the bombers that the action moves, in its order
	StepCount  int          `json:"step_count"`
	MaxSteps   int          `json:"max_steps"`
	Board      [][]int      `json:"board"` // rows: 0 free, 1 stone, 2 box, 3 blue's base, 4 green's base
	Bombers    []dictBomber `json:"bombers"`
	Bombs      []dictBomb   `json:"bombs"`
	Blast      [][]int      `json:"blast"`  // cells that explosions reached in the last round
	Energy     [2]int       `json:"energy"` // of blue's and green's base
	Score      [2]int       `json:"score"`  // of blue and green
	BlastRange int          `json:"blast_range"`
	BombLife   int          `json:"bomb_life"`
}

type dictBomber struct {
	ID       int    `json:"id"`
	Side     string `json:"side"`
	Position [2]int `json:"position"` // its last one when it is dead
	Lives    int    `json:"lives"`
	Bombs    int    `json:"bombs"` // it can lay now
}

type dictBomb struct {
	Position [2]int `json:"position"`
	Life     int    `json:"life"`
	Owner    string `json:"owner"` // blue, green or public
}

// AppendObservation appends what the program in a seat is sent: env.Game.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	r, s := &g.rules, &m.(*Match).State
	d := dictionary{
		Seat: seat, Side: r.SideOf(seat).String(), StepCount: int(s.StepCount), MaxSteps: r.MaxSteps,
		Bombs: []dictBomb{}, Blast: [][]int{}, BlastRange: r.BlastRange, BombLife: r.BombLife,
		Energy: [2]int{int(s.Energy[Blue]), int(s.Energy[Green])}, Score: [2]int{int(s.Score[Blue]), int(s.Score[Green])},
	}
	for _, id := range r.Own(seat) {
		d.Own = append(d.Own, int(id))
	}
	for row := range r.BoardSize {
		var cells []int
		for col := range r.BoardSize {
			cells = append(cells, int(r.ground(s, grid.At(row, col))))
		}
		d.Board = append(d.Board, cells)
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		d.Bombers = append(d.Bombers, dictBomber{id, SideOf(id).String(), b.Cell.Place(), int(b.Lives), int(b.Bombs)})
	}
	for i := range s.bombs() {
		b := &s.Bombs[i]
		d.Bombs = append(d.Bombs, dictBomb{b.Cell.Place(), int(b.Life), b.Owner().String()})
	}
	for c := range s.Blast.All {
		d.Blast = append(d.Blast, []int{c.Row(), c.Col()})
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	return append(dst, text...)
}

// ActionSpace is the number of actions, for a side the list of those of its
// bombers.
func (g *Game) ActionSpace() string {
	if g.rules.Sides {
		return "[6, 6, 6]"
	}
	return "6"
}

// GameType is the name of the game, another one where a seat is a side.
func (g *Game) GameType() string {
	if g.rules.Sides {
		return `"basewar-sides"`
	}
	return `"basewar"`
}
