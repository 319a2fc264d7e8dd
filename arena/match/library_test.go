//go:build unix

package match_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
)

const examples = "../../python_client/examples"

// library compiles a source and names the agent.
func library(t *testing.T, source string) string {
	t.Helper()
	compiler, standard := "cc", "-std=c99"
	if filepath.Ext(source) == ".cpp" {
		compiler, standard = "c++", "-std=c++17"
	}
	for _, program := range []string{compiler, "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s", program)
		}
	}
	path := filepath.Join(t.TempDir(), "bot.so")
	cmd := exec.Command(compiler, standard, "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC",
		"-I", examples, "-o", path, source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return "library:" + path
}

// inC compiles a library whose functions do what their bodies say.
func inC(t *testing.T, begin, act, end string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "bot.c")
	code := fmt.Sprintf(`
#include <stdio.h>
#include <stdlib.h>
#include "pommego_agent.h"
static int calls;
void pommego_begin(const pommego_array *game) { (void)game; calls = 0; %s }
void pommego_act(const pommego_array *obs, int32_t *action) { (void)obs; (void)action; calls++; %s }
void pommego_end(const pommego_array *result) { (void)result; %s }
`, begin, act, end)
	if err := os.WriteFile(source, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	return library(t, source)
}

// The example bots play a side and a bomber without a fault, and beat random moves.
func TestExampleLibraries(t *testing.T) {
	for _, source := range []string{"basewar_bot.c", "basewar_bot.cpp"} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			bot := library(t, filepath.Join(examples, source))
			for _, names := range [][]string{{bot, "random"}, {"random", bot}} {
				game, err := catalog.Game("BaseWarSides-v0")
				if err != nil {
					t.Fatal(err)
				}
				p := play(t, game, seatsOf(t, game, names...), patient)
				for seat, name := range names {
					want := map[bool]float64{true: 1, false: -1}[name == bot]
					if report := p.Seats[seat]; report.Late+report.Failed != 0 || report.LastError != "" || p.Outcome[seat] != want {
						t.Errorf("seat %d: %+v, outcome %v, want no faults and %v", seat, report, p.Outcome, want)
					}
				}
			}
			game := variant(t, "BaseWar-v0", `{"board_size": 9, "num_stones": 6, "num_boxes": 16, "max_steps": 40}`)
			p := play(t, game, seatsOf(t, game, bot, bot, "random", "random", "random", "random"), patient)
			if p.Seats[0].Failed+p.Seats[1].Failed != 0 || p.Seats[0].Moves == 0 {
				t.Errorf("as bombers: %+v", p.Seats[:2])
			}
		})
	}
}

// Arrays are what the observation says, in every game: a library that compares them with the text it
// is compiled with plays 1 where they are the same.
func TestLibrariesSeeArrays(t *testing.T) {
	for _, tc := range []struct{ id, rules, check string }{
		{"BaseWarSides-v0", `{"max_steps": 9}`,
			`pommego_find(obs, "board").columns == 15 && pommego_find(obs, "bombers").columns == BOMBER_NUMBERS &&
			pommego_number(obs, "side") == SIDE_GREEN && pommego_find(obs, "own").rows == 3 &&
			pommego_find(obs, "bombers").values[BOMBER_NUMBERS + BOMBER_SIDE] == SIDE_GREEN &&
			pommego_find(obs, "bombers").values[BOMBER_NUMBERS + BOMBER_ID] == 1 &&
			(pommego_find(obs, "bombs").rows == 0 || pommego_find(obs, "bombs").columns == BOMB_NUMBERS) &&
			pommego_number(obs, "step_count") == calls - 1 && pommego_number(obs, "nothing") == -1`},
		{"PommeRadioCompetition-v2", `{"max_steps": 9}`,
			`pommego_find(obs, "board").rows == 11 && pommego_find(obs, "position").rows == 2 &&
			pommego_find(obs, "message").rows == 2 && pommego_number(obs, "can_kick") == 0 &&
			pommego_number(obs, "step_count") == calls - 1`},
		{"SuiteBot-v0", `{"rounds": 9, "view_radius": 3}`,
			`pommego_find(obs, "fields").rows == 20 && pommego_find(obs, "fields").columns == 20 &&
			strchr(".x?", pommego_number(obs, "fields")) != NULL && pommego_find(obs, "agents").columns == 5 &&
			pommego_number(obs, "agents") == -1 && pommego_number(obs, "round") == calls - 1`},
	} {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			game := variant(t, tc.id, tc.rules)
			bot := inC(t,
				`if (pommego_number(game, "seat") != 1 || pommego_number(game, "limit_ms") != 60000) abort();`,
				fmt.Sprintf(`action[0] = (%s) ? 1 : 2;`, tc.check),
				`if (pommego_number(result, "steps") != 9) abort();`)
			names := append([]string{"random", bot}, "static", "static")[:game.Spec().Seats]
			p := play(t, game, seatsOf(t, game, names...), patient)
			if got := p.moves(1); !reflect.DeepEqual(got, []uint8{1, 1, 1, 1, 1, 1, 1, 1, 1}) {
				t.Errorf("played %v: %+v", got, p.Seats[1])
			}
		})
	}
}

