package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pommego/env"
)

// Listing is the games that a page offers, and what there is to say of all of them.
type Listing struct {
	Kind  string   `json:"kind"` // games, dataset or tournament
	Title string   `json:"title"`
	Env   string   `json:"env,omitzero"`
	Notes []string `json:"notes,omitzero"`
	Games []Entry  `json:"games"`

	// Ratings and Pairs are a tournament's, as its results have them.
	Ratings any `json:"ratings,omitzero"`
	Pairs   any `json:"pairs,omitzero"`

	Charts []Chart `json:"charts,omitzero"`

	// Apart says that the agents of a pair are compared by games against another, and
	// not by those in which they met.
	Apart bool `json:"apart,omitzero"`

	once     sync.Once
	contents contents
}

// contents is what is in all games of a listing.
type contents struct {
	agents  []string
	columns []string // those in which any game has something
}

// Entry is one game of a listing.
type Entry struct {
	Game    int              `json:"game"`
	Agents  []string         `json:"agents,omitzero"` // by seat
	Steps   int              `json:"steps"`
	Results []env.SeatResult `json:"result,omitzero"` // by seat
	Winner  string           `json:"winner,omitzero"` // in words; Listings need not have it
	Seed    uint64           `json:"seed,omitzero"`
	Env     string           `json:"env,omitzero"` // where games are of several
	Note    string           `json:"note,omitzero"`

	file string // that a recorded game is in, and its line there
	line int
}

// PageSize is how many games a page gets at a time.
const PageSize = 200

// Part is the part of a listing that a page asks for.
type Part struct {
	*Listing
	Games     []Entry  `json:"games"` // from the place that was asked for on, PageSize at most
	Total     int      `json:"total"` // games in the listing
	Found     int      `json:"found"` // of these, games that are as was asked for
	AllAgents []string `json:"all_agents"`
	Columns   []string `json:"columns"`
	Videos    []string `json:"videos"` // the kinds of videos that can be had of games

	// Before and After are the games beside the one that was asked for.
	Before *int `json:"before,omitempty"`
	After  *int `json:"after,omitempty"`
}

// PartOf is the games that a page's address asks for: those with an agent, with one of
// two agents (or), or with two against each other; with a result for the agent (won,
// lost or tied); with all words of find; sorted by the column sort, descending with
// down; from number from on. With at it also names the games before and after that one.
func (l *Listing) PartOf(query url.Values) (*Part, error) {
	from, err := strconv.Atoi(cmp.Or(query.Get("from"), "0"))
	if err != nil || from < 0 {
		return nil, fmt.Errorf("from is %q, want the number of games to leave out", query.Get("from"))
	}
	found, err := l.sorted(l.found(query), cmp.Or(query.Get("sort"), "game"), query.Get("down") != "")
	if err != nil {
		return nil, err
	}
	l.once.Do(l.survey)
	p := &Part{
		Listing: l, Games: []Entry{}, Total: len(l.Games), Found: len(found),
		AllAgents: l.contents.agents, Columns: l.contents.columns,
	}
	if at := query.Get("at"); at != "" {
		n := slices.IndexFunc(found, func(i int) bool { return strconv.Itoa(l.Games[i].Game) == at })
		if n > 0 {
			p.Before = &l.Games[found[n-1]].Game
		}
		if n >= 0 && n+1 < len(found) {
			p.After = &l.Games[found[n+1]].Game
		}
	}
	for _, i := range found[min(from, len(found)):min(from+PageSize, len(found))] {
		e := l.Games[i]
		e.Winner = e.winner()
		p.Games = append(p.Games, e)
	}
	return p, nil
}

func (l *Listing) found(query url.Values) (places []int) {
	words := strings.Fields(strings.ToLower(query.Get("find")))
	for i := range l.Games {
		if e := &l.Games[i]; e.plays(query) && e.hasResult(query) && e.contains(words) {
			places = append(places, i)
		}
	}
	return places
}

func (e *Entry) plays(query url.Values) bool {
	agent, or, against := query.Get("agent"), query.Get("or"), query.Get("against")
	has := func(name string) bool { return slices.Contains(e.Agents, name) }
	switch {
	case agent != "" && !has(agent) && (or == "" || !has(or)):
		return false
	case against == "" || against != agent:
		return against == "" || has(against)
	}
	at := slices.Index(e.Agents, agent) // against itself it sits in two seats
	return slices.Contains(e.Agents[at+1:], agent)
}

