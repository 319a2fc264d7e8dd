package bridge

import (
	"cmp"
	"testing"
)

// A model of a channel, small enough that every interleaving of every memory
// access of both sides can be tried. It has the rules of PROTOCOL.md ("shared
// memory"), step by step, and three things that real machines do:
//
//   - The client's stores wait in a buffer before others see them. On an ordered
//     processor (x86-64) they leave it in their order, on a weak one (arm64) in any,
//     and there a load may also return what was in memory at the last barrier.
//   - The kernel compares a futex's word and puts the caller to sleep in one step,
//     behind a full barrier; waking is a full barrier, too.
//   - The server's accesses are Go's atomics, in order for everybody. Its membarrier
//     empties the client's buffer.
//
// No time-out is needed for progress: a side that sleeps is only ever woken by the
// other. Either side can also be killed anywhere; the other learns that from
// the socket alone.
type modelRules struct {
	slots, steps, inFlight uint8
	places                 uint8 // the client chooses among these; 0: each slot has its own
	held                   uint8 // of them, the most that callers may hold; 0: only the last batch is looked at
	begins                 bool  // every other step begins games, and has no batch
	weak                   bool  // an arm64, not an x86-64

	// What a broken protocol would do.
	noMembarrier  bool // the server checks the count and sleeps without a barrier in the client
	noCompare     bool // the client's futex sleeps whatever the word says
	wakeFirst     bool // the server looks whether the client waits before it counts, not after
	noReleaseWall bool // no barrier between actions and count
	noAcquireWall bool // no barrier between count and batch
	wakeOnce      bool // closing wakes the listener once and does not look whether it goes
	placeLate     bool // the place is named after the count
	placeHeld     bool // a place is lent that a caller holds
	placeTwice    bool // a place is lent that has been lent for a step before
	placeStays    bool // a step that begins games does not take back the place that its slot named
}

// Places in the model's memory.
const (
	clientCount = iota
	clientWaits
	serverCount
	serverWaits
	modelActions                    // of each slot, the number of the step
	modelPlace   = modelActions + 3 // of each slot, one more than the place for its batch
	modelFront   = modelPlace + 3   // of each place, one half of the batch: also the number
	modelBack    = modelFront + 4   // and the other half
	modelBytes   = modelBack + 4
)

type modelStore struct{ at, value uint8 }

// modelState is all there is at one moment. Program counters are the labels in
// the three programs below.
type modelState struct {
	mem    [modelBytes]uint8
	stale  [modelBytes]uint8 // weak: what the client may still read
	buffer [6]modelStore
	stores uint8 // in the buffer

	client, server, closer                 string
	posted, received, seen, turn, sawWaits uint8
	clientSleeps, serverSleeps, closing    bool

	targets [3]uint8 // of each slot, one more than the place that the server may write to; 0: none
	holds   [4]uint8 // of each place, the number of the batch that a caller looks at; 0: none
	goal    uint8    // the place that the server writes to
}

// The client ----------------------------------------------------------------

