package words

import (
	"embed"
	"reflect"
	"strings"
	"text/template"

	"pommego/env"
)

// texts holds a template of the rules of each family of games, which the struct of the rules fills in, and
// prompt.txt, which puts them together with what is the same in all games.
//
//go:embed rules
var texts embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"add": func(a, b int) int { return a + b }, "join": strings.Join,
}).ParseFS(texts, "rules/*.txt"))

// Rules is the rules of a game in short, which begin with its goal; its description where they are not known.
func Rules(spec *env.Spec) string {
	t := templates.Lookup(spec.Game + ".txt")
	if t == nil {
		return spec.Description + "\n"
	}
	b, to := new(strings.Builder), reflect.New(reflect.TypeOf(spec.Rules)) // a pointer, which has all methods
	to.Elem().Set(reflect.ValueOf(spec.Rules))
	must(t.Execute(b, to.Interface()))
	return b.String()
}

// Prompt is what a model reads first, in every seat: the rules of the game, what its ends pay, how to read views in a
// form, and how to answer.
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
		"Moves": w.Spec.Actions[0].Names, "Says": len(w.Spec.Actions) > w.figures}))
	return b.String()
}

// must is for templates, which all games of their families can fill in.
func must(err error) {
	if err != nil {
		panic("words: " + err.Error())
	}
}
