package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
)

func newDataPack() *cobra.Command {
	var o packOptions
	cmd := &cobra.Command{
		Use:   "pack --out DIR",
		Short: "Store games that a client played: the other end of pommego.data.record",
		Long: `Make a data set of games that a client plays with its own agents, such as a network in
Python. pommego.data.record runs this command.

The command reads JSON objects from standard input. The first is the data set's configuration,
as a manifest has it in "generated". The command then prints {"ready": true} and reads the
games, in the order of their seeds: game i has the configuration's seed + i. A game has

  agents   for each seat the name of its agent
  actions  a byte for each step, seat of the client's, and component, in Base64
  extra    an object: for each extra array, its bytes for each step and seat, in Base64
  winners  a bit for each seat that won`,
		Example: `  pommego data pack --out league --env OneVsOne-v0 <games`,
		Args:    exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.out, "out", "", "the folder for the data set")
	o.chosenGame.add(cmd, defaultEnv)
	return cmd
}

type packOptions struct {
	chosenGame
	out string
}

func (o *packOptions) run(ctx context.Context, input io.Reader, out io.Writer) error {
	if o.out == "" {
		return errNoOut
	}
	game, err := o.game()
	if err != nil {
		return err
	}
	in := json.NewDecoder(input)
	in.DisallowUnknownFields()
	var config dataset.Config
	if err := in.Decode(&config); err != nil {
		return usagef("the configuration cannot be read: %w", err)
	}
	options := dataset.Options{Version: version(), Build: build()}
	ready := false
	m, err := dataset.Record(ctx, game, config, o.out, options, func() (*dataset.Recorded, error) {
		if !ready {
			ready = true
			if _, err := fmt.Fprintln(out, `{"ready": true}`); err != nil {
				return nil, err
			}
		}
		game := new(dataset.Recorded)
		return game, in.Decode(game)
	})
	switch {
	case err != nil && !ready && !errors.Is(err, dataset.ErrNotEmpty):
		return usageError{err}
	case err != nil:
		return otherOut(err)
	}
	return finished(out, o.out, m)
}
