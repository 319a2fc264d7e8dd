package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"text/template"

	"github.com/spf13/cobra"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/saved"
)

func newEnvs() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "envs [ID]",
		Short: "List the environments: ids, seats, spaces, rules",
		Long: `List the environments. With an id, describe one, as a page in Markdown: its seats, what a seat
may do, what each ending pays, the rules with what each means (play, tournament,
generate and bench take others by --rules), and what a seat sees in each encoding. With --json, the same
for programs: a list of all, or the one.`,
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

//go:embed envs.md
var description string

// describe writes a page in Markdown: sections with a line for each fact, which begins with the fact's name.
// docs/generate.py joins the pages of a game's ids.
func describe(w io.Writer, s described) error {
	text, err := template.New("page").Funcs(template.FuncMap{"entries": entries}).Parse(description)
	if err != nil {
		return err
	}
	return text.Execute(w, s)
}

// Values are those of the rules, by name. JSON leaves rules out that are not in use.
func (s described) Values() (values map[string]json.RawMessage, err error) {
	err = json.Unmarshal(saved.JSON(s.Rules), &values)
	return values, err
}

// Observed is the encodings and the global state, by the option that gives them.
func (s described) Observed() (all []env.Encoding) {
	for _, e := range s.Encodings {
		all = append(all, env.Encoding{Name: fmt.Sprintf("observation=%q", e.Name), Fields: e.Fields})
	}
	return append(all, env.Encoding{Name: "state=True", Fields: s.State})
}

// entries makes a line of each entry of a field, or of those of one meaning that follow each other.
func entries(names []env.Name) (lines []string) {
	for i, first := 0, 0; i < len(names); i++ {
		if i+1 < len(names) && names[i+1].Meaning == names[i].Meaning {
			continue
		}
		line := fmt.Sprintf("%d `%s`: %s", i, names[i].Name, names[i].Meaning)
		if first < i {
			line = fmt.Sprintf("%d `%s` to %s", first, names[first].Name, line)
		}
		lines, first = append(lines, line), i+1
	}
	return lines
}
