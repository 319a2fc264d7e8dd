package picture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
)

// drawnGames draws steps of games of agents, one below the other.
func drawnGames(t *testing.T, colours picture.Colours) (text []byte, seats []env.Colour) {
	t.Helper()
	for _, id := range []string{"PommeTeamCompetition-v0", "PommeFFAJava-v0", "BaseWar-v0", "SuiteBot-v0"} {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		spec, m := game.Spec(), game.New(1)[0]
		m.Reset(env.Seed{Value: 3})
		seats = append(seats, m.Stage().Colours...)
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
	return text, seats
}

// TestTextHasThePagesColours: a text has no other colours than the page and the seats.
func TestTextHasThePagesColours(t *testing.T) {
	text, seats := drawnGames(t, picture.TrueColour)
	known := fmt.Sprintf("#%06x", seats)
	for _, pattern := range []string{"*.json", "../web/app/*.js"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			known += string(page)
		}
	}
	found := map[string]bool{}
	for _, code := range regexp.MustCompile(`[34]8;2;(\d+);(\d+);(\d+)`).FindAllStringSubmatch(string(text), -1) {
		var r, g, b int
		fmt.Sscan(strings.Join(code[1:], " "), &r, &g, &b)
		found[fmt.Sprintf("%02x%02x%02x", r, g, b)] = true
	}
	for colour := range found {
		if !strings.Contains(known, colour) {
			t.Errorf("the text has the colour #%s, which is not the page's", colour)
		}
	}
	if len(found) < 20 {
		t.Errorf("the text has %d colours, want more: %v", len(found), found)
	}
}

// TestTextIn16Colours: where there are no more colours, seats that play for themselves,
// and two mates, have different ones, and all characters are as without colours.
func TestTextIn16Colours(t *testing.T) {
	text, _ := drawnGames(t, picture.Colours16)
	plain, _ := drawnGames(t, picture.NoColours)
	code := regexp.MustCompile(`\x1b\[(?:0|(?:3|9)[0-7];(?:4|10)[0-7])m`)
	if got := code.ReplaceAll(text, nil); string(got) != string(plain) {
		t.Error("without its escape sequences the text is another")
	}
	var alone []env.Colour
	for seat := range 8 {
		alone = append(alone, env.SeatColour(seat))
	}
	for _, seats := range [][]env.Colour{alone, {env.Blue[0], env.Vermillion[0], env.Blue[1], env.Vermillion[1]},
		{env.Blue[0], env.Green[0], env.Blue[1], env.Green[1]}} {
		head, step := scene.Head{Stage: env.Stage{Cols: 1, Colours: seats}}, scene.Step{Status: new(scene.Status)}
		lines := string(picture.AppendText(nil, &head, &step, env.NoSeat, picture.Colours16))
		grounds := map[string]bool{}
		for _, ground := range regexp.MustCompile(`;(\d+)mseat`).FindAllStringSubmatch(lines, -1) {
			grounds[ground[1]] = true
		}
		if len(grounds) != len(seats) {
			t.Errorf("%d seats have %d colours: %v", len(seats), len(grounds), grounds)
		}
	}
}
