package dataset

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pommego/env"
	"pommego/vec"
)

// TestStepsAreWhatAPoolShows makes the games of a data set of layout Steps again
// in a vector environment, which shares no code with what wrote the rows, and
// compares all that both tell.
func TestStepsAreWhatAPoolShows(t *testing.T) {
	for _, id := range []string{ffa, team, radio, "OneVsOne-v0", "PommeFFAJava-v0"} {
		for observation, mask := range map[string]vec.Mask{"planes": vec.Legal, "raw": vec.Safe, "near": vec.Safe} {
			config := small()
			config.Layout, config.Observation, config.MaxSteps, config.Games = Steps, observation, 45, 8
			config.Mask = mask.String()
			folder := generate(t, id, config, testOptions(1))
			for _, reward := range []vec.Reward{vec.Outcome, vec.Reference} {
				pool, err := vec.New(vec.Config{Game: gameOf(t, id), Games: 1, Observation: observation, Reward: reward,
					Mask: mask, Autoreset: vec.Disabled, MaxEpisodeSteps: 45})
				if err != nil {
					t.Fatal(err)
				}
				comparePool(t, fmt.Sprintf("%s, %s, %v", id, observation, reward), folder, pool, reward)
				pool.Close()
			}
		}
	}
}

// comparePool compares all rows of a data set with what a pool of one game
// shows.
func comparePool(t *testing.T, what, folder string, pool *vec.Pool, reward vec.Reward) {
	t.Helper()
	set, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, batch, before := set.Manifest, pool.NewBatch(nil), pool.NewBatch(nil)
	terminated, truncated := 0, 0
	for _, rows := range readRows(t, set) {
		seed := m.Generated.Seed + uint64(rows.int("game", 0))
		if err := pool.Reset(before, vec.ResetOptions{Seed: &seed}); err != nil {
			t.Fatal(err)
		}
		seats := m.Env.Seats
		for row := 0; row < rows.rows(); row += seats {
			at := fmt.Sprintf("%s, game %d, step %d", what, rows.int("game", row), rows.int("step", row))
			var actions []uint8
			for k := range seats {
				for _, name := range actionNames(m) {
					actions = append(actions, uint8(rows.int(name, row+k)))
				}
			}
			if err := pool.Step(batch, actions); err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			for k := range seats {
				compareRow(t, fmt.Sprintf("%s, seat %d", at, k), rows, row+k, k, m, before, batch, reward)
			}
			terminated += int(batch.Bytes("terminated")[0])
			truncated += int(batch.Bytes("truncated")[0])
			before, batch = batch, before
		}
		if done := before.Bytes("game.done")[0]; done != 1 {
			t.Errorf("%s: game %d goes on after its last row", what, rows.int("game", 0))
		}
	}
	if terminated == 0 || truncated == 0 {
		t.Errorf("%s: %d games ended and %d were cut off, want some of both", what, terminated, truncated)
	}
}

func actionNames(m *Manifest) []string {
	if len(m.Env.Actions) == 1 {
		return []string{"action"}
	}
	var names []string
	for _, c := range m.Env.Actions {
		names = append(names, "action_"+c.Name)
	}
	return names
}

