package suitebot

import (
	"fmt"
	"slices"
	"testing"

	"pommego/env"
)

// sentence is the test of one sentence of the document, in our words, or of one reading of
// what it leaves open.
type sentence struct {
	id     string
	says   string
	scenes []scene
	also   func(t *testing.T)
}

func (s *sentence) test(t *testing.T) {
	t.Log(s.says)
	for i := range s.scenes {
		s.scenes[i].play(t)
	}
	if s.also != nil {
		s.also(t)
	}
}

// sentences are those of how agents act and move.
var sentences = []sentence{
	{id: "S01", says: "agents move about and plant bombs that go off after a while", scenes: []scene{{
		reason: "it plants, walks off, and three rounds later nothing has happened yet",
		start: `H0   A0   .    .    .    .    H1
		        .    .    .    .    .    .    .
		        .    .    .    .    .    .    A1
		        .    .    .    .    .    .    .
		        .    .    .    .    .    .    .`,
		acts: []string{"b-", "v-", ">-", ">-", "--"},
		want: []string{
			`H0   A0+4a .   .    .    .    H1
			 .    .    .    .    .    .    .
			 .    .    .    .    .    .    A1
			 .    .    .    .    .    .    .
			 .    .    .    .    .    .    .`, "", "",
			`H0   1a   .    .    .    .    H1
			 .    .    .    A0   .    .    .
			 .    .    .    .    .    .    A1
			 .    .    .    .    .    .    .
			 .    .    .    .    .    .    .`,
			`H0+* *    *    .    .    .    H1
			 .    *    .    A0   .    .    .
			 .    .    .    .    .    .    A1
			 .    .    .    .    .    .    .
			 .    *    .    .    .    .    .`,
		},
	}}},
	{id: "S02", says: "an explosion destroys what is around it, for points", scenes: []scene{{
		reason: "a bomb at the edge collects its five fields",
		start: `H0   A0   .    .    .    .    H1
		        .    .    .    .    .    .    .
		        1b   .    .    .    .    .    A1
		        .    .    .    .    .    .    .
		        .    .    .    .    .    .    .`,
		acts: []string{"--"},
		want: []string{
			`H0   A0   .    .    .    .    H1+A1
			 *    .    .    .    .    .    .
			 *    *    .    .    .    .    *
			 *    .    .    .    .    .    .
			 .    .    .    .    .    .    .`},
		points: []int{0, 5},
	}}},
	{id: "S03", says: "the aim is as many points as possible", scenes: []scene{{
		reason: "4 points against 5",
		start: `H0   A0   .    .    .    .    H1
		        .    .    .    .    .    .    .
		        .    1a   _    .    .    1b   .
		        .    .    .    .    .    .    .
		        .    .    .    .    A1   .    .`,
		rules:  func(r *Rules) { r.Rounds = 1 },
		acts:   []string{"--"},
		points: []int{4, 5},
	}}, also: func(t *testing.T) {
		p := mustGame(t, Standard())
		s := State{StepCount: 100, Scores: [MaxPlayers]int32{4, 5, 3, -1}}
		if st := p.Status(&s); !st.Over || st.Result != env.Win || st.Winners != 1<<1 {
			t.Errorf("with 4, 5, 3 and -1 points the game stands at %+v, want player 1 to have won", st)
		}
	}},
	{
		id: "S04", says: "up, down, left, right, hold and plant_bomb are the legal actions, one a round",
		also: func(t *testing.T) {
			p := mustGame(t, Standard())
			from := p.At(10, 10)
			for action, to := range map[string]Cell{
				"hold": from, "up": p.At(10, 9), "down": p.At(10, 11), "left": p.At(9, 10), "right": p.At(11, 10),
				"plant_bomb": from,
			} {
				a := slices.Index(p.Spec().Actions[0].Names, action)
				if a < 0 || p.Next(from, Action(a)) != to {
					t.Errorf("action %q is number %d and leads from %d to %d, want to %d", action, a, from,
						p.Next(from, Action(a)), to)
				}
			}
			if n := p.Spec().Actions[0].N; n != 6 {
				t.Errorf("there are %d actions, want 6", n)
			}
		}},
	{id: "S05", says: "hold stays where it is", scenes: []scene{{
		reason: "hold changes nothing but the round",
		start:  `A0 . . . . . A1   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
		acts:   []string{"--", "--"},
		want:   []string{"", `A0 . . . . . A1   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`},
	}}},
	{id: "S06", says: "planting stays where it is", scenes: []scene{{
		reason: "both plant and stay",
		start:  `A0 . . . . . A1      . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
		acts:   []string{"bb"},
		want:   []string{`A0+4a . . . . . A1+4b   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`},
	}}},
	{id: "S07", says: "stepping on home bases and on bombs does nothing", scenes: []scene{{
		reason: "onto the own home base, onto an enemy's bomb, and off again",
		start:  `. A0 . A1 4a . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
		acts:   []string{"<>", "^>", "v-"},
		want: []string{
			`A0 . . . A1+3a . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
			`. . . . 2a A1 .      . . . . . . .   . . . . . . .   . . . . . . .   H0+A0 . . . . . H1`,
			`A0 . . . 1a A1 .     . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`},
	}}},
	{id: "S08", says: "two agents on one field collide and both die", scenes: []scene{
		{
			reason: "both move onto a field",
			start:  `. A0 . A1 . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
			acts:   []string{"><"},
			want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
		},
		{
			reason: "one moves onto another that holds",
			start:  `. A0 A1 . . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1`,
			acts:   []string{">-"},
			want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0+A0 . . . . . H1+A1`},
		},
		{
			reason: "three on one field all die, a fourth does not",
			rules:  func(r *Rules) { r.Players = 4 },
			start:  `. A0 . A1 . . .   . . A2 . . . .   . . . . . . .   . . . . . . A3   H0 . H2 . H3 . H1`,
			acts:   []string{"><^-"},
			want:   []string{`. . . . . . .   . . . . . . .   . . . . . . .   . . . . . . A3   H0+A0 . H2+A2 . H3 . H1+A1`},
		},
	}},
	{id: "S09", says: "two agents may swap places", scenes: []scene{{
		reason: "they swap, side by side and across the edge",
		rules:  func(r *Rules) { r.Players = 4 },
		start:  `. A0 A1 . . . .   . . . . . . .   A2 . . . . . A3   . . . . . . .   H0 . H2 . H3 . H1`,
		acts:   []string{"><<>"},
		want:   []string{`. A1 A0 . . . .   . . . . . . .   A3 . . . . . A2   . . . . . . .   H0 . H2 . H3 . H1`},
	}}},
	{id: "S10", says: "an agent that dies respawns on its home base in the same round", scenes: []scene{{
		reason: "killed by a bomb, it is home after the same round, and moves in the next",
		start:  `. . . . . . .   . . 1b A0 . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
		acts:   []string{"--", ">-"},
		want: []string{
			`. . * . . . .   . * * * . . .   . . * . . . .   . . . . . . A1   H0+A0 . . . . . H1`,
			`. . _ . . . .   . _ _ _ . . .   . . _ . . . .   . . . . . . A1   H0 A0 . . . . H1`},
	}}, also: func(t *testing.T) {
		p := mustGame(t, Standard())
		var s State
		p.Deal(&s, env.Seed{})
		rng := env.RNG{State: 4}
		actions := make([]uint8, 4)
		for !p.Over(&s) {
			if in := p.Status(&s).In; in != env.AllSeats(4) {
				t.Fatalf("after round %d players %04b are in, want all", s.StepCount, in)
			}
			randomActions(&rng, actions)
			p.Step(&s, actions)
		}
	}},
	{id: "S11", says: "a game has 100 rounds", also: func(t *testing.T) {
		p := mustGame(t, Standard())
		var s State
		p.Deal(&s, env.Seed{})
		for round := range 100 {
			if p.Over(&s) {
				t.Fatalf("over after %d rounds, want 100", round)
			}
			p.Step(&s, make([]uint8, 4))
		}
		if !p.Over(&s) {
			t.Error("not over after 100 rounds")
		}
	}},
	{
		id: "S12", says: "the plan is a torus: an agent that leaves at one edge enters at the opposite one",
		scenes: []scene{{
			reason: "out at each edge and in at the opposite one",
			rules:  func(r *Rules) { r.Players = 4 },
			start:  `. A0 . . . . .   A1 . . . . . A3   . . . . . . .   H0 H1 H2 H3 . . .   . . A2 . . . .`,
			acts:   []string{"^<v>", "v>^<"},
			want: []string{
				`. . A2 . . . .   A3 . . . . . A1   . . . . . . .   H0 H1 H2 H3 . . .   . A0 . . . . .`,
				`. A0 . . . . .   A1 . . . . . A3   . . . . . . .   H0 H1 H2 H3 . . .   . . A2 . . . .`},
		}}},
	{
		id: "S13", says: "[0,0] is the field at the top left, [width-1,height-1] at the bottom right",
		also: func(t *testing.T) {
			r := sceneRules()
			p := mustGame(t, r)
			if p.At(0, 0) != 0 || int(p.At(r.Width-1, r.Height-1)) != r.Width*r.Height-1 {
				t.Errorf("[0,0] is field %d and the opposite corner field %d, want the first and the last", p.At(0, 0),
					p.At(r.Width-1, r.Height-1))
			}
			if p.Next(p.At(0, 0), Right) != p.At(1, 0) || p.Next(p.At(0, 0), Down) != p.At(0, 1) {
				t.Error("right of [0,0] is not [1,0], or below it not [0,1]: x counts columns to the right, y rows down")
			}
		}},
	{id: "S14", says: "a bomb is planted on the planter's own field", scenes: []scene{{
		reason: "on its own field, wherever that is, a home base too",
		start:  `. . . A0 . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1+A1`,
		acts:   []string{"bb"},
		want:   []string{`. . . A0+4a . . .   . . . . . . .   . . . . . . .   . . . . . . .   H0 . . . . . H1+A1+4b`},
	}}},
	{id: "S15", says: "the planter has 4 rounds to get away; at the end of the 4th it goes off", scenes: []scene{
		{
			reason: "it gets away in the 4th round after planting",
			start:  `A0 . . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
			acts:   []string{"b-", "--", "--", ">-", ">-"},
			want: []string{"", "", "", `1a A0 . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
				`* * A0 . . . *   * . . . . . .   . . . . . . .   . . . . . . A1   H0+* . . . . . H1`},
		},
		{
			reason: "it stays one round too long",
			start:  `A0 . . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
			acts:   []string{"b-", "--", "--", "--", ">-"},
			want: []string{"", "", "", `A0+1a . . . . . .   . . . . . . .   . . . . . . .   . . . . . . A1   H0 . . . . . H1`,
				`* * . . . . *   * . . . . . .   . . . . . . .   . . . . . . A1   H0+A0+* . . . . . H1`},
		},
	}},
}

// TestSentences is the document, sentence by sentence.
func TestSentences(t *testing.T) {
	for _, sentence := range append(sentences, moreSentences...) {
		t.Run(sentence.id, sentence.test)
	}
}

// TestEverySentenceIsTested: sentences and readings are numbered without gaps, and each has
// a test. The document's last two sentences are those of package match's TestForfeit (S34, an
// answer after more than 200 ms forfeits the move) and TestGiveUp (S35, after none within
// 1000 ms the player holds to the end and is not asked again).
func TestEverySentenceIsTested(t *testing.T) {
	for letter, list := range map[string][]sentence{"S": append(sentences, moreSentences...), "R": readings} {
		for i, s := range list {
			if want := fmt.Sprintf("%s%02d", letter, i+1); s.id != want || s.says == "" {
				t.Errorf("%s says %q, want %s and what it says", s.id, s.says, want)
			}
			if len(s.scenes) == 0 && s.also == nil {
				t.Errorf("%s has no test", s.id)
			}
		}
		if want := map[string]int{"S": 33, "R": 15}[letter]; len(list) != want {
			t.Errorf("%d of %s, want %d", len(list), letter, want)
		}
	}
}
