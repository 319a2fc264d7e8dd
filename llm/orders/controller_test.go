package orders

import (
	"slices"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/basewar"
	"pommego/env/catalog"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/suitebot"
)

// desk is a game in which one seat has a controller and the others do what a test says.
type desk struct {
	t       *testing.T
	spec    *env.Spec
	m       env.Match
	tracker env.Tracker
	head    scene.Head
	c       *Controller
	actions []uint8
}

func newDesk(t *testing.T, id string, rules ...string) *desk {
	t.Helper()
	game, err := catalog.Variant(id, []byte(append(rules, "{}")[0]))
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, spec: game.Spec(), m: game.New(1)[0], tracker: game.NewTrackers(1, true)[0]}
	d.m.Reset(env.Seed{Value: 3})
	d.tracker.Begin(d.m)
	d.head, d.c = scene.HeadOf(d.spec, d.m), NewController(d.m)
	d.actions = make([]uint8, d.spec.Seats*len(d.spec.Actions))
	return d
}

func (d *desk) take(text string) {
	d.t.Helper()
	o, reading, _ := Parse(text, &d.head)
	if reading == Illegal {
		d.t.Fatalf("%q is illegal", text)
	}
	d.c.Take(o)
}

// play makes ticks until no orders are left, and returns what seat 0 did in them.
func (d *desk) play(others func(tick int, actions []uint8)) (did [][]uint8) {
	d.t.Helper()
	n := len(d.spec.Actions)
	for tick := range 200 {
		step := scene.Describe(d.spec, d.m, d.tracker, nil)
		seen := step.Seen(&d.head, 0)
		if d.c.Act(&d.head, &seen, 0, d.actions[:n]) {
			return did
		}
		did = append(did, slices.Clone(d.actions[:n]))
		clear(d.actions[n:])
		if others != nil {
			others(tick, d.actions)
		}
		d.tracker.Step(d.m, d.actions)
	}
	d.t.Fatal("the orders do not end")
	return nil
}

// TestListsEnd: words are played one a tick until what they were based on changes, which the controller says.
func TestListsEnd(t *testing.T) {
	const stops = "stop, stop, stop, stop, stop, stop"
	for _, tc := range []struct {
		reason, text string
		others       func(d *desk) func(tick int, actions []uint8)
		want         int
		ended        string
	}{
		{"a single word is a tick", "stop", nil, 1, ""},
		{"one into a wall is too", "left", nil, 1, "a move led nowhere"},
		{"all words are played", stops, nil, 6, ""},
		{"the seat's own bomb changes nothing", "bomb, stop, stop, stop", nil, 4, ""},
		{"another's bomb does", stops, func(*desk) func(int, []uint8) {
			return func(tick int, actions []uint8) {
				if tick == 1 {
					actions[1] = lay
				}
			}
		}, 2, "another bomb is in view"},
		{"an enemy that comes near does", stops, func(d *desk) func(int, []uint8) {
			return func(tick int, _ []uint8) {
				if m := d.m.(*pommerman.Match); tick == 2 {
					m.Agents[1].Cell = m.Agents[0].Cell.Next(grid.Right).Next(grid.Right)
				}
			}
		}, 3, "somebody has come near"},
		{"so does a wall", "left, left, left, left", nil, 1, "a move led nowhere"},
	} {
		d := newDesk(t, "PommeFFACompetition-v0")
		d.take(tc.text)
		var others func(int, []uint8)
		if tc.others != nil {
			others = tc.others(d)
		}
		if did := d.play(others); len(did) != tc.want || d.c.Ended != tc.ended {
			t.Errorf("%s: %q is played for %d ticks, and then %q, want %d, %q", tc.reason, tc.text, len(did), d.c.Ended,
				tc.want, tc.ended)
		}
	}
}

// TestListOfASide: where a seat moves several figures, each has a word in every tick.
func TestListOfASide(t *testing.T) {
	d := newDesk(t, "BaseWarSides-v0")
	d.take("stop, stop, bomb, up, stop, stop")
	if did := d.play(nil); len(did) != 2 || !slices.Equal(did[0], []uint8{0, 0, lay}) || did[1][0] != 1 {
		t.Errorf("it did %v", did)
	}
	if _, reading, _ := Parse("hide", &d.head); reading != Illegal {
		t.Errorf("an order to three figures is %v, want illegal", reading)
	}
}

// TestListWithDead: a figure that is dead ends no list, and keeps its place in it.
func TestListWithDead(t *testing.T) {
	d := newDesk(t, "BaseWarSides-v0")
	m := d.m.(*basewar.Match)
	m.Bombers[0] = basewar.Bomber{Cell: grid.At(7, 7)}
	d.take("up, stop, stop, up, stop, bomb")
	did := d.play(func(int, []uint8) { m.Bombers[1].Cell = grid.At(7, 7) })
	if len(did) != 2 || did[1][2] != lay || d.c.Ended != "" {
		t.Errorf("it did %v and ended as %q", did, d.c.Ended)
	}
}

