package main

import (
	"os"

	"github.com/spf13/cobra"

	"pommego/bridge"
	"pommego/env/catalog"
	"pommego/llm/openenv"
)

func newMCP() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Offer games to a language model as tools",
		Long: `Offer games to a language model as tools, new_game, look, act and result, by the Model Context Protocol
over standard input and output. A client of that protocol starts the command, which ends when standard input closes:
docs/language-models.md. Over HTTP, "pommego serve --openenv" offers the same tools at the path /mcp.`,
		Example: `  pommego mcp
  pommego serve --openenv`,
		Args: exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg := bridge.Config{IDs: catalog.IDs, Game: catalog.Game, Variant: catalog.Variant, Version: version()}
			srv, err := bridge.New(cfg)
			if err != nil {
				return err
			}
			return openenv.New(catalog.IDs()).Converse(cmd.Context(), srv.Local(), os.Stdin, os.Stdout)
		},
	}
}
