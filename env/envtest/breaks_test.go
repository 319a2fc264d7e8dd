package envtest

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"pommego/env"
)

var sink []byte

// Each row breaks one thing; the clause must report it, in words that say what.
var breaks = []struct {
	reason string
	clause string
	want   string
	broken broken
}{
	{"a seat in two teams", "spec", "each of the 6 seats in one team",
		broken{spec: func(s *env.Spec) { s.Teams[1][0] = 0 }}},
	{"a seat in no team", "spec", "each of the 6 seats in one team",
		broken{spec: func(s *env.Spec) { s.Teams = s.Teams[:2] }}},
	{"a choice without a name", "spec", "a name for each",
		broken{spec: func(s *env.Spec) { s.Actions[1].Names = s.Actions[1].Names[:2] }}},
	{"two fields of one name", "spec", "comes twice",
		broken{spec: func(s *env.Spec) { s.Encodings[0].Fields[1].Name = "board" }}},
	{"bounds that the type cannot hold", "spec", "integers that int16 can hold",
		broken{spec: func(s *env.Spec) { s.Encodings[0].Fields[1].High = 1 << 15 }}},
	{"a plane without a name", "spec", "2 names for 3 entries",
		broken{spec: func(s *env.Spec) { s.Encodings[0].Fields[0].Names = s.Encodings[0].Fields[0].Names[:2] }}},
	{"a type of its own", "spec", `dtype "bool" does not exist`,
		broken{spec: func(s *env.Spec) { s.Encodings[0].Fields[0].DType = "bool" }}},
	{"no step limit", "spec", "a game must end",
		broken{spec: func(s *env.Spec) { s.MaxSteps = 0 }}},

	{"a count without a meaning", "trackers", `name "x" and meaning ""`,
		broken{spec: func(s *env.Spec) { s.Counts = []env.Name{{Name: "x"}} }}},
	{"a tracker leaves a step out", "trackers", "has come to another state",
		breakTracker(func(t *brokenTracker) {
			t.step = func(m env.Match, actions []uint8) {
				if m.Status().Steps != 3 {
					m.Step(actions)
				}
			}
		})},
	{"a tracker writes too much", "trackers", "more than a number for each",
		breakTracker(func(t *brokenTracker) { t.counts = func(dst []int32) { clear(dst) } })},
	{"an event of no seat of the game", "trackers", "want seats 0 to 5",
		breakTracker(func(t *brokenTracker) {
			n := 0
			t.events = func() []env.Event {
				n++ // none at the start
				return []env.Event{{Seat: 6}}[:min(n-1, 1)]
			}
		})},

	{"one match too few", "matches", "New(3) made 2 matches",
		broken{newAll: func(n int) []env.Match { return Toy().New(n)[:min(n, 2)] }}},
	{"matches share their state", "matches", "changed another",
		broken{newAll: func(n int) []env.Match {
			all := Toy().New(n)
			for i := range all {
				all[i] = all[0]
			}
			return all
		}}},

	{"the episode is not looked at", "reset", "value and episode both to matter",
		broken{match: func(m *brokenMatch) {
			m.reset = func(seed env.Seed) { m.Match.Reset(env.Seed{Value: seed.Value}) }
		}}},
	{"Reset leaves the RNG", "reset", "differs from Reset of a new one",
		broken{match: func(m *brokenMatch) {
			used := false
			m.reset = func(seed env.Seed) {
				m.Match.Reset(seed)
				if used {
					m.Match.Reseed(env.Seed{})
				}
				used = true
			}
		}}},
	{"a game starts with a step behind it", "reset", "0 steps",
		broken{match: func(m *brokenMatch) {
			m.reset = func(seed env.Seed) { m.Match.Reset(seed); m.Match.Step(make([]uint8, 12)) }
		}}},

	{"matches draw from a common RNG", "determinism", "two matches with the same seed and actions differ",
		func() broken {
			var common env.RNG
			return broken{match: func(m *brokenMatch) {
				m.step = func(actions []uint8) { m.Match.Reseed(env.Seed{Value: common.Uint64()}); m.Match.Step(actions) }
			}}
		}()},

	{"a step counts twice", "status", "Steps is 2, want 1",
		breakStatus(func(s *env.Status) { s.Steps *= 2 })},
	{"decided seats become undecided", "status", "Decided fell",
		breakStatus(func(s *env.Status) {
			if !s.Over && s.Steps%2 == 0 {
				s.Decided = 0
			}
		})},
	{"seats undecided at the end", "status", "want all 6 seats",
		breakStatus(func(s *env.Status) {
			if s.Over {
				s.Decided = s.Winners
			}
		})},
	{"teammates are decided apart", "status", "shares its fate",
		breakStatus(func(s *env.Status) {
			if !s.Over && s.Steps > 5 {
				s.Decided = s.Decided.With(0).Without(1)
			}
		})},
	{"who is out comes back", "status", "who is out stays out",
		breakStatus(func(s *env.Status) {
			if s.Over {
				s.In = env.AllSeats(6)
			}
		})},
	{"winners of a tie", "status", "some exactly with Win",
		breakStatus(func(s *env.Status) {
			if s.Over && s.Result == env.Tie {
				s.Winners = 1 << 5
			}
		})},
	{"the step limit does not end the game", "status", "not over after MaxSteps",
		broken{spec: func(s *env.Spec) { s.MaxSteps = 20 }}},
	{"seats drop out of a game without elimination", "status", "nobody drops out",
		broken{spec: func(s *env.Spec) { s.Elimination = false }}},
	{"over without a result", "status", "Incomplete exactly until over",
		breakStatus(func(s *env.Status) { s.Result, s.Winners = env.Incomplete, 0 })},
	{"a reward is not written", "status", "the reward is NaN",
		broken{match: func(m *brokenMatch) { m.rewards = func(dst []float64) { m.Match.Rewards(dst[:5]) } }}},

	{"a lost seat wins after all", "outcome", "was decided as -1 and is now 0",
		broken{match: func(m *brokenMatch) {
			m.outcome = func(dst []float64) {
				m.Match.Outcome(dst)
				if s := m.Match.Status(); s.Over && s.Result == env.Tie {
					clear(dst)
				}
			}
		}}},
	{"winners get nothing", "outcome", "want 1",
		broken{match: func(m *brokenMatch) {
			m.outcome = func(dst []float64) {
				m.Match.Outcome(dst)
				for i := range dst {
					dst[i] = min(dst[i], 0)
				}
			}
		}}},

	{"a choice 0 that is illegal", "mask/form", "choice 0 is always legal",
		breakMask(func(m *brokenMatch, seat int, dst []uint8) { dst[5] = 0 })},
	{"a mask of 255", "mask/form", "want 0 or 1",
		breakMask(func(m *brokenMatch, seat int, dst []uint8) { dst[0] = 255 })},
	{"a component whose mask is not written", "mask/form", "not written",
		broken{match: func(m *brokenMatch) {
			m.mask = func(seat int, dst []uint8) {
				var all [8]uint8
				m.Match.Mask(seat, all[:])
				copy(dst[:5], all[:5])
			}
		}}},
	{"who is out may move", "mask/form", "has choice 0 only",
		breakMask(func(m *brokenMatch, seat int, dst []uint8) { dst[1] = 1 })},
	{"a move that does something is forbidden", "mask/meaning", `the mask forbids "up"`,
		breakMask(func(m *brokenMatch, seat int, dst []uint8) { dst[1] = 0 })},
	{"a deed that does something is forbidden", "mask/meaning", `the mask forbids "strike"`,
		breakMask(func(m *brokenMatch, seat int, dst []uint8) { dst[6] = 0 })},

	{"what the dead send matters", "ignored", "were looked at",
		broken{match: func(m *brokenMatch) {
			m.step = func(actions []uint8) {
				in := m.Match.Status().In
				m.Match.Step(actions)
				for seat := range 6 {
					if !in.Has(seat) && actions[2*seat] != 0 {
						m.Match.Reseed(env.Seed{})
					}
				}
			}
		}}},

	{"a value above High", "observe/range", `field "clock": element 0 is 50, want 0 to 49`,
		broken{spec: func(s *env.Spec) { s.Encodings[1].Fields[1].High = 49 }}},
	{"a value below Low", "observe/range", "want 0 to 32767",
		broken{spec: func(s *env.Spec) { s.Encodings[0].Fields[1].Low = 0 }}},
	{"a value of the global state above High", "observe/range", `observation "global state", field "energy": element`,
		broken{spec: func(s *env.Spec) { s.State[1].High = 299 }}},
	{"the global state is not shared", "spec", `State, field "energy": not Shared`,
		broken{spec: func(s *env.Spec) { s.State[1].Shared = false }}},
	{"a byte is left as it was", "observe/range", "twice into buffers",
		breakObserve(func(m *brokenMatch, e int, seats []uint8, dst [][]byte) {
			last := &dst[0][len(dst[0])-1]
			was := *last
			m.Match.Observe(e, seats, dst)
			*last = was
		})},
	{"observing moves the RNG", "observe/range", "Observe changed the match",
		breakObserve(func(m *brokenMatch, e int, seats []uint8, dst [][]byte) {
			m.Match.Observe(e, seats, dst)
			m.Match.Reseed(env.Seed{})
		})},
	{"seats come in their own order", "observe/seats", "differs from the seat's own",
		breakObserve(func(m *brokenMatch, e int, seats []uint8, dst [][]byte) {
			for i := range seats {
				seats[i] = uint8(i)
			}
			m.Match.Observe(e, seats, dst)
		})},
	{"a shared field depends on who looks", "observe/seats", "shared: true",
		breakObserve(func(m *brokenMatch, e int, seats []uint8, dst [][]byte) {
			m.Match.Observe(e, seats, dst)
			if e == toyMaps {
				dst[0][0] = seats[0]
			}
		})},

	{"the global state depends on who looks", "observe/seats", `observation "global state"`,
		breakObserve(func(m *brokenMatch, e int, seats []uint8, dst [][]byte) {
			m.Match.Observe(e, seats, dst)
			if e == env.GlobalState {
				dst[1][0] ^= seats[0]
			}
		})},

	{"safe choices that the mask forbids", "observe/safely", "want some of",
		breakSafely(func(m *brokenMatch, seats []uint8, dst [][]byte, masks []byte) { masks[1] = 1 })},
	{"no choice is safe", "observe/safely", `no choice of "deed" is safe, want then all of`,
		breakSafely(func(m *brokenMatch, seats []uint8, dst [][]byte, masks []byte) { clear(masks[5:8]) })},
	{"masks of other seats", "observe/safely", "want some of",
		breakSafely(func(m *brokenMatch, seats []uint8, dst [][]byte, masks []byte) {
			for i := range seats {
				m.Match.Mask(int(seats[len(seats)-1-i]), masks[8*i:][:8])
			}
		})},
	{"a mask is not written", "observe/safely", "[170",
		broken{match: func(m *brokenMatch) {
			m.safely = func(e int, seats []uint8, dst [][]byte, masks []byte) { m.Match.Observe(e, seats, dst) }
		}}},
	{"another observation with safe choices", "observe/safely", "does not show what Observe does",
		breakSafely(func(m *brokenMatch, seats []uint8, dst [][]byte, masks []byte) { dst[0][0]++ })},
	{"looking ahead moves the RNG", "observe/safely", "changed the match",
		breakSafely(func(m *brokenMatch, seats []uint8, dst [][]byte, masks []byte) { m.Match.Reseed(env.Seed{}) })},

	{"Reseed moves a piece", "reseed", "changed more than the RNG",
		broken{match: func(m *brokenMatch) {
			m.reseed = func(seed env.Seed) {
				m.Match.Reseed(seed)
				if !m.Match.Status().Over {
					m.Match.Step(make([]uint8, 12))
				}
			}
		}}},
	{"Reseed does nothing", "reseed", "changed nothing",
		broken{match: func(m *brokenMatch) { m.reseed = func(env.Seed) {} }}},

	{"the RNG is not restored", "save/state", "restores to something else",
		broken{match: func(m *brokenMatch) {
			m.restore = func(state []byte) error { defer m.Match.Reseed(env.Seed{}); return m.Match.Restore(state) }
		}}},
	{"saving overwrites what was there", "save/state", "want the prefix",
		broken{match: func(m *brokenMatch) { m.save = func(dst []byte) []byte { return m.Match.Append(dst[:0]) } }}},
	{"the JSON form loses the RNG", "save/json", "restores to something else",
		broken{match: func(m *brokenMatch) {
			m.restoreJSON = func(state json.RawMessage) error {
				defer m.Match.Reseed(env.Seed{})
				return m.Match.RestoreJSON(state)
			}
		}}},
	{"the JSON form is no JSON", "save/json", "want the prefix and valid JSON",
		broken{match: func(m *brokenMatch) {
			m.saveJSON = func(dst []byte) ([]byte, error) { return append(dst, "{]"...), nil }
		}}},

	{"a cut state panics", "damage/state", "panics: runtime error",
		broken{match: func(m *brokenMatch) {
			m.restore = func(state []byte) error { _ = state[100]; return m.Match.Restore(state) }
		}}},
	{"a cut state passes", "damage/state", "is accepted, want an error",
		broken{match: func(m *brokenMatch) {
			m.restore = func(state []byte) error {
				if len(state) < 100 {
					return nil
				}
				return m.Match.Restore(state)
			}
		}}},
	{"a refused state is half taken", "damage/state", "but changed the match",
		broken{match: func(m *brokenMatch) {
			m.restore = func(state []byte) error {
				err := m.Match.Restore(state)
				if err != nil {
					m.Match.Reseed(env.Seed{})
				}
				return err
			}
		}}},
	{"an accepted state cannot be played", "damage/state", "playing on from it, panics",
		func() broken {
			return broken{match: func(m *brokenMatch) {
				m.step = func(actions []uint8) {
					if m.Match.(*toyMatch).toyState.Seats[3].Energy%10 != 0 {
						panic("energies come in tens")
					}
					m.Match.Step(actions)
				}
			}}
		}()},
	{"refused JSON is half taken", "damage/json", "but changed the match",
		broken{match: func(m *brokenMatch) {
			m.restoreJSON = func(state json.RawMessage) error {
				err := m.Match.RestoreJSON(state)
				if err != nil {
					m.Match.Reseed(env.Seed{})
				}
				return err
			}
		}}},

	{"no scene", "scene", "writes the ground of 0 cells",
		broken{match: func(m *brokenMatch) { m.describe = func(*env.Scene) {} }}},
	{"an agent off the board", "scene", "off the board",
		broken{match: func(m *brokenMatch) {
			m.describe = func(s *env.Scene) { m.Match.Describe(s); s.Agents[0].At[1] = -1 }
		}}},
	{"something without a look", "scene", "has no look",
		broken{match: func(m *brokenMatch) {
			m.describe = func(s *env.Scene) { m.Match.Describe(s); s.Ground[0] = env.GroundSpent }
		}}},

	{"Step allocates", "allocations", "Step allocates",
		broken{match: func(m *brokenMatch) {
			m.step = func(actions []uint8) { sink = make([]byte, 8); m.Match.Step(actions) }
		}}},
	{"Status allocates", "allocations", "Status allocates",
		broken{match: func(m *brokenMatch) {
			m.status = func() env.Status { sink = make([]byte, 8); return m.Match.Status() }
		}}},
	{"Rewards allocates", "allocations", "Rewards allocates",
		broken{match: func(m *brokenMatch) {
			m.rewards = func(dst []float64) { sink = make([]byte, 8); m.Match.Rewards(dst) }
		}}},
	{"Mask allocates", "allocations", "Mask allocates",
		breakMask(func(*brokenMatch, int, []uint8) { sink = make([]byte, 8) })},
	{"Observe allocates", "allocations", "Observe list allocates",
		breakObserve(func(m *brokenMatch, e int, seats []uint8, dst [][]byte) {
			if e == toyList {
				sink = make([]byte, 8)
			}
			m.Match.Observe(e, seats, dst)
		})},

	{"a name in the spec makes no agent", "agents/names", `names "ghost"`,
		broken{spec: func(s *env.Spec) { s.Agents = append(s.Agents, "ghost") }}},
	{"the error does not list the agents", "agents/names", "want it to list",
		broken{newAgent: func(name string) (env.Agent, error) {
			a, err := Toy().NewAgent(name)
			if err != nil {
				err = errors.New("no such agent")
			}
			return a, err
		}}},
	{"an unknown name makes an agent", "agents/names", "want an error",
		broken{newAgent: func(string) (env.Agent, error) { return Toy().NewAgent("still") }}},
	{"an action out of range", "agents/play", `"move" is 5, want 0 to 4`,
		breakAct(func(a *brokenAgent, m env.Match, seat int, action []uint8) { action[0] = 5 })},
	{"half an action", "agents/play", "255: not written",
		breakAct(func(a *brokenAgent, m env.Match, seat int, action []uint8) { action[1] = 255 })},
	{"an agent that allocates", "agents/play", "Act allocates",
		breakAct(func(a *brokenAgent, m env.Match, seat int, action []uint8) { sink = make([]byte, 8) })},
	{"an agent that meddles", "agents/play", "Act changed the match",
		breakAct(func(a *brokenAgent, m env.Match, seat int, action []uint8) { m.Reseed(env.Seed{}) })},
	{"agents that share an RNG", "agents/play", "two agents with equal RNGs act differently",
		func() broken {
			var common env.RNG
			return breakAct(func(a *brokenAgent, m env.Match, seat int, action []uint8) { action[0] = uint8(common.IntN(5)) })
		}()},
	{"an agent that does not do what it found best", "agents/play", "choice 3 is the best",
		breakSearchStatistics(func(visits []int32, values []float64) bool {
			visits[0], visits[1], visits[2], visits[3], visits[4], values[3] = 1, 1, 1, 1, 1, 2
			return true
		})},
	{"an agent that reports a search, but no statistics", "agents/play", "SearchStatistics returns true, with visits",
		breakSearchStatistics(func([]int32, []float64) bool { return true })},
	{"a value that is no number", "agents/play", "want a number",
		breakSearchStatistics(func(visits []int32, values []float64) bool {
			visits[0], values[0] = 1,
				math.NaN()
			return true
		})},
	{"a value of what was not tried", "agents/play", "0 for what was not tried",
		breakSearchStatistics(func(visits []int32, values []float64) bool { values[0] = 1; return false })},
	{"agents with equal RNGs that report different statistics", "agents/play", "report different search statistics",
		func() broken {
			n := int32(0)
			return breakSearchStatistics(func(visits []int32, _ []float64) bool { n++; visits[0] = n; return true })
		}()},
	{"a memory that is not saved", "agents/memory", "restored a step ago",
		broken{agent: func(a *brokenAgent) {
			toy := a.Agent.(*toyAgent)
			a.save = func(dst []byte) []byte {
				c := *toy
				c.heading, c.left = 0, 0
				return c.Append(dst)
			}
		}}},
	{"Reset keeps the memory", "agents/memory", "does not empty the memory",
		broken{agent: func(a *brokenAgent) {
			toy := a.Agent.(*toyAgent)
			a.reset = func(rng env.RNG) { toy.rng = rng }
		}}},
	{"a bad memory panics", "agents/memory", "panicked",
		broken{agent: func(a *brokenAgent) {
			a.restore = func(state []byte) error { _ = state[9]; return a.Agent.Restore(state) }
		}}},
}

