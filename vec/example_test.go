package vec_test

import (
	"fmt"
	"log"

	"pommego/env/envtest"
	"pommego/vec"
)

// A thousand games against built-in agents: one learner, and one row, a game.
func Example() {
	pool, err := vec.New(vec.Config{
		Game:      envtest.Toy(), // or catalog.Game("PommeFFACompetition-v0")
		Games:     1000,
		Opponents: []string{"hunter", "wander", "wander", "hunter", "still"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	batch := pool.NewBatch(nil)
	seed := uint64(1)
	if err := pool.Reset(batch, vec.ResetOptions{Seed: &seed}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.Tensor("obs.board").Shape(), batch.Tensor("obs.board").Dtype())

	actions := make([]uint8, pool.Rows()*2) // two components: everybody stays
	episodes, won := 0, 0
	for range 100 {
		if err := pool.Step(batch, actions); err != nil {
			log.Fatal(err)
		}
		returns := batch.Tensor("game.return").Float64s()
		for _, game := range batch.Finished() {
			episodes++
			if returns[game] == 1 {
				won++
			}
		}
	}
	fmt.Println(episodes >= 1000, won > 0 && won < episodes)
	// Output:
	// (1000, 3, 5, 9) uint8
	// true true
}

// A game can be saved, loaded elsewhere, and played on with another RNG: a step
// of a search.
func ExamplePool_Save() {
	pool, err := vec.New(vec.Config{Game: envtest.Toy(), Games: 2})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	batch := pool.NewBatch(nil)
	if err := pool.Reset(batch, vec.ResetOptions{Seeds: []uint64{7, 8}}); err != nil {
		log.Fatal(err)
	}
	state, err := pool.Save(0, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := pool.Load(1, state); err != nil {
		log.Fatal(err)
	}
	pool.Observe(batch)
	fmt.Println(batch.Tensor("game.seed").Uint64s())
	// Output: [7 7]
}

// Games that go on one by one: whichever are ready first get their actions first,
// and nobody waits for a slow game.
func ExamplePool_Send() {
	pool, err := vec.New(vec.Config{
		Game: envtest.Toy(), Games: 100, BatchSize: 25,
		Opponents: []string{"hunter", "wander", "wander", "hunter", "still"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	batch := pool.NewBatch(nil)
	seed := uint64(1)
	if err := pool.Reset(batch, vec.ResetOptions{Seed: &seed}); err != nil {
		log.Fatal(err)
	}
	returns := make([]float64, pool.Games())
	for range 200 {
		actions := make([]uint8, 25*2) // two components: everybody stays
		if err := pool.Send(batch.Games(), actions); err != nil {
			log.Fatal(err)
		}
		if err := pool.Recv(batch); err != nil {
			log.Fatal(err)
		}
		reward := batch.Tensor("reward").Float64s()
		for k, game := range batch.Games() {
			returns[game] += reward[k]
		}
	}
	fmt.Println(batch.Tensor("obs.board").Shape(), len(batch.Games()))
	// Output: (25, 3, 5, 9) 25
}
