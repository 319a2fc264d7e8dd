package bridge

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
)

// gameLine is a line of one of several games.
type gameLine struct {
	Head *scene.Head
	Step *struct {
		Step   int
		Status *scene.Status
	}
	End    string
	Game   int
	Moves  uint64
	Replay bool
}

// lines reads what a viewer is sent below /live, line by line.
func (v viewer) lines(t *testing.T, path string) (next func() gameLine) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+v.host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(viewKey, v.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, %v", path, answer, err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	in := json.NewDecoder(answer.Body)
	return func() (l gameLine) {
		t.Helper()
		if err := in.Decode(&l); err != nil {
			t.Fatal(err)
		}
		return l
	}
}

// TestWall: whoever looks at the wall sees the first games side by side, each with its own steps.
func TestWall(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	const games = wallGames + 2
	v := server.viewer(call(t, c, "make", "env_id", "OneVsOne-v0", "games", games, "opponents", []string{"static"},
		"seat", 0))
	call(t, c, "reset", "env", 1, "seed", 3)
	next := v.lines(t, "/live/wall")
	seeds := map[int]uint64{}
	for range wallGames {
		if l := next(); l.Head != nil && slices.Equal(l.Head.Names, []string{"learner", "static"}) {
			seeds[l.Game] = l.Head.Seed
		}
		next()
	}
	const steps = 5
	for range steps {
		call(t, c, "step", "env", 1, "actions", Tensor{env.Uint8, []int{games}, make([]byte, games)})
	}
	reached, l := map[int]int{}, gameLine{}
	for len(reached) < wallGames {
		if l = next(); l.Step.Step == steps {
			reached[l.Game] = l.Step.Step
		}
	}
	for game := range wallGames {
		if seeds[game] != uint64(3+game) || reached[game] != steps {
			t.Errorf("game %d has seed %d and comes to step %d", game, seeds[game], reached[game])
		}
	}
	if l.Moves != games*steps {
		t.Errorf("%d moves have been made, want %d", l.Moves, games*steps)
	}
	call(t, c, "close", "env", 1)
	for l.End == "" {
		l = next()
	}
}

// TestWallHasAllEpisodes: their ends are counted there, and between two looks of the stream there can be many.
func TestWallHasAllEpisodes(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "OneVsOne-v0", "games", 2, "opponents", []string{"static"},
		"seat", 0, "autoreset_mode", "SameStep", "rules", []string{`{"max_steps": 3}`}))
	call(t, c, "reset", "env", 1, "seed", 3)
	next := v.lines(t, "/live/wall")
	next()
	const episodes = 20 // which a feed keeps, whenever the stream looks
	for range 3 * episodes {
		call(t, c, "step", "env", 1, "actions", Tensor{env.Uint8, []int{2}, []byte{0, 0}})
	}
	call(t, c, "reset", "env", 1, "seed", 98)
	ended := 0
	for again := map[uint64]bool{}; !again[98] || !again[99]; {
		switch l := next(); {
		case l.Head != nil:
			again[l.Head.Seed] = true
		case !l.Replay && l.Step.Status != nil && l.Step.Status.Over:
			ended++
		}
	}
	if ended != 2*episodes {
		t.Errorf("%d episodes of two games end on the wall, want %d", ended, 2*episodes)
	}
}

// TestReplay: who looks at the wall is sent an episode that is over whole, however fast it was played.
func TestReplay(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "PommeFFA2018-v0", "games", 2, "opponents",
		[]string{"simple", "random", "static"}, "seat", 0, "autoreset_mode", "SameStep"))
	call(t, c, "reset", "env", 1, "seed", 3)
	next := v.lines(t, "/live/wall")
	next()
	for step := range 100 { // bombs on which the learner stays, mostly
		action := byte(step * 7 % 6)
		call(t, c, "step", "env", 1, "actions", Tensor{env.Uint8, []int{2}, []byte{action, action}})
	}
	steps, l := -2, gameLine{}
	for !l.Replay || l.Step == nil || !l.Step.Status.Over {
		if l = next(); !l.Replay {
			continue
		}
		if steps++; l.Head == nil && l.Step.Step != steps {
			t.Fatalf("step %d comes, want %d", l.Step.Step, steps)
		}
		if l.Step != nil && l.Step.Status == nil {
			l.Step.Status = new(scene.Status)
		}
	}
	if steps < 9 {
		t.Errorf("the episode has %d steps", steps)
	}
}

