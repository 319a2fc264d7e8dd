package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"path/filepath"
	"testing"

	"pommego/arena/dataset"
	"pommego/arena/trace"
	"pommego/env/catalog"
)

// FuzzCheck: no record of any form makes checking or opening it panic, which verify and
// replay would answer by an error.
func FuzzCheck(f *testing.F) {
	shortest := map[string][]byte{}
	err := filepath.WalkDir("../../env", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !trace.RecordedName.MatchString(path) {
			return err
		}
		in, err := trace.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		line, err := in.Next()
		if err != nil {
			return err
		}
		if name, err := trace.FormatOf(line); err == nil && (shortest[name] == nil || len(line) < len(shortest[name])) {
			shortest[name] = bytes.Clone(line)
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	for k, format := range formats {
		if shortest[format.Name] == nil {
			f.Logf("no record of %s is in the tree", format.Name)
		}
		f.Add(uint8(k), shortest[format.Name])
	}
	f.Fuzz(func(t *testing.T, which uint8, line []byte) {
		format := formats[int(which)%len(formats)]
		_, _ = format.Check(line)
		if format.Open != nil {
			_, _ = format.Open(line)
		}
	})
}

// FuzzFed: whatever a client feeds to data pack, it is games or an error.
func FuzzFed(f *testing.F) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		f.Fatal(err)
	}
	one := binary.LittleEndian.AppendUint32(nil, 8+1+2+4+6)
	one = append(one, make([]byte, 8+1+2+4+6)...)
	f.Add(one)
	f.Add(append(bytes.Clone(one), one[:20]...))
	f.Add([]byte{0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, input []byte) {
		o := packOptions{}
		o.config = dataset.Config{Agents: []string{"client:me", "simple"}, Extra: []dataset.Extra{{Name: "visits", DType: "int32", Shape: []int{2}}}}
		feed, done := make(chan dataset.Fed), make(chan struct{})
		go func() {
			defer close(done)
			for fed := range feed {
				if len(fed.Agents) != game.Spec().Seats || len(fed.Actions)+len(fed.Extra) > len(input) {
					t.Errorf("%x is read as %+v", input, fed)
				}
			}
		}()
		err := o.readFed(context.Background(), io.LimitReader(bytes.NewReader(input), 1<<16), game.Spec(), feed)
		close(feed)
		<-done
		if err == nil && len(input) > 0 && len(input) < 4 {
			t.Errorf("%x is read to its end without an error", input)
		}
	})
}
