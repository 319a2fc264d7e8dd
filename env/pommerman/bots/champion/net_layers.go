package champion

import (
	_ "embed"
	"encoding/binary"
	"sync"

	"pommego/env/pommerman/bots/tactics"
)

// The layers of the network. The first adds up the rows of the features that are on;
// the others are dense. All numbers are whole, so that all machines decide the same:
//
//   - a weight is a byte, in 64ths;
//   - what a unit gets is the sum of its bias and its weighted inputs;
//   - what it gives is that in 32nds, rounded down, from 0 to 127.
//
// The last layer's units, the moves, give what they get.
const (
	netSums    = 256
	netHidden1 = 64
	netHidden2 = 32

	weightShift = 6 // weights are in 64ths
	unitShift   = 5 // what units give, in 32nds
	unitMost    = 127
)

// netLayers is how many features, units and moves the network has, layer by layer.
var netLayers = [...]int{netFeatures, netSums, netHidden1, netHidden2, tactics.Choices}

// layer is the weights between two layers: of the first, for each feature those of all
// units; of the others, for each unit those of all its inputs.
type layer struct {
	weights []int8
	biases  []int32
}

type network []layer

// netFile is the weights of each layer, and then its biases in four little-endian bytes
// each. docs/maintainers/champion-net.md says how they were made.
//
//go:embed net.bin
var netFile []byte

// trained is the network of the file, read when it is first needed.
var trained = sync.OnceValue(func() (n network) {
	left := netFile
	for k, units := range netLayers[1:] {
		weights := netLayers[k] * units
		l := layer{make([]int8, weights), make([]int32, units)}
		for i, x := range left[:weights] {
			l.weights[i] = int8(x)
		}
		for i := range l.biases {
			l.biases[i] = int32(binary.LittleEndian.Uint32(left[weights+4*i:]))
		}
		n, left = append(n, l), left[weights+4*units:]
	}
	return n
})

type activations struct {
	sums    [netSums]int32
	first   [netSums]uint8
	second  [netHidden1]uint8
	third   [netHidden2]uint8
	answers [tactics.Choices]int32
}

// answer works out how good the moves are, in 2048ths of a natural logarithm of odds.
func (n network) answer(features []uint16, a *activations) *[tactics.Choices]int32 {
	copy(a.sums[:], n[0].biases)
	for _, f := range features {
		row := (*[netSums]int8)(n[0].weights[int(f)*netSums:])
		for i := range row {
			a.sums[i] += int32(row[i])
		}
	}
	for i, sum := range a.sums {
		a.first[i] = uint8(min(max(sum, 0)>>(weightShift-unitShift), unitMost))
	}
	for i := range a.second {
		a.second[i] = squash(n[1].weigh(i, a.first[:]))
	}
	for i := range a.third {
		a.third[i] = squash(n[2].weigh(i, a.second[:]))
	}
	for i := range a.answers {
		a.answers[i] = n[3].weigh(i, a.third[:])
	}
	return &a.answers
}

func (l *layer) weigh(unit int, inputs []uint8) int32 {
	sum := l.biases[unit]
	weights := l.weights[unit*len(inputs):][:len(inputs)]
	for i, w := range weights {
		sum += int32(w) * int32(inputs[i])
	}
	return sum
}

// squash is what a dense layer's unit gives for what it got.
func squash(sum int32) uint8 { return uint8(min(max(sum, 0)>>weightShift, unitMost)) }
