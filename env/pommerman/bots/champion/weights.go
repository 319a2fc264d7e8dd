package champion

import (
	"fmt"
	"reflect"

	"pommego/env/saved"
)

// weights is how much things are worth, in points. A set of cells is worth a share of
// its points, half of them with half cells.
type weights struct {
	Room       int32 `json:"room"`       // its own set
	Doom       int32 `json:"doom"`       // subtracted if that is empty
	TightRoom  int32 `json:"tight_room"` // the same with others in its way
	TightDoom  int32 `json:"tight_doom"`
	Death      int32 `json:"death"`
	Trap       int32 `json:"trap"`    // subtracted if a rival could leave it nowhere to go
	Haven      int32 `json:"haven"`   // the cells that a rival leaves it
	Exposed    int32 `json:"exposed"` // subtracted where a bomb may go off at any time
	Hunt       int32 `json:"hunt"`    // a rival's set gone
	Kill       int32 `json:"kill"`    // a rival's death
	Mate       int32 `json:"mate"`    // a teammate's set
	MateDeath  int32 `json:"mate_death"`
	Ammo       int32 `json:"ammo"`  // each bomb it has
	Blast      int32 `json:"blast"` // each cell of range
	Kick       int32 `json:"kick"`
	Wood       int32 `json:"wood"`        // wood that is going to burn
	Dig        int32 `json:"dig"`         // the same while no rival can be walked to
	Chase      int32 `json:"chase"`       // to be at a rival
	Corner     int32 `json:"corner"`      // subtracted for what a rival reaches before it and its teammate do
	Press      int32 `json:"press"`       // by how many percent Hunt, Corner and Chase are more when it is urgent
	Dare       int32 `json:"dare"`        // by how many percent the fear of others is less late in a game: see at
	Odds       int32 `json:"odds"`        // how urgent it is at least when its team outnumbers the other, in thousandths
	Stale      int32 `json:"stale"`       // subtracted for each recent visit to a cell
	Restless   int32 `json:"restless"`    // the same, times a sixteenth of championMemory.idle
	Yield      int32 `json:"yield"`       // subtracted, half of the time, for a move that has just come to nothing
	Half       int32 `json:"half"`        // how many cells are worth half of what its own set can be
	HalfOthers int32 `json:"half_others"` // the same for others' sets
	Worst      int32 `json:"worst"`       // the share of the worst scenario in percent; the rest is the mean
}

// defaultWeights were chosen by hand in team games with fog. Without Dig it stays in its
// corner if the wood around it is close, and without Dare it waits beside a rival in
// hiding, to the end. Without Yield two of a team want to go to the same cell for hundreds
// of steps, and neither gets there; without Restless one waits for another that does not
// move either.
var defaultWeights = weights{
	Room: 500, Doom: 3000, TightRoom: 700, TightDoom: 1000, Death: 4000,
	Trap: 1500, Haven: 300, Exposed: 400,
	Hunt: 400, Kill: 1800, Mate: 250, MateDeath: 1500,
	Ammo: 70, Blast: 50, Kick: 120, Wood: 40, Dig: 800, Chase: 400, Corner: 300, Press: 300, Dare: 85, Odds: 1000,
	Stale: 6, Restless: 6, Yield: 600, Worst: 70, Half: 5, HalfOthers: 10,
}

// weightSets are the weights that have a name. Partner suites play with some of them, so
// they stay as they are.
var weightSets = map[string]weights{
	"default":  defaultWeights,
	"peaceful": defaultWeights.with(func(w *weights) { w.Chase, w.Hunt = 0, 0 }),
	"reckless": defaultWeights.with(func(w *weights) { w.Chase, w.TightRoom = 1000, 0 }),
}

func (w weights) with(change func(w *weights)) weights {
	change(&w)
	return w
}

// weightLimits are the least and the greatest value of weights that are no points.
var weightLimits = map[string][2]int64{
	"half": {1, 100}, "half_others": {1, 100}, "worst": {0, 100}, "dare": {0, 100}, "odds": {0, 1000},
}

// readWeights reads a JSON object of weights. Those that it leaves out are the default.
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

// at is what weights are when it is so urgent and so late: it hunts more, and fears
// less. Not so with more in its team, lest it gives that away.
func (w weights) at(urgency, late int32) weights {
	for _, x := range []*int32{&w.Hunt, &w.Corner, &w.Chase} {
		*x += *x * (w.Press * urgency / 1000) / 100
	}
	for _, x := range []*int32{&w.TightRoom, &w.TightDoom, &w.Trap, &w.Haven} {
		*x -= *x * (w.Dare * late / 1000) / 100
	}
	return w
}
