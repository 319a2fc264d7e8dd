package tournament

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// seatCounts counts, over all games, which entrant had which side.
func seatCounts(s *schedule) [][]int {
	counts := make([][]int, len(s.entrants))
	for e := range counts {
		counts[e] = make([]int, len(s.spec.Teams))
	}
	for i := range s.games() {
		for side, e := range s.game(i).sides {
			counts[e][side]++
		}
	}
	return counts
}

// TestBalance demands that every agent has had every side equally often, in as
// many games as the format promises.
func TestBalance(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for _, test := range []struct {
		id     string
		config Config
		games  int // each agent plays
		reason string
	}{
		{ffaID, Config{Format: OneAgainstThree, Agents: names, Against: "x", Games: 300}, 300,
			"the paper's: as many games as rounds"},
		{duelID, Config{Format: OneAgainstThree, Agents: names, Against: "x", Games: 30}, 30, "one against one"},
		{ffaID, Config{Format: RoundRobin, Agents: names[:4], Games: 24}, 24, "a single table"},
		{ffaID, Config{Format: RoundRobin, Agents: names, Games: 24}, 4 * 24, "each is left out at one table of five"},
		{duelID, Config{Format: RoundRobin, Agents: names, Games: 10}, 4 * 10, "pairs"},
		{teamID, Config{Format: TwoAgainstTwo, Agents: names, Games: 10}, 4 * 10, "pairs of teams"},
		{teamID, Config{Format: RoundRobin, Agents: names, Games: 10}, 4 * 10, "the same by its other name"},
		{teamID, Config{Format: TwoAgainstTwo, Agents: names, Against: "x", Games: 10}, 10, "teams against one fixed team"},
		{warID, Config{Format: TwoAgainstTwo, Agents: names, Games: 10}, 4 * 10, "teams of three"},
	} {
		spec := game(t, test.id).Spec()
		if err := test.config.Validate(spec); err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		sides := len(spec.Teams)
		for agent, counts := range seatCounts(newSchedule(&test.config, spec))[:len(test.config.Agents)] {
			for _, n := range counts {
				if n != test.games/sides {
					t.Errorf("%s: agent %d had the sides %v times, want each %d times", test.reason, agent, counts, test.games/sides)
					break
				}
			}
		}
	}
}

// TestNeighbours: after 24 rounds four agents have sat in all 24 orders.
func TestNeighbours(t *testing.T) {
	c := Config{Format: RoundRobin, Agents: []string{"a", "b", "c", "d"}, Games: 48}
	s := newSchedule(&c, game(t, ffaID).Spec())
	orders := map[string]int{}
	for i := range s.games() {
		orders[fmt.Sprint(s.game(i).Agents)]++
	}
	if len(orders) != 24 {
		t.Errorf("%d orders, want 24", len(orders))
	}
	for order, n := range orders {
		if n != 2 {
			t.Errorf("order %s %d times in 48 rounds, want 2", order, n)
		}
	}
}

// TestSameBoards: round k has seed Seed+k at every table, and against a fixed
// opponent the agents also sit in the same seat.
func TestSameBoards(t *testing.T) {
	c := Config{Format: OneAgainstThree, Agents: []string{"a", "b", "c"}, Against: "x", Games: 9, Seed: 1<<64 - 3}
	s := newSchedule(&c, game(t, ffaID).Spec())
	if s.games() != 27 {
		t.Fatalf("%d games, want 27", s.games())
	}
	for i := range s.games() {
		f := s.game(i)
		if want := c.Seed + uint64(i/3); f.Seed.Value != want || f.Seed.Episode != 0 {
			t.Errorf("game %d has seed %v, want %d", i, f.Seed, want)
		}
		want := slices.Repeat([]int{3}, 4)
		want[i/3%4] = i % 3
		if seats := s.entrantsOf(&f); !slices.Equal(seats, want) {
			t.Errorf("game %d seats %v, want %v", i, seats, want)
		}
	}
}

// TestLevels: a board is played on as often as it is to be repeated, each time with
// a number of its own, while the agents move on from seat to seat.
func TestLevels(t *testing.T) {
	c := Config{Format: OneAgainstThree, Agents: []string{"a"}, Against: "x", Games: 12, Repetitions: 4, Seed: 50}
	s := newSchedule(&c, game(t, ffaID).Spec())
	for i := range s.games() {
		f := s.game(i)
		if f.Seed.Value != 50+uint64(i/4) || f.Repetition != i%4 || f.Agents[i%4] != "a" {
			t.Errorf("game %d has seed %v, repetition %d and seats %v", i, f.Seed, f.Repetition, f.Agents)
		}
	}
	c.Games = 10
	if err := c.Validate(game(t, ffaID).Spec()); err == nil || !strings.Contains(err.Error(), "repetitions is 4") {
		t.Errorf("10 games with 4 repetitions: %v", err)
	}
}

// TestMirrored: a board is played from every side, with the same random numbers, before the
// next repetition or the next board.
func TestMirrored(t *testing.T) {
	for _, tc := range []struct {
		id     string
		config Config
	}{
		{ffaID, Config{Format: OneAgainstThree, Agents: []string{"a", "b"}, Against: "x", Games: 16, Repetitions: 2}},
		{teamID, Config{Format: TwoAgainstTwo, Agents: []string{"a", "b", "c"}, Games: 8}},
		{duelID, Config{Format: RoundRobin, Agents: []string{"a", "b"}, Games: 6, Repetitions: 3}},
	} {
		tc.config.Mirrored, tc.config.Seed = true, 50
		spec := game(t, tc.id).Spec()
		if err := tc.config.Validate(spec); err != nil {
			t.Fatal(err)
		}
		s := newSchedule(&tc.config, spec)
		type position struct {
			table int
			seed  uint64
			again int
		}
		sides := map[position][]int{} // those of the table's first
		for i := range s.games() {
			f := s.game(i)
			at := position{f.table, f.Seed.Value, f.Repetition}
			sides[at] = append(sides[at], slices.Index(f.sides, s.tables[f.table][0]))
		}
		turns := len(spec.Teams)
		if boards := s.games() / turns; len(sides) != boards {
			t.Errorf("%s: %d positions are played from, want %d", tc.id, len(sides), boards)
		}
		for at, had := range sides {
			for side := range turns {
				if len(had) != turns || had[side] != side {
					t.Errorf("%s: from %+v the first agent had sides %v, want each once", tc.id, at, had)
				}
			}
			if last := 50 + uint64(tc.config.Games/turns/tc.config.repetitions()); at.seed < 50 || at.seed >= last {
				t.Errorf("%s: a board has seed %d, want 50 to %d", tc.id, at.seed, last-1)
			}
		}
	}
}

// TestTeamsOfAKind: an entrant sits in all seats of its team.
func TestTeamsOfAKind(t *testing.T) {
	c := Config{Format: TwoAgainstTwo, Agents: []string{"a", "b"}, Games: 2}
	s := newSchedule(&c, game(t, teamID).Spec())
	for i, want := range [][]string{{"a", "b", "a", "b"}, {"b", "a", "b", "a"}} {
		f := s.game(i)
		if got := f.Agents; !slices.Equal(got, want) {
			t.Errorf("game %d: %v, want %v", i, got, want)
		}
	}
}
