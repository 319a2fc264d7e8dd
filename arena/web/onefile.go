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

// The lines of modules that import and export.
var (
	importLine = regexp.MustCompile(`(?m)^import (\{.*\}) from "\./(\w+)\.js";$`)
	exportLine = regexp.MustCompile(`(?m)^export ((?:async )?(?:function|const|class) (\w+))`)
)

// joined makes one script of a module and the modules that it imports. Each becomes a function,
// and its exports are in pommego.NAME.
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

// shell is a page that contains its style and script.
type shell struct {
	page   string
	policy string // the content security policy that allows nothing else; files that are written hold it themselves
	zipped []byte // the page, compressed
	tag    string // the ETag, by which browsers cache the page
}

// shells are the pages by their paths. Each has the modules that it needs.
var shells = sync.OnceValue(func() map[string]shell {
	return map[string]shell{"/": shellOf("main"), "/live.html": shellOf("live"), "/play.html": shellOf("play")}
})

func shellOf(module string) shell {
	style, script := asset("style.css"), joined(module)
	page := replace(asset("index.html"), `<link rel="stylesheet" href="style.css">`, "<style>"+style+"</style>")
	page = replace(page, `<script type="module" src="main.js"></script>`, `<script type="module">`+script+"</script>")
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'", digest(script), digest(style))
	page = replace(page, "</title>", "</title>\n"+`<meta name="policy" content="`+policy+`">`)
	zipped := pack(func(w io.Writer) { io.WriteString(w, page) })
	return shell{page, policy, zipped, fmt.Sprintf(`"%x"`, sha256.Sum256(zipped))}
}

// WriteFile writes a page with one game as one file, which loads nothing else. At first
// the page shows what a seat sees, or everything if seat is
// env.NoSeat.
func WriteFile(w io.Writer, title string, g *scene.Timeline, seat int) error {
	var err error
	held := base64.StdEncoding.EncodeToString(pack(func(w io.Writer) {
		err = json.NewEncoder(w).Encode(struct {
			Title string          `json:"title"`
			View  int             `json:"view"`
			Game  *scene.Timeline `json:"game"`
		}{title, seat, g.Patched()})
	}))
	if err != nil {
		return err
	}
	page := replace(shells()["/"].page, "<title>pommego</title>", "<title>"+html.EscapeString(title+": "+g.Env)+"</title>")
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

// pack returns the compressed bytes that write writes.
func pack(write func(io.Writer)) []byte {
	var out bytes.Buffer
	zipped, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	write(zipped)
	zipped.Close()
	return out.Bytes()
}

// asset returns one of the page's files, or the module with the sprites.
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

// digest is the name of an inline script or style in the content security policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
