package play_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pommego/arena/match"
	"pommego/arena/web"
	"pommego/arena/web/play"
	"pommego/env"
	"pommego/env/catalog"
)

// TestNamesOfPeople: a person has a speed or none.
func TestNamesOfPeople(t *testing.T) {
	game, err := catalog.Game("SuiteBot-v0")
	if err != nil {
		t.Fatal(err)
	}
	table := play.NewTable(nil)
	table.Deal(game, nil, "", nil)
	for name, want := range map[string]string{
		"human": "", "human:speed=4": "", "human:speed=0.5": "", "human:ticks=4": `option "ticks" does not exist`,
		"human:speed=0": "more than 0", "human:speed=61": "at most 60", "human:speed=x": `speed is "x"`, "human:": "option",
		"human:speed=NaN": "speed is",
	} {
		p, err := table.Seat(1, name)
		if want == "" && (err != nil || p.Name() != name || p.Traits().Remote || p.Close() != nil) {
			t.Errorf("%s is %+v, %v", name, p, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if !play.Human(name) {
			t.Errorf("%s is no person", name)
		}
	}
	if play.Human("humane") || play.Human("simple") {
		t.Error("an agent is a person")
	}
}

// hosted is a match that waits for a person in seat 0, and the server of its page.
type hosted struct {
	*httptest.Server
	table *play.Table
	over  chan error // how the match ended
}

func host(t *testing.T, id, rules, human string, others ...string) *hosted {
	t.Helper()
	game, err := catalog.Variant(id, json.RawMessage(rules))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	h := &hosted{table: play.NewTable(func() []play.Offer { return nil }), over: make(chan error, 1)}
	h.table.Deal(game, append([]string{human}, others...), "", cancel)
	person, err := h.table.Seat(0, human)
	if err != nil {
		t.Fatal(err)
	}
	players := []match.Player{person}
	for _, name := range others {
		p, err := match.NewPlayer(game, name)
		if err != nil {
			t.Fatal(err)
		}
		players = append(players, p)
	}
	h.Server = serve(t, h.table)
	t.Cleanup(cancel)
	go func() {
		_, err := match.Play(ctx, game, players, env.Seed{Value: 4}, match.Rules{}, h.table.Watch)
		h.table.End("over")
		h.over <- err
	}()
	return h
}

// page opens the page of seat 0, whose lines come one by one.
func (h *hosted) page(t *testing.T) (next func() line, leave func()) {
	t.Helper()
	answer, err := http.Get(h.URL + "/api/play?seat=0")
	if err != nil {
		t.Fatal(err)
	}
	in := lines(answer.Body)
	return func() line {
		t.Helper()
		l, err := in()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}, func() { answer.Body.Close() }
}

// TestPace: the match waits for a person until the page asks for a speed; moves are 0 then
// unless others come. Once it is over its game is listed, and Next waits for the page.
func TestPace(t *testing.T) {
	h := host(t, "SuiteBot-v0", `{"rounds": 6, "players": 2}`, "human", "static")
	if list, err := h.table.Listing(); err != nil || len(list.Games) != 1 || list.Games[0].Agents[0] != "human" {
		t.Errorf("listed is %+v, %v", list, err)
	}
	if _, err := h.table.Game(1); !errors.Is(err, web.ErrNoGame) {
		t.Errorf("during the match its game is shown: %v", err)
	}
	next, leave := h.page(t)
	defer leave()
	for l := next(); l.Ask == nil; l = next() {
	}
	for body, want := range map[string]int{
		`{"seat": 0, "speed": -1}`: 400, `{"seat": 0, "speed": 61}`: 400, `{"seat": 1, "speed": 1}`: 404, `{`: 400,
	} {
		if got := post(t, h.Server, "", body); got != want {
			t.Errorf("%s is answered %d, want %d", body, got, want)
		}
	}
	if got := post(t, h.Server, "", `{"seat": 0, "speed": 60}`); got != http.StatusNoContent {
		t.Fatalf("a speed is answered %d", got)
	}
	steps, l := 0, next()
	for ; l.End == ""; l = next() {
		if l.Step != nil {
			steps++
		}
		if l.Ask != nil && l.Ask.Speed != 60 {
			t.Errorf("asked at the speed %v, want 60", l.Ask.Speed)
		}
	}
	if err := <-h.over; err != nil || steps != 6 || l.Game != 1 {
		t.Errorf("%d steps came by themselves (%v) in match %d, want 6 in match 1", steps, err, l.Game)
	}
	if g, err := h.table.Game(1); err != nil || len(g.Steps) != 7 {
		t.Errorf("the game is %+v, %v", g, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if h.table.Next(soon); soon.Err() == nil {
		t.Error("the page is open, and Next has not waited for it")
	}
	leave()
	if order := h.table.Next(t.Context()); order != nil {
		t.Errorf("ordered is %+v, and nobody has", order)
	}
	h.table.Deal(nil, nil, "", nil)
	if _, err := h.table.Game(1); !errors.Is(err, web.ErrNoGame) || !strings.Contains(err.Error(), "want 2") {
		t.Errorf("once another match has begun the first is asked for: %v", err)
	}
}

// TestUnseenMatch waits for its first page after its end: agents may be done before anybody has opened it.
func TestUnseenMatch(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		table := play.NewTable(nil)
		table.Deal(game, []string{"simple", "simple"}, "", func() {})
		table.End("a tie")
		later, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if table.Next(later); later.Err() == nil {
			t.Error("nobody has opened the page, and Next has not waited for it")
		}
	})
}

// look opens the page of a seat until ctx ends, without a network, which a bubble of synctest would not wait for.
func look(ctx context.Context, table *play.Table, seat int) {
	asked := httptest.NewRequestWithContext(ctx, "GET", fmt.Sprintf("/api/play?seat=%d", seat), nil)
	go table.Handlers()["GET /api/play"](httptest.NewRecorder(), asked)
	synctest.Wait()
}

// eager is an agent during whose search a person in seat 0 chooses the move 1.
type eager struct {
	match.Local
	table *play.Table
}

func (p eager) Act(_ context.Context, m env.Match, _ int, _ []uint8) (match.Cost, error) {
	move := fmt.Sprintf(`{"seat": 0, "step": %d, "action": [1]}`, m.Status().Steps)
	p.table.Handlers()["POST /api/play"](httptest.NewRecorder(), httptest.NewRequest("POST", "/", strings.NewReader(move)))
	return match.Cost{}, nil
}

// TestTimeOfPeople: the time of a move runs for all people at once, and what a person chooses while others still
// think is the next move.
func TestTimeOfPeople(t *testing.T) {
	game, err := catalog.Variant("OneVsOne-v0", json.RawMessage(`{"max_steps": 20}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"human:speed=10", "eager"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			names, table := []string{"human:speed=20", other}, play.NewTable(nil)
			table.Deal(game, names, "", cancel)
			players := []match.Player{nil, eager{"eager", table}}
			for seat, name := range names {
				if play.Human(name) {
					players[seat], _ = table.Seat(seat, name)
				}
			}
			look(ctx, table, 0)
			var moves []uint8
			began, want := time.Now(), 2*time.Second // the slower one's 20 moves
			if other == "eager" {
				want = time.Second
			}
			_, err := match.Play(ctx, game, players, env.Seed{Value: 4}, match.Rules{}, func(at match.Moment) error {
				if at.Actions != nil {
					moves = append(moves, at.Actions[0])
				}
				return table.Watch(at)
			})
			if took := time.Since(began); err != nil || len(moves) != 20 || took != want {
				t.Errorf("against %s %d moves take %v (%v), want 20 and %v", other, len(moves), took, err, want)
			}
			if chosen := slices.Repeat([]uint8{1}, 19); other == "eager" && !slices.Equal(moves[1:], chosen) {
				t.Errorf("the moves are %v, want %v after the first", moves, chosen)
			}
		})
	}
}

// TestPaceWithoutPeople: where nobody but agents plays, and somebody looks, steps come at the last speed that a page
// asked for, and at four a second without one.
func TestPaceWithoutPeople(t *testing.T) {
	game, err := catalog.Variant("PommeFFACompetition-v0", json.RawMessage(`{"max_steps": 30}`))
	if err != nil {
		t.Fatal(err)
	}
	const tick = time.Millisecond
	for first, stays := range map[string]map[int]time.Duration{
		"static":         {0: 250 * tick, 28: 250 * tick},
		"human:speed=20": {15: 50 * tick, 16: 100 * tick, 28: 100 * tick},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			names, table, page := []string{first, "static", "static", "static"}, play.NewTable(nil), env.NoSeat
			table.Deal(game, names, "", cancel)
			var players []match.Player
			for seat, name := range names {
				p, err := match.NewPlayer(game, name)
				if play.Human(name) {
					page = seat
					p, err = table.Seat(seat, name)
				}
				if err != nil {
					t.Fatal(err)
				}
				players = append(players, p)
			}
			look(ctx, table, page)
			tell := func(what string) {
				asked := httptest.NewRequest("POST", "/", strings.NewReader(what))
				table.Handlers()["POST /api/play"](httptest.NewRecorder(), asked)
			}
			var came []time.Time
			_, err := match.Play(ctx, game, players, env.Seed{Value: 4}, match.Rules{}, func(at match.Moment) error {
				came = append(came, time.Now())
				err := table.Watch(at)
				switch status := at.Match.Status(); status.Steps {
				case 0:
					tell(`{"seat": 0, "step": 0, "action": [5]}`) // a bomb, beside which a person stays
				case 15:
					if page == 0 && status.In.Has(0) {
						t.Error("the person lives on")
					}
					tell(`{"seat": 0, "speed": 10}`)
				}
				return err
			})
			if err != nil || len(came) != 31 {
				t.Fatalf("%s: %d positions, %v", first, len(came), err)
			}
			for i, want := range stays {
				if took := came[i+1].Sub(came[i]); took != want {
					t.Errorf("%s: position %d stays for %v, want %v", first, i, took, want)
				}
			}
		})
	}
}

// dealTwo begins a match of two people.
func dealTwo(t *testing.T, table *play.Table, game env.Game, leave func()) {
	t.Helper()
	table.Deal(game, []string{"human", "human"}, "", leave)
	for seat := range 2 {
		if _, err := table.Seat(seat, "human"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRematchWithoutSomebody: who has closed the page before a rematch leaves it, and nobody else.
func TestRematchWithoutSomebody(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	for _, here := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			table, left := play.NewTable(nil), false
			for rematch := range 2 {
				dealTwo(t, table, game, func() { left = true })
				for seat := range here {
					look(ctx, table, seat)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if want := here == 1 && rematch == 1; left != want {
					t.Errorf("%d of two people are here for match %d, and one leaves is %v", here, rematch+1, left)
				}
				table.End("over")
			}
		})
	}
}

// TestTheChooserGoes: who chooses a match and closes the page before it shows the match has left it. A second
// person may still come.
func TestTheChooserGoes(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ late, comes bool }{{}, {late: true}, {comes: true}, {true, true}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			start, goes := context.WithCancel(t.Context())
			defer goes()
			table, left := play.NewTable(func() []play.Offer { return nil }), false
			look(start, table, env.NoSeat)
			if tc.late { // once the match has begun
				dealTwo(t, table, game, func() { left = true })
			}
			goes()
			synctest.Wait()
			if !tc.late {
				dealTwo(t, table, game, func() { left = true })
			}
			if tc.comes {
				look(ctx, table, 0)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if left == tc.comes {
				t.Errorf("%+v: who chose the match leaves it is %v", tc, left)
			}
		})
	}
}

// TestLeaving ends the match.
func TestLeaving(t *testing.T) {
	h := host(t, "SuiteBot-v0", `{"players": 2}`, "human", "static")
	if got := post(t, h.Server, "", `{"seat": 0, "leave": true}`); got != http.StatusNoContent {
		t.Errorf("leaving is answered %d", got)
	}
	if err := <-h.over; !errors.Is(err, context.Canceled) {
		t.Errorf("the match ended with %v, want %v", err, context.Canceled)
	}
	for _, of := range []string{"?seat=1", "?seat=x", "/record?game=2", "/record"} {
		if answer, err := http.Get(h.URL + "/api/play" + of); err != nil || answer.StatusCode != http.StatusNotFound {
			t.Errorf("%q is answered %v, %v", of, answer.Status, err)
		}
	}
}

// TestThoughtsStaySecret: a person is sent no thoughts of others while in the game, and finds
// them in the whole game afterwards.
func TestThoughtsStaySecret(t *testing.T) {
	h := host(t, "OneVsOne-v0", `{"max_steps": 9}`, "human:speed=60", "champion:level=1")
	next, leave := h.page(t)
	defer leave()
	for l := next(); l.End == ""; l = next() {
		if l.Step != nil && l.Step.Step < 7 && (l.Step.Thoughts != nil || l.Step.Counts != nil) {
			t.Fatalf("step %d: the person is sent %+v, %v", l.Step.Step, l.Step.Thoughts, l.Step.Counts)
		}
	}
	<-h.over
	g, err := h.table.Game(1)
	if err != nil {
		t.Fatal(err)
	}
	thoughts := 0
	for _, s := range g.Steps {
		thoughts += len(s.Thoughts)
	}
	if thoughts < 3 {
		t.Errorf("the whole game has %d thoughts, want those of the champion", thoughts)
	}
}

// TestOrders: a page orders matches of people and built-in agents alone, while none is played.
func TestOrders(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	table := play.NewTable(func() []play.Offer { return []play.Offer{play.OfferOf(game, "")} })
	server := serve(t, table)
	answer, err := http.Get(server.URL + "/api/play")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct{ Offers []play.Offer }
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || len(got.Offers) != 1 {
		t.Fatalf("offered is %+v, %v", got, err)
	}
	agents := strings.Join(got.Offers[0].Agents, " ")
	if !strings.Contains(agents, "champion champion:level=1 champion:level=2") || strings.Contains(agents, "simple:") ||
		got.Offers[0].Head.Env != "OneVsOne-v0" {
		t.Errorf("offered is %+v", got.Offers[0])
	}
	for _, body := range []string{
		`{`, `{"same": true}`, `{"env": "SuiteBot-v0", "agents": ["human", "simple"]}`,
		`{"env": "OneVsOne-v0", "agents": ["human"]}`, `{"env": "OneVsOne-v0", "agents": ["human", "nobody"]}`,
		`{"env": "OneVsOne-v0", "agents": ["human:speed=61", "simple"]}`, `{"env": "OneVsOne-v0", "agents": ["human", "exec:touch x"]}`,
		`{"env": "OneVsOne-v0", "agents": ["human", "champion:weights=x"]}`,
		`{"env": "OneVsOne-v0", "agents": ["human", "http://127.0.0.1:9"]}`,
		`{"env": "OneVsOne-v0", "agents": ["human", "llm:http://127.0.0.1:9/v1,model=m"]}`,
	} {
		if got := post(t, server, "start", body); got != http.StatusBadRequest {
			t.Errorf("%s is answered %d, want %d", body, got, http.StatusBadRequest)
		}
	}
	go func() {
		table.Next(t.Context()).Answer(errors.New("no"))
		table.Next(t.Context()).Answer(nil)
	}()
	for _, want := range []int{http.StatusBadRequest, http.StatusNoContent} {
		if got := post(t, server, "start", `{"env": "OneVsOne-v0", "agents": ["human", "champion:level=2"]}`); got != want {
			t.Errorf("an order is answered %d, want %d", got, want)
		}
	}
	table.Deal(game, []string{"human", "simple"}, "", func() {})
	if got := post(t, server, "start", `{"same": true}`); got != http.StatusBadRequest {
		t.Errorf("an order during a match is answered %d", got)
	}
}

// TestOrdersAtOnce: of two orders that wait one gets its match, and the other is refused as that begins.
func TestOrdersAtOnce(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		table, answers := play.NewTable(nil), make(chan int)
		deal := func() { table.Deal(game, []string{"human", "simple"}, "", func() {}) }
		deal()
		table.End("a tie")
		for range 2 {
			go func() {
				w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"same": true}`))
				table.Handlers()["POST /api/play/start"](w, r)
				answers <- w.Code
			}()
		}
		synctest.Wait()
		order := table.Next(t.Context())
		deal()
		order.Answer(nil)
		if got := <-answers + <-answers; got != http.StatusBadRequest+http.StatusNoContent {
			t.Errorf("the sum of the answers is %d, want that of 400 and 204", got)
		}
	})
}

