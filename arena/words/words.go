package words

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Detail is how much a view tells.
type Detail int

// The details.
const (
	Full  Detail = iota
	Short        // the board, the seat's own numbers, the danger and the legal actions
)

// Game tells positions of one game.
type Game struct {
	head  *scene.Head
	spec  *env.Spec
	rules rules
}

// New makes a Game from a game's description and the head of its scenes.
func New(spec *env.Spec, head *scene.Head) (*Game, error) {
	g := &Game{head: head, spec: spec, rules: rules{FirstCollapse: -1}}
	text, err := json.Marshal(spec.Rules)
	if err == nil {
		err = json.Unmarshal(text, &g.rules)
	}
	if err != nil {
		return nil, fmt.Errorf("words: the rules of %s: %w", spec.ID, err)
	}
	return g, nil
}

// Alias is the letters of a seat's figures.
func (g *Game) Alias(seat int) string {
	var letters []byte
	for n := range g.spec.Actions {
		if g.moves(n) {
			letters = append(letters, g.letter(seat, n))
		}
	}
	return string(letters)
}

// moves reports whether a component of an action moves a figure.
func (g *Game) moves(component int) bool {
	return strings.HasPrefix(g.spec.Actions[component].Name, "move")
}

// letter is the letter of the n-th figure of a seat.
func (g *Game) letter(seat, n int) byte { return byte('A' + n*g.spec.Seats + seat) }

// number is which of its seat's figures one is.
func number(a *env.SceneAgent) int {
	if a.Name == "" {
		return 0
	}
	return int(a.Name[0] - 'a')
}

// mates reports whether two seats are in one team.
func (g *Game) mates(a, b int) bool {
	return slices.ContainsFunc(g.head.Teams, func(t []int) bool { return slices.Contains(t, a) && slices.Contains(t, b) })
}

// Legal is, for each component of an action, the names of the choices that a mask allows, all
// if it is nil.
func (g *Game) Legal(mask []uint8) [][]string {
	all, at := make([][]string, len(g.spec.Actions)), 0
	for i, c := range g.spec.Actions {
		for n, name := range c.Names {
			if mask == nil || mask[at+n] != 0 {
				all[i] = append(all[i], name)
			}
		}
		at += c.N
	}
	return all
}
