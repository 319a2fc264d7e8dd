package bots

import (
	"pommego/env/search"
	"pommego/env/seat"
	"pommego/env/suitebot"
)

// searcher plans every move by simulation.
type searcher struct {
	seat.Forgetful
	settings search.Settings
	search.Memo
}

func newSearcher(s search.Settings) suitebot.Bot {
	return &searcher{settings: s, Memo: search.Memo{Bytes: search.Bytes[suitebot.State](&s)}}
}

// workspace is what a decision by search needs. It is lent to agents while they
// act.
type workspace struct {
	world    world
	root     suitebot.State
	searcher search.Searcher[suitebot.State]
}

var workspaces search.Workspaces[workspace]

func (a *searcher) Act(v *suitebot.View, action []uint8) {
	action[0] = uint8(suitebot.Hold)
	a.Forget()
	w := workspaces.Lend(a.Bytes)
	defer workspaces.GiveBack(a.Bytes, w)
	w.world.plan, w.world.seat = v.Plan, v.Seat
	w.root = imagine(v)
	if v.Plan.Over(&w.root) {
		return
	}
	found := w.searcher.Search(&w.world, &w.root, &a.settings, a.Limit(a.settings.Budget), &a.RNG)
	a.Ticks, action[0] = found.Ticks, uint8(found.Move)
	a.Keep(0, found.Tried)
}