// TestOffers: for every game the page has a start, levels whose agents can be made, and what a seat plays for.
func TestOffers(t *testing.T) {
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		o := play.OfferOf(game, "Win.")
		for _, agent := range o.Levels {
			if _, err := game.NewAgent(agent); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		if len(o.Levels) != 3 || o.Goal != "Win." || len(o.Step.Ground) != o.Head.Rows*o.Head.Cols ||
			!slices.Equal(o.IDs, []string{id}) {
			t.Errorf("%s is offered with the levels %q and the goal %q", id, o.Levels, o.Goal)
		}
	}
}

// TestExhibition: a page that looks at a game sees the strongest agents play it, step by step, until it goes.
func TestExhibition(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, play.NewTable(func() []play.Offer { return []play.Offer{play.OfferOf(game, "")} }))
	answer, err := http.Get(server.URL + "/api/play/exhibit?env=OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	next := lines(answer.Body)
	first, err := next()
	if err != nil || first.Head == nil || !slices.Equal(first.Head.Names, slices.Repeat([]string{"champion:level=5"}, 2)) {
		t.Fatalf("it begins with %+v, %v", first.Head, err)
	}
	for step := range 3 {
		if l, err := next(); err != nil || l.Step == nil || l.Step.Step != step {
			t.Errorf("after step %d: %+v, %v", step, l.Step, err)
		}
	}
	other, err := http.Get(server.URL + "/api/play/exhibit?env=SuiteBot-v0")
	if err != nil || other.StatusCode != http.StatusNotFound {
		t.Errorf("a game that is not offered is answered %v, %v", other.Status, err)
	}
	other.Body.Close()
}

