package tournament_test

import (
	"context"
	"fmt"

	"pommego/arena/tournament"
	"pommego/env/catalog"
)

// Two agents play the same 40 seeds, each alone against three of a kind.
func Example() {
	game, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := tournament.New(game, tournament.Config{
		Format: tournament.OneAgainstThree, Against: "random",
		Agents: []string{"simple", "static"}, Games: 40, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := t.Run(context.Background(), tournament.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range report.Results.Agents {
		fmt.Printf("%s won %d of %d, %.0f to %.0f %%\n", a.Agent, a.Wins, a.Games, 100*a.Win.Low, 100*a.Win.High)
	}
	pair := report.Results.Pairs[0]
	fmt.Printf("on %d seeds %s alone won, on %d %s alone: p = %.2g\n", pair.RowOnly, pair.Row, pair.ColOnly, pair.Col,
		pair.P)
	// Output:
	// simple won 37 of 40, 80 to 97 %
	// static won 40 of 40, 91 to 100 %
	// on 0 seeds simple alone won, on 3 static alone: p = 0.25
}
