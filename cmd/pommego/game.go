package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pommego/arena/match"
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
	f.StringVar(path, "record-dialogues", "",
		"a new `FILE` for what language models read and answer, one line per turn (docs/language-models.md)")
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
