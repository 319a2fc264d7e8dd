package tournament

import (
	"slices"
	"testing"
	"time"

	"pommego/env"
)

// recorded makes the records of a tournament from the outcomes of its games:
// for each game the winning side's entrant, -1 for a tie.
func recorded(s *schedule, winners ...int) []Record {
	records := make([]Record, len(winners))
	for i, winner := range winners {
		f := s.game(i)
		r := Record{Played: f.Played}
		r.Steps = 100 + i
		for seat, e := range s.entrantsOf(&f) {
			result := env.Lost
			switch winner {
			case e:
				result = env.Won
			case -1:
				result = env.Tied
			}
			r.Result, r.Outcome = append(r.Result, result), append(r.Outcome, 0)
			r.Moves = append(r.Moves, 10*(e+1))
			r.Ticks = append(r.Ticks, uint64(1000*(e+1)))
			r.Late = append(r.Late, e)
			r.Failed = append(r.Failed, 2*e)
			r.Gone = append(r.Gone, 3*e)
			r.Clock.Think = append(r.Clock.Think, time.Second)
			r.Clock.Longest = append(r.Clock.Longest, time.Duration(i+seat))
		}
		records[i] = r
	}
	return records
}

// entrantsOf are the entrants of a game by seat.
func (s *schedule) entrantsOf(f *fixture) (seats []int) {
	for _, name := range f.Agents {
		seats = append(seats, slices.Index(s.entrants, name))
	}
	return seats
}

// tournamentOf makes a tournament without asking whether its agents exist.
func tournamentOf(t *testing.T, id string, c Config) *Tournament {
	t.Helper()
	g := game(t, id)
	if err := c.Validate(g.Spec()); err != nil {
		t.Fatal(err)
	}
	tour := &Tournament{Game: g, Config: c}
	tour.schedule = newSchedule(&tour.Config, g.Spec())
	return tour
}

