package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"pommego/arena/scene"
)

// modules are the page's, each after those that it imports: one file holds them as
// one module.
var modules = []string{"elements.js", "address.js", "game.js", "sprites.js", "board.js", "seats.js", "view.js",
	"player.js", "looks.js", "listing.js", "server.js", "source.js", "main.js"}

// What joins modules, and is left out where they are one.
var (
	importLine = regexp.MustCompile(`(?m)^import .*\n`)
	export     = regexp.MustCompile(`(?m)^export `)
)

// WriteFile writes a page with one game as one file, which needs nothing else and
// asks for nothing. It begins with what a seat sees, with everything if that is
// env.NoSeat.
func WriteFile(w io.Writer, title string, g *scene.Game, seat int) error {
	held, err := pack(struct {
		Title string      `json:"title"`
		View  int         `json:"view"`
		Game  *scene.Game `json:"game"`
	}{title, seat, g})
	if err != nil {
		return err
	}
	page, style, script := asset("index.html"), asset("style.css"), joined()
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'", digest(script), digest(style))
	for _, part := range [][2]string{
		{"<title>pommego</title>", "<title>" + html.EscapeString(title+": "+g.Env) + "</title>"},
		{`<link rel="stylesheet" href="style.css">`,
			`<meta http-equiv="Content-Security-Policy" content="` + policy + "\">\n<style>" + style + "</style>"},
		{`<script type="module" src="main.js"></script>`,
			`<script id="held" type="text/plain">` + held + "</script>\n" + `<script type="module">` + script + "</script>"},
	} {
		if !strings.Contains(page, part[0]) {
			panic("web: index.html lacks " + part[0])
		}
		page = strings.Replace(page, part[0], part[1], 1)
	}
	_, err = io.WriteString(w, page)
	return err
}

// pack is a value as JSON, compressed, in letters.
func pack(v any) (string, error) {
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(zipped).Encode(v); err != nil {
		return "", err
	}
	err = zipped.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes()), err
}

func asset(name string) string {
	content, err := embedded.ReadFile("app/" + name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// digest is what the content security policy calls an inline script or style by.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// joined is all modules as one. Their names at the top level differ, or the browser refuses
// the module.
func joined() string {
	var all strings.Builder
	for _, name := range modules {
		all.WriteString(export.ReplaceAllString(importLine.ReplaceAllString(asset(name), ""), ""))
	}
	return all.String()
}
