package suitebot

import (
	"testing"

	"pommego/env"
)

// moreSentences follow sentences: those of explosions, points and the order of
// a round.
var moreSentences = []sentence{
	{id: "S16", says: "an explosion kills all agents in reach", scenes: []scene{{
		reason: "two in reach die, one next to the blast does not",
		rules:  func(r *Rules) { r.Players = 4 },
		start:  `. . A1 . . . .   . . 1a A2 . . .   . . . A3 . . .   . . . . . . .   H0+A0 H1 H2 H3 . . .`,
		acts:   []string{"----"},
		want:   []string{`. . * . . . .   . * * * . . .   . . * A3 . . .   . . . . . . .   H0+A0 H1+A1 H2+A2 H3 . . .`},
	}}},
	{id: "S17", says: "an explosion collects the fields in reach", scenes: []scene{{
		reason: "the owner gets what the bomb reaches, wherever the owner is",
		start:  `. . . . . . .   . . 1a . . . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
		acts:   []string{"--"},
		want:   []string{`. . * . . . .   . * * * . . .   . . * . . . .   . . . . . . A0   H0 . . . . A1 H1`},
		points: []int{5, 0},
	}}},
	{id: "S18", says: "an explosion sets off every bomb in reach, and these others", scenes: []scene{
		{
			reason: "each sets off the next in the same round, whatever its countdown and owner",
			start:  `. . . . . . .   . 1a 3a 4a 2b . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
			acts:   []string{"--"},
			want:   []string{`. * * * * . .   * * * * * * .   . * * * * . .   . . . . . . A0   H0 . . . . A1 H1`},
			points: []int{9, 3}, // fields [3,1] and [4,1] are contested
		},
		{
			reason: "one set off sets off those behind it, back and forth",
			start:  `2a . . . . . .   3b . 1a 4b . . .   . 2b . . . . .   4a . . . . . A0   H0 . . . . A1 H1`,
			acts:   []string{"--"},
			want:   []string{`1a . * * . . .   2b * * * * . .   . 1b * * . . .   3a . . . . . A0   H0 . . . . A1 H1`},
		},
		{
			reason: "a bomb planted in this very round goes off with the others",
			start:  `. . . . . . .   . 1a A1 . . . .   . . . . . . .   . . . . . . A0   H0 . . . . . H1`,
			acts:   []string{"-b"},
			want:   []string{`. * * . . . .   * * * * . . .   . * * . . . .   . . . . . . A0   H0 . . . . . H1+A1`},
			points: []int{3, 3}, // both reach [1,1] and [2,1]
		},
	}},
	{id: "S19", says: "a bomb planted on a bomb replaces it, with a countdown of its own", scenes: []scene{
		{
			reason: "an old bomb of one's own is gone, the new one counts from 4",
			start:  `. A0+2a . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
			acts:   []string{"b-", "--", "--", "--", "--"},
			want: []string{
				`. A0+4a . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`, "",
				`. A0+2a . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`, "",
				`* * * . . . .       . * . . . . .   . . . . . . .   . . . . . . A1   H0+A0 * . . . . H1`},
		},
		{
			reason: "an opponent's bomb changes hands",
			start:  `. A0+3b . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
			acts:   []string{"b-"},
			want:   []string{`. A0+4a . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`},
		},
	}},
	{id: "S20", says: "so a player can replace an opponent's bomb by one of its own", scenes: []scene{{
		reason: "it would have gone off at the end of this round; four rounds later the other gets the points",
		start:  `. A0+1b . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
		acts:   []string{"b-", "v-", "v-", "--", "--"},
		want: []string{
			`. A0+4a . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`, "", "", "",
			`* * * . . . .       . * . . . . .   . A0 . . . . .   . . . . . . A1   H0 * . . . . H1`},
		points: []int{5, 0},
	}}},
	{id: "S21", says: "every field has 1 point, for the first explosion that hits it", scenes: []scene{{
		reason: "one point a field, three of five are left",
		start:  `. . _ . . . .   . . 1a _ . . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
		acts:   []string{"--"},
		points: []int{3, 0},
	}}, also: func(t *testing.T) {
		p := mustGame(t, Standard())
		var s State
		p.Deal(&s, env.Seed{})
		if s.Spent != (Cells{}) || p.rules.FieldPoints != 1 {
			t.Errorf("at the start %d fields are without points, and each gives %d; want none and 1", s.Spent.Len(),
				p.rules.FieldPoints)
		}
	}},
	{id: "S22", says: "a second explosion on the same field gives nothing", scenes: []scene{{
		reason: "two bombs on one place, one after the other",
		start:  `. . . . . . .   . . 1a . . . .   . . . . . . .   . . . . . . A1   H0 . A0 . . . H1`,
		acts:   []string{"--", "v-", "v-", "b-", "^-", "^-", "--", "--"},
		want: []string{
			`. . * . . . .   . * * * . . .   . . * . . . .   . . . . . . A1   H0 . A0 . . . H1`,
			`. . A0+_ . . . .   . _ _ _ . . .   . . _ . . . .   . . . . . . A1   H0 . . . . . H1`,
			`. . _ . . . .   . _ A0+_ _ . . .   . . _ . . . .   . . . . . . A1   H0 . . . . . H1`, "", "", "", "",
			`. . * . . . .   . * * * . . .   . . * . . . .   . . . . . . A1   H0 . A0 . . . H1`},
		points: []int{5, 0},
	}}},
	{id: "S23", says: "killing an opponent gives 10 points", scenes: []scene{{
		reason: "ten for each opponent, here two, and the five fields",
		rules:  func(r *Rules) { r.Players = 4 },
		start:  `. . A1 . . . .   . . 1a A2 . . .   . . . A3 . . .   . . . . . . .   H0+A0 H1 H2 H3 . . .`,
		acts:   []string{"----"},
		points: []int{25, 0, 0, 0},
	}}},
	{id: "S24", says: "dying in an explosion costs nothing", scenes: []scene{{
		reason: "by one's own bomb and by an opponent's: home again, and no points less",
		start:  `. . . . . . .   A0+1a A1 . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
		acts:   []string{"--"},
		want:   []string{`* . . . . . .   * * . . . . *   * . . . . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
		points: []int{15, 0},
	}}},
	{id: "S25", says: "the most points after the last round win", also: func(t *testing.T) {
		p := mustGame(t, Standard())
		for _, tc := range []struct {
			scores  [MaxPlayers]int32
			winners env.SeatSet
			reason  string
		}{
			{[MaxPlayers]int32{3, 40, 12, 39}, 1 << 1, "the most"},
			{[MaxPlayers]int32{0, 0, 0, 1}, 1 << 3, "a single point"},
			{[MaxPlayers]int32{7, 6, 6, 6}, 1 << 0, "by one"},
		} {
			s := State{StepCount: 99, Scores: tc.scores}
			if st := p.Status(&s); st.Over || st.Winners != 0 {
				t.Errorf("%s: one round before the end the game stands at %+v", tc.reason, st)
			}
			s.StepCount = 100
			if st := p.Status(&s); st.Winners != tc.winners {
				t.Errorf("%s: with %v the winners are %b, want %b", tc.reason, tc.scores, st.Winners, tc.winners)
			}
		}
	}},
	{
		id: "S26", says: "a field reached in one round by bombs of two players is given to neither",
		scenes: []scene{contest}, also: func(t *testing.T) {
			if _, s := contest.play(t); s.Contested() != 1 {
				t.Errorf("%d fields are contested, want 1", s.Contested())
			}
		}},
	{id: "S27", says: "a field reached by two bombs of one player is given to that player", scenes: []scene{{
		reason: "[3,1] is in reach of two bombs of player 0 and counts once",
		start:  `. . . . . . .   . . 1a . 2a . .   . . . 4a . . .   . . . . . . A0   H0 . . . . A1 H1`,
		acts:   []string{"--", "--", "--"},
		points: []int{9, 0}, // [3,1] sets neither of the others off; 5 and then 4
	}, {
		reason: "in one round: a chain of two of one player",
		start:  `. . . . . . .   . . 1a 3a . . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
		acts:   []string{"--"},
		points: []int{8, 0},
	}}},
	{id: "S28", says: "the same holds for kills", scenes: []scene{
		{
			reason: "an agent in reach of bombs of two opponents dies for nobody",
			rules:  func(r *Rules) { r.Players = 3 },
			start:  `. . . . . . .   . . 1a A2 1b . .   . . . . . . .   . . . . . . A0   H0 . . H2 . A1 H1`,
			acts:   []string{"---"},
			want:   []string{`. . * . * . .   . * * * * * .   . . * . * . .   . . . . . . A0   H0 . . H2+A2 . A1 H1`},
			points: []int{4, 4, 0},
		},
		{
			reason: "of two bombs of one opponent: ten, once",
			rules:  func(r *Rules) { r.Players = 3 },
			start:  `. . . . . . .   . . 1a A2 3a . .   . . 2a 4a . . .   . . . . . . A0   H0 . . H2 . A1 H1`,
			acts:   []string{"---"},
			points: []int{20, 0, 0},
		},
	}},
	{id: "S29", says: "order: moves come before collisions", scenes: []scene{{
		reason: "they stand side by side, move apart, and do not collide; a third moves where one was",
		rules:  func(r *Rules) { r.Players = 3 },
		start:  `. . A0 A1 . . .   . . A2 . . . .   . . . . . . .   . . . . . . .   H0 . . H2 . . H1`,
		acts:   []string{"<>^"},
		want:   []string{`. A0 A2 . A1 . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . H2 . . H1`},
	}}},
	{id: "S30", says: "order: collisions come before planting", scenes: []scene{{
		reason: "player 1 plants where player 0 walks in: both are dead before there is a bomb",
		start:  `. . A0 A1 . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
		acts:   []string{">b"},
		want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
	}}},
	{id: "S31", says: "order: planting comes before explosions", scenes: []scene{{
		reason: "the bomb planted on one that is due stops it, so nothing explodes",
		start:  `. . A0+1b . A1 . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
		acts:   []string{"b-"},
		want:   []string{`. . A0+4a . A1 . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`},
	}}},
	{id: "S32", says: "order: explosions come before respawning", scenes: []scene{{
		reason: "player 1 dies at [3,0] and respawns on its home base, where the blast was just before",
		start:  `. . . A1 . . .   . . . 1b . . .   . . . . . . .   . . . . . . 1a   H0+A0 . . . . . H1`,
		acts:   []string{"--"},
		want:   []string{`. . . * . . .   . . * * * . .   . . . * . . *   * . . . . * *   H0+A0 . . . . . H1+A1+*`},
		points: []int{5, 5},
	}}},
	{
		id: "S33", says: "order: the dead respawn, and an agent on an enemy's home base dies and respawns",
		scenes: []scene{
			{
				reason: "on an enemy's home base: home again, for no points",
				start:  `. . . . . . .   . . . . . . .   . . . . . . .   . . . . . A1 .   H0 . . . . A0 H1`,
				acts:   []string{">-"},
				want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . A1 .   H0+A0 . . . . . H1`},
				points: []int{0, 0},
			},
			{
				reason: "player 1 dies in the blast and respawns under player 0, who dies of that base",
				start:  `. . . A1 . . .   . . . 1b . . .   . . . . . . .   . . . . . . .   H0 . . . . A0 H1`,
				acts:   []string{">-"},
				want:   []string{`. . . * . . .   . . * * * . .   . . . * . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
			},
			{
				reason: "each on the other's base at once: judged together, both are home",
				start:  `. . . . . . .   . . . . . . .   . . . . . . .   A1 . . . . . A0   H0 . . . . . H1`,
				acts:   []string{"vv"},
				want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
			},
			{
				reason: "the round before last it plants on the enemy's base, and the bomb is there",
				start:  `. . . . . . .   . . . . . . .   . . . . . . .   . . . . . A1 .   H0 . . . . A0 H1`,
				acts:   []string{"b-"},
				want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . A1 .   H0 . . . . A0+4a H1`},
			},
		}},
}

var contest = scene{
	reason: "[3,1] is in reach of both and lost to both; the others count",
	start:  `. . . . . . .   . . 1a . 1b . .   . . . . . . .   . . . . . . A0   H0 . . . . A1 H1`,
	acts:   []string{"--"},
	want:   []string{`. . * . * . .   . * * * * * .   . . * . * . .   . . . . . . A0   H0 . . . . A1 H1`},
	points: []int{4, 4},
}
