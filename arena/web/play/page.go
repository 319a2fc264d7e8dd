package play

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/env"
)

// maxSpeed is the most moves a second.
const maxSpeed = 60

// Human reports whether an agent's name is that of a person.
func Human(name string) bool { return name == "human" || strings.HasPrefix(name, "human:") }

// Seat puts a person into a seat: "human" moves whenever ready, "human:speed=4" makes 4
// moves a second.
func (t *Table) Seat(seat int, name string) (match.Player, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &person{table: t, game: t.game, name: name, seat: seat}
	if _, options, given := strings.Cut(name, ":"); given {
		key, value, _ := strings.Cut(options, "=")
		if key != "speed" {
			return nil, fmt.Errorf("agent %q: option %q does not exist, human takes: speed", name, key)
		}
		var err error
		if p.speed, err = strconv.ParseFloat(value, 64); err != nil || !(p.speed > 0 && p.speed <= maxSpeed) {
			return nil, fmt.Errorf("agent %q: speed is %q, want more than 0 and at most %d moves a second", name, value,
				maxSpeed)
		}
	}
	t.people[seat], t.speed = p, p.speed
	return p, nil
}

// Handlers are what answers the page, by patterns of http.ServeMux.
func (t *Table) Handlers() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /api/play":        t.stream,
		"POST /api/play/move":  t.move,
		"POST /api/play/pace":  t.pace,
		"POST /api/play/leave": t.left,
		"GET /api/play/offers": t.offer,
		"POST /api/play/start": t.start,
		"GET /api/play/record": t.recorded,
	}
}

// line is one of those that a page gets.
type line struct {
	scene.Line
	Offers []Offer `json:"offers,omitempty"` // on the start page
	Ask    *ask    `json:"ask,omitempty"`    // the seat is to move
}

// stream tells a page what its seat sees, until it goes away.
func (t *Table) stream(w http.ResponseWriter, r *http.Request) {
	seat, err := strconv.Atoi(r.URL.Query().Get("seat"))
	if err != nil || t.person(seat) == nil && !t.watches(seat) {
		http.Error(w, fmt.Sprintf("no person sits in seat %q", r.URL.Query().Get("seat")), http.StatusNotFound)
		return
	}
	var to told
	t.send(w, r, seat, func() []line { return t.news(seat, &to) })
}

// send sends a page lines until it goes away: at first, and after each change, those that are
// new: what fresh returns, with t.mu held.
func (t *Table) send(w http.ResponseWriter, r *http.Request, seat int, fresh func() []line) {
	t.look(seat, 1)
	defer t.look(seat, -1)
	for send := scene.Lines[line](w); ; {
		t.mu.Lock()
		lines, changed := fresh(), t.changed
		t.mu.Unlock()
		if send(lines) != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}

func (t *Table) look(seat, more int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pages[seat] += more
	t.opened = true
	t.tell()
	if p := t.people[seat]; t.pages[seat] == 0 && p != nil {
		time.AfterFunc(grace, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.pages[seat] == 0 && t.people[seat] == p && t.end == "" && t.plays(seat) {
				t.leave()
			}
		})
	}
}

// looking counts the pages that look on; t.mu is held.
func (t *Table) looking() (all int) {
	for _, n := range t.pages {
		all += n
	}
	return all
}

// person is who sits in a seat, nil if that is nobody.
func (t *Table) person(seat int) *person {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.people[seat]
}

// watches reports whether a page of no seat may see the match: nobody plays in it who could look there.
func (t *Table) watches(seat int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return seat == env.NoSeat && len(t.people) == 0
}

// plays reports whether a seat is in the game, or will be once it has begun; t.mu is held.
func (t *Table) plays(seat int) bool {
	last := t.feed.Last()
	return last == nil || slices.Contains(last.Status.In, seat)
}

// told is what a page knows.
type told struct {
	scene.Viewer
	ask *ask
	end string
}

// news is what a page does not know yet; t.mu is held.
func (t *Table) news(seat int, to *told) (lines []line) {
	p := t.people[seat]
	if p == nil && (seat != env.NoSeat || len(t.people) > 0) { // in another match
		return nil
	}
	see := func(head *scene.Head, s scene.Step) scene.Step {
		if t.end != "" || !slices.Contains(s.Status.In, seat) { // those who are out see everything
			return s
		}
		return s.Seen(head, seat)
	}
	for more := t.feed.News(&to.Viewer, see); len(more) > 0; more = t.feed.News(&to.Viewer, see) {
		for _, one := range more {
			lines = append(lines, line{Line: one})
		}
	}
	if p != nil && p.asked != to.ask {
		if to.ask = p.asked; to.ask != nil {
			lines = append(lines, line{Ask: to.ask})
		}
	}
	if t.end != to.end {
		to.end = t.end
		lines = append(lines, line{Line: scene.Line{End: t.end}})
	}
	return lines
}

// receive reads what a page sends, and finds the person it is about; p is nil if it has
// been answered already.
func (t *Table) receive(w http.ResponseWriter, r *http.Request, body any, seat *int) (p *person) {
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096))
	in.DisallowUnknownFields()
	if err := in.Decode(body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return nil
	}
	if p = t.person(*seat); p == nil {
		http.Error(w, fmt.Sprintf("no person sits in seat %d", *seat), http.StatusNotFound)
	}
	return p
}

func (t *Table) move(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Seat   int   `json:"seat"`
		Step   int   `json:"step"`
		Action []int `json:"action"`
	}
	p := t.receive(w, r, &body, &body.Seat)
	if p == nil {
		return
	}
	choices := p.game.Spec().Actions
	if len(body.Action) != len(choices) {
		http.Error(w, fmt.Sprintf("the action %v has %d parts, want %d", body.Action, len(body.Action), len(choices)),
			http.StatusBadRequest)
		return
	}
	action := make([]uint8, len(choices))
	for i, a := range body.Action {
		if a < 0 || a >= choices[i].N {
			http.Error(w, fmt.Sprintf("%s is %d, want 0 to %d", choices[i].Name, a, choices[i].N-1), http.StatusBadRequest)
			return
		}
		action[i] = uint8(a)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.asked == nil || p.asked.Step != body.Step {
		http.Error(w, fmt.Sprintf("the match does not wait for a move in position %d", body.Step), http.StatusConflict)
		return
	}
	p.choice = action
	if p.speed == 0 {
		t.tell()
	}
	w.WriteHeader(http.StatusNoContent)
}

func (t *Table) pace(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Seat  int     `json:"seat"`
		Speed float64 `json:"speed"`
	}
	p := t.receive(w, r, &body, &body.Seat)
	if p == nil {
		return
	}
	if !(body.Speed >= 0 && body.Speed <= maxSpeed) {
		http.Error(w, fmt.Sprintf("speed is %v, want 0 to %d moves a second", body.Speed, maxSpeed), http.StatusBadRequest)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p.speed, t.speed = body.Speed, body.Speed
	t.tell()
	w.WriteHeader(http.StatusNoContent)
}

func (t *Table) left(w http.ResponseWriter, _ *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.leave != nil {
		t.leave()
	}
	w.WriteHeader(http.StatusNoContent)
}
