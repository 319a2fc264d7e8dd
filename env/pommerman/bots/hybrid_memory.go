package bots

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
	"pommego/env/pommerman"
)

// hybridMemory is what a hybrid agent keeps from one decision to the next.
type hybridMemory struct {
	visits [256]uint16 // how often the agent stood on each cell

	// known is what the seat knows under fog: its last view, with what it saw
	// before where it sees nothing now. Without fog it stays empty.
	known pommerman.View
}

// remember takes a view in and returns what the seat knows now: the view
// itself, or under fog a copy with what was seen before.
func (m *hybridMemory) remember(v *pommerman.View) *pommerman.View {
	self := v.Self.Cell
	m.visits[self] = min(m.visits[self], 65534) + 1
	return v
}

// Append saves the memory and the dice.
func (h *hybrid) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, h.dice.State)
	return dst
}

// Restore takes what Append saved.
func (h *hybrid) Restore(state []byte) error {
	if len(state) < 8 {
		return fmt.Errorf("bots: state of a hybrid agent has %d bytes, want at least 8", len(state))
	}
	h.dice = env.Dice{State: binary.LittleEndian.Uint64(state)}
	return nil
}
