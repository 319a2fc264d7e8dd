package bots

import (
	"time"

	"pommego/env/basewar"
	"pommego/env/search"
	"pommego/env/seat"
)

// searcher plans every action by simulation. If it moves a whole side, it plans
// its bombers one after the other, each with its share of the budget and with the
// actions of those before it in this round known.
type searcher struct {
	seat.Forgetful
	settings search.Settings
	search.Memo
}

func newSearcher(s search.Settings) basewar.Bot {
	return &searcher{settings: s, Memo: search.Memo{Bytes: search.Bytes[basewar.State](&s)}}
}

type workspace struct {
	world    world
	searcher search.Searcher[basewar.State]
}

var workspaces search.Workspaces[workspace]

func (a *searcher) Act(v *basewar.View, action []uint8) {
	clear(action)
	a.Forget()
	r := v.Game.Rules()
	if r.Over(&v.State) {
		return
	}
	own := r.Own(v.Seat)
	living := 0
	for _, id := range own {
		if v.State.Bombers[id].Alive() {
			living++
		}
	}
	w := workspaces.Lend(a.Bytes)
	defer workspaces.GiveBack(a.Bytes, w)
	w.world.begin(v)
	for i, id := range own {
		if !v.State.Bombers[id].Alive() {
			continue
		}
		w.world.id = int(id)
		found := w.searcher.Search(&w.world, &v.State, &a.settings, a.Limit(a.share(living)), &a.RNG)
		a.Ticks += found.Ticks
		a.Keep(i*choices, found.Tried)
		action[i] = uint8(found.Move)
		w.world.fixed[id] = basewar.Action(found.Move)
	}
}

func (a *searcher) share(n int) search.Budget {
	budget := a.settings.Budget
	share := search.Budget{Time: budget.Time / time.Duration(n)}
	if budget.Ticks > 0 {
		share.Ticks = max(1, budget.Ticks/n)
	}
	return share
}
