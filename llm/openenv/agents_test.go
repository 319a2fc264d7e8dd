package openenv_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pommego/bridge"
	"pommego/env"
	"pommego/env/catalog"
)

// driven is a game whose agents call act for each move, with the flag that ends their searches.
type driven struct {
	env.Game
	act func(stop env.Flag)
}

type drivenAgent struct {
	env.Agent
	game *driven
	stop env.Flag
}

func (g *driven) NewAgent(name string) (env.Agent, error) {
	a, err := g.Game.NewAgent(name)
	return &drivenAgent{Agent: a, game: g}, err
}

func (a *drivenAgent) StopOn(flag env.Flag) { a.stop = flag }

func (a *drivenAgent) Act(env.Match, int, []uint8) { a.game.act(a.stop) }

// drive is serve with agents that call act.
func drive(t *testing.T, act func(stop env.Flag), log *slog.Logger) *server {
	return serve(t, func(c *bridge.Config) {
		c.Log = log
		c.Game = func(id string) (env.Game, error) {
			g, err := catalog.Game(id)
			return &driven{g, act}, err
		}
	})
}

// A game of two sessions and two agents. The sessions reset with driveGame, and then with driveJoin.
const (
	driveGame = `{"episode_id":"the-name-of-a-game-in-tests","seed":4,"env":"PommeTeam-v0",` +
		`"opponents":["open","static","static"],"move_timeout_s":0.05}`
	driveJoin = `{"episode_id":"the-name-of-a-game-in-tests"}`
)

// TestInterruptedTick: nothing counts of a tick that was not made, since its only caller left while an agent thought.
func TestInterruptedTick(t *testing.T) {
	var thought atomic.Bool
	thinks := make(chan bool)
	s := drive(t, func(stop env.Flag) {
		if thought.Swap(true) {
			return
		}
		for thinks <- true; !stop.Load(); {
			time.Sleep(time.Millisecond)
		}
	}, nil)
	a, b := s.mustTools(t), s.mustTools(t)
	a.tell("new_game", driveGame)
	b.tell("new_game", driveJoin)
	goes := s.post(t, a.ID(), "act", `{"action":"wait for 50"}`)
	<-thinks // in a tick without b
	goes()
	for _, c := range []*caller{a, b} {
		if told := c.tell("look", `{}`); !strings.Contains(told[0], "Tick 0 ") || strings.Contains(told[1], "late") ||
			strings.Contains(told[1], `"ticks":1`) {
			t.Errorf("after the tick: %s", told)
		}
	}
}

// TestFaultInTimer: a panic of an agent in a tick that a timer makes is logged and ends the game; who waits is told.
func TestFaultInTimer(t *testing.T) {
	var log bytes.Buffer
	s := drive(t, func(env.Flag) { panic("an agent breaks") }, slog.New(slog.NewTextHandler(&log, nil)))
	a, b := s.dial(t), s.dial(t)
	a.reset(driveGame)
	b.reset(driveJoin)
	if x := a.send(`{"type":"step","data":{"action":"stop"}}`); x.Data.Code != "EXECUTION_ERROR" || // b is late
		!strings.Contains(x.raw, "the server failed") {
		t.Errorf("the answer is %s", x.raw)
	}
	b.reset(driveGame) // the name is free
	if s.stop(); !strings.Contains(log.String(), "an agent breaks") {
		t.Errorf("the log is %s", log.String())
	}
}
