package suitebot

import (
	"pommego/env"
	"pommego/env/seat"
)

var countNames = []env.Name{
	{Name: "points", Meaning: "points, by which the game is won"},
	{Name: "fields", Meaning: "fields collected"},
	{Name: "kills", Meaning: "opponents killed by the seat's bombs alone"},
	{Name: "deaths", Meaning: "deaths of the seat's agent, from any cause"},
}

// tracker follows a match: env.Tracker. The state holds all that is counted. To find
// events, it plays a round phase by phase.
type tracker struct {
	env.Stateless
	seat.EventLog
	game *Game
}

// NewTrackers makes trackers: env.Game.
func (g *Game) NewTrackers(n int, events bool) []env.Tracker {
	return seat.NewTrackers(n, tracker{game: g, EventLog: seat.EventLog{Wanted: events}})
}

func (k *tracker) Counts(m env.Match, seat int, dst []int32) {
	s := &m.(*Match).State
	dst[0], dst[1], dst[2], dst[3] = s.Scores[seat], int32(s.Collected[seat]), int32(s.Kills[seat]), int32(s.Deaths[seat])
}

// Step plays one round, and notes events between its phases if anyone wants them.
func (k *tracker) Step(m env.Match, actions []uint8) {
	if !k.StartStep() {
		m.Step(actions)
		return
	}
	k.game = m.(*Match).game
	k.game.step(&m.(*Match).State, actions, k)
}

func (k *tracker) laid(s *State, planters env.SeatSet) {
	for seat := range planters.All {
		k.Note(env.Laid, seat, 0, k.game.place(s.Agents[seat]), "")
	}
}

// exploded notes the bombs that exploded, first those that were due, and whom they
// killed.
func (k *tracker) exploded(s *State, e *explosion, due *volley, killed env.SeatSet) {
	g := k.game
	for i, b := range e.bombs[:e.n] {
		by := env.SeatSet(0)
		for _, other := range e.bombs[:i] {
			if due[b.owner] == fuseAt(Cell(b.at)) {
				break
			}
			if reach := g.reach(Cell(other.at)); reach[b.at>>6]>>(b.at&63)&1 != 0 {
				by = by.With(int(other.owner))
			}
		}
		k.Note(env.Exploded, int(b.owner), by, g.place(Cell(b.at)), "")
	}
	for seat := range killed.All {
		k.Note(env.Died, seat, g.reaching(e, s.Agents[seat]), g.place(s.Agents[seat]), "")
	}
}

// died notes agents that died of something other than a bomb.
func (k *tracker) died(s *State, dead env.SeatSet, of string) {
	for seat := range dead.All {
		k.Note(env.Died, seat, 0, k.game.place(s.Agents[seat]), of)
	}
}
