package pommerman_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
)

// TestNearAgreesWithItsSlowTwin, which works it out from the encoding planes and a forecast, cell by cell.
func TestNearAgreesWithItsSlowTwin(t *testing.T) {
	compared, danger := 0, 0
	pommermantest.Situations(t, bots.Roster, 2+*forecasts/1000, func(s *pommermantest.Situation) {
		m := match(s)
		for seat := range s.Rules.Seats() {
			w := slowNear{m: m, seat: seat, planes: map[string][]byte{}, scalars: map[string]float32{}}
			w.look()
			near := observed(m, "near", seat)
			for i, name := range names(m, "near", 0) {
				cells := near[0][i*pommerman.NearSide*pommerman.NearSide:][:pommerman.NearSide*pommerman.NearSide]
				if want := w.plane(name); !bytes.Equal(cells, want) {
					t.Fatalf("seat %d of %+v, plane %s is %v, want %v", seat, s.Rules, name, cells, want)
				}
				if name == "danger" {
					danger += len(cells) - bytes.Count(cells, []byte{0})
				}
			}
			for i, name := range names(m, "near", 1) {
				if got, want := int(near[1][i]), w.number(name); got != want {
					t.Fatalf("seat %d of %+v, number %s is %d, want %d", seat, s.Rules, name, got, want)
				}
			}
			compared++
		}
	})
	t.Logf("%d observations, with %d cells in danger", compared, danger)
	if compared < 5000 || danger < 10_000 {
		t.Errorf("%d observations, with %d cells in danger: want more", compared, danger)
	}
}

func observed(m *pommerman.Match, encoding string, seat int) (fields [][]byte) {
	e := m.Game().Spec().Encoding(encoding)
	for _, f := range m.Game().Spec().Encodings[e].Fields {
		fields = append(fields, make([]byte, f.Size()))
	}
	m.Observe(e, []uint8{uint8(seat)}, fields)
	return fields
}

func names(m *pommerman.Match, encoding string, field int) (all []string) {
	for _, name := range m.Game().Spec().Encodings[m.Game().Spec().Encoding(encoding)].Fields[field].Names {
		all = append(all, name.Name)
	}
	return all
}

// slowNear is what a seat sees by the encoding planes, and where it is.
type slowNear struct {
	m        *pommerman.Match
	seat     int
	planes   map[string][]byte
	scalars  map[string]float32
	row, col int
}

func (w *slowNear) look() {
	rules, shown := w.m.Game().(*pommerman.Game).Rules(), observed(w.m, "planes", w.seat)
	n := rules.BoardSize
	for i, name := range names(w.m, "planes", 0) {
		w.planes[name] = shown[0][i*n*n:][:n*n]
	}
	for i, name := range names(w.m, "planes", 1) {
		w.scalars[name] = math.Float32frombits(binary.LittleEndian.Uint32(shown[1][4*i:]))
	}
	w.row, w.col = w.m.Agents[w.seat].Cell.Row(), w.m.Agents[w.seat].Cell.Col()
	var v pommerman.View
	var f pommerman.Forecast
	w.m.View(w.seat, &v)
	f.Foresee(&v, pommerman.Stop)
	danger := make([]byte, n*n)
	for i, c := range grid.Cells(n) {
		if f.Struck.Has(c) && f.Due[c] <= 10 {
			danger[i] = 11 - f.Due[c]
		}
	}
	w.planes["danger"] = danger
}

func (w *slowNear) plane(name string) (cells []byte) {
	n, factor := w.m.Game().(*pommerman.Game).Rules().BoardSize, 32
	switch name {
	case "bomb_blast", "bomb_life", "danger":
		factor = 6
	case "flame":
		factor = 16
	}
	for k := range pommerman.NearSide * pommerman.NearSide {
		row, col := w.row+k/pommerman.NearSide-5, w.col+k%pommerman.NearSide-5
		x := 0
		if row >= 0 && row < n && col >= 0 && col < n {
			x = int(w.planes[name][row*n+col])
		} else if name == "rigid" {
			x = 1
		}
		cells = append(cells, byte(min(x, 127/factor)*factor))
	}
	return cells
}

func (w *slowNear) number(name string) int {
	share := func(x float32) int { return int(x*64 + 0.5) }
	var word, block int
	switch plane, number, _ := strings.Cut(name, "_block"); {
	case number != "":
		_, err := fmt.Sscan(number, &block)
		if err != nil {
			panic(err)
		}
		return min(8*w.cells(plane, block), 127)
	case strings.HasPrefix(name, "message"):
		message, is, _ := strings.Cut(name, "=")
		if _, err := fmt.Sscan(is, &word); err != nil {
			panic(err)
		}
		vocabulary := w.m.Game().(*pommerman.Game).Rules().RadioVocab
		if math.Abs(float64(w.scalars[message])-float64(word)/float64(vocabulary)) < 1e-3 {
			return 64
		}
		return 0
	case name == "row":
		return w.row
	case name == "col":
		return w.col
	case name == "step_low":
		return int(w.m.StepCount) % 256
	case name == "step_high":
		return int(w.m.StepCount) / 256
	}
	return share(w.scalars[name]) // 0 for an enemy that the rules do not have
}

// cells counts those of a plane in one of the nine blocks, from the agent on: up to three away is the middle.
func (w *slowNear) cells(plane string, block int) (count int) {
	n := w.m.Game().(*pommerman.Game).Rules().BoardSize
	third := func(away int) int {
		switch {
		case away < -3:
			return 0
		case away > 3:
			return 2
		}
		return 1
	}
	for i, x := range w.planes[plane] {
		if x > 0 && third(i/n-w.row) == block/3 && third(i%n-w.col) == block%3 {
			count++
		}
	}
	return count
}
