package pommerman

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// Observation is the reference's observation dictionary, which shows a view, in the
// form that recorded games have.
type Observation struct {
	Board         saved.Map  `json:"board"`
	BombBlast     saved.Map  `json:"bomb_blast_strength"`
	BombLife      saved.Map  `json:"bomb_life"`
	BombMoving    saved.Map  `json:"bomb_moving_direction"`
	FlameLife     saved.Map  `json:"flame_life"`
	Position      []int      `json:"position"`
	Ammo          int        `json:"ammo"`
	BlastStrength int        `json:"blast_strength"`
	CanKick       saved.Flag `json:"can_kick"`
	Teammate      int        `json:"teammate"`
	Enemies       []int      `json:"enemies"`
	Alive         []int      `json:"alive"`
	GameType      int        `json:"game_type"`
	GameEnv       string     `json:"game_env"`
	StepCount     int        `json:"step_count"`
	Message       []int      `json:"message,omitempty"`
}

// Observation returns the observation that shows the view.
func (v *View) Observation() *Observation {
	r := v.Rules
	o := &Observation{
		Position: []int{v.Self.Cell.Row(), v.Self.Cell.Col()}, Ammo: int(v.Self.Ammo), BlastStrength: int(v.Self.Blast),
		CanKick: saved.Flag(v.Self.Kicks), Teammate: int(v.Teammate), Enemies: saved.Ints(v.Enemies[:r.enemies()]),
		Alive: []int{}, GameType: int(r.GameType), GameEnv: r.GameEnv, StepCount: v.StepCount,
		Message: saved.Ints(v.Message[:r.RadioWords]),
	}
	for seat := range v.Alive.All {
		o.Alive = append(o.Alive, int(r.Agent0())+seat)
	}
	maps := v.maps()
	for i, to := range [numMaps]*saved.Map{&o.Board, &o.BombBlast, &o.BombLife, &o.BombMoving, &o.FlameLife} {
		to.Draw(r.BoardSize*r.BoardSize, digits, func(at int) int { return maps[i](r.cell(at)) })
	}
	return o
}

func (v *View) maps() [numMaps]func(c grid.Cell) int {
	var bombs [256]Bomb
	for _, b := range v.Bombs[:v.NumBombs] {
		bombs[b.Cell] = b
	}
	return [numMaps]func(c grid.Cell) int{
		func(c grid.Cell) int { return int(v.Board[c]) },
		func(c grid.Cell) int { return int(bombs[c].Blast) },
		func(c grid.Cell) int { return int(bombs[c].Life) },
		func(c grid.Cell) int { return int(bombs[c].Moving()) },
		func(c grid.Cell) int { return int(v.Flame(c)) },
	}
}

// dict is the observation dictionary as the reference's own encoder writes it for
// agents behind HTTP. Keys are in the order in which the reference fills them in. A
// space follows commas and colons. The board has integers; the other maps, which are
// arrays of float64 there, have numbers with a fraction.
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
	Bombs         [][]int  `json:"bombs,omitzero"` // row, column and blast strength of each bomb, with Rules.BombList
}

// real is a whole number that JSON shows with a fraction.
type real int

func (x real) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d.0", x), nil }

// AppendObservation appends the observation dictionary of seat: env.Game.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	v := new(View)
	m.(*Match).View(seat, v)
	o, maps, n := v.Observation(), v.maps(), g.rules.BoardSize
	d := dict{
		o.Alive, grid.Rows[int](n, maps[mapBoard]), grid.Rows[real](n, maps[mapBlast]), grid.Rows[real](n, maps[mapLife]),
		grid.Rows[real](n, maps[mapMoving]), grid.Rows[real](n, maps[mapFlame]), o.GameType, o.GameEnv, o.Position,
		o.BlastStrength, bool(o.CanKick), o.Teammate, o.Ammo, o.Enemies, o.StepCount, o.Message, nil,
	}
	if g.rules.BombList {
		d.Bombs = [][]int{}
		for _, b := range v.Bombs[:v.NumBombs] {
			d.Bombs = append(d.Bombs, []int{b.Cell.Row(), b.Cell.Col(), int(b.Blast)})
		}
	}
	text, err := json.MarshalIndent(&d, "", "") // it puts a space after colons, and line feeds
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	text = bytes.ReplaceAll(text, []byte(",\n"), []byte(", "))
	return append(dst, bytes.ReplaceAll(text, []byte("\n"), nil)...)
}

// ActionSpace is 6; with radio it is a list of 6 and the numbers of words. As in the
// reference, these do not count "none".
func (g *Game) ActionSpace() string {
	if g.rules.RadioWords == 0 {
		return strconv.Itoa(int(numActions))
	}
	words := strings.Repeat(fmt.Sprintf(", %d", g.rules.RadioVocab), g.rules.RadioWords)
	return fmt.Sprintf("[%d%s]", numActions, words)
}

// GameType is the number of the game type.
func (g *Game) GameType() string { return strconv.Itoa(int(g.rules.GameType)) }
