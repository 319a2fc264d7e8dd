package catalog_test

import (
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// BenchmarkSaved is saving and restoring a game in its middle, as bytes.
func BenchmarkSaved(b *testing.B) {
	for _, id := range []string{"PommeFFACompetition-v0", "BaseWar-v0", "SuiteBot-v0"} {
		g, err := catalog.Game(id)
		if err != nil {
			b.Fatal(err)
		}
		m := g.New(1)[0]
		m.Reset(env.Seed{Value: 3})
		actions := make([]uint8, 8)
		for i := range 12 {
			for seat := range actions {
				actions[seat] = uint8((i + seat) % 6)
			}
			m.Step(actions[:g.Spec().Seats])
		}
		state := m.Append(nil)
		b.Run("append/"+id, func(b *testing.B) {
			dst := make([]byte, 0, 4096)
			b.ReportAllocs()
			for b.Loop() {
				m.Append(dst)
			}
		})
		b.Run("restore/"+id, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Restore(state); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
