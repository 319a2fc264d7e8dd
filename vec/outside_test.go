package vec

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pommego/env"
)

// program is an agent outside this program, as far as a pool can tell.
type program struct {
	env.Agent
	of      *programs
	running bool
	closed  bool
}

type programs struct {
	running, ended, closed, alone atomic.Int32
	absent                        bool
	together                      *sync.WaitGroup // nil, or what closing waits for
}

func (p *program) Waits() bool { return true }

func (p *program) Try() error {
	if p.of.absent {
		return errors.New("not there")
	}
	p.start()
	return nil
}

func (p *program) start() {
	if !p.running {
		p.running = true
		p.of.running.Add(1)
	}
}

func (p *program) Act(m env.Match, seat int, action []uint8) {
	if p.closed {
		panic("a closed program is asked for a move")
	}
	p.start()
	p.Agent.Act(m, seat, action)
}

func (p *program) End(env.Match, env.Tracker, int) { p.of.ended.Add(1) }

func (p *program) Missed() (late, failed int, void bool) { return 2, 3, true }

func (p *program) Close() error {
	if p.running {
		p.of.running.Add(-1)
		p.of.closed.Add(1)
		if p.of.together != nil {
			p.of.together.Done()
			p.of.await()
		}
	}
	p.running, p.closed = false, true
	return nil
}

// await waits for all that close together, and counts those that wait in vain.
func (of *programs) await() {
	all := make(chan bool)
	go func() { of.together.Wait(); close(all) }()
	select {
	case <-all:
	case <-time.After(time.Minute):
		of.alone.Add(1)
	}
}

// TestOutside: agents outside the program are told of the end of each episode, what they
// missed is counted, and each is closed once it plays no more, and not before.
func TestOutside(t *testing.T) {
	of := new(programs)
	make := func(name string) (env.Agent, error) {
		if name != "exec:x" && name != "exec:y" {
			return solo.NewAgent(name)
		}
		a, err := solo.NewAgent("wander")
		return &program{Agent: a, of: of}, err
	}
	const games = 4
	p := make1(t, Config{Game: solo, Games: games, Agent: make, Opponents: []string{"exec:x", "still"},
		MaxEpisodeSteps: 15})
	if !p.Outside() || of.running.Load() != 1 {
		t.Errorf("%d programs are tried, want one", of.running.Load())
	}
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	done := 0
	steps := func(n int) {
		for range n {
			must(t, p.Step(b, still(p)))
			done += len(b.Finished())
			for i, over := range b.Bytes("game.done") {
				if late, failed := b.Tensor("game.late").Int32s()[i], b.Tensor("game.failed").Int32s()[i]; over == 1 &&
					(late != 2 || failed != 3 || b.Bytes("game.void")[i] != 1) {
					t.Fatalf("%d moves late and %d failed, want 2 and 3, and the game void", late, failed)
				}
			}
		}
	}
	steps(60)
	if got := int(of.ended.Load()); got != done || done < games {
		t.Errorf("%d ends are told of %d", got, done)
	}
	must(t, setOpponents(p, []string{"exec:y", "still"}))
	if got := of.closed.Load(); got != 0 {
		t.Errorf("%d programs are closed that play", got)
	}
	steps(60)
	if got := of.closed.Load(); got != games {
		t.Errorf("%d programs are closed after their last episodes, want %d", got, games)
	}
	state, err := p.Save(0, nil)
	must(t, err)
	must(t, p.Load(1, state))
	steps(60)
	of.absent = true
	if err := setOpponents(p, []string{"exec:x", "still"}); err == nil {
		t.Error("a program that is not there is accepted")
	}
	of.absent = false
	steps(30)
	p.Close()
	if got := of.running.Load(); got != 0 {
		t.Errorf("%d programs run after Close, want none", got)
	}
	q := make1(t, Config{Game: solo, Games: 1, Agent: make, Opponents: []string{"still", "still"}})
	if must(t, setOpponents(q, []string{"exec:x", "still"})); !q.Outside() {
		t.Error("an opponent set later is outside, and Outside says none is")
	}
	if must(t, setOpponents(q, []string{"still", "still"})); q.Outside() {
		t.Error("no opponent is outside any more, and Outside says that some are")
	}
}

// TestOutsideEndTogether: a pool closes the agents outside the program side by side, of all games and line-ups, as do
// line-ups that replace others.
func TestOutsideEndTogether(t *testing.T) {
	of := new(programs)
	p := make1(t, Config{Game: solo, Games: 3, Opponents: []string{"exec:x", "exec:y"}, MaxEpisodeSteps: 15,
		Agent: func(name string) (env.Agent, error) {
			a, err := solo.NewAgent("wander")
			return &program{Agent: a, of: of}, err
		}})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	must(t, p.Step(b, still(p)))
	of.together = new(sync.WaitGroup)
	must(t, setOpponents(p, []string{"exec:a", "exec:b"})) // two of them are tried
	of.together.Add(2)
	must(t, setOpponents(p, []string{"exec:c", "exec:d"}))
	of.together.Add(3*2 + 2)
	p.Close()
	if n, alone := of.running.Load(), of.alone.Load(); n != 0 || alone != 0 {
		t.Errorf("%d programs run after Close, and %d were closed before others, want none", n, alone)
	}
}

