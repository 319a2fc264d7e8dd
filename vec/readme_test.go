package vec_test

import (
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"pommego/env/catalog"
	"pommego/vec"
)

// Example_pommerman is what the README shows, with the errors looked at.
func Example_pommerman() {
	game, err := catalog.Game("PommeTeamCompetition-v0")
	check(err)
	pool, err := vec.New(vec.Config{Game: game, Games: 1024})
	check(err)
	defer pool.Close()
	batch := pool.NewBatch(nil)
	err = pool.Reset(batch, vec.ResetOptions{})
	check(err)
	actions := make([]uint8, pool.Rows())
	err = pool.Step(batch, actions)
	check(err)
	planes := batch.Tensor("obs.planes")
	fmt.Println(planes.Shape())
	// Output: (4096, 18, 11, 11)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// TestReadmeShowsTheExample looks for every line of the README's Go in it.
func TestReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(readme), "```go\n")
	code, _, ended := strings.Cut(code, "```")
	if !found || !ended {
		t.Fatal("the README shows no Go")
	}
	for line := range strings.Lines(code) {
		statement, _, _ := strings.Cut(line, "//")
		if statement = strings.TrimSpace(statement); !strings.Contains(string(example), "\t"+statement+"\n") {
			t.Errorf("the README's line %q is not in the example", statement)
		}
	}
}
