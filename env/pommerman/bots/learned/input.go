package learned

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// A network reads some of the planes and numbers of the encoding near. The numbers are
// inputs at the agent's own cell alone.
const (
	side = pommerman.NearSide
	unit = 32 // the value that stands for 1 in a plane

	words, vocabulary = 2, 9 // words of a message, and what each can be, silence included
)

// brain is a network, and the planes and numbers that it reads.
type brain struct {
	*network
	names []string   // the names of the numbers that it reads
	wired sync.Map   // by the form of near, where its inputs are in it: *wires by *pommerman.NearForm
	dice  [256]int32 // the noise to add to an answer, by 8 random bits
	works sync.Pool
	bytes int64 // the size of what works lends
}

// wires says where each plane and each number is in an encoding, -1 for those that the rules lack.
type wires struct{ planes, numbers []int }

// read reads a brain from a file.
func read(file []byte) (*brain, error) {
	n, err := readNetwork(file, side, tactics.Choices, tactics.Choices+words*vocabulary)
	if err != nil {
		return nil, fmt.Errorf("it is not a network file of these games: %w", err)
	}
	b := &brain{network: n, names: slices.Clone(n.Scalars)}
	for _, plane := range n.Blocks {
		for i := range 9 {
			b.names = append(b.names, fmt.Sprintf("%s_block%d", plane, i))
		}
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	scale := float64(int(unit)<<n.Layers[len(n.Layers)-1].Shift) * min(max(n.Temperature, 0), 1)
	for i := range b.dice {
		b.dice[i] = int32(math.RoundToEven(scale * -math.Log(-math.Log((float64(i)+0.5)/256))))
	}
	b.works.New = func() any {
		return &work{memory: n.newMemory(), input: make([]uint8, side*side*n.Layers[0].Inputs), near: make([]byte, 1<<12)}
	}
	first := b.works.New().(*work)
	b.bytes = int64(unsafe.Sizeof(*first)) + int64(len(first.input)+len(first.near)) + first.memory.bytes()
	b.works.Put(first)
	return b, nil
}

// check returns an error if the network reads something that the encoding near has by no rules.
func (b *brain) check() error {
	alone, teams := pommerman.Playground(pommerman.FFA), pommerman.Playground(pommerman.TeamRadio).Fogged(4)
	alone.Skulls = true
	one, other := b.wires(alone.NearForm()), b.wires(teams.NearForm())
	for i, name := range b.Planes {
		if one.planes[i] < 0 && other.planes[i] < 0 {
			return fmt.Errorf("the network wants the plane %q, which the encoding near does not have", name)
		}
	}
	for i, name := range b.names {
		if one.numbers[i] < 0 && other.numbers[i] < 0 {
			return fmt.Errorf("the network wants the entry %q of numbers, which the encoding near does not have", name)
		}
	}
	return nil
}

// wires finds what the network sees in a form of the encoding.
func (b *brain) wires(form *pommerman.NearForm) *wires {
	if found, ok := b.wired.Load(form); ok {
		return found.(*wires)
	}
	at := func(names []env.Name, want []string) (places []int) {
		for _, name := range want {
			places = append(places, slices.IndexFunc(names, func(n env.Name) bool { return n.Name == name }))
		}
		return places
	}
	found := &wires{at(form.Planes, b.Planes), at(form.Numbers, b.names)}
	b.wired.Store(form, found)
	return found
}

// think returns the network's answers to a view with Gumbel noise, valid as long as w is lent: the best is a move drawn
// by their chances. The noise depends on the step and the agent's cell alone. So an agent does not run in circles, and
// makes the same move in the same view.
func (b *brain) think(v *pommerman.View, w *work) []int32 {
	w.safety.See(v)
	b.express(w)
	answers := b.answers(w.input, w.memory)
	for at := range answers {
		dice := uint32(v.StepCount)*0x9e3779b1 + uint32(v.Self.Cell)*0x85ebca6b + uint32(at)*0xc2b2ae35
		dice = (dice ^ dice>>15) * 0x2c1b3c6d
		answers[at] += b.dice[dice>>24]
	}
	return answers
}

// express writes the network's input.
func (b *brain) express(w *work) {
	form, cells, width := w.safety.Form(), side*side, len(w.input)/(side*side)
	planes := w.near[:len(form.Planes)*cells]
	numbers := w.near[len(planes):][:len(form.Numbers)]
	form.Draw(&w.safety, planes, numbers)
	clear(w.input)
	wires := b.wires(form)
	for k, from := range wires.planes {
		if from < 0 {
			continue
		}
		for i, x := range planes[from*cells:][:cells] {
			w.input[i*width+k] = x
		}
	}
	own := w.input[cells/2*width+len(wires.planes):]
	for k, from := range wires.numbers {
		if from >= 0 {
			own[k] = numbers[from]
		}
	}
}
