package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// commands makes the subcommands, in the order in which help lists them.
var commands = []func() *cobra.Command{newEnvs, newServe, newPlay, newTournament, newGenerate, newData, newReplay,
	newView, newVerify, newBench, newVersion}

// usageError is a command called wrongly.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errFound ends a command that has already said what it found: it exits with 1
// and prints nothing more.
var errFound = errors.New("differences were found")

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "pommego",
		Short: "Pommerman environments: play, serve, record, verify",
		Long: `Pommerman environments: play, serve, record, verify.

The shell completes commands, flags and ids once it has read the script that
"pommego completion SHELL" writes; see "pommego completion bash --help".`,
		Version: version(),
		Example: `  pommego envs
  pommego play --agents simple --seed 7 --show
  pommego verify games.jsonl.gz
  source <(pommego completion bash)`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q, want one of %s", args[0], strings.Join(commandNames(cmd), ", "))
			}
			return cmd.Help()
		},
	}
	root.SetVersionTemplate("pommego {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cobra.EnableCommandSorting = false
	for _, make := range commands {
		root.AddCommand(make())
	}
	return root
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return names
}

// run runs one command line and returns the exit code.
func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFound):
		return exitError
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "%s: %s (see %s --help)\n", cmd.CommandPath(), oneLine(err), cmd.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", cmd.CommandPath(), oneLine(err))
	return exitError
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// exactly accepts n arguments, called what.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("got %d arguments %v, want %s", len(args), args, what)
		}
		return nil
	}
}

// some wants one argument or more, which name things of a kind.
func some(kind, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("no %s is named, want %s", kind, usage)
		}
		return nil
	}
}