// TestOrders: orders hold for the ticks they name, or until there is nothing left to do.
func TestOrders(t *testing.T) {
	for _, tc := range []struct {
		reason, text string
		ticks        int
		bombs        bool
		ended        string
	}{
		{"its number", "wait for 7", 7, false, ""},
		{"without a number", "hide", DefaultTicks, false, ""},
		{"there is no teammate: a tick all the same", "follow for 9", 1, false, "no teammate is in view"},
		{"no way through walls", "go 10,10 for 9", 1, false, "there is no safe way"},
		{"until the bomb has burnt out", "bomb for 40", 12, true, "nothing is going to burn"},
		{"wood is near", "dig for 20", 20, true, ""},
		{"nobody can be got at", "hunt for 20", 20, true, ""},
	} {
		d := newDesk(t, "PommeFFACompetition-v0")
		d.take(tc.text)
		did := d.play(nil)
		bombs := slices.ContainsFunc(did, func(a []uint8) bool { return a[0] == lay })
		if len(did) != tc.ticks || bombs != tc.bombs || d.c.Ended != tc.ended || !d.m.Status().In.Has(0) {
			t.Errorf("%s: %q is carried out for %d ticks, with bombs %v, and then %q, want %d, %v, %q", tc.reason, tc.text,
				len(did), bombs, d.c.Ended, tc.ticks, tc.bombs, tc.ended)
		}
	}
	d := newDesk(t, "PommeRadioCompetition-v2")
	d.take("wait for 2; say 2 6")
	if did := d.play(nil); len(did) != 2 || !slices.Equal(did[1], []uint8{0, 2, 6}) {
		t.Errorf("it did and said %v", did)
	}
}

// TestBombRefused: a bomb that cannot be laid is told from one that was.
func TestBombRefused(t *testing.T) {
	d := newDesk(t, "PommeFFACompetition-v0")
	d.m.(*pommerman.Match).Agents[0].Ammo = 0
	d.take("bomb for 3")
	if d.play(nil); d.c.Ended != "no bomb could be laid and survived" {
		t.Errorf("it ended as %q", d.c.Ended)
	}
}

// TestNothingToBomb: an order that has no target, or no bomb for it, says so.
func TestNothingToBomb(t *testing.T) {
	for _, tc := range []struct{ id, rules, text, ended string }{
		{"OneVsOne-v0", `{"num_wood": 0, "num_items": 0}`, "dig", "no target is left that you can reach and bomb safely"},
		{"BaseWar-v0", `{"bombs": 1, "bombs_spent": true}`, "hunt for 100", "you have no bomb to lay"},
	} {
		d := newDesk(t, tc.id, tc.rules)
		for range 2 { // the second time without the bomb
			d.take(tc.text)
			d.play(nil)
		}
		if d.c.Ended != tc.ended {
			t.Errorf("%s %s: %q ended as %q, want %q", tc.id, tc.rules, tc.text, d.c.Ended, tc.ended)
		}
	}
}

// TestGo: a seat gets where it is sent, and no further.
func TestGo(t *testing.T) {
	for _, id := range []string{"PommeFFACompetition-v0", "BaseWar-v0", "SuiteBot-v0"} {
		d := newDesk(t, id)
		step := scene.Describe(d.spec, d.m, d.tracker, nil)
		var from env.Place
		for _, a := range step.Agents {
			if a.Seat == 0 {
				from = a.At
			}
		}
		reached := 0
		for cell, ground := range step.Ground {
			to := env.Place{cell / d.head.Cols, cell % d.head.Cols}
			far := max(to[0]-from[0], from[0]-to[0]) + max(to[1]-from[1], from[1]-to[1])
			if ground != env.GroundFloor || far == 0 || far > 2 {
				continue
			}
			d := newDesk(t, id)
			d.c.Take(Orders{Kind: Go, Cell: to, Ticks: 30})
			did := d.play(nil)
			after := scene.Describe(d.spec, d.m, d.tracker, nil)
			for _, a := range after.Agents {
				if a.Seat == 0 && a.At == to && len(did) <= 4 && d.c.Ended == "you are there" {
					reached++
				}
			}
		}
		if reached < 2 {
			t.Errorf("%s: %d cells near the start were reached", id, reached)
		}
	}
}

// TestBombOnABomb: where a bomb replaces the one under it, the order lays it and gets away.
func TestBombOnABomb(t *testing.T) {
	d := newDesk(t, "SuiteBot-v0")
	m := d.m.(*suitebot.Match)
	m.Place(suitebot.Bomb{Cell: m.Agents[0], Rounds: 1, Owner: 1})
	d.take("bomb for 10")
	if did := d.play(nil); did[0][0] != lay || d.c.Ended != "nothing is going to burn" || m.Deaths[0] > 0 {
		t.Errorf("it did %v, ended as %q and died %d times", did, d.c.Ended, m.Deaths[0])
	}
}
