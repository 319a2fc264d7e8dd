package words

import (
	"embed"
	"reflect"
	"strings"
	"text/template"

	"pommego/env"
)

// texts holds a template of the rules for each family of games, which is filled in from the struct of the rules, and
// prompt.txt, which joins them with the text that is the same in all games.
//
//go:embed rules
var texts embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"add": func(a, b int) int { return a + b }, "join": strings.Join,
}).ParseFS(texts, "rules/*.txt"))

// Rules is the short rules of a game, which begin with its goal; its description if they are not known.
func Rules(spec *env.Spec) string {
	t := templates.Lookup(spec.Game + ".txt")
	if t == nil {
		return spec.Description + "\n"
	}
	b, to := new(strings.Builder), reflect.New(reflect.TypeOf(spec.Rules)) // a pointer has all methods
	to.Elem().Set(reflect.ValueOf(spec.Rules))
	must(t.Execute(b, to.Interface()))
	return b.String()
}

// Prompt is what a model reads first, in every seat: the rules of the game, the rewards of its ends, how to read views
// in a form, and how to answer.
func (w *Writer) Prompt(form Form) string {
	var teams []string
	for _, team := range w.Head.Teams {
		aliases := ""
		for _, seat := range team {
			aliases += w.Alias(seat)
		}
		teams = append(teams, aliases)
	}
	all, b := "", new(strings.Builder)
	for _, look := range w.Head.Looks {
		all += look.Chars
	}
	must(templates.ExecuteTemplate(b, "prompt.txt", map[string]any{"Spec": w.Spec, "Head": &w.Head, "Teams": teams,
		"Rules": Rules(w.Spec), "Endings": w.endings, "Legend": w.legend(all), "Form": form, "Figures": w.figures,
		"Moves": w.Spec.Actions[0].Names, "Says": len(w.Spec.Actions) - w.figures}))
	return b.String()
}

// must panics on an error of a template: every game of a family can fill in its template.
func must(err error) {
	if err != nil {
		panic("words: " + err.Error())
	}
}
