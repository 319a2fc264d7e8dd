package suitebot

import (
	"strconv"

	"pommego/env"
)

// What a program is sent for its seat each round, one JSON object:
//
//	seat, round            its number; rounds played
//	width, height, rounds  of the game
//	agents                 a list by seat: x, y (null where it is not seen), home
//	                       ([x, y]) and score
//	bombs                  those it sees: x, y, rounds until it explodes, owner
//	fields                 rows of characters: . holds its points, x does not,
//	                       ? is not seen
//
// fields[y][x] is the field [x, y].

// AppendObservation appends the observation of seat: env.Dictionary.
func (g *Game) AppendObservation(dst []byte, m env.Match, seat int) []byte {
	v := g.Lend()
	m.(*Match).View(seat, v)
	dst = v.appendDict(dst)
	g.GiveBack(v)
	return dst
}

// ActionSpace is the number of actions.
func (g *Game) ActionSpace() string { return strconv.Itoa(int(numActions)) }

// GameType is the name of the game.
func (g *Game) GameType() string { return `"suitebot"` }

func (v *View) appendDict(dst []byte) []byte {
	r, s := v.Plan.Rules(), &v.State
	dst = appendNumber(dst, `{"seat": `, v.Seat)
	dst = appendNumber(dst, `, "round": `, int(s.StepCount))
	dst = appendNumber(dst, `, "width": `, r.Width)
	dst = appendNumber(dst, `, "height": `, r.Height)
	dst = appendNumber(dst, `, "rounds": `, r.Rounds)
	dst = append(dst, `, "agents": [`...)
	for seat := range r.Players {
		dst = v.appendAgent(appendComma(dst, seat), seat)
	}
	dst = append(dst, `], "bombs": [`...)
	n := 0
	for b := range s.Bombs {
		dst = v.appendPlace(append(appendComma(dst, n), '{'), b.Cell)
		dst = appendNumber(dst, `, "rounds": `, b.Rounds)
		dst = append(appendNumber(dst, `, "owner": `, b.Owner), '}')
		n++
	}
	dst = append(dst, `], "fields": [`...)
	for y := range r.Height {
		dst = append(appendComma(dst, y), '"')
		for x := range r.Width {
			dst = append(dst, v.letter(v.Plan.At(x, y)))
		}
		dst = append(dst, '"')
	}
	return append(dst, `]}`...)
}

func (v *View) appendAgent(dst []byte, seat int) []byte {
	dst = append(dst, '{')
	if at := v.State.Agents[seat]; at == NoCell {
		dst = append(dst, `"x": null, "y": null`...)
	} else {
		dst = v.appendPlace(dst, at)
	}
	x, y := v.Plan.XY(v.State.Homes[seat])
	dst = appendNumber(dst, `, "home": [`, x)
	dst = appendNumber(dst, `, `, y)
	return append(appendNumber(dst, `], "score": `, int(v.State.Scores[seat])), '}')
}

func (v *View) appendPlace(dst []byte, c Cell) []byte {
	x, y := v.Plan.XY(c)
	return appendNumber(appendNumber(dst, `"x": `, x), `, "y": `, y)
}

// letter is what a field shows in rows of text, one of sightLetters.
func (v *View) letter(c Cell) byte {
	switch {
	case !v.Sight.Has(c):
		return '?'
	case v.State.Spent.Has(c):
		return 'x'
	}
	return '.'
}

// appendComma parts entry i of a list from the one before it.
func appendComma(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	return append(dst, ", "...)
}

func appendNumber(dst []byte, before string, v int) []byte {
	return strconv.AppendInt(append(dst, before...), int64(v), 10)
}
