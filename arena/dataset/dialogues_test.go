package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/llm/orders"
	"pommego/llm/words"
)

// dialogues is a data set of the layout in which one agent searches and one does not.
func dialogues(t *testing.T, id string) *Set {
	t.Helper()
	config := tiny()
	config.Layout, config.Agents, config.MaxSteps = Dialogues, []string{"mcts:ticks=60", "random"}, 80
	if strings.HasPrefix(id, "Pomme") {
		config.Agents[0] = "champion:level=1"
	}
	return sets(t, generate(t, id, config, testOptions(2)))[0]
}

// TestDialogues: the assistant's answer plays the row's action, with a reason where the agent has
// searched; the rules are said once in a row, and the view is of the row's tick.
func TestDialogues(t *testing.T) {
	for _, id := range []string{ffa, team, radio, "BaseWarSides-v0", "SuiteBot-v0"} {
		set := dialogues(t, id)
		spec := gameOf(t, id).Spec()
		head := scene.HeadOf(spec, gameOf(t, id).New(1)[0])
		reasons, left := 0, 0
		prompt := words.New(gameOf(t, id), spec, gameOf(t, id).New(1)[0]).Prompt(words.Form{})
		ended := map[bool]string{true: "Last answer: "}
		for i, e := range episodes(t, set.Folder) {
			rows := rowsOf(t, set, i)
			for row := range rows.rows() {
				says := rows.messages(row)
				step, seat := rows.int("step", row), rows.int("seat", row)
				at := fmt.Sprintf("%s, game %d, step %d, seat %d", id, i, step, seat)
				if rows.text("env", row) != id || says[0] != prompt ||
					!strings.Contains("\n"+says[1], fmt.Sprintf("\nTick %d of ", step)) ||
					!strings.HasPrefix(says[1], ended[step > 0]) || strings.Contains(says[1], "You are out") {
					t.Fatalf("%s: it is told %q", at, says)
				}
				o, reading, _ := orders.Parse(says[2], &head)
				said, action := strings.Contains(says[2], "\n"), e.Actions[(step*spec.Seats+seat)*len(spec.Actions):]
				action = action[:len(spec.Actions)]
				did := append(append(slices.Clone(o.Actions), o.Said...), 0, 0)[:len(action)]
				if reading == orders.Illegal || !slices.Equal(did, action) {
					t.Fatalf("%s: %q is read as %v, %v, and the action was %v", at, says[2], reading, o, action)
				}
				if tells := !rows.value("visits", row).IsNull() && head.Movers() == 1; said != tells ||
					reading != orders.Legal {
					t.Fatalf("%s: the answer is %q, %v; it has searched: %v", at, says[2], reading, tells)
				}
				if said {
					reasons++
				}
			}
			left += e.Steps*spec.Seats - rows.rows()
		}
		if want := id != "BaseWarSides-v0"; (reasons > 20) != want || id == ffa && left == 0 {
			t.Errorf("%s: %d reasons, and %d rows left out", id, reasons, left)
		}
	}
}

