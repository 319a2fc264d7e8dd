package catalog_test

import (
	"fmt"
	"log"

	"pommego/env"
	"pommego/env/catalog"
)

// A game by its id, and a variant of it with a rule of one's own.
func Example() {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		log.Fatal(err)
	}
	short, err := catalog.Variant("OneVsOne-v0", []byte(`{"max_steps": 100}`))
	if err != nil {
		log.Fatal(err)
	}
	for _, spec := range []*env.Spec{game.Spec(), short.Spec()} {
		fmt.Println(spec.ID, spec.Seats, "seats,", spec.MaxSteps, "steps at most")
	}
	// Output:
	// OneVsOne-v0 2 seats, 800 steps at most
	// custom:OneVsOne-v0 2 seats, 100 steps at most
}
