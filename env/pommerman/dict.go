package pommerman

import (
	"encoding/json"
	"strconv"

	"pommego/env"
	"pommego/env/grid"
)

// The observation dictionary as the reference's own encoder writes it for
// agents behind HTTP: keys in the order in which the reference fills them in,
// a space after commas and colons, and of the maps the board in integers but
// the others, which are arrays of float64 there, with a fraction. Rules with a
// BombList add the key "bombs": row, column and blast strength of each bomb.

// AppendObservation appends the observation dictionary of seat: env.Game.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	v := g.Lend()
	m.(*Match).View(seat, v)
	dst = v.appendDict(dst)
	g.GiveBack(v)
	return dst
}

// ActionSpace is 6, or for radio a list that begins with it. The reference
// counts its words without "none".
func (g *Game) ActionSpace() string {
	if g.rules.RadioWords == 0 {
		return strconv.Itoa(int(numActions))
	}
	space := []int{int(numActions)}
	for range g.rules.RadioWords {
		space = append(space, g.rules.RadioVocab)
	}
	return string(appendList(nil, space))
}

// GameType is the number of the game type.
func (g *Game) GameType() string { return strconv.Itoa(int(g.rules.GameType)) }

func (v *View) appendDict(dst []byte) []byte {
	r := v.Rules
	dst = appendList(append(dst, `{"alive": `...), r.items(v.Alive.Has))
	unit := ""
	for i, value := range v.maps() {
		dst = appendMap(appendKey(dst, rawMaps[i].Name), r.BoardSize, unit, value)
		unit = ".0"
	}
	dst = appendNumber(dst, "game_type", int(r.GameType))
	dst = appendString(appendKey(dst, "game_env"), r.GameEnv)
	dst = appendList(appendKey(dst, "position"), []int{v.Self.Cell.Row(), v.Self.Cell.Col()})
	dst = appendNumber(dst, "blast_strength", int(v.Self.Blast))
	dst = strconv.AppendBool(appendKey(dst, "can_kick"), v.Self.Kicks)
	dst = appendNumber(dst, "teammate", int(v.Teammate))
	dst = appendNumber(dst, "ammo", int(v.Self.Ammo))
	dst = appendList(appendKey(dst, "enemies"), v.Enemies[:r.enemies()])
	dst = appendNumber(dst, "step_count", v.StepCount)
	if r.RadioWords > 0 {
		dst = appendList(appendKey(dst, "message"), v.Message[:r.RadioWords])
	}
	if r.BombList {
		dst = v.appendBombs(appendKey(dst, "bombs"))
	}
	return append(dst, '}')
}

func (v *View) appendBombs(dst []byte) []byte {
	dst = append(dst, '[')
	for i, b := range v.Bombs[:v.NumBombs] {
		dst = appendComma(dst, i)
		dst = appendList(dst, []int{b.Cell.Row(), b.Cell.Col(), int(b.Blast)})
	}
	return append(dst, ']')
}

// appendMap appends a list of rows; unit follows each number.
func appendMap(dst []byte, size int, unit string, value func(grid.Cell) int) []byte {
	dst = append(dst, '[')
	for row := range size {
		dst = append(appendComma(dst, row), '[')
		for col := range size {
			dst = strconv.AppendInt(appendComma(dst, col), int64(value(grid.At(row, col))), 10)
			dst = append(dst, unit...)
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

func appendList[T ~int | ~uint8](dst []byte, list []T) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		dst = strconv.AppendInt(appendComma(dst, i), int64(v), 10)
	}
	return append(dst, ']')
}

// appendComma separates entry i of a list from the one before it.
func appendComma(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	return append(dst, ", "...)
}

// appendKey begins a further entry of an object.
func appendKey(dst []byte, key string) []byte {
	dst = append(dst, `, "`...)
	dst = append(dst, key...)
	return append(dst, `": `...)
}

func appendNumber(dst []byte, key string, v int) []byte {
	return strconv.AppendInt(appendKey(dst, key), int64(v), 10)
}

func appendString(dst []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return append(dst, text...)
}
