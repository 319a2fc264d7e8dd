package bots

import (
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// observation is an observation of the reference as recorded games write it
// down. Boards and maps are strings of one base-36 digit a cell, row by row.
type observation struct {
	Board   string `json:"board"`
	Blasts  string `json:"bomb_blast_strength"`
	Lives   string `json:"bomb_life"`
	Rolling string `json:"bomb_moving_direction"`
	Flames  string `json:"flame_life"`

	Position      []int  `json:"position"`
	Ammo          int    `json:"ammo"`
	BlastStrength int    `json:"blast_strength"`
	CanKick       int    `json:"can_kick"`
	Teammate      int    `json:"teammate"`
	Enemies       []int  `json:"enemies"`
	Alive         []int  `json:"alive"`
	GameType      int    `json:"game_type"`
	GameEnv       string `json:"game_env"`
	StepCount     int    `json:"step_count"`
	Message       []int  `json:"message"` // radio games only
}

// observationKeys are the keys that an observation has in every game.
var observationKeys = []string{
	"board", "bomb_blast_strength", "bomb_life", "bomb_moving_direction", "flame_life",
	"position", "ammo", "blast_strength", "can_kick", "teammate", "enemies", "alive",
	"game_type", "game_env", "step_count",
}

// within says that a value is out of its range, if it is.
func within(field string, is, lo, hi int) error {
	if is < lo || is > hi {
		return fmt.Errorf("%s is %d, want %d to %d", field, is, lo, hi)
	}
	return nil
}

// rules is what the observation tells of the rules it was made under.
func (o *observation) rules(boardSize, viewSize int) (*pommerman.Rules, error) {
	for _, err := range []error{
		within("obs.game_type", o.GameType, int(pommerman.FFA), int(pommerman.OneVsOne)),
		within("board_size", boardSize, 7, grid.MaxSide),
		within("view_size", viewSize, 0, grid.MaxSide),
	} {
		if err != nil {
			return nil, err
		}
	}
	r := pommerman.Playground(pommerman.GameType(o.GameType))
	r.GameEnv, r.BoardSize, r.ViewSize = o.GameEnv, boardSize, viewSize
	return &r, nil
}

// view makes the view of a seat from what it observed, and says what is wrong
// with an observation that cannot be one.
func (o *observation) view(r *pommerman.Rules, seat int) (*pommerman.View, error) {
	if err := within("agent", seat, 0, r.Seats()-1); err != nil {
		return nil, err
	}
	v := &pommerman.View{Rules: r, Seat: seat}
	for _, read := range []func(*pommerman.View) error{o.readBoard, o.readMaps, o.readSelf, o.readOthers, o.readMessage} {
		if err := read(v); err != nil {
			return nil, fmt.Errorf("obs.%w", err)
		}
	}
	return v, nil
}

func (o *observation) readBoard(v *pommerman.View) error {
	for c := range v.Board {
		v.Board[c] = pommerman.Rigid
	}
	return readMap("board", o.Board, v.Rules.BoardSize, func(c grid.Cell, digit uint8) error {
		item := pommerman.Item(digit)
		agents := v.Rules.Agent0()
		if item == v.Rules.Dummy() || item >= agents+pommerman.Item(v.Rules.Seats()) {
			return fmt.Errorf("%d, want 0 to 8 or one of %d agents from %d on", digit, v.Rules.Seats(), agents)
		}
		v.Board[c] = item
		return nil
	})
}

// readMaps reads the bombs, in row-major order, and the flames.
func (o *observation) readMaps(v *pommerman.View) error {
	n := v.Rules.BoardSize
	err := readMap("bomb_blast_strength", o.Blasts, n, func(c grid.Cell, digit uint8) error {
		if digit == 0 {
			return nil
		}
		if v.NumBombs == len(v.Bombs) {
			return fmt.Errorf("one bomb more than %d", len(v.Bombs))
		}
		v.Bombs[v.NumBombs] = pommerman.SeenBomb{Cell: c, Blast: digit}
		v.NumBombs++
		return nil
	})
	if err != nil {
		return err
	}
	err = readMap("bomb_life", o.Lives, n, func(c grid.Cell, digit uint8) error {
		return setBomb(v, c, digit, func(b *pommerman.SeenBomb) { b.Life = digit })
	})
	if err != nil {
		return err
	}
	err = readMap("bomb_moving_direction", o.Rolling, n, func(c grid.Cell, digit uint8) error {
		if digit > uint8(grid.Right) {
			return fmt.Errorf("%d, want a direction, 0 to 4", digit)
		}
		return setBomb(v, c, digit, func(b *pommerman.SeenBomb) { b.Moving = grid.Dir(digit) })
	})
	if err != nil {
		return err
	}
	return readMap("flame_life", o.Flames, n, func(c grid.Cell, digit uint8) error {
		v.Flames[c] = digit
		return nil
	})
}

// setBomb applies set to the bomb at c. A map that shows something where there
// is no bomb is an error.
func setBomb(v *pommerman.View, c grid.Cell, digit uint8, set func(*pommerman.SeenBomb)) error {
	for i := range v.NumBombs {
		if v.Bombs[i].Cell == c {
			set(&v.Bombs[i])
			return nil
		}
	}
	if digit != 0 {
		return fmt.Errorf("%d, but bomb_blast_strength shows no bomb", digit)
	}
	return nil
}

// readMap calls set for every cell of a map, row by row.
func readMap(field, text string, side int, set func(c grid.Cell, digit uint8) error) error {
	if len(text) != side*side {
		return fmt.Errorf("%s has %d cells, want %d times %d", field, len(text), side, side)
	}
	for i := range len(text) {
		var digit uint8
		switch ch := text[i]; {
		case ch >= '0' && ch <= '9':
			digit = ch - '0'
		case ch >= 'a' && ch <= 'z':
			digit = ch - 'a' + 10
		default:
			return fmt.Errorf("%s shows %q at (%d,%d), want a digit 0 to 9 or a to z", field, ch, i/side, i%side)
		}
		if err := set(grid.At(i/side, i%side), digit); err != nil {
			return fmt.Errorf("%s shows at (%d,%d) %w", field, i/side, i%side, err)
		}
	}
	return nil
}

func (o *observation) readSelf(v *pommerman.View) error {
	cell, err := readCell("position", o.Position, v.Rules.BoardSize)
	for _, err := range []error{
		err,
		within("ammo", o.Ammo, 0, 255),
		within("blast_strength", o.BlastStrength, 1, 255),
		within("can_kick", o.CanKick, 0, 1),
		within("step_count", o.StepCount, 0, 1<<15),
	} {
		if err != nil {
			return err
		}
	}
	v.Self = pommerman.Agent{
		Cell: cell, Ammo: uint8(o.Ammo), Blast: uint8(o.BlastStrength), Kicks: o.CanKick == 1,
		Alive: slices.Contains(o.Alive, int(v.Rules.Agent0())+v.Seat),
	}
	v.StepCount = o.StepCount
	return nil
}

// readOthers reads the values of agents. One against one has a single enemy,
// all other games three; the dummy stands for none.
func (o *observation) readOthers(v *pommerman.View) error {
	dummy, first := int(v.Rules.Dummy()), int(v.Rules.Agent0())
	last := first + v.Rules.Seats() - 1
	want := 3
	if v.Rules.GameType == pommerman.OneVsOne {
		want = 1
	}
	if len(o.Enemies) != want {
		return fmt.Errorf("enemies has %d entries, want %d", len(o.Enemies), want)
	}
	if err := within("teammate", o.Teammate, dummy, last); err != nil {
		return err
	}
	v.Teammate = pommerman.Item(o.Teammate)
	v.Enemies = [3]pommerman.Item{v.Rules.Dummy(), v.Rules.Dummy(), v.Rules.Dummy()}
	for i, e := range o.Enemies {
		if err := within("enemies", e, dummy, last); err != nil {
			return err
		}
		v.Enemies[i] = pommerman.Item(e)
	}
	v.Alive = env.SeatSet(0)
	for _, a := range o.Alive {
		if err := within("alive", a, first, last); err != nil {
			return err
		}
		v.Alive = v.Alive.With(a - first)
	}
	return nil
}

func (o *observation) readMessage(v *pommerman.View) error {
	if len(o.Message) > v.Rules.RadioWords {
		return fmt.Errorf("message has %d words, want up to %d", len(o.Message), v.Rules.RadioWords)
	}
	for i, word := range o.Message {
		if err := within("message", word, 0, 255); err != nil {
			return err
		}
		v.Message[i] = uint8(word)
	}
	return nil
}

// readCell reads a cell written as [row, col].
func readCell(field string, pair []int, side int) (grid.Cell, error) {
	if len(pair) != 2 || min(pair[0], pair[1]) < 0 || max(pair[0], pair[1]) >= side {
		return 0, fmt.Errorf("%s is %v, want row and column of a %d times %d board", field, pair, side, side)
	}
	return grid.At(pair[0], pair[1]), nil
}