func (x *explorer) stepClient(s modelState) {
	switch s.client {
	case "choose": // it may post, receive or give up, as far as it has posted
		if s.posted < x.steps && s.posted-s.received < x.inFlight {
			x.goClient(s, "slot")
		}
		if s.received < s.posted {
			x.goClient(s, "look")
		}
		if s.received < s.posted && x.places > 0 { // else it could look at no batch any more
			gone := s
			gone.received++
			x.goClient(gone, "choose")
		}
		if s.received == x.steps {
			x.goClient(s, "done")
		}
		x.letGo(s)
	case "slot": // a step that was given up may still be there
		x.load(s, serverCount, func(s modelState, count uint8) {
			if s.posted >= x.slots && count <= s.posted-x.slots {
				x.goClient(s, "slot")
				return
			}
			s.store(modelActions+s.posted%x.slots, s.posted+1)
			if !x.placeLate {
				x.lend(&s)
			}
			x.goClient(s, "count")
		})
	case "count":
		if x.weak && !x.noReleaseWall {
			x.barrier(&s)
		}
		s.posted++
		s.store(clientCount, s.posted)
		if x.placeLate {
			s.posted--
			x.lend(&s)
			s.posted++
		}
		x.goClient(s, "waits?")
	case "waits?":
		if x.weak { // does not ask
			x.goClient(s, "wake")
			break
		}
		x.load(s, serverWaits, func(s modelState, waits uint8) {
			x.goClient(s, map[uint8]string{0: "choose", 1: "wake"}[waits])
		})
	case "wake":
		x.barrier(&s)
		s.wakeServer()
		x.goClient(s, "choose")
	case "look": // spinning, or about to sleep
		x.load(s, serverCount, func(s modelState, count uint8) {
			if count > s.received {
				x.goClient(s, "acquire")
				return
			}
			x.goClient(s, "look")
			s.store(clientWaits, 1)
			x.goClient(s, "look again")
		})
	case "look again":
		x.load(s, serverCount, func(s modelState, count uint8) {
			s.seen = count
			x.goClient(s, map[bool]string{true: "woken", false: "sleep"}[count > s.received])
		})
	case "sleep":
		x.barrier(&s)
		s.clientSleeps = s.mem[serverCount] == s.seen || x.noCompare
		x.goClient(s, "woken")
	case "woken":
		if s.clientSleeps {
			break
		}
		s.store(clientWaits, 0)
		s.seen = 0
		x.goClient(s, "look")
	case "acquire":
		if x.weak && !x.noAcquireWall {
			x.barrier(&s)
		}
		s.received++
		x.goClient(s, "read")
	case "read":
		if x.hasNoBatch(s.received - 1) {
			x.goClient(s, "choose")
			break
		}
		slot := (s.received - 1) % x.slots
		place := s.targets[slot] - 1
		x.load(s, modelFront+place, func(s modelState, front uint8) {
			x.load(s, modelBack+place, func(s modelState, back uint8) {
				if front != s.received || back != s.received {
					x.fail(&s, "batch %d is read as %d and %d", s.received, front, back)
				}
				s.targets[slot] = 0
				x.hold(&s, place)
				x.goClient(s, "choose")
			})
		})
	}
	if s.server == "dead" && s.client != "done" && s.client != "dead" { // the socket says so
		s.clientSleeps = false
		x.goClient(s, "done")
	}
}

func (x *explorer) goClient(s modelState, to string) {
	if s.stores > uint8(len(s.buffer)-2) {
		x.barrier(&s) // the buffer is as good as full
	}
	s.client = to
	x.reach(s)
}

// The server: the worker, and the listener while the worker waits ------------

func (x *explorer) stepServer(s modelState) {
	slot := s.turn % x.slots
	to := func(label string) { s.server = label; x.reach(s) }
	switch s.server {
	case "look": // spinning, or about to sleep
		switch {
		case s.mem[clientCount] > s.turn:
			to("take")
		case s.closing:
			to("gone")
		default:
			to("park")
		}
	case "take":
		if got := s.mem[modelActions+slot]; got != s.turn+1 {
			x.fail(&s, "step %d is made with the actions of step %d", s.turn+1, got)
		}
		switch place := s.mem[modelPlace+slot]; {
		case place != 0:
			s.goal = place - 1
		case x.begins:
			to("answer")
			return
		default:
			s.goal = slot
		}
		to("front")
	case "front":
		s.mem[modelFront+s.goal] = s.turn + 1
		to("back")
	case "back":
		s.mem[modelBack+s.goal] = s.turn + 1
		s.goal = 0
		if x.wakeFirst {
			s.sawWaits = s.mem[clientWaits]
		}
		to("answer")
	case "answer":
		s.turn++
		s.mem[serverCount] = s.turn
		to("waits?")
	case "waits?":
		waits := s.mem[clientWaits]
		if x.wakeFirst {
			waits, s.sawWaits = s.sawWaits, 0
		}
		to(map[uint8]string{0: "look", 1: "wake"}[waits])
	case "wake":
		s.clientSleeps = false
		to("look")
	case "park":
		s.mem[serverWaits] = 1
		to("membarrier")
	case "membarrier":
		if !x.noMembarrier {
			x.barrier(&s)
		}
		to("look again")
	case "look again":
		if s.mem[clientCount] != s.turn || s.closing {
			to("woken")
			break
		}
		to("sleep")
	case "sleep":
		s.serverSleeps = s.mem[clientCount] == s.turn
		to("asleep")
	case "asleep":
		if !s.serverSleeps {
			to("look again")
		}
	case "woken":
		s.mem[serverWaits] = 0
		to("look")
	}
}

