package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pommego/arena/dataset"
	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/bridge"
	"pommego/env"
	"pommego/env/catalog"
)

const defaultEnv = "PommeFFACompetition-v0"

// chosenGame has the flags that choose a game.
type chosenGame struct{ id, rules string }

// add adds the flags. id is the default; "" means all ids.
func (c *chosenGame) add(cmd *cobra.Command, id string) {
	cmd.Flags().StringVar(&c.id, "env", id, "the environment's id, see: pommego envs")
	cmd.Flags().StringVar(&c.rules, "rules", "",
		"rules that differ from the id's, as a `JSON` object of them, see: pommego envs ID")
	if err := cmd.RegisterFlagCompletionFunc("env", ids); err != nil {
		panic(err) // the flag was completed twice
	}
}

func limitMemory(f *pflag.FlagSet, most *int64) {
	f.Int64Var(most, "program-memory", 0, "bytes that an agent's program may have in memory, with all that it has "+
		"started; with more\nit is stopped and has lost a match; elsewhere its moves count as missed (0: any number)")
}

func timeAgents(f *pflag.FlagSet, wait, limit *time.Duration) {
	f.DurationVar(limit, "limit", 0,
		"time for a move of an agent outside this program (0: as the game's own rules say, else 100ms; a language model 30s)")
	f.DurationVar(wait, "wait", match.DefaultWait,
		"how long an agent outside this program may take to get ready for a game")
}

func recordDialogues(f *pflag.FlagSet, path *string) {
	f.Func("record-dialogues",
		"a new `FILE` for what language models read and answer, one line per turn (docs/language-models.md)",
		func(name string) error {
			if *path = name; strings.HasSuffix(name, ".gz") {
				return errors.New("dialogues are not compressed, want a name without .gz")
			}
			return nil
		})
}

// ids completes ids of the catalog in the shell, with descriptions.
func ids(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, id := range catalog.IDs() {
		if game, err := catalog.Game(id); err == nil {
			all = append(all, cobra.CompletionWithDesc(id, game.Spec().Description))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// game is the game of the id, with other rules if the flag gives some.
func (c *chosenGame) game() (env.Game, error) {
	game, err := catalog.Game(c.id)
	if err != nil {
		return nil, usagef("--env: %w", err)
	}
	if c.rules == "" {
		return game, nil
	}
	if game, err = catalog.Variant(c.id, json.RawMessage(c.rules)); err != nil {
		return nil, usagef("--rules: %w", err)
	}
	return game, nil
}

// parts has the flags with which several machines share games. Two special parts: "count"
// prints how many games there are; "-" reads the part from standard input and stops when
// that closes, which happens when the parent process ends.
type parts struct {
	part string
	take []string
}

func (p *parts) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.part, "part", "", "play only these games, `FIRST-LAST`, counted from 0; count: print how many there are")
	f.StringArrayVar(&p.take, "take", nil, "use the part in this folder; may be repeated")
}

// counts reports whether the command only prints the number of games.
func (p *parts) counts() bool { return p.part == "count" }

// span reads --part of so many games. It is nil if the flag is not given.
func (p *parts) span(games int) (*ledger.Part, error) {
	text := p.part
	if text == "" {
		return nil, nil
	}
	if text == "-" {
		if _, err := fmt.Fscanln(os.Stdin, &text); err != nil {
			return nil, usagef("--part: standard input has none: %w", err)
		}
	}
	from, to, several := strings.Cut(text, "-")
	if !several {
		to = from
	}
	first, err := strconv.Atoi(from)
	last, also := strconv.Atoi(to)
	if err != nil || also != nil || first < 0 || last < first || last >= games {
		return nil, usagef("--part is %q, want FIRST-LAST, of the games 0 to %d", text, games-1)
	}
	return &ledger.Part{First: first, Last: last}, nil
}

var errNoOut = usagef("no folder is named, want --out DIR")

// otherOut adds a remedy to an error about a folder with other contents.
func otherOut(err error) error {
	if errors.Is(err, ledger.ErrOther) || errors.Is(err, ledger.ErrProgram) || errors.Is(err, dataset.ErrNotEmpty) {
		return usagef("%w; name another folder", err)
	}
	return err
}

// explain adds a remedy to an error of a run.
func (p *parts) explain(err error, folder string) error {
	switch {
	case errors.Is(err, ledger.ErrStopped) && folder == "":
		return fmt.Errorf("%w; nothing was kept, as --out was not given", err)
	case errors.Is(err, ledger.ErrStopped):
		return fmt.Errorf("%w; finished games are in %s: the same command continues there", err, folder)
	}
	return otherOut(err)
}

// printPart says that a part has been played, of which some games cannot be scored.
func printPart(out io.Writer, folder string, part *ledger.Part, void int, asJSON bool) error {
	games := part.Last - part.First + 1 - void
	text := fmt.Sprintf("%s: %d games, of %d to %d", folder, games, part.First, part.Last)
	if void > 0 {
		text += fmt.Sprintf("; %d cannot be scored", void)
	}
	return say(out, asJSON, map[string]any{"out": folder, "games": games}, text)
}

func (p *parts) printCount(out io.Writer, n int, asJSON bool) error {
	return say(out, asJSON, map[string]int{"parts": n}, fmt.Sprintf("%d games", n))
}

// context is the context of interruptible. If the part came from standard input, it also ends with that.
func (p *parts) context(parent context.Context) (context.Context, func()) {
	ctx, stop := interruptible(parent)
	ctx, gone := untilStdinCloses(ctx, p.part == "-")
	return ctx, func() { gone(); stop() }
}

// untilStdinCloses returns a context. If wanted is true, it ends, with the cause bridge.ErrAbandoned,
// when no process has the other end of standard input open any more.
func untilStdinCloses(parent context.Context, wanted bool) (context.Context, context.CancelFunc) {
	if !wanted {
		return parent, func() {}
	}
	ctx, gone := context.WithCancelCause(parent)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		gone(bridge.ErrAbandoned)
	}()
	return ctx, func() { gone(nil) }
}

// describeGames is a line about progress. It guesses the remaining time from the games that this run
// had finished at time then; now is the current time.
func describeGames(at ledger.Progress, then, now time.Duration) string {
	text := fmt.Sprintf("%d of %d games, %d %%, %v", at.Done, at.Total, 100*at.Done/at.Total, now.Round(time.Second))
	played := at.Done - at.Resumed
	if played == 0 || then <= 0 {
		return text
	}
	left := time.Duration(float64(then)/float64(played)*float64(at.Total-at.Done)) - (now - then)
	return fmt.Sprintf("%s, %.1f games a minute, %v left", text, float64(played)/then.Minutes(),
		max(0, left).Round(time.Second))
}
