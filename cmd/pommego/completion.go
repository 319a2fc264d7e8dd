package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/arena/match"
	"pommego/arena/tournament"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/internal/enum"
)

// What the shell offers for the flags and arguments that take one of few values.
// pommego completion SHELL writes the script that asks for it.

// completions gives the flags of a command, and of those below it, their values.
func completions(cmd *cobra.Command) {
	for name, values := range map[string]cobra.CompletionFunc{
		"env":         ids,
		"agents":      agentLists,
		"against":     agentLists,
		"agent":       agentLists,
		"winner":      agentLists,
		"observation": encodings,
		"format":      oneOf(enum.NamesOf(tournament.RoundRobin)),
		"layout":      oneOf(enum.NamesOf(dataset.Games)),
		"seating":     oneOf(enum.NamesOf(dataset.Fixed)[:dataset.Told]),
		"ties":        oneOf(enum.NamesOf(match.KeepTies)),
		"log-format":  oneOf(logFormats),
		"log-level":   oneOf([]string{"debug", "info", "warn", "error"}),
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

// onlyID offers an id for the first argument, and nothing for others.
func onlyID(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ids(cmd, args, typed)
}

// chosenSpec is that of the id that --env has on the line, nil of a wrong one.
func chosenSpec(cmd *cobra.Command) *env.Spec {
	id := defaultEnv
	if f := cmd.Flag("env"); f != nil && f.Value.String() != "" {
		id = f.Value.String()
	}
	game, err := catalog.Game(id)
	if err != nil {
		return nil
	}
	return game.Spec()
}

// agentLists offers the game's agents for the last name of a list.
func agentLists(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	spec := chosenSpec(cmd)
	if spec == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := slices.Clone(spec.Agents)
	if cmd.Name() == "play" {
		names = append(names, "human")
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	for i, name := range names {
		names[i] = before + name
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// encodings offers the game's encodings.
func encodings(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if spec := chosenSpec(cmd); spec != nil {
		for _, e := range spec.Encodings {
			names = append(names, e.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