// TestSavedOutsiders: a saved game brings no agent of Config.Agent into a pool that was not given it, in either form;
// where it has been an opponent it plays on, also after others have replaced it, and in models if it is inside the
// program. Only agents inside the program can be seated as players.
func TestSavedOutsiders(t *testing.T) {
	of := new(programs)
	made := 0
	create := func(name string) (env.Agent, error) {
		if name != "exec:x" && name != "own" {
			return nil, nil
		}
		made++
		a, err := solo.NewAgent("wander")
		if name == "exec:x" {
			a = &program{Agent: a, of: of}
		}
		return a, err
	}
	pool := func(opponent string) *Pool {
		p := make1(t, Config{Game: solo, Games: 2, Agent: create, Opponents: []string{opponent, "still"}})
		must(t, p.Reset(p.NewBatch(nil), ResetOptions{Seed: ptr(1)}))
		return p
	}
	for _, name := range []string{"exec:x", "own"} {
		owner, other := pool(name), pool("still")
		must(t, setOpponents(owner, []string{"still", "still"}))
		model := make1(t, make1(t, owner.Model(1)).Model(1))
		for _, f := range forms {
			state, err := f.save(owner, 0)
			must(t, err)
			before := made
			err = f.load(other, 1, state)
			var wrong *StateError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "been opponents here") || made != before {
				t.Errorf("%s: a state with %s is loaded with %v, and %d agents are made; want a StateError and none", f.name,
					name, err, made-before)
			}
			must(t, f.load(owner, 1, state))
			if err := f.load(model, 0, state); (err == nil) != (name == "own") {
				t.Errorf("%s: a state with %s is loaded into a model with %v", f.name, name, err)
			}
		}
		if err := owner.SeatPlayers(name, 1); (err == nil) != (name == "own") {
			t.Errorf("%s is seated with %v", name, err)
		}
	}
}

// only is a program of which there is one at a time, as of an agent behind a web server.
type only struct {
	program
	taken *bool
}

func (o *only) Close() error {
	*o.taken = false
	return o.program.Close()
}

func (o *only) Try() error {
	if o.running {
		return errors.New("it is told of a game while it plays")
	}
	return o.program.Try()
}

// TestOnlyOne: an agent that is only one plays on in its game, whatever names it again there, also after refusals;
// once nothing does, and after refusals where it did not play, it is free.
func TestOnlyOne(t *testing.T) {
	taken := false
	cfg := Config{Game: solo, Games: 1, Agent: func(name string) (env.Agent, error) {
		a, err := solo.NewAgent(strings.TrimPrefix(name, "http:"))
		if !strings.HasPrefix(name, "http:") {
			return a, err
		}
		if taken {
			return nil, env.ErrTaken
		}
		taken = true
		return &only{program{Agent: a, of: new(programs)}, &taken}, err
	}, LineUps: LineUps{Names: [][]string{{"http:wander", "still"}, {"still", "http:wander"}}}}
	free := func(reason string) {
		t.Helper()
		if taken {
			t.Errorf("%s: the agent is not free", reason)
		}
	}
	two := cfg
	two.Variants.Games = []env.Game{solo, solo}
	if _, err := New(two); err == nil {
		t.Error("it plays by two sets of rules")
	}
	free("refused for its rules")

	p := make1(t, cfg)
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	state, err := p.Save(0, nil)
	must(t, err)
	match, err := p.Match(0).AppendJSON(nil)
	must(t, err)
	s, err := p.cfg.Variants.forms[0].Decode(state)
	must(t, err)
	s.Match = s.Match[1:]
	damaged := p.cfg.Variants.forms[0].Append(nil, s)
	refused := func(reason string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
	for range 2 {
		for _, state := range [][]byte{state, match} {
			must(t, p.Load(0, state))
			must(t, p.Step(b, still(p)))
		}
		before, err := p.Save(0, nil)
		must(t, err)
		refused("a damaged state", p.Load(0, damaged))
		refused("a damaged match", p.Load(0, bytes.Replace(match, []byte(`"steps":0`), []byte(`"steps":-1`), 1)))
		if after, err := p.Save(0, nil); !slices.Equal(after, before) {
			t.Errorf("a damaged state or match has changed the game (%v)", err)
		}
		refused("one agent in two seats", setOpponents(p, []string{"http:wander", "http:wander"}))
		must(t, p.Step(b, still(p)))
		must(t, setOpponents(p, []string{"still", "http:wander"}))
		must(t, p.SetLineUps(LineUps{Names: [][]string{{"still", "http:wander"}}, ByGame: []int32{0}}))
	}
	must(t, setOpponents(p, []string{"still", "still"}))
	must(t, p.Step(b, still(p))) // it plays its last episode
	must(t, p.Reset(b, ResetOptions{}))
	free("replaced")
	refused("a damaged state that brings it back", p.Load(0, damaged))
	free("refused with a state")
	must(t, p.Load(0, state))
	p.Close()
	free("the pool is closed")
}
