package dataset

import (
	"encoding/binary"
	"errors"
	"math"

	"pommego/env"
)

// Episode is one played game.
type Episode struct {
	Game   int      // its number in the data set
	Seed   env.Seed // where Start comes from
	Dealt  bool     // Start is what Seed deals; else Seed means nothing
	Start  []byte   // the game at its start, as vec.Pool.Save writes it; nil if Dealt says enough
	Agents []uint16 // by seat, indices into the data set's agents
	Steps  int      // steps made
	Result env.Result
	// Winners are the seats that won.
	Winners env.SeatSet
	// Outcome is +1 or -1 for each seat, 0 where its fate was not decided.
	Outcome []float64
	// Lived is for each seat how many steps it was in.
	Lived []int32
	// Missed is for each seat how many moves were replaced by stop, because
	// they came late or were none.
	Missed    []int32
	Truncated bool
	// Actions has a byte for each step, seat and component, in this order; 0
	// for seats that are out.
	Actions []byte
	// SearchStatistics is what searching agents chose by, as thoughts.go lays it out;
	// empty if none did.
	SearchStatistics []byte
}

// shape is the numbers by which the parts of an episode are counted.
type shape struct{ seats, components int }

func shapeOf(spec *env.Spec) shape { return shape{spec.Seats, len(spec.Actions)} }

// step is how many bytes of actions a step has.
func (s shape) step() int { return s.seats * s.components }

var errEpisode = errors.New("it is no episode of this game")

// appendTo appends the episode in the form journals keep: what cannot be had from
// the configuration. Numbers are little-endian.
func (e *Episode) appendTo(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, uint64(e.Game))
	dst = append(dst, uint8(e.Result), toByte(e.Truncated))
	dst = le.AppendUint16(dst, uint16(e.Winners))
	dst = le.AppendUint32(dst, uint32(e.Steps))
	for seat := range e.Agents {
		dst = le.AppendUint16(dst, e.Agents[seat])
		dst = le.AppendUint32(dst, uint32(e.Lived[seat]))
		dst = le.AppendUint32(dst, uint32(e.Missed[seat]))
		dst = le.AppendUint64(dst, math.Float64bits(e.Outcome[seat]))
	}
	dst = append(dst, e.Actions...)
	return append(dst, e.SearchStatistics...)
}

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// The lengths of what append writes.
const (
	episodeFixed   = 8 + 1 + 1 + 2 + 4
	episodeSeat    = 2 + 4 + 4 + 8
	longestEpisode = 1 << 28 // bytes; a journal that promises more is damaged
)

// decode takes an episode from what append wrote. The episode keeps parts of
// data.
func (e *Episode) decode(data []byte, s shape) error {
	le := binary.LittleEndian
	if len(data) < episodeFixed+s.seats*episodeSeat {
		return errEpisode
	}
	*e = Episode{
		Game: int(le.Uint64(data)), Dealt: true, Result: env.Result(data[8]), Truncated: data[9] == 1,
		Winners: env.SeatSet(le.Uint16(data[10:])), Steps: int(le.Uint32(data[12:])),
		Agents: make([]uint16, s.seats), Outcome: make([]float64, s.seats),
		Lived: make([]int32, s.seats), Missed: make([]int32, s.seats),
	}
	if e.Game < 0 || e.Result > env.Incomplete || data[9] > 1 {
		return errEpisode
	}
	data = data[episodeFixed:]
	for seat := range e.Agents {
		e.Agents[seat], e.Lived[seat] = le.Uint16(data), int32(le.Uint32(data[2:]))
		e.Missed[seat], e.Outcome[seat] = int32(le.Uint32(data[6:])), math.Float64frombits(le.Uint64(data[10:]))
		data = data[episodeSeat:]
	}
	if e.Steps > len(data)/s.step() {
		return errEpisode
	}
	e.Actions, e.SearchStatistics = data[:e.Steps*s.step()], data[e.Steps*s.step():]
	return nil
}
