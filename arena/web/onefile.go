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
	"sync"

	"pommego/arena/picture"
	"pommego/arena/scene"
)

// The lines of modules that say what they take and what they give.
var (
	importLine = regexp.MustCompile(`(?m)^import (\{.*\}) from "\./(\w+)\.js";$`)
	exportLine = regexp.MustCompile(`(?m)^export ((?:async )?(?:function|const|class) (\w+))`)
)

// joined is a module and those that it imports as one script. Each is a function, and
// what it exports is in pommego.NAME.
func joined(name string) string {
	var all strings.Builder
	all.WriteString("globalThis.pommego = {};\n")
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		text := asset(name + ".js")
		for _, line := range importLine.FindAllStringSubmatch(text, -1) {
			add(line[2])
		}
		var exports []string
		for _, line := range exportLine.FindAllStringSubmatch(text, -1) {
			exports = append(exports, line[2])
		}
		text = exportLine.ReplaceAllString(importLine.ReplaceAllString(text, "const $1 = pommego.$2;"), "$1")
		fmt.Fprintf(&all, "pommego.%s = (() => {\n%sreturn { %s };\n})();\n",
			name, text, strings.Join(exports, ", "))
	}
	add(name)
	return all.String()
}

// shell is the page with its style and script in it, and the content security policy that
// allows nothing else. Files that are written hold it themselves.
var shell = sync.OnceValues(func() (page, policy string) {
	style, script := asset("style.css"), joined("page")
	page = replace(asset("index.html"), `<link rel="stylesheet" href="style.css">`, "<style>"+style+"</style>")
	page = replace(page, `<script type="module" src="page.js"></script>`, `<script type="module">`+script+"</script>")
	policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'", digest(script), digest(style))
	return replace(page, "</title>", "</title>\n"+`<meta name="policy" content="`+policy+`">`), policy
})

// WriteFile writes a page with one game as one file, which needs nothing else and
// asks for nothing. It begins with what a seat sees, with everything if that is
// env.NoSeat.
func WriteFile(w io.Writer, title string, g *scene.Timeline, seat int) error {
	held, err := pack(struct {
		Title string          `json:"title"`
		View  int             `json:"view"`
		Game  *scene.Timeline `json:"game"`
	}{title, seat, g.Patched()})
	if err != nil {
		return err
	}
	page, _ := shell()
	page = replace(page, "<title>pommego</title>", "<title>"+html.EscapeString(title+": "+g.Env)+"</title>")
	page = replace(page, `name="policy"`, `http-equiv="Content-Security-Policy"`)
	page = replace(page, `<script id="held" type="text/plain">`, `<script id="held" type="text/plain">`+held)
	_, err = io.WriteString(w, page)
	return err
}

func replace(page, part, by string) string {
	if !strings.Contains(page, part) {
		panic("web: the page lacks " + part)
	}
	return strings.Replace(page, part, by, 1)
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

// asset is one of the page's files, or the module with the sprites.
func asset(name string) string {
	if name == "drawing.js" {
		return fmt.Sprintf("export const drawing = %s;\n", picture.Sprites)
	}
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
