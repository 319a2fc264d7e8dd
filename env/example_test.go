package env_test

import (
	"fmt"
	"log"

	"pommego/env"
	"pommego/env/catalog"
)

// One game between built-in agents, played by hand. Package vec does this with
// thousands of games at once, and package arena/match with rules of competition.
func Example() {
	game, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		log.Fatal(err)
	}
	spec := game.Spec()
	agents := make([]env.Agent, spec.Seats)
	for seat := range agents {
		if agents[seat], err = game.NewAgent("simple"); err != nil {
			log.Fatal(err)
		}
	}

	seed := env.Seed{Value: 7}
	match := game.New(1)[0]
	match.Reset(seed)
	for seat, agent := range agents {
		agent.Reset(seed.RNG(env.StreamAgents + uint64(seat)))
	}
	actions := make([]uint8, spec.Seats*len(spec.Actions))
	for !match.Status().Over {
		for seat, agent := range agents {
			if match.Status().In.Has(seat) {
				agent.Act(match, seat, actions[seat:seat+1])
			}
		}
		match.Step(actions)
	}
	status := match.Status()
	fmt.Println(status.Result, "of seats", status.Winners.List(), "after", status.Steps, "steps")
	// Output: Win of seats [2] after 97 steps
}

// A look ahead: the game is saved, played on by a copy with an RNG of its own,
// and has not changed.
func ExampleMatch() {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		log.Fatal(err)
	}
	matches := game.New(2)
	here, ahead := matches[0], matches[1]
	here.Reset(env.Seed{Value: 7})

	state := here.Append(nil)
	if err := ahead.Restore(state); err != nil {
		log.Fatal(err)
	}
	ahead.Reseed(env.Seed{Value: 1}) // or it would foresee the draws
	for range 12 {
		ahead.Step([]uint8{5, 0}) // the first lays a bomb and stays, the second waits
	}
	fmt.Println("ahead:", ahead.Status().Result, "of seats", ahead.Status().Winners.List())
	fmt.Println("here: ", here.Status().Result, "after", here.Status().Steps, "steps")
	// Output:
	// ahead: Win of seats [1]
	// here:  Incomplete after 0 steps
}
