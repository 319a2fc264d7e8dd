package main

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"strings"

	"pommego/env/pommerman/bots"
)

// collected is the lessons of a file.
type collected struct {
	counts, features []uint16
	values           []int16
	answers, games   []int32
}

func (c *collected) add(game int, l *bots.Lesson) {
	c.counts = append(c.counts, uint16(len(l.Features)))
	c.features = append(c.features, l.Features...)
	c.values = append(c.values, l.Values[:]...)
	c.games = append(c.games, int32(game))
}

func (c *collected) answer(moves [6]int32) { c.answers = append(c.answers, moves[:]...) }

// write writes the file, under its name once it is complete.
func (c *collected) write(path string) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	z := zip.NewWriter(out)
	var layers []int32
	for _, n := range bots.NetLayers() {
		layers = append(layers, int32(n))
	}
	n, moves := len(c.games), int(layers[len(layers)-1])
	for _, a := range []struct {
		name, kind string
		data       any
		shape      []int
	}{
		{"layers", "<i4", layers, []int{len(layers)}},
		{"counts", "<u2", c.counts, []int{n}},
		{"features", "<u2", c.features, []int{len(c.features)}},
		{"values", "<i2", c.values, []int{n, moves}},
		{"answers", "<i4", c.answers, []int{len(c.answers) / moves, moves}},
		{"games", "<i4", c.games, []int{n}},
	} {
		if err := writeArray(z, a.name, a.kind, a.data, a.shape); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// writeArray writes an array in numpy's format, version 1.0.
func writeArray(z *zip.Writer, name, kind string, data any, shape []int) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	var sides strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&sides, "%d,", n)
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, sides.String())
	const before = 10 // the bytes ahead of the header, which ends at a multiple of 64
	header += strings.Repeat(" ", 63-(before+len(header))%64) + "\n"
	length := []byte{byte(len(header)), byte(len(header) >> 8)}
	if _, err := fmt.Fprintf(w, "\x93NUMPY\x01\x00%s%s", length, header); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, data)
}
