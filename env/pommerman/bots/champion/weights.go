package champion

import (
	"fmt"
	"reflect"

	"pommego/env/saved"
)

// weights says how much things are worth, in points. The value of a set of cells is a share
// of its points, which depends on its size: a set of half cells is worth half of them.
type weights struct {
	Room       int32 `json:"room"`       // the agent's own set
	Doom       int32 `json:"doom"`       // subtracted if its own set is empty
	TightRoom  int32 `json:"tight_room"` // its own set with others in its way
	TightDoom  int32 `json:"tight_doom"`
	Death      int32 `json:"death"`
	Trap       int32 `json:"trap"`    // subtracted if a rival could leave it nowhere to go
	Haven      int32 `json:"haven"`   // the cells that a rival leaves it
	Exposed    int32 `json:"exposed"` // subtracted where a bomb may go off at any time
	Hunt       int32 `json:"hunt"`    // what a rival's set lacks
	Kill       int32 `json:"kill"`    // a rival's death
	Mate       int32 `json:"mate"`    // a teammate's set
	MateDeath  int32 `json:"mate_death"`
	Ammo       int32 `json:"ammo"`  // for each bomb that it can lay
	Blast      int32 `json:"blast"` // for each cell of range
	Kick       int32 `json:"kick"`
	Wood       int32 `json:"wood"`        // wood that is going to burn
	Dig        int32 `json:"dig"`         // the same while no rival can be walked to
	Chase      int32 `json:"chase"`       // for being beside a rival
	Corner     int32 `json:"corner"`      // subtracted for what a rival reaches before it and its teammate do
	Press      int32 `json:"press"`       // by how many percent Hunt, Corner and Chase grow when it is urgent
	Dare       int32 `json:"dare"`        // by how many percent the fear of others falls late in a game: see at
	Odds       int32 `json:"odds"`        // the least urgency when its team outnumbers the other, in thousandths
	Stale      int32 `json:"stale"`       // subtracted for each recent visit to a cell
	Restless   int32 `json:"restless"`    // the same, times a sixteenth of championMemory.idle
	Yield      int32 `json:"yield"`       // subtracted, half of the time, for a move that did not succeed in the last step
	Advice     int32 `json:"advice"`      // by guided subtracted for each unit that the network's score of a move is below the best; see learned.Guide
	Half       int32 `json:"half"`        // how many cells of its own set are worth half of Room
	HalfOthers int32 `json:"half_others"` // the same for others' sets
	Worst      int32 `json:"worst"`       // the share of the worst scenario in percent; the rest is the mean
}

// defaultWeights were chosen by hand in team games with fog. Without Dig an agent stays
// in its corner if wood closes it in. Without Dare it waits to the end beside a rival
// that hides. Without Yield two agents of a team try for hundreds of steps to enter the
// same cell. Without Restless two agents wait for each other. With an Advice of 600 or 1000
// guided plays alike; with 200, and no noise in the network's answers, it waits and ties.
var defaultWeights = weights{
	Room: 500, Doom: 3000, TightRoom: 700, TightDoom: 1000, Death: 4000,
	Trap: 1500, Haven: 300, Exposed: 400,
	Hunt: 400, Kill: 1800, Mate: 250, MateDeath: 1500,
	Ammo: 70, Blast: 50, Kick: 120, Wood: 40, Dig: 800, Chase: 400, Corner: 300, Press: 300, Dare: 85, Odds: 1000,
	Stale: 6, Restless: 6, Yield: 600, Advice: 600, Worst: 70, Half: 5, HalfOthers: 10,
}

// weightSets are the weights that have names. Suites of partners play with some of
// them, so they must not change.
var weightSets = map[string]weights{
	"default":  defaultWeights,
	"peaceful": defaultWeights.with(func(w *weights) { w.Chase, w.Hunt = 0, 0 }),
	"reckless": defaultWeights.with(func(w *weights) { w.Chase, w.TightRoom = 1000, 0 }),
}

func (w weights) with(change func(w *weights)) weights {
	change(&w)
	return w
}

// weightLimits has the least and the greatest value of weights that are not points.
var weightLimits = map[string][2]int64{
	"half": {1, 100}, "half_others": {1, 100}, "worst": {0, 100}, "dare": {0, 100}, "odds": {0, 1000},
}

// readWeights reads a JSON object of weights. Weights that it leaves out have their defaults.
func readWeights(text []byte) (weights, error) {
	w := defaultWeights
	if err := saved.DecodeJSON(text, &w); err != nil {
		return w, err
	}
	values := reflect.ValueOf(w)
	for i := range values.NumField() {
		name, x := values.Type().Field(i).Tag.Get("json"), values.Field(i).Int()
		limits, ok := weightLimits[name]
		if !ok {
			limits = [2]int64{0, 10_000}
		}
		if x < limits[0] || x > limits[1] {
			return w, fmt.Errorf("%s is %d, want %d to %d", name, x, limits[0], limits[1])
		}
	}
	return w, nil
}

// at returns the weights for some urgency and lateness, in thousandths: with urgency
// the agent hunts more, and with lateness it fears less.
func (w weights) at(urgency, late int32) weights {
	for _, x := range []*int32{&w.Hunt, &w.Corner, &w.Chase} {
		*x += *x * (w.Press * urgency / 1000) / 100
	}
	for _, x := range []*int32{&w.TightRoom, &w.TightDoom, &w.Trap, &w.Haven} {
		*x -= *x * (w.Dare * late / 1000) / 100
	}
	return w
}
