package suitebot

import "pommego/env"

// View is what one seat may know, for agents written in Go: the state as the
// seat sees it, which is all of it but the RNG unless the rules have a
// ViewRadius. Then bombs out of sight are left out, agents out of sight are at
// NoCell, and fields out of sight are not Spent.
type View struct {
	Plan  *Plan
	Seat  int
	State State
	Sight Cells // the fields in sight
}

// See fills v with what seat sees. Points, home bases and what is counted of
// each player are known to all.
func (p *Plan) See(s *State, seat int, v *View) {
	v.Plan, v.Seat = p, seat
	v.State = *s
	v.State.RNG = env.RNG{}
	v.Sight = p.sight(s.Agents[seat])
	if p.sights == nil {
		return
	}
	seen := &v.State
	seen.Spent, seen.Blast = s.Spent.And(&v.Sight), s.Blast.And(&v.Sight)
	for other, at := range s.Agents[:p.rules.Players] {
		if !v.Sight.Has(at) {
			seen.Agents[other] = NoCell
		}
	}
	for k := range seen.fuses {
		for owner, f := range seen.fuses[k] {
			if f != 0 && !v.Sight.Has(f.cell()) {
				seen.fuses[k][owner] = 0
			}
		}
	}
}