// What a library may do wrong ends its own process at most.
func TestLibrariesFail(t *testing.T) {
	const quick = 200 * time.Millisecond
	for _, tc := range []struct {
		name, act    string
		rules        match.Rules
		played       []uint8
		late, failed int
		says         string
	}{
		{"prints", `printf("hello\n"); fflush(stdout); action[0] = 1;`, patient, []uint8{1, 1, 1, 1}, 0, 0, ""},
		{"crashes", `if (calls == 3) abort(); action[0] = 1;`, patient, []uint8{1, 1, 0, 0}, 0, 2,
			"the program has ended: signal: aborted"},
		{"exits", `if (calls == 2) exit(0); action[0] = 1;`, patient, []uint8{1, 0, 0, 0}, 0, 3, "the program has ended"},
		{"hangs", `for (;;) action[0] = *(volatile int *)&calls;`, match.Rules{Limit: quick, Wait: time.Minute},
			[]uint8{0, 0, 0, 0}, 4, 0, "no answer within 200ms"},
		{"plays nonsense", `action[0] = -7;`, patient, []uint8{0, 0, 0, 0}, 0, 4, "want a whole number of 0 to 5"},
		{"grows", `if (calls == 2) for (;;) memset(malloc(1 << 20), 1, 1 << 20); action[0] = 1;`,
			match.Rules{Limit: time.Minute, Wait: time.Minute, Memory: 64 << 20}, []uint8{1, 0, 0, 0}, 0, 3,
			"where --program-memory allows 67108864"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.rules.Memory > 0 {
				linuxOnly(t)
			}
			game := duel(t, "4")
			p := play(t, game, seatsOf(t, game, inC(t, "", tc.act, ""), "static"), tc.rules)
			seat := p.Seats[0]
			if got := p.moves(0); !reflect.DeepEqual(got, tc.played) || seat.Late != tc.late || seat.Failed != tc.failed ||
				!strings.Contains(seat.LastError, tc.says) {
				t.Errorf("played %v, %+v, want %v, %d late, %d failed, %q", got, seat, tc.played, tc.late, tc.failed, tc.says)
			}
		})
	}
}

// Files that are no such library are errors that say why.
func TestLibrariesAbsent(t *testing.T) {
	game := duel(t, "4")
	missing := filepath.Join(t.TempDir(), "none.so")
	for name, want := range map[string]string{
		"library:": "no such file", "library:" + missing: "stat " + missing + ": no such file",
		"library:" + t.TempDir(): "is no file",
	} {
		if _, err := match.NewPlayer(game, name); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "want library:PATH") {
			t.Errorf("%s: %v, want an error with %q", name, err, want)
		}
	}
	text, source := filepath.Join(t.TempDir(), "text.so"), filepath.Join(t.TempDir(), "half.c")
	if err := errors.Join(os.WriteFile(text, []byte("no library"), 0o600),
		os.WriteFile(source, []byte("int pommego_begin(void) { return 0; }"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"library:" + text:  "the program cannot play",
		library(t, source): "pommego_act",
	} {
		_, err := match.Play(t.Context(), game, seatsOf(t, game, "static", name), env.Seed{}, patient, nil)
		if !errors.Is(err, match.ErrAbsent) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", name, err, want)
		}
	}
}
