package envtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"pommego/env"
	"pommego/env/grid"
)

// toyAgent plays a toy game through the contract alone: it sees what its
// seat's mask and list observation say.
type toyAgent struct {
	env.NoSearch
	game  *toyGame
	play  func(a *toyAgent, m env.Match, seat int, action []uint8)
	reach int // the hunter's: how near an enemy must be to be struck

	rng     env.RNG
	heading uint8 // the wanderer's, for the next few steps
	left    uint8

	mask  []uint8
	seats []uint8
	view  [][]byte
}

// maxHeadingSteps is how long a wanderer keeps to a heading.
const maxHeadingSteps = 4

// NewAgent makes "still", "wander" or "hunter". The hunter takes one option,
// "hunter:reach=2".
func (g *toyGame) NewAgent(name string) (env.Agent, error) {
	a := &toyAgent{game: g, reach: 1, mask: make([]uint8, g.spec.MaskSize()), seats: make([]uint8, 1)}
	for _, f := range g.spec.Encodings[toyList].Fields {
		a.view = append(a.view, make([]byte, f.Size()))
	}
	name, option, _ := strings.Cut(name, ":")
	switch name {
	case "still":
		a.play = func(_ *toyAgent, _ env.Match, _ int, action []uint8) { clear(action) }
	case "wander":
		a.play = (*toyAgent).wander
	case "hunter":
		a.play = (*toyAgent).hunt
		if option != "" {
			if _, err := fmt.Sscanf(option, "reach=%d", &a.reach); err != nil || a.reach < 1 {
				return nil, fmt.Errorf("agent hunter has no option %q; it has reach=N, N at least 1", option)
			}
		}
	default:
		return nil, fmt.Errorf("no agent %q; there are %s", name, strings.Join(g.spec.Agents, ", "))
	}
	return a, nil
}

func (a *toyAgent) Reset(rng env.RNG) { a.rng, a.heading, a.left = rng, 0, 0 }

func (a *toyAgent) Act(m env.Match, seat int, action []uint8) {
	if toy, ok := m.(*toyMatch); ok {
		toy.perhapsPanic(InAct)
	}
	m.Mask(seat, a.mask)
	a.play(a, m, seat, action)
}

func (a *toyAgent) wander(_ env.Match, _ int, action []uint8) {
	if a.left == 0 {
		a.heading, a.left = uint8(a.rng.IntN(5)), uint8(1+a.rng.IntN(maxHeadingSteps))
	}
	a.left--
	action[0], action[1] = a.allowed(0, a.heading), a.allowed(5, uint8(a.rng.IntN(3)))
}

// allowed is choice if the mask of the component that starts at base has it,
// else choice 0.
func (a *toyAgent) allowed(base, choice uint8) uint8 {
	if a.mask[base+choice] == 0 {
		return 0
	}
	return choice
}

// hunt walks towards the nearest enemy and strikes when near.
func (a *toyAgent) hunt(m env.Match, seat int, action []uint8) {
	clear(action)
	a.seats[0] = uint8(seat)
	m.Observe(toyList, a.seats, a.view)
	row, col := a.at(seat)
	near, down, right := math.MaxInt, 0, 0
	for i := range a.game.spec.Seats {
		if a.seen(i, 2) <= 0 || a.seen(i, 3) > 0 {
			continue
		}
		r, c := a.at(i)
		if d := max(r-row, row-r) + max(c-col, col-c); d < near {
			near, down, right = d, r-row, c-col
		}
	}
	if near == math.MaxInt {
		return
	}
	if near <= a.reach {
		action[1] = deedStrike
		return
	}
	vertical, horizontal := grid.Down, grid.Right
	if down < 0 {
		vertical = grid.Up
	}
	if right < 0 {
		horizontal = grid.Left
	}
	action[0] = uint8(vertical)
	if down == 0 || right != 0 && a.rng.Coin() {
		action[0] = uint8(horizontal)
	}
}

// seen is one number of what the list observation says of a seat.
func (a *toyAgent) seen(seat, k int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(a.view[0][16*seat+4*k:]))
}

func (a *toyAgent) at(seat int) (row, col int) { return int(a.seen(seat, 0)), int(a.seen(seat, 1)) }

func (a *toyAgent) Append(dst []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, a.rng.State), a.heading, a.left)
}

func (a *toyAgent) Restore(state []byte) error {
	if len(state) != 10 || state[8] > 4 || state[9] > maxHeadingSteps {
		return errors.New("not the memory of a toy game's agent")
	}
	a.rng.State = binary.LittleEndian.Uint64(state)
	a.heading, a.left = state[8], state[9]
	return nil
}

func (a *toyAgent) Reseed(rng env.RNG) { a.rng = rng }