func (s *modelState) wakeServer() { s.serverSleeps = false }

// stepCloser ends the server's side once the client has gone.
func (x *explorer) stepCloser(s modelState) {
	if s.server == "dead" {
		return
	}
	to := func(label string) { s.closer = label; x.reach(s) }
	switch s.closer {
	case "idle":
		if s.client == "done" || s.client == "dead" {
			to("close")
		}
	case "close":
		s.closing = true
		to("wake")
	case "wake":
		s.wakeServer()
		if x.wakeOnce || s.server == "gone" {
			to("closed")
		} else {
			to("wake")
		}
	}
}

// kill ends either side wherever it is. That counts as no way to the end: it
// would lead there from everywhere.
func (x *explorer) kill(s modelState) {
	now := x.now
	x.now = -1
	defer func() { x.now = now }()
	if s.client != "done" && s.client != "dead" {
		killed := s
		killed.client, killed.clientSleeps = "dead", false
		x.reach(killed)
	}
	if s.server != "gone" && s.server != "dead" {
		s.server, s.closer, s.serverSleeps = "dead", "idle", false
		x.reach(s)
	}
}

func TestModelOfTheChannel(t *testing.T) {
	unraced(t)
	for _, rules := range []modelRules{
		{slots: 2, steps: 4, inFlight: 1},
		{slots: 3, steps: 4, inFlight: 2},
		{slots: 2, steps: 4, inFlight: 2, places: 3},
		{slots: 2, steps: 4, inFlight: 1, places: 3, held: 1},
		{slots: 2, steps: 3, inFlight: 2, places: 4, held: 2},
		{slots: 2, steps: 4, inFlight: 2, places: 4, held: 1, begins: true},
		{slots: 3, steps: 5, inFlight: 2, places: 4, held: 1, begins: true},
		{slots: 2, steps: 3, inFlight: 1, weak: true},
		{slots: 3, steps: 4, inFlight: 2, weak: true},
		{slots: 2, steps: 3, inFlight: 1, places: 3, held: 1, weak: true},
		{slots: 2, steps: 4, inFlight: 2, places: 3, begins: true, weak: true},
	} {
		wrong, states := explore(rules)
		if wrong != "" {
			t.Errorf("%+v: %s", rules, wrong)
		}
		t.Logf("%+v: %d states", rules, states)
	}
}

// TestModelFindsWhatIsBroken takes one rule at a time away.
func TestModelFindsWhatIsBroken(t *testing.T) {
	unraced(t)
	for _, broken := range []struct {
		modelRules
		reason string
	}{
		{modelRules{noMembarrier: true}, "the client's count waits in its buffer while it looks whether the server waits"},
		{modelRules{noCompare: true}, "the answer comes between the last look and the sleep"},
		{modelRules{wakeFirst: true}, "the client begins to wait between the server's look and its count"},
		{modelRules{inFlight: 3}, "with as many steps in flight as there are slots, the batch viewSignal at is given back"},
		{modelRules{wakeOnce: true}, "the one wake-up comes before the listener sleeps"},
		{modelRules{weak: true, noReleaseWall: true}, "the count overtakes the actions"},
		{modelRules{weak: true, noAcquireWall: true}, "the batch was read before the count"},
		{modelRules{slots: 2, places: 3, placeLate: true}, "the server looks for the place before it is named"},
		{modelRules{slots: 2, places: 4, held: 1, placeHeld: true}, "what a caller holds is written over"},
		{modelRules{slots: 2, places: 4, held: 1, placeTwice: true}, "a batch is written over before it is received"},
		{modelRules{steps: 5, places: 4, held: 1, begins: true, placeStays: true}, "a step without a batch writes one"},
		{modelRules{slots: 2, places: 3, held: 2}, "with places held, and steps in all slots, none is left"},
	} {
		rules := broken.modelRules
		rules.slots, rules.steps, rules.inFlight = cmp.Or(rules.slots, 3), cmp.Or(rules.steps, 4), max(2, rules.inFlight)
		if wrong, _ := explore(rules); wrong == "" {
			t.Errorf("%+v: nothing is found, but %s", rules, broken.reason)
		} else {
			t.Log(wrong)
		}
	}
}
