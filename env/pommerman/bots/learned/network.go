package learned

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
)

const (
	format    = "pommego-network/1"
	unitMost  = 127
	widthMost = 1 << 16 // a limit for users' files, so that sizes don't overflow
)

// network is a list of layers with weights from a file, and the names of its inputs. It
// is read-only; each goroutine needs a memory of its own.
//
// A layer's units stand in squares of cells. Each sees a square of cells of the layer
// before, Kernel cells wide; the squares of neighbours are Stride cells apart. In a
// dense layer the square covers the whole layer before. All numbers are whole, so that
// all machines decide the same: a unit adds its bias and its weighted inputs, and
// outputs the sum, shifted right and limited to 0 to 127. Units of the last layer
// output the sum itself. docs/baselines.md has the form of the files.
type network struct {
	Format      string   `json:"format"`
	Env         string   `json:"env"` // the id it was trained in
	Planes      []string `json:"planes"`
	Scalars     []string `json:"scalars"`
	Blocks      []string `json:"blocks"`
	Temperature float64  `json:"temperature"` // how strong the noise is that draws moves; 0: none
	Layers      []layer  `json:"layers"`
}

// layer holds the weights between two layers, in the order of the file.
type layer struct {
	Kernel int  `json:"kernel"`
	Inputs int  `json:"inputs"` // how many inputs a cell has
	Units  int  `json:"units"`  // how many units a cell has
	Stride int  `json:"stride"`
	Shift  uint `json:"shift"`

	weights  []int8
	biases   []int32
	from, to int // sides of the squares of cells before and after
}

// readNetwork reads a network whose inputs are its planes, scalars and blocks in each
// of side x side cells, and whose number of outputs is one of outputs.
func readNetwork(file []byte, side int, outputs ...int) (*network, error) {
	head, rest, _ := bytes.Cut(file, []byte("\n"))
	n := new(network)
	err := json.Unmarshal(head, n) // whoever saves a file may add keys
	if err == nil && (n.Format != format || len(n.Layers) == 0) {
		err = fmt.Errorf("it has format %.40q and %d layers", n.Format, len(n.Layers))
	}
	if err != nil {
		return nil, fmt.Errorf("its first line is no JSON object that has %q: %q and layers: %w", "format", format, err)
	}
	inputs := len(n.Planes) + len(n.Scalars) + 9*len(n.Blocks)
	for k := range n.Layers {
		l := &n.Layers[k]
		if rest, err = l.read(rest, side, inputs); err != nil {
			return nil, fmt.Errorf("layer %d: %w", k, err)
		}
		side, inputs = l.to, l.Units
	}
	if len(rest) > 0 || !slices.Contains(outputs, side*side*inputs) {
		return nil, fmt.Errorf("it has %d outputs, want one of %d, and %d extra bytes", side*side*inputs, outputs, len(rest))
	}
	return n, nil
}

// read reads a layer's numbers from the start of rest, and returns what follows them.
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

// memory is the memory that a network computes in.
type memory struct {
	sums  []int32
	units [2][]uint8
}

// newMemory makes memory that is large enough for the network.
func (n *network) newMemory() *memory {
	most := 0
	for _, l := range n.Layers {
		most = max(most, l.to*l.to*l.Units)
	}
	return &memory{make([]int32, most), [2][]uint8{make([]uint8, most), make([]uint8, most)}}
}

// bytes returns the size of the memory.
func (m *memory) bytes() int64 { return 6 * int64(cap(m.sums)) }

// answers returns the outputs of the last layer's units, valid until the memory is used again.
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

// add adds up the inputs of all units. Most inputs are 0 and cost nothing.
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
