package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// sample has bars of a half, all and a quarter of the height.
func sample() *Bars {
	return &Bars{
		Title: "a <title>", XLabel: "across", YLabel: "up", Width: 300, Height: 200, Max: 100,
		Groups: []string{"one", "two\nlines"},
		Series: []Series{
			{Name: "first", Colour: Colours[0], Values: []float64{50, 100}},
			{Name: "second", Colour: Colours[1], Values: []float64{25, 0}, Low: []float64{10, 0}, High: []float64{80, 10}},
		},
	}
}

// picture draws a chart.
func picture(t *testing.T, b *Bars) string {
	t.Helper()
	var out bytes.Buffer
	if err := b.SVG(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type rect struct{ x, y, width, height float64 }

// rects are the rectangles of a colour in the frame, in the order in which they are drawn.
// The legend lies right of the frame.
func rects(t *testing.T, p string, f frame, c color.RGBA) (all []rect) {
	t.Helper()
	for line := range strings.Lines(p) {
		var r rect
		var got color.RGBA
		_, err := fmt.Sscanf(line, `<rect x="%f" y="%f" width="%f" height="%f" fill="#%02X%02X%02X"/>`,
			&r.x, &r.y, &r.width, &r.height, &got.R, &got.G, &got.B)
		if got.A = 0xff; err == nil && got == c && r.x >= f.left-0.01 && r.x < f.right-f.legend {
			all = append(all, r)
		}
	}
	return all
}

func near(a, b float64) bool { return math.Abs(a-b) < 0.02 }

// TestBarsAreAsHighAsTheirValues measures the bars.
func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	b := sample()
	p, f := picture(t, b), b.frame()
	full := f.bottom - f.top
	got := rects(t, p, f, Colours[0])
	if len(got) != 2 || !near(got[0].height, full/2) || !near(got[1].height, full) {
		t.Errorf("the first series' bars are %v, want heights of %v and %v", got, full/2, full)
	}
	longest := 0.0
	for _, r := range rects(t, p, f, black) {
		longest = max(longest, r.height)
	}
	if want := full * 0.7; !near(longest, want) {
		t.Errorf("the longest interval is %v high, want %v", longest, want)
	}
}

// TestAHistogramHasNoGaps compares where bars end and begin.
func TestAHistogramHasNoGaps(t *testing.T) {
	b := &Bars{Width: 300, Height: 200, Range: 80, Series: []Series{{Colour: Colours[3], Values: []float64{3, 1, 2, 5}}}}
	p, f := picture(t, b), b.frame()
	x := f.left
	got := rects(t, p, f, Colours[3])
	for _, r := range got {
		if !near(r.x, x) || !near(r.y+r.height, f.bottom) {
			t.Fatalf("a bar is %v, want it to begin at %v and to stand on %v", r, x, f.bottom)
		}
		x = r.x + r.width
	}
	if len(got) != 4 || !near(x, f.right) {
		t.Errorf("%d bars end at %v, want 4 that end at %v", len(got), x, f.right)
	}
}

// TestTextIsWritten: without a text the picture is another.
func TestTextIsWritten(t *testing.T) {
	with := picture(t, sample())
	for name, remove := range map[string]func(*Bars){
		"title":  func(b *Bars) { b.Title = "" },
		"XLabel": func(b *Bars) { b.XLabel = " " },
		"YLabel": func(b *Bars) { b.YLabel = " " },
		"legend": func(b *Bars) { b.Series[1].Name = "secona" },
		"label":  func(b *Bars) { b.Groups[1] = "two\n " },
	} {
		b := sample()
		remove(b)
		if picture(t, b) == with {
			t.Errorf("the picture is the same without its %s", name)
		}
	}
}

func TestSVG(t *testing.T) {
	var out bytes.Buffer
	if err := sample().SVG(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">a &lt;title&gt;<", ">lines<", ">second<", "#D55E00", "rotate(-90",
		`text-anchor="end">100<`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the SVG does not hold %q:\n%s", want, out.String())
		}
	}
	for in := xml.NewDecoder(&out); ; {
		if _, err := in.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestNothingToDraw: a chart without values is drawn all the same.
func TestNothingToDraw(t *testing.T) {
	for _, b := range []*Bars{{}, {Groups: []string{"a"}, Series: []Series{{Values: []float64{0}}}},
		{Range: 10, Series: []Series{{}}}} {
		b.Width, b.Height = 100, 80
		picture(t, b)
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		most float64
		want []float64
	}{
		{100, []float64{0, 20, 40, 60, 80, 100}},
		{1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{21, []float64{0, 5, 10, 15, 20}},
		{816, []float64{0, 200, 400, 600, 800}},
	} {
		got := ticks(0, test.most)
		same := slices.EqualFunc(got, test.want, func(a, b float64) bool { return number(a) == number(b) })
		if !same {
			t.Errorf("ticks up to %g are %v, want %v", test.most, got, test.want)
		}
	}
}

// TestBarsBelowZero: on an axis that begins below 0 bars hang from 0, and the axis has
// round values on both sides.
func TestBarsBelowZero(t *testing.T) {
	if got := ticks(-130, 240); !slices.Equal(got, []float64{-100, 0, 100, 200}) {
		t.Errorf("ticks from -130 to 240 are %v", got)
	}
	b := sample()
	b.Min, b.Series = -100, []Series{{Name: "only", Colour: Colours[0], Values: []float64{-50, 100}}}
	p, f := picture(t, b), b.frame()
	span := f.bottom - f.top
	got := rects(t, p, f, Colours[0])
	if len(got) != 2 || !near(got[0].height, span/4) || !near(got[1].height, span/2) {
		t.Fatalf("the bars are %v, want heights of %v and %v", got, span/4, span/2)
	}
	if zero := f.y(0); !near(got[0].y, zero) || !near(got[1].y+got[1].height, zero) {
		t.Errorf("the bars are %v, want the first to hang from %v and the second to stand on it", got, zero)
	}
}
