package picture_test

import (
	"regexp"
	"testing"

	"pommego/arena/picture"
	"pommego/env"
	"pommego/env/catalog"
)

// drawnGames draws steps of games of agents, one below the other.
func drawnGames(t *testing.T, colours bool) (text []byte) {
	t.Helper()
	for _, id := range []string{"PommeTeamCompetition-v0", "PommeFFAJava-v0", "BaseWar-v0", "SuiteBot-v0"} {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		spec, m := game.Spec(), game.New(1)[0]
		m.Reset(env.Seed{Value: 3})
		agents := make([]env.Agent, spec.Seats)
		for seat := range agents {
			if agents[seat], err = game.NewAgent("simple"); err != nil {
				t.Fatal(err)
			}
			agents[seat].Reset(env.Seed{Value: 3}.RNG(uint64(seat)))
		}
		actions := make([]uint8, spec.Seats*len(spec.Actions))
		for step := 0; step < 100 && !m.Status().Over; step++ {
			text = picture.AppendMatch(text, spec, m, nil, step%(1+spec.Seats)-1, colours)
			for seat, own := 0, len(spec.Actions); seat < spec.Seats; seat++ {
				clear(actions[seat*own:][:own])
				if m.Status().In.Has(seat) {
					agents[seat].Act(m, seat, actions[seat*own:][:own])
				}
			}
			m.Step(actions)
		}
	}
	return text
}

// TestTextInColours: seats have different colours, and all characters are as without colours.
func TestTextInColours(t *testing.T) {
	text := drawnGames(t, true)
	plain := drawnGames(t, false)
	code := regexp.MustCompile(`\x1b\[(?:0|38;5;\d+;48;5;\d+)m`)
	if got := code.ReplaceAll(text, nil); string(got) != string(plain) {
		t.Error("without its escape sequences the text is another")
	}
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		m := game.New(1)[0]
		m.Reset(env.Seed{})
		lines := string(picture.AppendMatch(nil, game.Spec(), m, nil, env.NoSeat, true))
		grounds := map[string]bool{}
		for _, ground := range regexp.MustCompile(`;(\d+)mseat`).FindAllStringSubmatch(lines, -1) {
			grounds[ground[1]] = true
		}
		if seats := game.Spec().Seats; len(grounds) != seats {
			t.Errorf("%s: %d seats have %d colours: %v", id, seats, len(grounds), grounds)
		}
	}
}
