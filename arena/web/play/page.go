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

// maxSpeed is the most moves per second.
const maxSpeed = 60

// Human reports whether an agent's name is that of a person.
func Human(name string) bool { return name == "human" || strings.HasPrefix(name, "human:") }

// speedOf is the speed in a person's name; 0 without one.
func speedOf(name string) (speed float64, err error) {
	_, options, given := strings.Cut(name, ":")
	if !given {
		return 0, nil
	}
	key, value, _ := strings.Cut(options, "=")
	if key != "speed" {
		return 0, fmt.Errorf("agent %q: option %q does not exist, human takes: speed", name, key)
	}
	if speed, err = strconv.ParseFloat(value, 64); err != nil || !(speed > 0 && speed <= maxSpeed) {
		return 0, fmt.Errorf("agent %q: speed is %q, want more than 0 and at most %d moves a second", name, value, maxSpeed)
	}
	return speed, nil
}

// Seat puts a person into a seat: "human" moves without a time limit, "human:speed=4" makes 4
// moves a second.
func (t *Table) Seat(seat int, name string) (match.Player, error) {
	speed, err := speedOf(name)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &person{Local: match.Local(name), table: t, seat: seat, speed: speed}
	t.people[seat], t.speed = p, p.speed
	// Who was here for the match before, or chose this one, may have gone.
	if t.pages[seat] == 0 && (t.number > 1 || t.opened && t.looking() == 0) {
		t.await(p, t.number == 1)
	}
	return p, nil
}

// Handlers answer the page's requests, by patterns of http.ServeMux.
func (t *Table) Handlers() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /api/play":         t.stream,
		"POST /api/play":        t.act,
		"POST /api/play/start":  t.start,
		"GET /api/play/record":  t.recorded,
		"GET /api/play/exhibit": t.exhibit,
	}
}

// line is a line that a page gets. One of its fields is set.
type line struct {
	scene.Line
	Offers  []Offer  `json:"offers,omitempty"`  // on the start page
	Playing *playing `json:"playing,omitempty"` // on the start page
	Ask     *ask     `json:"ask,omitempty"`     // the seat is to move
	Game    int      `json:"game,omitzero"`     // with End: the number of the match in the listing
}

// stream sends lines to a page until the page closes: what its seat sees or, without a
// seat, the games on offer. It sends everything at first, and then changes.
func (t *Table) stream(w http.ResponseWriter, r *http.Request) {
	text, seat := r.URL.Query().Get("seat"), env.NoSeat
	news := t.news
	if text == "" {
		news = t.offered
	} else if n, err := strconv.Atoi(text); err != nil || !t.shows(n) {
		http.Error(w, fmt.Sprintf("no person sits in seat %q", text), http.StatusNotFound)
		return
	} else {
		seat = n
	}
	t.look(seat, 1)
	defer t.look(seat, -1)
	var to known
	for send := scene.Lines[line](w); ; {
		t.mu.Lock()
		lines, changed := news(seat, &to), t.changed
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
	for of, p := range t.people {
		if t.pages[of] == 0 && (of == seat || t.looking() == 0) {
			t.await(p, of != seat)
		}
	}
}

// await lets a person leave whose page does not come in time; with alone only if no other page is open then.
func (t *Table) await(p *person, alone bool) {
	time.AfterFunc(grace, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		last := t.feed.Last()
		plays := last == nil || slices.Contains(last.Status.In, p.seat) // or will when the game begins
		here := t.pages[p.seat] > 0 || alone && t.looking() > 0
		if plays && !here && t.people[p.seat] == p && t.end == "" {
			t.leave()
		}
	})
}

// looking counts the open pages; t.mu is held.
func (t *Table) looking() (all int) {
	for _, n := range t.pages {
		all += n
	}
	return all
}

// shows reports whether a page of a seat may see the match: a person sits there, or it is a page of no seat and
// no person plays, who could cheat with it.
func (t *Table) shows(seat int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.people[seat] != nil || seat == env.NoSeat && len(t.people) == 0
}

// known is what a page has been sent of the match.
type known struct {
	scene.Viewer
	offers  bool
	playing playing
	ask     *ask
	end     string
}

// news returns the lines that a page has not been sent yet; t.mu is held.
func (t *Table) news(seat int, to *known) (lines []line) {
	p := t.people[seat]
	if p == nil && (seat != env.NoSeat || len(t.people) > 0) { // the page belongs to an earlier match
		return nil
	}
	see := func(head *scene.Head, s scene.Step) scene.Step {
		if t.end != "" || !slices.Contains(s.Status.In, seat) { // seats that are out see everything
			return s
		}
		return s.Seen(head, seat)
	}
	for _, one := range t.feed.News(&to.Viewer, see) {
		lines = append(lines, line{Line: one})
	}
	if p != nil && p.asked != to.ask {
		if to.ask = p.asked; to.ask != nil {
			lines = append(lines, line{Ask: to.ask})
		}
	}
	if t.end != to.end {
		to.end = t.end
		lines = append(lines, line{Line: scene.Line{End: t.end}, Game: t.number})
	}
	return lines
}

// act does what a page asks for its seat: a move, another speed, or leaving the match.
func (t *Table) act(w http.ResponseWriter, r *http.Request) {
	var want struct {
		Seat   int      `json:"seat"`
		Step   int      `json:"step"`
		Action []int    `json:"action"`
		Speed  *float64 `json:"speed"`
		Leave  bool     `json:"leave"`
	}
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096))
	in.DisallowUnknownFields()
	err := in.Decode(&want)
	t.mu.Lock()
	defer t.mu.Unlock()
	p, status := t.people[want.Seat], http.StatusBadRequest
	switch {
	case err != nil:
	case p == nil && !(want.Leave && want.Seat == env.NoSeat && len(t.people) == 0 && t.now().Env != ""):
		status, err = http.StatusNotFound, fmt.Errorf("no person sits in seat %d", want.Seat)
	case want.Leave:
		t.leave()
	case want.Speed == nil:
		status, err = p.move(want.Step, want.Action)
	case *want.Speed >= 0 && *want.Speed <= maxSpeed:
		p.speed, t.speed = *want.Speed, *want.Speed
		t.tell()
	default:
		err = fmt.Errorf("speed is %v, want 0 to %d moves a second", *want.Speed, maxSpeed)
	}
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// move takes a move for the position after a step, and ignores one for an earlier position; the table's lock is held.
// In a match that does not wait, one that comes while others still think is for the next position.
func (p *person) move(step int, given []int) (status int, err error) {
	choices := p.table.game.Spec().Actions
	if len(given) != len(choices) {
		return http.StatusBadRequest, fmt.Errorf("the action %v has %d parts, want %d", given, len(given), len(choices))
	}
	action := make([]uint8, len(choices))
	for i, a := range given {
		if a < 0 || a >= choices[i].N {
			return http.StatusBadRequest, fmt.Errorf("%s is %d, want 0 to %d", choices[i].Name, a, choices[i].N-1)
		}
		action[i] = uint8(a)
	}
	last := p.table.feed.Last()
	switch {
	case p.asked == nil && p.speed > 0 && last != nil && last.Step == step:
		p.choice = action
	case p.asked == nil || p.asked.Step > step: // too late: the match did not wait
	case p.asked.Step != step:
		return http.StatusConflict, fmt.Errorf("the match does not wait for a move in position %d", step)
	default:
		p.choice = action
		p.table.tell()
	}
	return 0, nil
}
