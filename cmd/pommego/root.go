package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pommego/arena/match"
)

// The exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	exitVoid  = 3 // a game cannot be scored
)

// commands makes the subcommands, in the order in which help lists them.
var commands = []func() *cobra.Command{newEnvs, newServe, newMCP, newPlay, newTournament, newGenerate, newData,
	newReplay, newView, newVerify, newBench, newVersion}

// usageError says that a command's arguments are wrong.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errFound ends a command that has already printed the differences: it exits with 1 and prints nothing more.
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
		RunE:          group,
	}
	root.SetVersionTemplate("pommego {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
			if want := wanted[invalid.GetFlag().Value.Type()]; want != "" {
				return usagef("--%s is %q, want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
			}
		}
		return usageError{err}
	})
	cobra.EnableCommandSorting = false
	for _, make := range commands {
		root.AddCommand(make())
	}
	root.InitDefaultHelpCmd() // which, like completion, would take any argument
	root.InitDefaultCompletionCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		_, rest, _ := root.Find(args)
		return cobra.NoArgs(root, rest)
	}
	completion, _, _ := root.Find([]string{"completion"})
	completion.RunE = group
	return root
}

// group runs a command that has only subcommands.
func group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	return usagef("there is no command %q, want one of %s", args[0], strings.Join(names, ", "))
}

// wanted describes the values of flags, by their Go type.
var wanted = map[string]string{
	"bool": "true or false", "duration": "a time with its unit, such as 500ms or 2m", "float64": "a number",
	"float64Slice": "numbers with commas between", "intSlice": "whole numbers with commas between",
	"int": "a whole number", "int64": "a whole number", "uint": "a whole number from 0",
	"uint64": "a whole number from 0 to 18446744073709551615",
}

// run runs one command line and returns the exit code.
func run(args []string) int {
	root := newRoot()
	root.SetArgs(args)
	out, said := &printer{Writer: os.Stdout}, &printer{Writer: os.Stderr}
	root.SetOut(out)
	cmd, err := root.ExecuteC()
	err = cmp.Or(err, out.err)
	called := strings.TrimSuffix(cmd.CommandPath(), cmd.Name()) + cmp.Or(cmd.CalledAs(), cmd.Name())
	code, help := exitError, ""
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFound):
		return exitError
	case errors.As(err, new(usageError)) || strings.HasPrefix(err.Error(), "unknown command"): // as cobra says
		code, help = exitUsage, fmt.Sprintf(" (see %s --help)", called)
	case errors.Is(err, match.ErrVoid):
		code = exitVoid
	}
	fmt.Fprintf(said, "%s: %s%s\n", called, match.OneLine(err.Error()), help)
	return code
}

// exactly accepts n arguments; what names them in the error.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("got %d arguments %v, want %s", len(args), args, what)
		}
		return nil
	}
}

// vacant returns an error if a file that is to be written exists or is named twice, or its folder does not
// exist. It ignores empty paths.
func vacant(paths ...string) error {
	seen := map[string]bool{}
	for _, path := range paths {
		if path == "" {
			continue
		}
		_, absent := os.Lstat(path)
		folder, err := os.Stat(filepath.Dir(path))
		switch {
		case path == "-":
			return usagef("- is no file here: name one, or ./-")
		case absent == nil:
			return usagef("%s exists, and no file is overwritten: remove it, or name another", path)
		case err != nil || !folder.IsDir():
			return usagef("%s cannot be written: there is no folder %s", path, filepath.Dir(path))
		case seen[filepath.Clean(path)]:
			return usagef("%s is named for two files: name another for one of them", path)
		}
		seen[filepath.Clean(path)] = true
	}
	return nil
}

// some accepts one argument or more; kind says in the error what they name.
func some(kind, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("no %s is named, want %s", kind, usage)
		}
		return nil
	}
}
