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

// What a network sees is some of the planes and numbers of the encoding near. The numbers stand on the agent's own
// cell alone.
const (
	side = pommerman.NearSide
	unit = 32 // how much of a plane is 1

	words, vocabulary = 2, 9 // of a message; silence is one
)

// brain is a network, and the planes and numbers that it reads.
type brain struct {
	*network
	names []string   // of its planes and of its numbers
	wired sync.Map   // for each form of near, where they are in it: *wires by *pommerman.NearForm
	dice  [256]int32 // what is added to an answer, by 8 bits of chance
	works sync.Pool
	bytes int64 // of what works lends
}

// wires is the place of each plane and each number in an encoding, -1 for what the rules do not have.
type wires struct{ planes, numbers []int }

// read reads a brain from a file.
func read(file []byte) (*brain, error) {
	n, err := readNetwork(file, side, tactics.Choices, tactics.Choices+words*vocabulary)
	if err != nil {
		return nil, fmt.Errorf("no network that Network.save wrote: %w", err)
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

// check checks that there are rules that have what the network sees.
func (b *brain) check() error {
	alone, teams := pommerman.Playground(pommerman.FFA), pommerman.Playground(pommerman.TeamRadio).Fogged(4)
	alone.Skulls = true
	one, other := b.wires(alone.NearForm()), b.wires(teams.NearForm())
	for i, name := range b.Planes {
		if one.planes[i] < 0 && other.planes[i] < 0 {
			return fmt.Errorf("plane %q does not exist, want planes of the encoding near", name)
		}
	}
	for i, name := range b.names {
		if one.numbers[i] < 0 && other.numbers[i] < 0 {
			return fmt.Errorf("number %q does not exist, want numbers of the encoding near", name)
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

// express writes what it sees.
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