// trainBreaks need a game of seats on their own.
var trainBreaks = []struct {
	reason string
	want   string
	broken broken
}{
	{"training is ignored", "but the game goes on",
		broken{match: func(m *brokenMatch) { m.train = func(int) {} }}},
	{"training is not saved", "saved after Train and restored",
		broken{match: func(m *brokenMatch) {
			m.restore = func(state []byte) error { defer m.Match.SetTrainingSeat(-1); return m.Match.Restore(state) }
		}}},
	{"training outlasts the episode", "Train outlasts Reset",
		broken{match: func(m *brokenMatch) {
			trained := -1
			m.train = func(seat int) { trained = seat; m.Match.SetTrainingSeat(seat) }
			m.reset = func(seed env.Seed) { m.Match.Reset(seed); m.Match.SetTrainingSeat(trained) }
		}}},
}

func breakStatus(change func(s *env.Status)) broken {
	return broken{match: func(m *brokenMatch) {
		m.status = func() env.Status {
			s := m.Match.Status()
			change(&s)
			return s
		}
	}}
}

func breakTracker(change func(t *brokenTracker)) broken {
	return broken{tracker: func(t env.Tracker) env.Tracker {
		b := &brokenTracker{Tracker: t}
		change(b)
		return b
	}}
}

func breakMask(change func(m *brokenMatch, seat int, dst []uint8)) broken {
	return broken{match: func(m *brokenMatch) {
		m.mask = func(seat int, dst []uint8) { m.Match.Mask(seat, dst); change(m, seat, dst) }
	}}
}

