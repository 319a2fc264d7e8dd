package vec

import "testing"

// FuzzLoad: no saved state makes a pool panic or leaves a change behind that was refused;
// what is loaded plays on.
func FuzzLoad(f *testing.F) {
	cfg := Config{Game: teams, Games: 2, Opponents: opponents(teams), MaxEpisodeSteps: 13, State: true}
	home := make1(f, cfg)
	b := home.NewBatch(nil)
	must(f, home.Reset(b, ResetOptions{Seed: ptr(3)}))
	actions := make([]uint8, home.Rows()*len(teams.Spec().Actions))
	for range 3 {
		for k, form := range forms {
			for game := range cfg.Games {
				state, err := form.save(home, game)
				must(f, err)
				f.Add(k == 1, state)
			}
		}
		for range 5 {
			must(f, home.Step(b, actions))
		}
	}
	f.Fuzz(func(t *testing.T, readable bool, state []byte) {
		p, form := make1(t, cfg), forms[0]
		if readable {
			form = forms[1]
		}
		b := p.NewBatch(nil)
		must(t, p.Reset(b, ResetOptions{Seed: ptr(4)}))
		before, err := p.Save(0, nil)
		must(t, err)
		if form.load(p, 0, state) != nil {
			after, err := p.Save(0, nil)
			must(t, err)
			if string(after) != string(before) {
				t.Fatal("a state was refused, and the game is another now")
			}
			return
		}
		kept, err := form.save(p, 0)
		must(t, err)
		if err := form.load(p, 1, kept); err != nil {
			t.Fatalf("a state that was loaded and saved again is refused: %v", err)
		}
		p.Observe(b)
		for range 20 {
			must(t, p.Step(b, actions))
		}
	})
}