func reportOf(t *testing.T, tour *Tournament, winners ...int) *Report {
	t.Helper()
	report, err := tour.report(recorded(tour.schedule, winners...), "test")
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestGauntletResults counts a tournament small enough to be counted by hand:
// agents a and b, four rounds against x (entrant 2). The games are a, b, a, b...
func TestGauntletResults(t *testing.T) {
	tour := tournamentOf(t, ffaID, Config{Format: OneAgainstThree, Agents: []string{"a", "b"}, Against: "x", Games: 4})
	// Seeds: only a won, both won, only a won, neither (a tie for b).
	report := reportOf(t, tour, 0, 2, 0, 1, 0, 2, 2, -1)
	r := report.Results
	a, b := r.Agents[0], r.Agents[1]
	if a.Games != 4 || a.Wins != 3 || a.Losses != 1 || a.Ties != 0 {
		t.Errorf("a: %+v, want 3 wins and a loss", a)
	}
	if b.Games != 4 || b.Wins != 1 || b.Losses != 2 || b.Ties != 1 {
		t.Errorf("b: %+v, want a win, two losses and a tie", b)
	}
	if a.Win.Value != 0.75 || a.Loss.Value != 0.25 || a.Tie.Value != 0 || b.Tie.Value != 0.25 {
		t.Errorf("rates of a %v %v %v, of b's ties %v", a.Win, a.Loss, a.Tie, b.Tie)
	}
	if a.Moves != 40 || a.Ticks != 100 || b.Moves != 80 || b.Ticks != 100 || b.Late != 4 || b.Failed != 8 ||
		b.Gone != 12 {
		t.Errorf("a made %d moves of %v ticks, b %d of %v with %d late, %d failed, %d not asked", a.Moves, a.Ticks, b.Moves,
			b.Ticks, b.Late, b.Failed, b.Gone)
	}
	if a.Steps.Value != 103 || b.Steps.Value != 104 {
		t.Errorf("steps %v and %v, want 103 and 104", a.Steps.Value, b.Steps.Value)
	}
	if a.Sides[1].Games != 1 || a.Sides[0].Wins != 1 || a.Sides[3].Wins != 0 {
		t.Errorf("sides of a: %+v", a.Sides)
	}
	if !(a.Rating.Value > b.Rating.Value) || r.Anchor != "x" || !r.Balanced || r.Played != 8 {
		t.Errorf("ratings %v and %v around %s, %d games, balanced %v", a.Rating, b.Rating, r.Anchor, r.Played, r.Balanced)
	}
	p := r.Pairs[0]
	if len(r.Pairs) != 1 || p.RowOnly != 2 || p.ColOnly != 0 || p.Both != 1 || p.Neither != 1 || p.Share == nil ||
		*p.Share != 1 || p.P != 0.5 {
		t.Errorf("pair %+v, want 2 to 0, both once, neither once, p = 1/2", p)
	}
	time0 := report.Timing.Agents[0]
	if time0.Moves != 40 || time0.Total != 4*time.Second || time0.Mean != 100*time.Millisecond ||
		time0.TicksPerSecond != 1000 || time0.Longest != 9 {
		t.Errorf("timing of a: %+v", time0)
	}
}

// TestRoundRobinResults: only agents who met in a game are compared on it.
func TestRoundRobinResults(t *testing.T) {
	tour := tournamentOf(t, duelID, Config{Format: RoundRobin, Agents: []string{"a", "b", "c"}, Games: 2})
	// Tables ab, ac, bc, twice.
	r := reportOf(t, tour, 0, 0, 1, 1, -1, 1).Results
	want := []Pair{
		{Row: "a", Col: "b", RowOnly: 1, ColOnly: 1},
		{Row: "a", Col: "c", RowOnly: 1, Neither: 1},
		{Row: "b", Col: "c", RowOnly: 2},
	}
	if len(r.Pairs) != 3 {
		t.Fatalf("%d pairs, want 3", len(r.Pairs))
	}
	for i, w := range want {
		g := r.Pairs[i]
		if g.Row != w.Row || g.Col != w.Col || g.RowOnly != w.RowOnly || g.ColOnly != w.ColOnly || g.Both != w.Both ||
			g.Neither != w.Neither {
			t.Errorf("pair %d is %+v, want %+v", i, g, w)
		}
	}
	sum := 0.0
	for _, a := range r.Agents {
		sum += a.Rating.Value
	}
	if !near(sum, 0, 1e-6) || r.Anchor != "the mean" {
		t.Errorf("ratings add up to %v around %s", sum, r.Anchor)
	}
}

// TestNobodyWon: pairs without a decided game have no share, and everybody is
// as strong as everybody else.
func TestNobodyWon(t *testing.T) {
	tour := tournamentOf(t, teamID, Config{Format: TwoAgainstTwo, Agents: []string{"a", "b"}, Games: 3})
	r := reportOf(t, tour, -1, -1, -1).Results
	if p := r.Pairs[0]; p.Share != nil || p.P != 1 || p.Neither != 3 {
		t.Errorf("pair %+v, want no share and p = 1", p)
	}
	for _, a := range r.Agents {
		if !near(a.Rating.Value, 0, 1e-9) || a.Rating.High <= 0 || a.Tie.Value != 1 {
			t.Errorf("%s: rating %+v, ties %+v", a.Agent, a.Rating, a.Tie)
		}
	}
	if r.Balanced {
		t.Error("three rounds of two sides are balanced")
	}
}

// TestSharing: a game counts for the rating as a win shared by the best.
func TestSharing(t *testing.T) {
	s := tournamentOf(t, ffaID, Config{Format: OneAgainstThree, Agents: []string{"a"}, Against: "x", Games: 1}).schedule
	const won, lost, tied = env.Won, env.Lost, env.Tied
	for _, test := range []struct {
		results []env.SeatResult
		want    []int
	}{
		{[]env.SeatResult{lost, lost, won, lost}, []int{2}},
		{[]env.SeatResult{lost, tied, tied, lost}, []int{1, 2}},
		{[]env.SeatResult{lost, lost, lost, lost}, []int{0, 1, 2, 3}},
	} {
		if got := s.sharing(&Record{Result: test.results}); !slices.Equal(got, test.want) {
			t.Errorf("results %v are shared by sides %v, want %v", test.results, got, test.want)
		}
	}
}