func breakObserve(observe func(m *brokenMatch, encoding int, seats []uint8, dst [][]byte)) broken {
	return broken{match: func(m *brokenMatch) {
		m.observe = func(e int, seats []uint8, dst [][]byte) { observe(m, e, seats, dst) }
	}}
}

func breakSafely(change func(m *brokenMatch, seats []uint8, dst [][]byte, masks []byte)) broken {
	return broken{match: func(m *brokenMatch) {
		sound := m.safely
		m.safely = func(e int, seats []uint8, dst [][]byte, masks []byte) {
			sound(e, seats, dst, masks)
			change(m, seats, dst, masks)
		}
	}}
}

func breakAct(change func(a *brokenAgent, m env.Match, seat int, action []uint8)) broken {
	return broken{agent: func(a *brokenAgent) {
		a.act = func(m env.Match, seat int, action []uint8) {
			a.Agent.Act(m, seat, action)
			change(a, m, seat, action)
		}
	}}
}

func TestBreaksAreFound(t *testing.T) {
	covered := map[string]bool{"train": true}
	for _, b := range breaks {
		covered[b.clause] = true
		t.Run(b.clause+"/"+b.reason, func(t *testing.T) { mustFind(t, Toy(), b.broken, b.clause, b.want) })
	}
	for _, b := range trainBreaks {
		t.Run("train/"+b.reason, func(t *testing.T) { mustFind(t, NewToy(ToySolo()), b.broken, "train", b.want) })
	}
	for _, c := range clauses {
		if !covered[c.name] {
			t.Errorf("no break tests clause %q", c.name)
		}
	}
}

