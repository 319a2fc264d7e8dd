package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"unicode/utf8"
)

// SVG draws the chart as a vector graphic.
func (b *Bars) SVG(w io.Writer) error {
	c := &canvas{}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" width="%gpt" height="%gpt" viewBox="0 0 %g %g" font-family="Helvetica, Arial, sans-serif">
<rect width="100%%" height="100%%" fill="#FFFFFF"/>
`, b.Width, b.Height, b.Width, b.Height)
	b.draw(c)
	fmt.Fprintln(c, "</svg>")
	_, err := w.Write(c.Bytes())
	return err
}

// canvas holds the elements drawn so far. Its origin is at the upper left.
type canvas struct{ bytes.Buffer }

func (v *canvas) fill(x, y, width, height float64, c color.RGBA) {
	fmt.Fprintf(v, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="#%02X%02X%02X"/>`+"\n",
		x, y, max(width, 0), max(height, 0), c.R, c.G, c.B)
}

// text writes a line whose share anchor lies left of x, on the base line y;
// upright it reads from below, and the share anchor lies below y.
func (v *canvas) text(x, y, anchor, size float64, upright bool, s string) {
	fmt.Fprintf(v, `<text x="%.2f" y="%.2f" font-size="%g" text-anchor="%s"`,
		x, y, size, map[float64]string{0: "start", 0.5: "middle", 1: "end"}[anchor])
	if upright {
		fmt.Fprintf(v, ` transform="rotate(-90 %.2f %.2f)"`, x, y)
	}
	v.WriteByte('>')
	xml.EscapeText(v, []byte(s))
	v.WriteString("</text>\n")
}

// textWidth is about how wide a text is in this size: the viewer chooses the font.
func textWidth(size float64, s string) float64 {
	return 0.6 * size * float64(utf8.RuneCountInString(s))
}