// rowsOf reads the rows of a game. Messages are in the last two lists.
func rowsOf(t *testing.T, set *Set, game int) *gameRows {
	t.Helper()
	for _, f := range set.Manifest.Files {
		var found *gameRows
		err := set.walk(&f, true, func(e *Episode, all *table, first, rows int) error {
			if e.Game == game {
				found = &gameRows{newTable(all.columns), map[string]int{}}
				for i := range all.values {
					per := all.per(i)
					if len(all.values[i]) == 0 {
						continue // the list that only messages have
					}
					found.values[i] = slices.Clone(all.values[i][first*per : (first+rows)*per])
				}
				for i, c := range all.columns {
					found.at[c.Name] = i
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if found != nil {
			return found
		}
	}
	t.Fatalf("there is no game %d", game)
	return nil
}

func (r *gameRows) messages(row int) (says turn) {
	for i := range says {
		says[i] = string(r.values[len(r.values)-1][3*row+i].ByteArray())
	}
	return says
}

// TestDialoguesOfGames: data sets of games become dialogues and come back.
func TestDialoguesOfGames(t *testing.T) {
	games := generate(t, ffa, small(), testOptions(1))
	want := episodes(t, games)
	folder := filepath.Join(t.TempDir(), "dialogues")
	if _, err := Merge(gameOf(t, ffa), sets(t, games), Config{Layout: Dialogues}, Filter{}, folder,
		testOptions(1)); err != nil {
		t.Fatal(err)
	}
	verifyClean(t, folder)
	back := filepath.Join(t.TempDir(), "games")
	if _, err := Merge(gameOf(t, ffa), sets(t, folder), Config{Layout: Games}, Filter{}, back,
		testOptions(1)); err != nil {
		t.Fatal(err)
	}
	if got := episodes(t, back); fmt.Sprint(got[3]) != fmt.Sprint(want[3]) || len(got) != len(want) {
		t.Errorf("game 3 comes back as %v, it was %v", got[3], want[3])
	}
	was, is := sets(t, games)[0].Manifest.Statistics, sets(t, folder)[0].Manifest.Statistics
	if fmt.Sprint(*was) != fmt.Sprint(*is) {
		t.Errorf("statistics %v, want those of the games, %v", *is, *was)
	}
}

// TestVerifyDialogues: playing again finds rows that were changed, as by somebody who wrote the file anew.
func TestVerifyDialogues(t *testing.T) {
	set := dialogues(t, ffa)
	for _, tc := range []struct {
		reason, says string
		change       func(r *gameRows) int // returns how many rows there are
	}{
		{"nothing", "", func(r *gameRows) int { return r.rows() }},
		{"what the assistant says", `"messages"`, func(r *gameRows) int {
			v := &r.values[len(r.values)-1][3*7+2]
			*v = parquet.ByteArrayValue([]byte("up!")).Level(1, 1, len(r.values)-1)
			return r.rows()
		}},
		{"who says it", `"messages"`, func(r *gameRows) int {
			r.values[len(r.values)-2][3*7] = parquet.ByteArrayValue([]byte("user")).Level(0, 1, len(r.values)-2)
			return r.rows()
		}},
		{"what was legal", `"legal"`, func(r *gameRows) int {
			r.values[r.at["legal"]][5] = parquet.FixedLenByteArrayValue(make([]byte, 6))
			return r.rows()
		}},
		{"a row is missing", "rows", func(r *gameRows) int { return r.rows() - 1 }},
	} {
		check, err := newReplayCheck(gameOf(t, ffa), set.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		rows := rowsOf(t, set, 0)
		n := tc.change(rows)
		err = check.check(episodes(t, set.Folder)[0], rows.table, 0, n)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: error %v, want one that says %s", tc.reason, err, tc.says)
		}
	}
}

// TestRowsOutOfOrder: rows that are not where they belong are an error, and nothing is made for steps
// that are not there.
func TestRowsOutOfOrder(t *testing.T) {
	set := dialogues(t, ffa)
	for _, tc := range []struct {
		reason, column string
		row            int
		value          int32
	}{
		{"a step again", "step", 9, 0}, {"a step before the first", "step", 4, -1},
		{"a step after the last", "step", 9, 1 << 20},
		{"a seat that there is not", "seat", 5, 4}, {"steps without rows", "length", 0, 1 << 30},
	} {
		in, err := newRowReader(set.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		rows := rowsOf(t, set, 0)
		rows.values[rows.at[tc.column]][tc.row] = parquet.Int32Value(tc.value)
		in.table = rows.table
		if e, _, err := in.episode(0); err == nil {
			t.Errorf("%s: it is read as a game of %d steps", tc.reason, e.Steps)
		}
	}
}

// TestDialoguesWithoutWords: a program that has nothing to put games in words with is told so.
func TestDialoguesWithoutWords(t *testing.T) {
	defer func(kept func(env.Game, env.Match) Tell) { NewTell = kept }(NewTell)
	NewTell = nil
	config := tiny()
	config.Layout = Dialogues
	_, _, err := Generate(t.Context(), gameOf(t, ffa), config, t.TempDir(), testOptions(1))
	if err == nil || !strings.Contains(err.Error(), "layout dialogues needs NewTell") {
		t.Errorf("the error is %v", err)
	}
}
