package learned

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"pommego/env/saved"
)

const (
	format    = "pommego-network/1"
	unitMost  = 127
	widthMost = 1 << 16 // a user's file may say anything: with this limit sizes don't overflow
)

// network is layers whose weights come from a file, and the names of what they see. It is
// read-only; each goroutine needs a memory of its own.
//
// A layer's units stand in squares of cells. Each sees a square of cells of the layer
// before, Kernel cells wide; the squares of neighbours are Stride cells apart. A dense layer
// is one whose square is all there is. All numbers are whole, so that all machines decide
// the same: a unit adds its bias and its weighted inputs, and gives the sum, shifted right
// and cut off, from 0 to 127. The last layer's units give the sum itself.
// docs/baselines.md has the form of the files.
type network struct {
	Format      string   `json:"format"`
	Env         string   `json:"env"` // the id it was trained in
	Planes      []string `json:"planes"`
	Scalars     []string `json:"scalars"`
	Blocks      []string `json:"blocks"`
	Temperature float64  `json:"temperature"` // how much chance draws moves: 0 not at all
	Layers      []layer  `json:"layers"`
}

// layer is the weights between two layers, in the order of the file.
type layer struct {
	Kernel int  `json:"kernel"`
	Inputs int  `json:"inputs"` // of a cell
	Units  int  `json:"units"`  // of a cell
	Stride int  `json:"stride"`
	Shift  uint `json:"shift"`

	weights  []int8
	biases   []int32
	from, to int // sides of the squares of cells before and after
}

// readNetwork reads a network that sees its planes, scalars and blocks in each of side x side cells,
// and gives as many numbers as one of outputs in all.
func readNetwork(file []byte, side int, outputs ...int) (*network, error) {
	head, rest, _ := bytes.Cut(file, []byte("\n"))
	n := new(network)
	if err := saved.DecodeJSON(head, n); err != nil || n.Format != format || len(n.Layers) == 0 {
		return nil, fmt.Errorf("its first line is no JSON object with %q: %q and layers", "format", format)
	}
	inputs := len(n.Planes) + len(n.Scalars) + 9*len(n.Blocks)
	var err error
	for k := range n.Layers {
		l := &n.Layers[k]
		if rest, err = l.read(rest, side, inputs); err != nil {
			return nil, fmt.Errorf("layer %d: %w", k, err)
		}
		side, inputs = l.to, l.Units
	}
	if len(rest) > 0 || !slices.Contains(outputs, side*side*inputs) {
		return nil, fmt.Errorf("it gives %d numbers, want %d, and has %d bytes more", side*side*inputs, outputs, len(rest))
	}
	return n, nil
}

// read takes a layer's numbers from the rest of a file.
func (l *layer) read(rest []byte, side, inputs int) ([]byte, error) {
	if min(l.Kernel, l.Stride, l.Inputs, l.Units) < 1 || max(l.Kernel, l.Stride) > side || l.Inputs != inputs ||
		max(l.Inputs, l.Units) > widthMost || l.Shift > 24 {
		return nil, fmt.Errorf("kernel %d, stride %d, inputs %d, units %d, shift %d do not fit %d inputs in %d x %d cells",
			l.Kernel, l.Stride, l.Inputs, l.Units, l.Shift, inputs, side, side)
	}
	l.from, l.to = side, (side-l.Kernel)/l.Stride+1
	weights := l.Kernel * l.Kernel * l.Inputs * l.Units
	if len(rest) < weights+4*l.Units {
		return nil, fmt.Errorf("it has %d bytes, want %d", len(rest), weights+4*l.Units)
	}
	l.weights, l.biases = make([]int8, weights), make([]int32, l.Units)
	for i, x := range rest[:weights] {
		l.weights[i] = int8(x)
	}
	for i := range l.biases {
		l.biases[i] = int32(binary.LittleEndian.Uint32(rest[weights+4*i:]))
	}
	return rest[weights+4*l.Units:], nil
}

// memory is what a network computes in.
type memory struct {
	sums  []int32
	units [2][]uint8
}

// newMemory is memory enough.
func (n *network) newMemory() *memory {
	most := 0
	for _, l := range n.Layers {
		most = max(most, l.to*l.to*l.Units)
	}
	return &memory{make([]int32, most), [2][]uint8{make([]uint8, most), make([]uint8, most)}}
}

// bytes is how much memory that is.
func (m *memory) bytes() int64 { return 6 * int64(cap(m.sums)) }

// answers is what the last layer's units give, valid until the memory is used again.
func (n *network) answers(input []uint8, m *memory) (sums []int32) {
	for k := range n.Layers {
		l := &n.Layers[k]
		sums = m.sums[:l.to*l.to*l.Units]
		l.add(input, sums)
		input = m.units[k&1][:len(sums)]
		for i, sum := range sums {
			input[i] = uint8(min(max(sum, 0)>>l.Shift, unitMost))
		}
	}
	return sums
}

// add adds up what the units get. Most inputs are 0 and cost nothing.
func (l *layer) add(input []uint8, sums []int32) {
	for at := 0; at < len(sums); at += l.Units {
		copy(sums[at:], l.biases)
	}
	for at, x := range input {
		if x != 0 {
			cell := at / l.Inputs
			l.spread(int32(x), at%l.Inputs, cell/l.from, cell%l.from, sums)
		}
	}
}

// spread adds an input to the units of all squares that its cell is in.
func (l *layer) spread(x int32, input, row, col int, sums []int32) {
	for r := max(0, (row-l.Kernel+l.Stride)/l.Stride); r < l.to && r*l.Stride <= row; r++ {
		for c := max(0, (col-l.Kernel+l.Stride)/l.Stride); c < l.to && c*l.Stride <= col; c++ {
			in := ((row-r*l.Stride)*l.Kernel+col-c*l.Stride)*l.Inputs + input
			weights := l.weights[in*l.Units:][:l.Units]
			units := sums[(r*l.to+c)*l.Units:][:len(weights)]
			for i, w := range weights {
				units[i] += x * int32(w)
			}
		}
	}
}
