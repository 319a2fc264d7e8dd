package pommerman

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"pommego/env"
	"pommego/env/grid"
)

// dict is the observation dictionary as the reference's own encoder writes it for
// agents behind HTTP: keys in the order in which the reference fills them in,
// a space after commas and colons, and of the maps the board in integers but
// the others, which are arrays of float64 there, with a fraction.
type dict struct {
	Alive         []int    `json:"alive"`
	Board         [][]int  `json:"board"`
	BombBlast     [][]real `json:"bomb_blast_strength"`
	BombLife      [][]real `json:"bomb_life"`
	BombMoving    [][]real `json:"bomb_moving_direction"`
	FlameLife     [][]real `json:"flame_life"`
	GameType      int      `json:"game_type"`
	GameEnv       string   `json:"game_env"`
	Position      []int    `json:"position"`
	BlastStrength int      `json:"blast_strength"`
	CanKick       bool     `json:"can_kick"`
	Teammate      int      `json:"teammate"`
	Ammo          int      `json:"ammo"`
	Enemies       []int    `json:"enemies"`
	StepCount     int      `json:"step_count"`
	Message       []int    `json:"message,omitempty"`
	Bombs         [][]int  `json:"bombs,omitzero"` // row, column and blast strength of each, with Rules.BombList
}

// real is a whole number that is written with a fraction.
type real int

func (x real) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d.0", x), nil }

// AppendObservation appends the observation dictionary of seat: env.Game.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	v := g.Lend()
	defer g.GiveBack(v)
	m.(*Match).View(seat, v)
	o, maps, n := v.Observation(), v.maps(), g.rules.BoardSize
	d := dict{
		o.Alive, rows[int](n, maps[mapBoard]), rows[real](n, maps[mapBlast]), rows[real](n, maps[mapLife]),
		rows[real](n, maps[mapMoving]), rows[real](n, maps[mapFlame]), o.GameType, o.GameEnv, o.Position, o.BlastStrength,
		bool(o.CanKick), o.Teammate, o.Ammo, o.Enemies, o.StepCount, o.Message, nil,
	}
	if g.rules.BombList {
		d.Bombs = [][]int{}
		for _, b := range v.Bombs[:v.NumBombs] {
			d.Bombs = append(d.Bombs, []int{b.Cell.Row(), b.Cell.Col(), int(b.Blast)})
		}
	}
	text, err := json.MarshalIndent(&d, "", "") // with a space after colons, and lines
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	text = bytes.ReplaceAll(text, []byte(",\n"), []byte(", "))
	return append(dst, bytes.ReplaceAll(text, []byte("\n"), nil)...)
}

func rows[T int | real](n int, value func(grid.Cell) int) [][]T {
	all := make([][]T, n)
	for c := range grid.Square(n).All {
		all[c.Row()] = append(all[c.Row()], T(value(c)))
	}
	return all
}

// ActionSpace is 6, or for radio a list that begins with it. The reference
// counts its words without "none".
func (g *Game) ActionSpace() string {
	if g.rules.RadioWords == 0 {
		return strconv.Itoa(int(numActions))
	}
	words := strings.Repeat(fmt.Sprintf(", %d", g.rules.RadioVocab), g.rules.RadioWords)
	return fmt.Sprintf("[%d%s]", numActions, words)
}

// GameType is the number of the game type.
func (g *Game) GameType() string { return strconv.Itoa(int(g.rules.GameType)) }
