package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
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

// picture draws a chart at two dots a point.
func picture(t *testing.T, b *Bars) image.Image {
	t.Helper()
	var out bytes.Buffer
	if err := b.PNG(&out, 144); err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// columns is how many dots of a colour each column of the frame has, each
// height once, from left to right. The legend lies right of the frame.
func columns(p image.Image, f frame, c color.RGBA) []int {
	var heights []int
	for x := int(2 * f.left); x < int(2*(f.right-f.legend)); x++ {
		n := 0
		for y := range p.Bounds().Dy() {
			if color.RGBAModel.Convert(p.At(x, y)) == c {
				n++
			}
		}
		heights = append(heights, n)
	}
	return slices.Compact(slices.DeleteFunc(heights, func(n int) bool { return n == 0 }))
}

// TestBarsAreAsHighAsTheirValues counts dots.
func TestBarsAreAsHighAsTheirValues(t *testing.T) {
	b := sample()
	p, f := picture(t, b), b.frame()
	if got := p.Bounds().Size(); got != image.Pt(600, 400) {
		t.Errorf("the picture's size is %v, want 600 by 400", got)
	}
	full := int(2*f.bottom+0.5) - int(2*f.top+0.5)
	got := columns(p, f, Colours[0])
	if len(got) != 2 || got[1] != full || got[0] < full/2-1 || got[0] > full/2+1 {
		t.Errorf("the first series' bars are %v dots high, want %d and %d", got, full/2, full)
	}
	whisker := 0
	for _, n := range columns(p, f, black) {
		whisker = max(whisker, n)
	}
	if want := full * 7 / 10; whisker < want || whisker > want+30 {
		t.Errorf("the highest column of black has %d dots, want an interval of %d and some letters", whisker, want)
	}
}

// TestAHistogramHasNoGaps looks along the foot of the bars.
func TestAHistogramHasNoGaps(t *testing.T) {
	b := &Bars{Width: 300, Height: 200, Range: 80, Series: []Series{{Colour: Colours[3], Values: []float64{3, 1, 2, 5}}}}
	p, f := picture(t, b), b.frame()
	for x := int(2*f.left) + 1; x < int(2*f.right)-1; x++ {
		if got := color.RGBAModel.Convert(p.At(x, int(2*f.bottom)-3)); got != Colours[3] {
			t.Fatalf("dot %d at the foot of the bars is %v, want %v", x, got, Colours[3])
		}
	}
}

// TestTextIsWritten: without a text its place is white.
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
		if without := picture(t, b).(*image.RGBA); bytes.Equal(without.Pix, with.(*image.RGBA).Pix) {
			t.Errorf("the picture is the same without its %s", name)
		}
	}
}

func TestSVG(t *testing.T) {
	var out bytes.Buffer
	if err := sample().SVG(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">a &lt;title&gt;<", ">lines<", ">second<", "#D55E00", "rotate(-90", `text-anchor="end">100<`} {
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
	for _, b := range []*Bars{{}, {Groups: []string{"a"}, Series: []Series{{Values: []float64{0}}}}, {Range: 10, Series: []Series{{}}}} {
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
	span := 2 * (f.bottom - f.top)
	got := columns(p, f, Colours[0])
	near := func(n int, want float64) bool { return math.Abs(float64(n)-want) <= 2 }
	if len(got) != 2 || !near(got[0], span/4) || !near(got[1], span/2) {
		t.Errorf("the bars have %v dots, want about %v and %v", got, span/4, span/2)
	}
	zero := int(2 * f.y(0))
	for y := range p.Bounds().Dy() {
		if color.RGBAModel.Convert(p.At(int(2*f.left)+int(f.right-f.left)/2, y)) == Colours[0] && y < zero-1 {
			t.Fatalf("a bar of -50 reaches above 0, to dot %d of %d", y, zero)
		}
	}
}