func (e *Entry) hasResult(query url.Values) bool {
	result, agent := query.Get("result"), query.Get("agent")
	for seat, r := range e.Results {
		if string(r) == result && (agent == "" || seat < len(e.Agents) && e.Agents[seat] == agent) {
			return true
		}
	}
	return result == ""
}

// contains reports whether all words are in what a table shows of the game.
func (e *Entry) contains(words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(fmt.Sprint(e.Game, " ", strings.Join(e.Agents, ", "), " ", e.winner(), " ", e.Steps, " ",
		e.Seed, " ", e.Env, " ", e.Note))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// winner says who won, or else how the game ended.
func (e *Entry) winner() string {
	names, seats := e.won()
	text := strings.Join(names, ", ")
	if len(seats) > 0 {
		text += fmt.Sprintf(" (%s)", strings.Join(seats, ", "))
	}
	return text
}

// won is the agents that won, each once, and their seats. If nobody has, the only name says how the game ended.
func (e *Entry) won() (names, seats []string) {
	for seat, result := range e.Results {
		if result != env.Won {
			continue
		}
		name := fmt.Sprintf("seat %d", seat)
		if seat < len(e.Agents) {
			name = e.Agents[seat]
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		seats = append(seats, strconv.Itoa(seat))
	}
	switch {
	case len(seats) > 0 || len(e.Results) == 0:
		return names, seats
	case slices.Contains(e.Results, env.Tied):
		return []string{"tie"}, nil
	case slices.Contains(e.Results, env.Undecided):
		return []string{"not decided"}, nil
	}
	return []string{"nobody"}, nil
}

// cell is a number or a text of the table, by which its rows are sorted.
type cell struct {
	number uint64
	text   string
}

var columns = []struct {
	name string
	of   func(*Entry) cell
}{
	{"game", func(e *Entry) cell { return cell{number: uint64(e.Game)} }},
	{"agents", func(e *Entry) cell { return cell{text: strings.Join(e.Agents, ", ")} }},
	{"winner", func(e *Entry) cell { return cell{text: e.winner()} }},
	{"steps", func(e *Entry) cell { return cell{number: uint64(e.Steps)} }},
	{"seed", func(e *Entry) cell { return cell{number: e.Seed} }},
	{"env", func(e *Entry) cell { return cell{text: e.Env} }},
	{"note", func(e *Entry) cell { return cell{text: e.Note} }},
}

func (l *Listing) sorted(places []int, by string, down bool) ([]int, error) {
	for _, c := range columns {
		if c.name != by {
			continue
		}
		cells := make(map[int]cell, len(places))
		for _, i := range places {
			cells[i] = c.of(&l.Games[i])
		}
		slices.SortStableFunc(places, func(i, j int) int {
			if down {
				i, j = j, i
			}
			a, b := cells[i], cells[j]
			return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
		})
		return places, nil
	}
	return nil, fmt.Errorf("sort is %q, want the name of a column", by)
}

// survey notes the agents in the listing and its columns.
func (l *Listing) survey() {
	known, has := map[string]bool{}, map[string]bool{"game": true, "steps": true}
	for i := range l.Games {
		e := &l.Games[i]
		for _, name := range e.Agents {
			known[name] = true
		}
		for _, c := range columns {
			has[c.name] = has[c.name] || c.of(e) != cell{}
		}
	}
	all := contents{agents: slices.AppendSeq([]string{}, maps.Keys(known)), columns: []string{}}
	slices.Sort(all.agents)
	for _, c := range columns {
		if has[c.name] {
			all.columns = append(all.columns, c.name)
		}
	}
	l.contents = all
}

// remembered is what was read from a file, until that changes.
type remembered[T any] struct {
	mu    sync.Mutex
	size  int64
	at    time.Time
	value T
}

func (r *remembered[T]) get(path string, read func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return *new(T), err
	}
	if info.Size() == r.size && info.ModTime().Equal(r.at) {
		return r.value, nil
	}
	value, err := read()
	if err == nil {
		r.size, r.at, r.value = info.Size(), info.ModTime(), value
	}
	return value, err
}