// TestASecondPage: the start page says what is played at the table, with whom, and can stop it.
func TestASecondPage(t *testing.T) {
	h := host(t, "SuiteBot-v0", `{"players": 2}`, "human", "static")
	answer, err := http.Get(h.URL + "/api/play")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	in := json.NewDecoder(answer.Body)
	said := func() (env string, seats []int) {
		t.Helper()
		for {
			var l struct {
				Playing *struct {
					Env   string
					Seats []int
				}
			}
			if err := in.Decode(&l); err != nil {
				t.Fatal(err)
			}
			if l.Playing != nil {
				return l.Playing.Env, l.Playing.Seats
			}
		}
	}
	if env, seats := said(); !strings.HasSuffix(env, "SuiteBot-v0") || !slices.Equal(seats, []int{0}) {
		t.Errorf("played is %s by people in %v", env, seats)
	}
	if got := post(t, h.Server, "", `{"seat": 0, "leave": true}`); got != http.StatusNoContent {
		t.Errorf("stopping is answered %d", got)
	}
	if env, _ := said(); env != "" {
		t.Errorf("the match is over, and played is %s", env)
	}
	if got := post(t, h.Server, "", `{"seat": -1, "leave": true}`); got != http.StatusNotFound {
		t.Errorf("stopping what is over is answered %d", got)
	}
}
