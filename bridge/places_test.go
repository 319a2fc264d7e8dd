//go:build linux

package bridge

import (
	"bytes"
	"testing"
)

// TestBatchesGoWhereTheyAreWanted lends the server one place after the other, and
// holds all but the one lent, with what the caller has written there.
func TestBatchesGoWhereTheyAreWanted(t *testing.T) {
	server := startServer(t, nil)
	c, twin := server.dial(t), server.dial(t)
	fields := []any{"env_id", "ToyTeams-v0", "games", 8, "autoreset_mode", "SameStep"}
	m, own := makeShared(t, c, 2, append(fields, "places", 5)...), makeShared(t, twin, 2, fields...)
	if len(m.places) != 5 || len(own.places) != 2 {
		t.Fatalf("%d and %d places, want 5 and as many as slots, 2", len(m.places), len(own.places))
	}
	for _, each := range []*Client{c, twin} {
		call(t, each, "reset", "env", 1, "seed", 1)
	}
	held := map[int][]byte{}
	for turn, place := range []int{3, 3, 0, 4, 2, 1, 0, 3, -1, 2, -1, 4} {
		actions, id := toyActions(48, uint8(turn%5), uint8(turn%3)).Data, uint64(100+turn)
		got, want := m.stepTo(t, place, id, actions), own.step(t, id, actions)
		if !bytes.Equal(got, want) {
			t.Fatalf("turn %d: the batch in place %d is another than in the slot's own", turn, m.place)
		}
		delete(held, m.place)
		for place, seen := range held {
			if !bytes.Equal(m.mem[m.places[place]:][:len(seen)], seen) {
				t.Fatalf("turn %d: place %d has changed, but place %d was lent", turn, place, m.place)
			}
		}
		batch, err := decodeReply(got)
		if err != nil {
			t.Fatal(err)
		}
		for name := range batch.Map("tensors") {
			clear(batch.Map("tensors").Tensor(name).Data)
		}
		if bytes.Equal(got, want) {
			t.Fatal("nothing has been written over")
		}
		held[m.place] = bytes.Clone(got)
	}
}

// TestPlacesAreBounded asks for more than there is memory for.
func TestPlacesAreBounded(t *testing.T) {
	for _, test := range []struct {
		slots, places, batch, want int
		reason                     string
	}{
		{2, 0, 1000, 2, "as many as slots"},
		{4, 3, 1000, 4, "never fewer than slots"},
		{2, 8, 1000, 8, "small batches"},
		{2, 8, keptBytes / 8, 8, "all of the memory"},
		{2, 8, keptBytes/8 + 1, 7, "one would be too much"},
		{2, 8, keptBytes, 4, "large batches: two more than slots"},
		{2, 3, keptBytes, 3, "no more than asked for"},
	} {
		c := newChannel(test.slots, test.places, 4, test.batch, 0)
		if len(c.messages) != test.want || len(c.batches) != test.want+1 {
			t.Errorf("%s: %d places of %d bytes asked for, got %d, want %d", test.reason, test.places, test.batch,
				len(c.messages), test.want)
		}
	}
}
