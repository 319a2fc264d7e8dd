package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
)

// SVG draws the chart as a vector graphic.
func (b *Bars) SVG(w io.Writer) error {
	c := &vector{}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" width="%gpt" height="%gpt" viewBox="0 0 %g %g" font-family="Go, Helvetica, Arial, sans-serif">
<rect width="100%%" height="100%%" fill="#FFFFFF"/>
`, b.Width, b.Height, b.Width, b.Height)
	b.draw(c)
	fmt.Fprintln(c, "</svg>")
	_, err := w.Write(c.Bytes())
	return err
}

// vector is a canvas of SVG elements.
type vector struct{ bytes.Buffer }

func (v *vector) fill(x, y, width, height float64, c color.RGBA) {
	fmt.Fprintf(v, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#%02X%02X%02X"/>`+"\n", x, y, max(width, 0), max(height, 0), c.R, c.G, c.B)
}

func (v *vector) text(x, y, anchor, size float64, upright bool, s string) {
	fmt.Fprintf(v, `<text x="%.2f" y="%.2f" font-size="%g" text-anchor="%s"`, x, y, size, map[float64]string{0: "start", 0.5: "middle", 1: "end"}[anchor])
	if upright {
		fmt.Fprintf(v, ` transform="rotate(-90 %.2f %.2f)"`, x, y)
	}
	v.WriteByte('>')
	xml.EscapeText(v, []byte(s))
	v.WriteString("</text>\n")
}