// compareRow compares one row with one seat of a pool's batches before and after
// the step.
func compareRow(t *testing.T, at string, rows *gameRows, row, seat int, m *Manifest, before, after *vec.Batch,
	reward vec.Reward) {
	t.Helper()
	part := func(b *vec.Batch, name string, size int, shared bool) []byte {
		k := seat
		if shared {
			k = 0
		}
		return b.Bytes(name)[k*size : (k+1)*size]
	}
	for _, f := range m.Fields {
		if got, want := rows.value("obs_"+f.Name, row).ByteArray(),
			part(before, "obs."+f.Name, f.Size(), f.Shared); !bytes.Equal(got, want) {
			t.Fatalf("%s: obs_%s is %v, want %v", at, f.Name, got, want)
		}
		final := rows.value("final_"+f.Name, row)
		if done := after.Bytes("game.done")[0] == 1; final.IsNull() == done {
			t.Fatalf("%s: final_%s is null: %v, want it exactly in the last rows", at, f.Name, final.IsNull())
		} else if want := part(after, "obs."+f.Name, f.Size(), f.Shared); done && !bytes.Equal(final.ByteArray(), want) {
			t.Fatalf("%s: final_%s is %v, want %v", at, f.Name, final.ByteArray(), want)
		}
	}
	size := len(before.Bytes("action_mask")) / m.Env.Seats
	if got, want := rows.value("legal", row).ByteArray(),
		part(before, "action_mask", size, false); !bytes.Equal(got, want) {
		t.Fatalf("%s: legal is %v, want %v", at, got, want)
	}
	column := "reward"
	if reward == vec.Reference {
		column = "reward_reference"
	}
	alive := func(b *vec.Batch) bool { return b.Bytes("alive")[seat] == 1 }
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{column, rows.value(column, row).Double(), after.Tensor("reward").Data().([]float64)[seat]},
		{"terminated", rows.value("terminated", row).Boolean(), after.Bytes("terminated")[seat] == 1},
		{"truncated", rows.value("truncated", row).Boolean(), after.Bytes("truncated")[seat] == 1},
		{"alive", rows.value("alive", row).Boolean(), alive(before)},
		{"died", rows.value("died", row).Boolean(), alive(before) && !alive(after)},
	} {
		if c.got != c.want {
			t.Fatalf("%s: %s is %v, want %v", at, c.name, c.got, c.want)
		}
	}
	if after.Bytes("game.done")[0] == 1 {
		want := env.Tied // unless somebody has won, or the game was truncated
		if slices.Contains(after.Bytes("game.winners"), 1) {
			want = env.Lost
		} else if after.Bytes("truncated")[0] == 1 {
			want = env.Undecided
		}
		switch elimination := len(m.Env.Teams) == m.Env.Seats; {
		case after.Bytes("game.winners")[seat] == 1:
			want = env.Won
		case elimination && !alive(before): // who was out before has lost
			want = env.Lost
		case elimination && want != env.Lost && !alive(after):
			want = env.Lost // the games of this test do not end with nobody left
		}
		if got := rows.text("result", row); got != string(want) {
			t.Fatalf("%s: result is %s, want %s", at, got, want)
		}
		if got, want := rows.int("length", row), int(after.Tensor("game.length").Data().([]int32)[0]); got != want {
			t.Fatalf("%s: length is %d, want %d", at, got, want)
		}
		if got, want := rows.value("outcome", row).Double(),
			after.Tensor("game.return").Data().([]float64)[seat]; reward == vec.Outcome && got != want {
			t.Fatalf("%s: outcome is %v, want %v", at, got, want)
		}
	}
}

// gameRows are the rows of one game.
type gameRows struct {
	*table
	at map[string]int
}

func (r *gameRows) value(name string, row int) parquet.Value { return r.values[r.at[name]][row] }

func (r *gameRows) int(name string, row int) int {
	v := r.value(name, row)
	if v.Kind() == parquet.Int64 {
		return int(v.Int64())
	}
	return int(v.Int32())
}

func (r *gameRows) text(name string, row int) string { return string(r.value(name, row).ByteArray()) }

// readRows reads a data set, game by game.
func readRows(t testing.TB, set *Set) []*gameRows {
	t.Helper()
	var all []*gameRows
	for _, f := range set.Manifest.Files {
		r, err := openFile(set.Folder, f.Path, set.Manifest.Columns)
		if err != nil {
			t.Fatal(err)
		}
		for g := range r.groups() {
			group := &gameRows{newTable(set.Manifest.Columns), map[string]int{}}
			for i, c := range set.Manifest.Columns {
				group.at[c.Name] = i
			}
			if err := r.read(g, group.table, nil); err != nil {
				t.Fatal(err)
			}
			for from := 0; from < group.rows(); {
				to := from
				for to < group.rows() && group.int("game", to) == group.int("game", from) {
					to++
				}
				one := &gameRows{newTable(set.Manifest.Columns), group.at}
				for i := range one.columns {
					one.values[i] = group.values[i][from:to]
				}
				all = append(all, one)
				from = to
			}
		}
		r.Close()
	}
	return all
}

// TestGroupsAreWholeGames wants every row group to begin and end with a game.
func TestGroupsAreWholeGames(t *testing.T) {
	config := small()
	config.Layout, config.Games, config.FileGames, config.MaxSteps = Steps, 90, 90, 200
	set, err := Open(generate(t, ffa, config, testOptions(1)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := openFile(set.Folder, set.Manifest.Files[0].Path, set.Manifest.Columns)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.groups() < 2 {
		t.Fatalf("%d row groups, want several for a test", r.groups())
	}
	group := &gameRows{newTable(set.Manifest.Columns), map[string]int{}}
	for i, c := range set.Manifest.Columns {
		group.at[c.Name] = i
	}
	for g := range r.groups() {
		if err := r.read(g, group.table, nil); err != nil {
			t.Fatal(err)
		}
		last := group.rows() - 1
		if group.int("step", 0) != 0 || group.int("step", last) != group.int("length", last)-1 {
			t.Errorf("row group %d goes from step %d to step %d of %d", g, group.int("step", 0), group.int("step", last),
				group.int("length", last))
		}
	}
}
