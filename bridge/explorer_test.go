package bridge

import (
	"fmt"
	"slices"
)

// explorer visits every state that can be reached.
type explorer struct {
	modelRules
	number map[modelState]int
	states []modelState
	before [][]int // from which states each can be reached in one step
	now    int
	wrong  string
}

// explore returns what can go wrong, empty if nothing can.
func explore(rules modelRules) (wrong string, states int) {
	x := &explorer{modelRules: rules, number: map[modelState]int{}, now: -1}
	x.reach(modelState{client: "choose", server: "look", closer: "idle"})
	for x.now = 0; x.now < len(x.states) && x.wrong == ""; x.now++ {
		s := x.states[x.now]
		x.drain(s)
		x.stepClient(s)
		x.stepServer(s)
		x.stepCloser(s)
		x.checkView(&s)
		x.checkSleep(&s)
		x.kill(s)
	}
	if x.wrong == "" {
		x.checkEnds()
	}
	return x.wrong, len(x.states)
}

func (x *explorer) reach(s modelState) {
	k, known := x.number[s]
	if !known {
		k = len(x.states)
		x.number[s] = k
		x.states = append(x.states, s)
		x.before = append(x.before, nil)
	}
	if x.now >= 0 {
		x.before[k] = append(x.before[k], x.now)
	}
}

func (x *explorer) fail(s *modelState, format string, values ...any) {
	if x.wrong == "" {
		x.wrong = fmt.Sprintf(format, values...) + fmt.Sprintf(" in %+v", *s)
	}
}

// over reports whether everybody has gone.
func (s *modelState) over() bool {
	return (s.client == "done" || s.client == "dead") && (s.server == "gone" || s.server == "dead") &&
		s.closer != "close" && s.closer != "wake"
}

// checkEnds holds if the end can be reached from everywhere: nobody sleeps for
// ever, and nobody spins for what will not come.
func (x *explorer) checkEnds() {
	ends := make([]bool, len(x.states))
	var queue []int
	for k := range x.states {
		if x.states[k].over() {
			ends[k] = true
			queue = append(queue, k)
		}
	}
	for len(queue) > 0 {
		k := queue[0]
		queue = queue[1:]
		for _, from := range x.before[k] {
			if !ends[from] {
				ends[from] = true
				queue = append(queue, from)
			}
		}
	}
	for k := range x.states {
		if !ends[k] {
			x.fail(&x.states[k], "stuck")
			return
		}
	}
}

// checkView holds if what callers look at is what they received.
func (x *explorer) checkView(s *modelState) {
	for place, number := range s.holds {
		if number != 0 && s.client != "dead" && (s.mem[modelFront+place] != number || s.mem[modelBack+place] != number) {
			x.fail(s, "batch %d is written over while it is viewSignal at", number)
		}
	}
}

// checkSleep holds if nobody sleeps while there is something to do, except that
// the other side is just about to wake it.
func (x *explorer) checkSleep(s *modelState) {
	if s.serverSleeps && s.posted != s.turn && s.client != "waits?" && s.client != "wake" && s.client != "dead" {
		x.fail(s, "the server sleeps while a step has been posted")
	}
	if s.clientSleeps && s.turn > s.seen && s.server != "waits?" && s.server != "wake" && s.server != "dead" {
		x.fail(s, "the client sleeps while a step has been answered")
	}
}

// The memory as the client has it ------------------------------------------

func (s *modelState) store(at, value uint8) {
	s.buffer[s.stores] = modelStore{at, value}
	s.stores++
}

// drain makes one of the client's stores visible.
func (x *explorer) drain(s modelState) {
	for k := range s.stores {
		if k > 0 && !x.weak {
			break
		}
		next, older := s, false
		for _, earlier := range s.buffer[:k] {
			older = older || earlier.at == s.buffer[k].at
		}
		if !older {
			next.leave(k)
			x.reach(next)
		}
	}
}

// leave takes the k-th store out of the buffer and into memory.
func (s *modelState) leave(k uint8) {
	s.mem[s.buffer[k].at] = s.buffer[k].value
	copy(s.buffer[k:], s.buffer[k+1:s.stores])
	s.stores--
	s.buffer[s.stores] = modelStore{}
}

// barrier is a full one, in the client.
func (x *explorer) barrier(s *modelState) {
	for s.stores > 0 {
		s.leave(0)
	}
	if x.weak {
		s.stale = s.mem
	}
}

// load goes on with each value that the client may find.
func (x *explorer) load(s modelState, at uint8, then func(s modelState, value uint8)) {
	if x.weak && s.stale[at] != s.mem[at] {
		then(s, s.stale[at])
		s.stale[at] = s.mem[at] // from here on
	}
	then(s, s.mem[at])
}

// The places that the client lends ------------------------------------------

// hasNoBatch reports whether the step of this number, counted from 0, begins games.
func (x *explorer) hasNoBatch(step uint8) bool { return x.begins && step%2 == 0 }

// lend gives the next step the first place that nobody looks at and that no step
// has, or the one that a step which was given up has left in its slot.
func (x *explorer) lend(s *modelState) {
	slot := s.posted % x.slots
	if x.hasNoBatch(s.posted) {
		if !x.placeStays {
			s.store(modelPlace+slot, 0)
		}
		return
	}
	if x.places == 0 {
		s.targets[slot] = slot + 1 // and no word of it
		return
	}
	for place := uint8(0); s.targets[slot] == 0; place++ {
		if place == x.places {
			x.fail(s, "no place is free")
			return
		}
		if (s.holds[place] == 0 || x.placeHeld) && (!slices.Contains(s.targets[:], place+1) || x.placeTwice) {
			s.targets[slot] = place + 1
		}
	}
	s.store(modelPlace+slot, s.targets[slot])
}

// hold hands the batch received last to a caller, or, if callers hold enough, a copy.
func (x *explorer) hold(s *modelState, place uint8) {
	held := uint8(0)
	for p, number := range s.holds {
		if x.held == 0 {
			s.holds[p] = 0
		} else if number != 0 {
			held++
		}
	}
	if held < max(1, x.held) {
		s.holds[place] = s.received
	}
}

// letGo has callers let go of a batch, after they have written to it.
func (x *explorer) letGo(s modelState) {
	for place, number := range s.holds {
		if number != 0 && x.held != 0 {
			next := s
			next.holds[place] = 0
			next.store(modelFront+uint8(place), 99)
			x.goClient(next, "choose")
		}
	}
}
