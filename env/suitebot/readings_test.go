package suitebot

import (
	"testing"

	"pommego/env"
)

// readings are the tests of what the document leaves open: the default and, in brackets, the
// field that can be something else.
var readings = []sentence{
	{id: "R01", says: "size and players: 20 by 20 and 4; any from 5 to 32 and from 2 to 8", also: func(t *testing.T) {
		r := Standard()
		if r.Width != 20 || r.Height != 20 || r.Players != 4 {
			t.Errorf("the standard is %d by %d with %d players, want 20 by 20 with 4", r.Width, r.Height, r.Players)
		}
		for _, tc := range []struct {
			width, height, players int
			ok                     bool
		}{{5, 32, 2, true}, {32, 5, 8, true}, {4, 20, 4, false}, {20, 33, 4, false}, {20, 20, 1, false}, {20, 20, 9, false}} {
			r.Width, r.Height, r.Players = tc.width, tc.height, tc.players
			if err := r.Validate(); (err == nil) != tc.ok {
				t.Errorf("%d by %d with %d players: error %v, want one: %v", tc.width, tc.height, tc.players, err, !tc.ok)
			}
		}
	}},
	{id: "R02", says: "home bases are spread evenly, the same for all by translation (home_layout)", also: testHomes},
	{
		id: "R03", says: "a bomb reaches three fields each way in a cross, or in a square (blast_radius, blast_shape)",
		also: func(t *testing.T) {
			p := mustGame(t, Standard())
			if got := p.Reach(p.At(10, 10)); got.Len() != 13 || !got.Has(p.At(10, 7)) || !got.Has(p.At(13, 10)) ||
				got.Has(p.At(10, 6)) || got.Has(p.At(11, 11)) {
				t.Errorf("the standard bomb reaches %d fields, want the 13 of a cross of 3", got.Len())
			}
		}, scenes: []scene{
			{
				reason: "a square of radius 1",
				rules:  func(r *Rules) { r.BlastShape = Square },
				start:  `. . . . . . .   . . 1a . . . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
				acts:   []string{"--"},
				want:   []string{`. * * * . . .   . * * * . . .   . * * * . . .   . . . . . . A0   H0 . . . . A1 H1`},
				points: []int{9, 0},
			},
			{
				reason: "a cross of radius 2",
				rules:  func(r *Rules) { r.BlastRadius = 2 },
				start:  `. . . . . . .   . . . . . . .   . . . 1a . . .   . . . . . . A0   H0 . . . . A1 H1`,
				acts:   []string{"--"},
				want:   []string{`. . . * . . .   . . . * . . .   . * * * * * .   . . . * . . A0   H0 . . * . A1 H1`},
				points: []int{9, 0},
			},
			{
				reason: "radius 0: only its own field",
				rules:  func(r *Rules) { r.BlastRadius = 0 },
				start:  `. . . . . . .   . . . . . . .   . . . 1a 1b . .   . . . . . . A0   H0 . . . . A1 H1`,
				acts:   []string{"--"},
				points: []int{1, 1},
			},
		}},
	{id: "R04", says: "nothing stops a blast", scenes: []scene{{
		reason: "agents, home bases, bombs and empty fields are no cover",
		rules:  func(r *Rules) { r.BlastRadius, r.Players = 3, 3 },
		start:  `. . . . . . .   1a 2b H2 A2 . . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
		acts:   []string{"---"},
		want: []string{
			`* * . . . . .   * * H2+A2+* * * * *   * * . . . . .   * * . . . . A0   H0+* * . . . A1 H1`},
	}}},
	{id: "R05", says: "a field that a blast reaches twice around the torus counts once", scenes: []scene{{
		reason: "a ray of 5 on a plan of 7 by 5 goes round twice: 7 + 4 fields",
		rules:  func(r *Rules) { r.BlastRadius = 5 },
		start:  `. . . . . . .   . . 1a . . . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
		acts:   []string{"--"},
		want:   []string{`. . * . . . .   * * * * * * *   . . * . . . .   . . * . . . A0   H0 . * . . A1 H1`},
		points: []int{11, 0},
	}}},
	{id: "R06", says: "a bomb of round t goes off at the end of round t+4 (bomb_delay)", scenes: []scene{{
		reason: "a delay of 1: planted, and gone at the end of the next round",
		rules:  func(r *Rules) { r.BombDelay = 1 },
		start:  `. . . . . . .   . . A0 . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
		acts:   []string{"b-", "--"},
		want: []string{
			`. . . . . . .   . . A0+1a . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
			`. . * . . . .   . * * * . . .       . . * . . . .   . . . . . . A1   H0+A0 . . . . . H1`},
	}}, also: func(t *testing.T) {
		for delay := 1; delay <= MaxDelay; delay++ {
			r := Standard()
			r.BombDelay = delay
			p := mustGame(t, r)
			var s State
			p.Deal(&s, env.Seed{})
			p.Step(&s, []uint8{uint8(PlantBomb), 0, 0, 0})
			for round := 1; round <= delay; round++ {
				if s.Spent != (Cells{}) {
					t.Fatalf("delay %d: gone off before round t+%d", delay, round)
				}
				p.Step(&s, make([]uint8, 4))
			}
			if s.Spent == (Cells{}) {
				t.Errorf("delay %d: not gone off at the end of round t+%d", delay, delay)
			}
		}
	}},
	{id: "R07", says: "an agent that died before planting does not plant (dead_plant)", scenes: []scene{
		{
			reason: "the collided plant nothing",
			start:  `. . A0 A1 . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
			acts:   []string{">b"},
			want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
		},
		{
			reason: "dead_plant: it plants where it lies",
			rules:  func(r *Rules) { r.DeadPlant = true },
			start:  `. . A0 A1 . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
			acts:   []string{">b"},
			want:   []string{`. . . 4b . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
		},
	}},
	{
		id: "R08", says: "nobody scores for collisions and deaths on home bases (collision_points, home_points)",
		scenes: []scene{
			{
				reason: "neither a collision nor a base gives points",
				rules:  func(r *Rules) { r.Players = 3 },
				start:  `. . A0 A1 . . .   . . . . . . .   . . . . . . .   . . . . . . A2   H0 . . H2 . . H1`,
				acts:   []string{">-v"},
				points: []int{0, 0, 0},
			},
			{
				reason: "collision_points for each in it, home_points for the base's owner",
				rules:  func(r *Rules) { r.Players, r.CollisionPoints, r.HomePoints = 3, 4, 6 },
				start:  `. . A0 A1 . . .   . . . . . . .   . . . . . . .   . . . . . . A2   H0 . . H2 . . H1`,
				acts:   []string{">-v"},
				points: []int{4, 10, 0},
			},
		}},
	{id: "R09", says: "the victim's own bomb contests a kill (own_bombs_contest)", scenes: []scene{
		{
			reason: "the victim's own bomb is in it: nobody's kill",
			start:  `. . . . . . .   . . 1a A1 1b . .   . . . . . . .   . . . . . . A0   H0 . . . . . H1`,
			acts:   []string{"--"},
			points: []int{4, 4},
		},
		{
			reason: "own_bombs_contest off: the opponent's kill",
			rules:  func(r *Rules) { r.OwnBombsContest = false },
			start:  `. . . . . . .   . . 1a A1 1b . .   . . . . . . .   . . . . . . A0   H0 . . . . . H1`,
			acts:   []string{"--"},
			points: []int{14, 4},
		},
		{
			reason: "off, and two opponents besides: contested between them",
			rules:  func(r *Rules) { r.OwnBombsContest, r.Players = false, 3 },
			start:  `. . . . . . .   . . 1a A1 1b . .   . . . 1c . . .   . . . . . . A0   H0 . . H2+A2 . . H1`,
			acts:   []string{"---"},
			points: []int{3, 3, 2}, // [2,2] and [4,2] are contested too
		},
	}},
	{id: "R10", says: "by its own bombs alone: nobody scores (self_kill_points)", scenes: []scene{
		{
			reason: "killed by its own two bombs: the fields and no more",
			start:  `. . . . . . .   . . . A1 1b . .   . . . . . . .   . . . . . . A0   H0 . . . . . H1`,
			acts:   []string{"--"},
			points: []int{0, 5},
		},
		{
			reason: "self_kill_points: here minus 3",
			rules:  func(r *Rules) { r.SelfKillPoints = -3 },
			start:  `. . . . . . .   . . . A1 1b . .   . . . . . . .   . . . . . . A0   H0 . . . . . H1`,
			acts:   []string{"--"},
			points: []int{0, 2},
		},
	}},
	{id: "R11", says: "agents start on their home bases (start)", also: testStarts},
	{id: "R12", says: "everything is seen (view_radius)", also: testSight},
	{id: "R13", says: "collided agents in a blast are dead already (dead_kills)", scenes: []scene{
		{
			reason: "collided in a blast: no kill",
			rules:  func(r *Rules) { r.Players = 3 },
			start:  `. . . . . . .   . . 1a A1 A2 . .   . . . . . . .   . . . . . . A0   H0 . . H2 . . H1`,
			acts:   []string{"--<"},
			points: []int{5, 0, 0},
		},
		{
			reason: "dead_kills: both are killed again",
			rules:  func(r *Rules) { r.Players, r.DeadKills = 3, true },
			start:  `. . . . . . .   . . 1a A1 A2 . .   . . . . . . .   . . . . . . A0   H0 . . H2 . . H1`,
			acts:   []string{"--<"},
			points: []int{25, 0, 0},
		},
	}},
	{id: "R14", says: "the dead respawn first, then home bases are judged together (home_deaths)", scenes: []scene{
		{
			reason: "at the end: it still plants on the enemy's base, and a blast there is a kill",
			rules:  func(r *Rules) { r.Players = 3 },
			start:  `. . . . . . .   . . . . . . .   . . . . . . .   . . . . . A1 1b   H0 . . H2+A2 . A0 H1`,
			acts:   []string{">--"},
			points: []int{0, 15, 0},
		},
		{
			reason: "after the moves: dead before the blast, so no kill",
			rules:  func(r *Rules) { r.Players, r.HomeDeaths = 3, AfterMoves },
			start:  `. . . . . . .   . . . . . . .   . . . . . . .   . . . . . A1 1b   H0 . . H2+A2 . A0 H1`,
			acts:   []string{">--"},
			want:   []string{`. . . . . . .   . . . . . . .   . . . . . . *   * . . . . * *   H0+A0 . . H2+A2 . . H1+A1+*`},
			points: []int{0, 5, 0},
		},
		{
			reason: "after the moves with dead_kills: killed again",
			rules:  func(r *Rules) { r.Players, r.HomeDeaths, r.DeadKills = 3, AfterMoves, true },
			start:  `. . . . . . .   . . . . . . .   . . . . . . .   . . . . . A1 1b   H0 . . H2+A2 . A0 H1`,
			acts:   []string{">--"},
			points: []int{0, 15, 0},
		},
		{
			reason: "at the end: those that collide on a base are away by then, so no home_points",
			rules:  func(r *Rules) { r.Players, r.HomePoints = 3, 6 },
			start:  `. . . . . . .   . A1 . . . . .   . . . . . . .   . . . . . . A2   H0 . . H2 . A0 H1`,
			acts:   []string{">-v"},
			points: []int{0, 0, 0},
		},
		{
			reason: "after the moves: each of them gives home_points",
			rules:  func(r *Rules) { r.Players, r.HomePoints, r.HomeDeaths = 3, 6, AfterMoves },
			start:  `. . . . . . .   . A1 . . . . .   . . . . . . .   . . . . . . A2   H0 . . H2 . A0 H1`,
			acts:   []string{">-v"},
			points: []int{0, 12, 0},
		},
	}, also: testBasesInAnyOrder},
	{id: "R15", says: "equal points share the first place (shared_first)", also: func(t *testing.T) {
		scores := [MaxPlayers]int32{9, 4, 9, 2}
		for _, tc := range []struct {
			shared  bool
			scores  [MaxPlayers]int32
			result  env.Result
			winners env.SeatSet
			outcome []float64
		}{
			{true, scores, env.Win, 0b0101, []float64{1, -1, 1, -1}},
			{false, scores, env.Tie, 0, []float64{0, 0, 0, 0}},
			{true, [MaxPlayers]int32{3, 3, 3, 3}, env.Tie, 0, []float64{0, 0, 0, 0}},
			{false, [MaxPlayers]int32{3, 5, 3, 3}, env.Win, 0b0010, []float64{-1, 1, -1, -1}},
		} {
			r := Standard()
			r.SharedFirst = tc.shared
			p := mustGame(t, r)
			s := State{StepCount: 100, Scores: tc.scores}
			st, outcome := p.Status(&s), make([]float64, 4)
			env.Outcome(st.Winners, outcome)
			for seat := range outcome {
				if outcome[seat] != tc.outcome[seat] || st.Result != tc.result || st.Winners != tc.winners {
					t.Fatalf("shared_first %v, points %v: %v, winners %b, outcome %v; want %v, %b, %v", tc.shared, tc.scores,
						st.Result, st.Winners, outcome, tc.result, tc.winners, tc.outcome)
				}
			}
		}
	}},
}

// TestReadings is the readings, one by one.
func TestReadings(t *testing.T) {
	for _, reading := range readings {
		t.Run(reading.id, reading.test)
	}
}
