package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"time"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/env"
)

// Offer is a game that can be chosen on the start page.
type Offer struct {
	Head   scene.Head `json:"head"`
	Step   scene.Step `json:"step"`   // the start of a game
	IDs    []string   `json:"ids"`    // the ids with this game
	About  string     `json:"about"`  // a short description; games of one kind begin alike
	Goal   string     `json:"goal"`   // the goal of a seat
	Agents []string   `json:"agents"` // the agents that can play
	Levels []string   `json:"levels"` // three of the agents: an easy one, a hard one and a champion

	game env.Game
}

// levels are the choices for Offer.Levels: of each list the first agent that a game has.
var levels = [][]string{{"simple"}, {"heuristic", "flat"}, {"champion:level=5", "mcts"}}

// OfferOf offers a game, whose seats have a goal, with its built-in agents. One with levels is listed once per level.
func OfferOf(game env.Game, goal string) Offer {
	spec, m, t := game.Spec(), game.New(1)[0], game.NewTrackers(1, false)[0]
	m.Reset(env.Seed{Value: 1})
	t.Begin(m)
	o := Offer{Head: scene.HeadOf(spec, m), Step: scene.Describe(spec, m, t, nil), IDs: []string{spec.ID},
		About: spec.Description, Goal: goal, game: game}
	for _, level := range levels {
		has := func(name string) bool { _, err := game.NewAgent(name); return err == nil }
		if i := slices.IndexFunc(level, has); i >= 0 {
			o.Levels = append(o.Levels, level[i])
		}
	}
	for _, name := range spec.Agents {
		o.Agents = append(o.Agents, name)
		for level := 1; ; level++ {
			one := fmt.Sprintf("%s:level=%d", name, level)
			if _, err := game.NewAgent(one); err != nil {
				break
			}
			o.Agents = append(o.Agents, one)
		}
	}
	return o
}

// exhibitPause is how long each step of an exhibition is shown.
const exhibitPause = time.Second / 5

// exhibit sends a match between the strongest agents of a game, step by step, while the page is open.
func (t *Table) exhibit(w http.ResponseWriter, r *http.Request) {
	offers, players := t.offers(), match.Players{}
	i := slices.IndexFunc(offers, func(o Offer) bool { return o.Head.Env == r.FormValue("env") })
	if i < 0 || offers[i].Levels == nil {
		http.Error(w, fmt.Sprintf("env is %q, want the id of a game on offer", r.FormValue("env")), http.StatusNotFound)
		return
	}
	players.Game = offers[i].game
	names := slices.Repeat(offers[i].Levels[len(offers[i].Levels)-1:], players.Game.Spec().Seats)
	seats, _ := players.Seat(names) // the game has these agents: see OfferOf
	defer players.Close()
	feed, viewer, send := scene.Feed{Most: 4}, scene.Viewer{}, scene.Lines[scene.Line](w)
	seed := env.Seed{Value: uint64(time.Now().UnixMilli())}
	// An error means that the page is closed.
	match.Play(r.Context(), players.Game, seats, seed, match.Rules{}, func(at match.Moment) error {
		at.Describe(&feed, names, offers[i].Goal)
		time.Sleep(exhibitPause)
		return send(feed.News(&viewer, scene.Whole))
	})
}

// playing tells pages which match is played.
type playing struct {
	Env   string `json:"env"`   // "": none
	Seats []int  `json:"seats"` // of people
}

// now is the match that is played; t.mu is held.
func (t *Table) now() (p playing) {
	if t.game != nil && t.end == "" {
		p = playing{t.game.Spec().ID, slices.Sorted(maps.Keys(t.people))}
	}
	return p
}

// Order is the match that a page asks for.
type Order struct {
	Env    string   `json:"env"`    // "": the same agents play the same game again
	Agents []string `json:"agents"` // by seat
	Same   bool     `json:"same"`   // with the same seed

	answer chan error
}

// Answer tells the page that the match begins, or why not.
func (o *Order) Answer(err error) { o.answer <- err }

// names matches the names that a page may put into seats: people, and built-in agents without
// options that name a file.
var names = regexp.MustCompile(`^(human(:speed=[0-9.]+)?|[a-z0-9-]+(:level=[0-9]+)?)$`)

// offered returns the offers and the current match, if a page has not been sent them yet; t.mu is held.
func (t *Table) offered(_ int, to *known) (lines []line) {
	if !to.offers {
		to.offers = true
		lines = append(lines, line{Offers: t.offers()})
	}
	if now := t.now(); !reflect.DeepEqual(now, to.playing) {
		to.playing = now
		lines = append(lines, line{Playing: &now})
	}
	return lines
}

// check says what is wrong with an order of another match. The last match and its record are there until one begins.
func (o *Order) check(offers []Offer) (err error) {
	i := slices.IndexFunc(offers, func(of Offer) bool { return slices.Contains(of.IDs, o.Env) })
	if i < 0 {
		return fmt.Errorf("env is %q, want the id of a game on offer", o.Env)
	}
	if seats := offers[i].game.Spec().Seats; len(o.Agents) != seats {
		return fmt.Errorf("agents has %d names, want %d for %s", len(o.Agents), seats, o.Env)
	}
	for _, name := range o.Agents {
		switch {
		case !names.MatchString(name):
			err = errors.Join(err, fmt.Errorf("agent %q: want human or a built-in agent, by name and level", name))
		case Human(name):
			_, wrong := speedOf(name)
			err = errors.Join(err, wrong)
		default:
			_, wrong := offers[i].game.NewAgent(name)
			err = errors.Join(err, wrong)
		}
	}
	return err
}

// start passes an order on, and answers once the match begins.
func (t *Table) start(w http.ResponseWriter, r *http.Request) {
	o := &Order{answer: make(chan error, 1)}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(o)
	if err != nil {
		err = errors.New(`the order is wrong, want {"env": "ID", "agents": ["NAME", ...]} or {"same": true}`)
	} else if o.Env != "" {
		err = o.check(t.offers())
	}
	if err == nil {
		err = t.pass(r.Context(), o)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// pass passes an order on and waits for its answer, unless another match begins first.
func (t *Table) pass(ctx context.Context, o *Order) error {
	for {
		t.mu.Lock()
		begun, over, changed := t.game != nil, t.end != "", t.changed
		t.mu.Unlock()
		switch {
		case begun && !over:
			return errors.New("a match is being played: wait until it is over")
		case !begun && o.Env == "":
			return errors.New("env is empty, and there is no earlier match to repeat: give an id")
		}
		select {
		case t.orders <- o:
			return <-o.answer
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// recorded answers with the record of the last match, once it is over, as in a file.
func (t *Table) recorded(w http.ResponseWriter, r *http.Request) {
	t.mu.Lock()
	text, last := string(t.record), t.number
	t.mu.Unlock()
	number, _ := strconv.Atoi(r.FormValue("game")) // 0, which no match has, if it is none
	if text == "" || number != last {
		http.Error(w, noGame(number, last).Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(text)
}
