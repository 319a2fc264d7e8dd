package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"pommego/arena/scene"
	"pommego/env"
)

// Offer is a game that can be chosen on the start page.
type Offer struct {
	Head   scene.Head `json:"head"`
	About  string     `json:"about"`
	Agents []string   `json:"agents"` // for the seats of others
}

// OfferOf offers a game with its built-in agents, each level of those that have any.
func OfferOf(game env.Game) Offer {
	spec := game.Spec()
	o := Offer{Head: scene.HeadOf(spec, game.New(1)[0]), About: spec.Description}
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

// Order is what a page asks to be played.
type Order struct {
	Env    string   `json:"env"`    // "": the same agents play the same game again
	Agents []string `json:"agents"` // by seat
	Same   bool     `json:"same"`   // with the same seed

	answer chan error
}

// Answer tells the page that the match begins, or why not.
func (o *Order) Answer(err error) { o.answer <- err }

// names are those that a page may put into seats: people, and agents in this program
// whose options name no file.
var names = regexp.MustCompile(`^(human(:speed=[0-9.]+)?|[a-z0-9-]+(:level=[0-9]+)?)$`)

// offered is what there is to choose, for a page that does not know it yet.
func (t *Table) offered(_ int, to *known) []line {
	if to.offers {
		return nil
	}
	to.offers = true
	return []line{{Offers: t.offers()}}
}

// start passes an order on, and answers once the match begins.
func (t *Table) start(w http.ResponseWriter, r *http.Request) {
	o := &Order{answer: make(chan error, 1)}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(o)
	for _, name := range o.Agents {
		if !names.MatchString(name) {
			err = errors.Join(err, fmt.Errorf("agent %q: want human or a built-in agent, by name and level", name))
		}
	}
	t.mu.Lock()
	if t.game != nil && t.end == "" {
		err = errors.Join(err, errors.New("a match is being played: wait until it is over"))
	} else if t.game == nil && o.Env == "" {
		err = errors.Join(err, errors.New("env is empty, and there is no earlier match to repeat: give an id"))
	}
	t.mu.Unlock()
	if err == nil {
		select {
		case t.orders <- o:
			err = <-o.answer
		case <-r.Context().Done():
			return
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// recorded answers with the games of the match that is over, as they are recorded in files.
func (t *Table) recorded(w http.ResponseWriter, _ *http.Request) {
	t.mu.Lock()
	text := string(t.record)
	t.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(text)
}
