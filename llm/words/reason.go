package words

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Reason says in plain words what speaks for the move of a seat that has searched: what burns on
// and beside its cell, where it goes, which enemies fire is going to reach, and which move it found
// best. values has the value that the search found for each choice; NaN if it was not tried. Cells
// and ticks come from fire, a result of [Fire]; those of a bomb that the move lays, from the forecast
// with it. The seat moves one figure, which is in.
func (w *Writer) Reason(m env.Match, seen *scene.Step, seat int, fire []uint64, move uint8, values []float64) string {
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)+".") }
	own := slices.IndexFunc(seen.Agents, func(a env.SceneAgent) bool { return a.Seat == seat })
	at, laid, names := seen.Agents[own].At, fire, w.Spec.Actions[0].Names
	for choice := range env.Moves {
		to, _ := w.Head.Next(at, choice)
		if t := first(fire, w.cell(to)); t > 0 {
			say("%s burns in %d", spot(to), t)
		}
	}
	goes, then := "go "+names[move]+" to", "stays cold"
	if move == 0 {
		goes = "stay at"
	}
	to, on := w.Head.Next(at, int(move))
	if t := first(fire, w.cell(to)); t > 0 {
		then = fmt.Sprint("burns in ", t)
	}
	switch free := on && w.enterable(seen, to, foresee(m, seat, 0).Open); {
	case int(move) >= len(env.Moves) && free && seen.Agents[own].Ammo > 0:
		laid = Fire(m, seat, move)
		say("I lay a bomb at %s", spot(at))
	case move == 0 || free && int(move) < len(env.Moves):
		say("I %s %s, which %s", goes, spot(to), then)
	}
	for i := range seen.Agents {
		if a := &seen.Agents[i]; a.Alive && !env.Mates(w.Head.Teams, seat, a.Seat) {
			w.threat(say, seen, a, fire, laid)
		}
	}
	for cell, ground := range seen.Ground {
		if ground == env.GroundWood && fire[cell] == 0 && laid[cell] != 0 {
			at := env.Place{cell / w.Head.Cols, cell % w.Head.Cols}
			say("With my bomb wood at %s burns in %d", spot(at), first(laid, cell))
		}
	}
	best, worst := move, move
	for choice := range uint8(len(names)) {
		switch {
		case values[choice] > values[best]:
			best = choice
		case values[choice] < values[worst]:
			worst = choice
		}
	}
	if best != worst {
		say("My search finds %s best and %s worst", names[best], names[worst])
	}
	return strings.Join(said, " ")
}

// enterable reports whether neither ground nor a bomb is in the way to a place. A bomb on an open cell is not.
func (w *Writer) enterable(seen *scene.Step, to env.Place, open []bool) bool {
	cell := w.cell(to)
	ground := seen.Ground[cell]
	blocks := func(b env.SceneBomb) bool { return b.At == to && (b.Moving != "" || !open[cell]) }
	return ground != env.GroundWall && ground != env.GroundWood && !slices.ContainsFunc(seen.Bombs, blocks)
}

// threat says which bomb is going to reach a figure, and when the figure burns because of a bomb laid now.
func (w *Writer) threat(say func(string, ...any), seen *scene.Step, a *env.SceneAgent, fire, laid []uint64) {
	cell, who := w.cell(a.At), fmt.Sprintf("%c at %s", w.letter(a.Seat, number(a)), spot(a.At))
	bomb := slices.IndexFunc(seen.Bombs, func(b env.SceneBomb) bool {
		t := first(fire, w.cell(b.At))
		return t > 0 && fire[cell]>>t&1 == 1 && slices.Contains(b.Reach, cell)
	})
	if bomb >= 0 {
		at := seen.Bombs[bomb].At
		say("The bomb at %s will reach %s in %d", spot(at), who, first(fire, w.cell(at)))
	}
	if more := laid[cell] &^ fire[cell]; more != 0 {
		say("With my bomb %s burns in %d", who, bits.TrailingZeros64(more))
	}
}

func spot(p env.Place) string { return fmt.Sprintf("(%d,%d)", p[0], p[1]) }
