package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"pommego/env"
	"pommego/env/catalog"
)

// defaultEnv is what is played where --env says nothing.
const defaultEnv = "PommeFFACompetition-v0"

// chosenGame is the flags that choose a game.
type chosenGame struct{ id, rules string }

// add adds the flags; id is the default, empty where all are meant.
func (c *chosenGame) add(cmd *cobra.Command, id string) {
	cmd.Flags().StringVar(&c.id, "env", id, "the environment's id, see: pommego envs")
	cmd.Flags().StringVar(&c.rules, "rules", "",
		"rules that differ from the id's, as a `JSON` object of them, see: pommego envs ID")
}

// game is the game of the id, or one by other rules.
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
