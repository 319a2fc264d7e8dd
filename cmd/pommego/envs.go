package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"pommego/env"
	"pommego/env/catalog"
)

func newEnvs() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "envs [ID]",
		Short: "List the environments: ids, seats, spaces, rules",
		Long: `List the environments. With an id, describe one: its seats, what a seat may do,
what it sees in each encoding, what each ending pays, and the rules with what each means: play, tournament,
generate and bench take others by --rules. With --json, the same for programs: a list of
all, or the one.`,
		Example: `  pommego envs
  pommego envs PommeRadioCompetition-v2
  pommego envs --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("got %d arguments, want at most one id", len(args))
			}
			return nil
		},
		ValidArgsFunction: ids,
		RunE: func(cmd *cobra.Command, args []string) error {
			ids := catalog.IDs()
			if len(args) == 1 {
				ids = args
			}
			specs := []described{}
			for _, id := range ids {
				game, err := catalog.Game(id)
				if err != nil {
					return usageError{err}
				}
				specs = append(specs, described{game.Spec(), game.Endings()})
			}
			out := cmd.OutOrStdout()
			switch {
			case asJSON && len(args) == 1:
				return printJSON(out, specs[0])
			case asJSON:
				return printJSON(out, specs)
			case len(args) == 1:
				return describe(out, specs[0])
			}
			return tabulate(out, specs)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

type described struct {
	*env.Spec
	Endings []env.Ending `json:"endings"`
}

func tabulate(w io.Writer, specs []described) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tSEATS\tACTIONS\tSTEPS\tDESCRIPTION")
	for _, s := range specs {
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%s\n", s.ID, s.Seats, sizes(s.Actions), s.MaxSteps, s.Description)
	}
	return t.Flush()
}

// sizes is how many choices each component of an action has, such as "6x9x9".
func sizes(actions []env.Choice) string {
	var n []string
	for _, c := range actions {
		n = append(n, fmt.Sprint(c.N))
	}
	return strings.Join(n, "x")
}

func describe(w io.Writer, s described) error {
	fmt.Fprintf(w, "%s, version %d: %s\n", s.ID, s.Version, s.Description)
	fmt.Fprintf(w, "seats: %d, teams %v, agents %s\n", s.Seats, s.Teams, strings.Join(s.Agents, ", "))
	versions := "versions of the agents' decisions:"
	for _, name := range s.Agents {
		versions += fmt.Sprintf(" %s %d,", name, s.AgentVersions[name])
	}
	fmt.Fprintln(w, strings.TrimSuffix(versions, ","))
	for _, c := range s.Actions {
		fmt.Fprintf(w, "action %s: %s\n", c.Name, strings.Join(c.Names, ", "))
	}
	for _, c := range s.Counts {
		fmt.Fprintf(w, "counted, %s: %s\n", c.Name, c.Meaning)
	}
	for _, e := range s.Encodings {
		describeFields(w, "observation "+e.Name, e.Fields)
	}
	describeFields(w, "global state", s.State)
	for _, e := range s.Endings {
		fmt.Fprintf(w, "ending, %s: %s, outcome %g\n", e.Ending, e.Result, e.Outcome)
	}
	return describeRules(w, s.Spec)
}

func describeFields(w io.Writer, of string, fields []env.Field) {
	for _, f := range fields {
		fmt.Fprintf(w, "%s, %s: %s %v\n", of, f.Name, f.DType, f.Shape)
		for i, n := range f.Names {
			fmt.Fprintf(w, "  %2d %s: %s\n", i, n.Name, n.Meaning)
		}
	}
}

// describeRules prints one line per rule. The JSON form has no rules that are not in use.
func describeRules(w io.Writer, s *env.Spec) error {
	text, err := json.Marshal(s.Rules)
	if err != nil {
		return err
	}
	var rules map[string]json.RawMessage
	if err := json.Unmarshal(text, &rules); err != nil {
		return err
	}
	fmt.Fprintln(w, "rules:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, rule := range s.RuleMeanings {
		value, there := rules[rule.Name]
		if !there {
			value = []byte("(left out)")
		}
		fmt.Fprintf(t, "  %q: %s\t%s\n", rule.Name, value, rule.Meaning)
	}
	return t.Flush()
}
