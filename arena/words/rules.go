package words

import (
	"cmp"
	"embed"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"unique"
)

// texts holds, for each family of games, a template of its rules, which the struct of
// the rules fills in, and one of how to read views.
//
//go:embed rules
var texts embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"add": func(a, b int) int { return a + b },
}).ParseFS(texts, "rules/*.txt"))

// Rules is the rules of the game in short, and how to read views of it.
func (g *Game) Rules() string { return g.rules.Value() }

// Answers is how to answer.
func (g *Game) Answers() string { return g.answers.Value() }

// tell writes the rules.
func (g *Game) tell() error {
	var teams []string
	for _, team := range g.head.Teams {
		aliases := ""
		for _, seat := range team {
			aliases += g.Alias(seat)
		}
		teams = append(teams, aliases)
	}
	b := new(strings.Builder)
	fmt.Fprintf(b, "%s: %d rows, %d columns. %s play against each other, all at once in each tick. A move is one of: "+
		"%s.\n", g.spec.ID, g.head.Rows, g.head.Cols, strings.Join(teams, ", "), strings.Join(g.spec.Actions[0].Names, ", "))
	if t := templates.Lookup(g.spec.Game + ".txt"); t == nil {
		fmt.Fprintf(b, "%s\n", g.spec.Description)
	} else {
		rules := reflect.New(reflect.TypeOf(g.spec.Rules)) // a pointer, which has all methods
		rules.Elem().Set(reflect.ValueOf(g.spec.Rules))
		if err := t.Execute(b, rules.Interface()); err != nil {
			return fmt.Errorf("words: the rules of %s: %w", g.spec.ID, err)
		}
	}
	err := templates.ExecuteTemplate(b, "views.txt", nil)
	g.rules = unique.Make(b.String())
	b.Reset()
	says := len(g.spec.Actions) > g.figures
	err = cmp.Or(err, templates.ExecuteTemplate(b, "answers.txt", map[string]any{"Figures": g.figures, "Says": says}))
	g.answers = unique.Make(b.String())
	return err
}
