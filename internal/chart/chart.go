// Package chart draws bar charts as SVG: groups of bars side by side beside an
// upright axis, with intervals and a legend, or a histogram.
//
//	c := chart.Bars{Title: "Games", Width: 300, Height: 200, Groups: []string{"a", "b"}, Series: series}
//	err := c.SVG(file)
//
// Lengths are in points, 72 to an inch. The same chart gives the same bytes.
package chart

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bars is a bar chart.
type Bars struct {
	Title          string
	XLabel, YLabel string // what the axes say
	Width, Height  float64
	Max            float64  // the top of the upright axis; 0: the tallest bar
	Min            float64  // its bottom, 0 or less; bars stand on 0, or hang from it
	Groups         []string // the label of each group, of one line or more
	// Range, if not 0, makes it a histogram: in place of labelled groups the
	// lower axis has numbers from 0 to Range, which the bars divide equally.
	Range  float64
	Series []Series // a bar each in every group
}

// Series is the bars of one colour.
type Series struct {
	Name      string // for the legend
	Colour    color.RGBA
	Values    []float64 // one for each group
	Low, High []float64 // the ends of each value's interval; nil: none are drawn
}

// Colours stay apart for the colour-blind.
var Colours = []color.RGBA{
	{0x00, 0x9e, 0x73, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x99, 0x99, 0x99, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0x33, 0x33, 0x33, 0xff},
}

var (
	black = color.RGBA{0, 0, 0, 0xff}
	grey  = color.RGBA{0xc8, 0xc8, 0xc8, 0xff}
)

// Measures, in points.
const (
	edge    = 8.0
	large   = 12.0 // size of title, labels and legend
	small   = 10.0 // size of the axes' figures
	leading = 1.2  // from one line to the next, in sizes
	mark    = 8.0  // length of an axis's marks
	thin    = 0.5
	thick   = 1.0
)

// frame is where the bars stand.
type frame struct {
	left, right, top, bottom float64
	min, max                 float64 // the values at the bottom and the top
	legend                   float64 // the width at the right that the legend has for itself
}

// draw draws the chart.
func (b *Bars) draw(c *canvas) {
	f := b.frame()
	c.text((f.left+f.right)/2, edge+large, 0.5, large, false, b.Title)
	b.drawUprightAxis(c, f)
	b.drawLowerAxis(c, f)
	b.drawBars(c, f)
	for i, s := range b.Series {
		if f.legend > 0 {
			y := f.top + leading*large*float64(i)
			c.fill(f.right-20, y, 20, large, s.Colour)
			c.text(f.right-24, y+large-2, 1, large, false, s.Name)
		}
	}
}

func (b *Bars) frame() frame {
	f := frame{top: edge + 2.2*large, right: b.Width - edge, min: b.Min, max: b.Max}
	for _, s := range b.Series {
		if b.Max == 0 {
			f.max = max(f.max, slices.Max(append([]float64{0}, s.Values...)))
		}
		if len(b.Series) > 1 {
			f.legend = max(f.legend, 30+textWidth(large, s.Name))
		}
	}
	if f.max == 0 {
		f.max = 1
	}
	widest := 0.0
	for _, v := range f.ticks() {
		widest = max(widest, textWidth(small, number(v)))
	}
	f.left = edge + widest + 2*mark
	if b.YLabel != "" {
		f.left += leading * large
	}
	lines := 1
	for _, label := range b.Groups {
		lines = max(lines, 1+strings.Count(label, "\n"))
	}
	f.bottom = b.Height - edge - small*leading*float64(lines)
	if b.XLabel != "" {
		f.bottom -= leading * large
	}
	if b.Range > 0 {
		f.bottom -= mark
	}
	return f
}

// y is the height of a value.
func (f frame) y(value float64) float64 {
	return f.bottom - (value-f.min)/(f.max-f.min)*(f.bottom-f.top)
}

// ticks are the round values on the upright axis.
func (f frame) ticks() []float64 { return ticks(f.min, f.max) }

func (b *Bars) drawUprightAxis(c *canvas, f frame) {
	x := f.left - mark/2
	for _, v := range f.ticks() {
		y := f.y(v)
		c.fill(f.left, y-thin/2, f.right-f.legend-f.left, thin, grey)
		c.fill(x-mark, y-thin/2, mark, thin, black)
		c.text(x-mark-2, y+0.35*small, 1, small, false, number(v))
	}
	c.fill(x, f.top, thin, f.bottom-f.top, black)
	c.text(edge+large*0.8, (f.top+f.bottom)/2, 0.5, large, true, b.YLabel)
}

func (b *Bars) drawLowerAxis(c *canvas, f frame) {
	below := f.bottom
	if b.Range > 0 {
		below += mark
		for _, v := range ticks(0, b.Range) {
			x := f.left + v/b.Range*(f.right-f.left)
			c.fill(x-thin/2, f.bottom+mark/2, thin, mark/2, black)
			c.text(x, below+small, 0.5, small, false, number(v))
		}
		c.fill(f.left, f.bottom+mark/2, f.right-f.left, thin, black)
	}
	pitch := (f.right - f.left - f.legend) / float64(max(1, len(b.Groups)))
	for i, label := range b.Groups {
		for n, line := range strings.Split(label, "\n") {
			c.text(f.left+pitch*(float64(i)+0.5), below+small*(1.1+leading*float64(n)), 0.5, small, false, line)
		}
	}
	c.text((f.left+f.right)/2, b.Height-edge, 0.5, large, false, b.XLabel)
}

// drawBars draws the bars, with a bar's room between groups, and none in a
// histogram.
func (b *Bars) drawBars(c *canvas, f frame) {
	groups, room := len(b.Groups), 1.0
	if b.Range > 0 {
		groups, room = len(b.Series[0].Values), 0
	}
	pitch := (f.right - f.left - f.legend) / float64(max(1, groups))
	width := pitch / (float64(len(b.Series)) + room)
	for i, s := range b.Series {
		for group, v := range s.Values {
			x := f.left + pitch*float64(group) + width*(float64(i)+room/2)
			top, bottom := f.y(max(0, v)), f.y(min(0, v))
			c.fill(x, top, width, bottom-top, s.Colour)
			if s.Low != nil {
				low, high, middle := f.y(s.Low[group]), f.y(s.High[group]), x+width/2
				c.fill(middle-thick/2, high, thick, low-high, black)
				c.fill(middle-2.5, high-thick/2, 5, thick, black)
				c.fill(middle-2.5, low-thick/2, 5, thick, black)
			}
		}
	}
}

// ticks are the round values from least, which is 0 or less, to most, seven at most.
func ticks(least, most float64) []float64 {
	whole := most - least
	step := math.Pow(10, math.Floor(math.Log10(whole)))
	for _, part := range []float64{0.2, 0.5, 1, 2} {
		if whole/(step*part) <= 6 {
			step *= part
			break
		}
	}
	var list []float64
	for i := math.Ceil(least/step-1e-9) + 0; i*step <= most*(1+1e-9); i++ {
		list = append(list, i*step)
	}
	return list
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
