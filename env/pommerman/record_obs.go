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
		Alive: r.items(v.Alive.Has), GameType: int(r.GameType), GameEnv: r.GameEnv, StepCount: v.StepCount,
		Message: saved.Ints(v.Message[:r.RadioWords]),
	}
	maps := o.maps()
	for i, value := range v.maps() {
		maps[i].Draw(r.BoardSize*r.BoardSize, digits, func(at int) int { return value(r.cell(at)) })
	}
	return o
}

func (o *Observation) maps() [numMaps]*saved.Map {
	return [numMaps]*saved.Map{&o.Board, &o.BombBlast, &o.BombLife, &o.BombMoving, &o.FlameLife}
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

// shape says what the values of an observation may be.
func (r *Rules) shape() *saved.Shape {
	n, dummy, first := r.BoardSize, int(r.Dummy()), int(r.Agent0())
	last := first + r.Seats() - 1
	return &saved.Shape{Cell: func(i int) (int, int) { return i / n, i % n }, Columns: map[string][]saved.Column{
		"position": {saved.Col("", 0, n-1)}, "ammo": {saved.Col("", 0, 255)}, "blast_strength": {saved.Col("", 1, 255)},
		"teammate": {saved.Col("", dummy, last)}, "enemies": {saved.Col("", dummy, last)},
		"alive":      {saved.Col("", first, last)},
		"step_count": {saved.Col("", 0, 1<<15)}, "message": {saved.Col("", 0, 255)},
	}}
}

// ReadObservation makes the view of a seat from its observation in the form of recorded
// games. If the text cannot be an observation, the error names the key.
func (r *Rules) ReadObservation(text json.RawMessage, seat int) (*View, error) {
	o, shape := new(Observation), r.shape()
	err := saved.Decode(text, o)
	if err == nil {
		err = shape.Check(o)
	}
	if err != nil {
		return nil, err
	}
	v := r.view(o, seat)
	shape.Compare(o, v.Observation(), func(path string, given, seen any) {
		if err == nil {
			err = fmt.Errorf("%s is %v, but an observation with the rest could only hold %v", path, given, seen)
		}
	})
	if err == nil {
		err = r.checkItems(v)
	}
	return v, err
}

// checkItems returns an error if a cell shows what no board can show, else nil.
func (r *Rules) checkItems(v *View) error {
	for i := range r.BoardSize * r.BoardSize {
		item, first := v.Board[r.cell(i)], r.Agent0()
		if item == r.Dummy() || item >= first+Item(r.Seats()) {
			return fmt.Errorf("board[%d,%d] is %d, want 0 to %d or one of %d agents from %d on",
				i/r.BoardSize, i%r.BoardSize, item, r.Dummy()-1, r.Seats(), first)
		}
	}
	return nil
}

// view makes a view from an observation whose numbers are in their ranges.
func (r *Rules) view(o *Observation, seat int) *View {
	v := &View{Rules: r, Seat: seat, Board: walled, Teammate: Item(o.Teammate), StepCount: o.StepCount}
	digit := func(m saved.Map, i int) int {
		if i >= len(m) {
			return 0
		}
		return strings.IndexByte(digits, m[i])
	}
	for i := range r.BoardSize * r.BoardSize {
		c := r.cell(i)
		v.Board[c] = Item(digit(o.Board, i))
		if life := digit(o.FlameLife, i); life > 0 {
			v.AddFlame(c, min(life, maxFlameLife))
		}
		if blast := digit(o.BombBlast, i); blast > 0 && v.NumBombs < len(v.Bombs) {
			v.Bombs[v.NumBombs] = NewBomb(c, uint8(digit(o.BombLife, i)), uint8(blast), Nobody, grid.Dir(digit(o.BombMoving, i)))
			v.NumBombs++
		}
	}
	if len(o.Position) == 2 {
		v.Self.Cell = grid.At(o.Position[0], o.Position[1])
	}
	v.Self.Ammo, v.Self.Blast, v.Self.Kicks = uint8(o.Ammo), uint8(o.BlastStrength), bool(o.CanKick)
	for i := range v.Enemies {
		if v.Enemies[i] = r.Dummy(); i < len(o.Enemies) {
			v.Enemies[i] = Item(o.Enemies[i])
		}
	}
	for _, item := range o.Alive {
		v.Alive = v.Alive.With(item - int(r.Agent0()))
	}
	v.Self.Alive = v.Alive.Has(seat)
	for i, word := range o.Message[:min(len(o.Message), r.RadioWords)] {
		v.Message[i] = uint8(word)
	}
	return v
}

// items lists the cell values of some agents.
func (r *Rules) items(has func(seat int) bool) []int {
	list := []int{}
	for seat := range r.Seats() {
		if has(seat) {
			list = append(list, int(r.Agent0())+seat)
		}
	}
	return list
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
	text, err := json.MarshalIndent(&d, "", "") // it puts a space after colons, and line feeds
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