func mustFind(t *testing.T, game env.Game, b broken, clause, want string) {
	t.Helper()
	b.Game = game
	var got failures
	f := &fixture{game: &b}
	for _, c := range clauses {
		if c.name == clause {
			f.check(&got, c)
		}
	}
	if report := got.of(clause); !strings.Contains(report, want) {
		t.Errorf("reported %q, want %q in it", report, want)
	}
}

// The wrapper itself breaks nothing.
func TestUnbrokenWrapper(t *testing.T) {
	var got failures
	Check(&got, &broken{Game: Toy()})
	for _, report := range got {
		t.Error(report)
	}
}

// A panic in the game is a failed clause with a stack, not the end of the run.
func TestPanicIsReported(t *testing.T) {
	rules := ToyTeams()
	rules.Panic = ToyPanic{In: InStep, Step: 7, Seed: 0}
	var got failures
	Check(&got, NewToy(rules))
	report := got.of("determinism")
	for _, want := range []string{"seed 0, episode 0, after step 7", "the toy breaks in Step at step 7", "toy_turn.go"} {
		if !strings.Contains(report, want) {
			t.Errorf("reported %q, want %q in it", report, want)
		}
	}
}

// breakSearchStatistics breaks what all agents say that they chose by.
func breakSearchStatistics(statistics func(visits []int32, values []float64) bool) broken {
	return broken{agent: func(a *brokenAgent) { a.statistics = statistics }}
}
