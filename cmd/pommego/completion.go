package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/arena/match"
	"pommego/arena/tournament"
	"pommego/env/catalog"
	"pommego/internal/enum"
)

// completions gives the flags of a command and its subcommands the values that the shell
// offers for them, once it has read the script of pommego completion SHELL.
func completions(cmd *cobra.Command) {
	for name, values := range map[string]cobra.CompletionFunc{
		"env":        ids,
		"agents":     agentLists,
		"against":    agentLists,
		"agent":      agentLists,
		"winner":     agentLists,
		"format":     oneOf(enum.NamesOf(tournament.RoundRobin)),
		"layout":     oneOf(enum.NamesOf(dataset.Games)),
		"ties":       oneOf(enum.NamesOf(match.KeepTies)),
		"log-format": oneOf(logFormats),
		"log-level":  oneOf([]string{"debug", "info", "warn", "error"}),
	} {
		if cmd.Flags().Lookup(name) != nil {
			if err := cmd.RegisterFlagCompletionFunc(name, values); err != nil {
				panic(err) // the flag was completed twice
			}
		}
	}
	for _, below := range cmd.Commands() {
		completions(below)
	}
}

func oneOf(values []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// ids offers the ids of the catalog, with what they are.
func ids(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, id := range catalog.IDs() {
		if game, err := catalog.Game(id); err == nil {
			all = append(all, cobra.CompletionWithDesc(id, game.Spec().Description))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// agentLists offers the agents of the environment on the line, for the last name of a list.
func agentLists(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	id := defaultEnv
	if f := cmd.Flag("env"); f != nil && f.Value.String() != "" {
		id = f.Value.String()
	}
	game, err := catalog.Game(id)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := slices.Clone(game.Spec().Agents)
	if cmd.Name() == "play" {
		names = append(names, "human")
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for i, name := range names {
		names[i] = before + name
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
