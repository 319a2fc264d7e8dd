package vec

import (
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/gamestate"
)

// Variants is several games that differ only in their rules. Each episode plays one:
// the one that its seed draws or, with ByGame, that of its game. Batches have the same
// shapes, bounds, seats and counts in all. The zero value is none.
type Variants struct {
	Games  []env.Game       // the first of them is Config.Game
	ByGame []int32          `wire:"rules_by_game"`
	forms  []gamestate.Form // the forms of their saved games
	blank  []env.Match      // a match of each that has not begun
}

func (v *Variants) pick(i int, seed env.Seed) int {
	if v.ByGame != nil {
		return int(v.ByGame[i])
	}
	rng := seed.RNG(env.StreamRules)
	return rng.IntN(len(v.Games))
}

// drawn returns the variant that an episode of game i draws, if it has the rules of variant k, else k.
func (v *Variants) drawn(i int, seed env.Seed, k int) int {
	if own := v.pick(i, seed); v.forms[own] == v.forms[k] {
		return own
	}
	return k
}

// fitting returns the first variant from k on by whose rules a match can be restored, and k if there is none.
func (v *Variants) fitting(k int, restore func(env.Match) error) int {
	for i := range v.Games {
		at := (k + i) % len(v.Games)
		if len(v.Games) > 1 && restore(v.Games[at].New(1)[0]) == nil {
			return at
		}
	}
	return k
}

// play changes the rules of a game to those of variant k. If the rules were others, the match must then be reset.
func (v *Variants) play(g *game, k int) {
	if g.variant != k {
		v.Games[k].Copy(g.match, v.blank[k])
		g.variant = k
	}
}

// Which returns what errors put behind the name of variant k: the first game that plays it or, without one, its number.
func (v *Variants) Which(k int) string {
	if game := slices.Index(v.ByGame, int32(k)); game >= 0 {
		return fmt.Sprintf(" of game %d", game)
	}
	return fmt.Sprintf("[%d]", k)
}

func (p *plan) resolveVariants() error {
	v := &p.cfg.Variants
	if v.Games = slices.Clone(v.Games); len(v.Games) == 0 {
		v.Games = []env.Game{p.cfg.Game}
	}
	if v.Games[0] != p.cfg.Game || slices.Contains(v.Games, nil) {
		return wrong("Variants.Games", " begin with another game than Config.Game, or one of them is nil")
	}
	v.ByGame, v.forms, v.blank = slices.Clone(v.ByGame), nil, nil
	if v.ByGame != nil && len(v.ByGame) != p.cfg.Games {
		return wrong("Variants.ByGame", " has %d entries, want %d, a number for each game", len(v.ByGame), p.cfg.Games)
	}
	for i, k := range v.ByGame {
		if k < 0 || int(k) >= len(v.Games) {
			return wrong("Variants.ByGame", "[%d] is %d, want 0 to %d", i, k, len(v.Games)-1)
		}
	}
	first := *p.spec
	for k, g := range v.Games {
		v.forms, v.blank = append(v.forms, gamestate.Of(g.Spec())), append(v.blank, g.New(1)[0])
		for i, want := range p.looks(p.spec) {
			if own := p.looks(g.Spec())[i]; own != want {
				return wrong("Variants", "%s: %s, want %s as by the first rules: rules of one environment have the same shapes, "+
					"bounds, seats and counts: make an environment for each", v.Which(k), own, want)
			}
		}
		if k > 0 { // of several variants, none's rules hold for all games
			first.Rules, first.MaxSteps = struct{}{}, max(first.MaxSteps, g.Spec().MaxSteps)
		}
	}
	if len(v.Games) > 1 {
		p.spec = &first
	}
	return nil
}

// looks returns what decides the shapes of batches and actions. It must be the same in all variants.
func (p *plan) looks(s *env.Spec) (all []string) {
	var fields []env.Field
	if e := s.Encoding(p.cfg.Observation); e >= 0 {
		fields = s.Encodings[e].Fields
	}
	if p.cfg.State {
		fields = slices.Concat(fields, s.State)
	}
	for _, f := range fields {
		all = append(all, fmt.Sprintf("the field %s has the shape %v and numbers from %v to %v (shared: %v)", f.Name, f.Shape,
			f.Low, f.High, f.Shared))
	}
	var counts []string
	for _, count := range s.Counts {
		counts = append(counts, count.Name)
	}
	return append(all, fmt.Sprintf("there are %d seats in teams %v with actions %v and counts %v", s.Seats, s.Teams,
		s.Actions, counts))
}