// TestLongEpisode: an episode is kept with no more actions than are counted.
func TestLongEpisode(t *testing.T) {
	s, r := handSession(t), &request{}
	ask(t, s, r, mustEncode(t, entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 1}))
	ask(t, s, r, mustEncode(t, entries{"type", "reset", "id", 2, "env", 1}))
	e := s.envs[0]
	defer s.freeEnv(e)
	f := &followed{env: e, feed: scene.Feed{Most: mostKept}}
	at := e.pool.LiveGame(0)
	at.Tracker = at.Game.NewTrackers(1, true)[0]
	f.Begun(at)
	for range 2 {
		f.Stepped(make([]uint8, mostActions-6))
	}
	if n := len(f.played.actions); n > mostActions {
		t.Errorf("%d actions are kept, want at most %d", n, mostActions)
	}
}

// TestAnyGame follows a game in which the learner plays, and no longer than it does.
func TestAnyGame(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "PommeTeam-v0", "games", 2, "opponents",
		[]string{"static", "static", "static"}, "seat", 0))
	call(t, c, "reset", "env", 1, "seed", 3)
	step := func(first byte) { // of the first game; in the other the learner stays
		call(t, c, "step", "env", 1, "actions", Tensor{env.Uint8, []int{2}, []byte{first, 0}})
	}
	next := v.lines(t, "/live/any")
	if l := next(); l.Game != 0 || l.Head == nil {
		t.Fatalf("at first %+v is shown, want game 0", l)
	}
	step(5)
	for range 12 {
		step(0)
	}
	for l := next(); l.Step == nil || l.Step.Step < 10; l = next() { // after which it ends, without a word
	}
	if l := v.lines(t, "/live/any")(); l.Game != 1 {
		t.Errorf("once the learner of game 0 is dead %+v is shown, want game 1", l)
	}
	at := v.watch(t, "/live/0")
	call(t, c, "show", "env", 1, "values", Tensor{env.Float32, []int{2}, float32s(0, 0)})
	step(0)
	at.next(t)
	if at.Step.Thoughts != nil {
		t.Errorf("the learner is dead, and thinks %+v", at.Step.Thoughts)
	}
}

// TestListedKeys: the owner's list opens the games of those environments alone whose clients have said so.
func TestListedKeys(t *testing.T) {
	server := startServer(t, func(cfg *Config) { cfg.ListKey = "LIST" })
	c, keys := server.dial(t), []string(nil)
	for _, listed := range []bool{true, false} {
		made := call(t, c, "make", "env_id", "ToySolo-v0", "games", 1, "listed", listed)
		keys = append(keys, made["view_key"].(string))
	}
	var list []LiveEnv
	_, body := viewer{server, "LIST"}.ask(t, "GET", "/live")
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != 2 || list[0].Key != keys[0] ||
		list[1].Key != "" {
		t.Errorf("the list is %s (%v), and the keys are %q", body, err, keys)
	}
	var own LiveEnv
	_, body = viewer{server, keys[1]}.ask(t, "GET", "/live")
	if err := json.Unmarshal([]byte(body), &own); err != nil || own.Key != "" {
		t.Errorf("the environment is %s (%v)", body, err)
	}
}

// TestBrokenGames: a game that has panicked is not looked at until it is reset, others are, and a panic in a look
// ends neither the server nor the session.
func TestBrokenGames(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "ToyBreaks-v0", "games", 2))
	call(t, c, "reset", "env", 1, "seed", 8)
	var err error
	for err == nil {
		_, err = c.Call("step", "env", 1, "actions", toyActions(6, 0, 0))
	}
	wantError(t, nil, err, codeGamePanic)
	for _, path := range []string{"/live/wall", "/live/any"} {
		if l := v.lines(t, path)(); l.Game != 1 {
			t.Errorf("%s shows game %d, want 1", path, l.Game)
		}
	}
	if status, body := v.ask(t, "GET", "/live/0"); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, "game 0 has failed") {
		t.Errorf("the broken game: status %d, %s", status, body)
	}
	e := server.gallery.find(v.key)
	if err := e.visit(nil, func() { panic("a look") }); err == nil {
		t.Error("a panic in a look is no error")
	}
	call(t, c, "reset", "env", 1, "seed", 9)
	v.watch(t, "/live/0")
}

// TestLearnersOfTheirOwn: viewers read other memory than that in which a worker deals the next episode's seats.
func TestLearnersOfTheirOwn(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "ToySolo-v0", "games", 1))
	call(t, c, "reset", "env", 1, "seed", 1)
	v.watch(t, "/live/any")
	e := server.gallery.find(v.key)
	if err := e.visit(nil, func() {
		if &e.followed[0].at.Learners[0] == &e.pool.LiveGame(0).Learners[0] {
			t.Error("they share it")
		}
	}); err != nil {
		t.Error(err)
	}
}
