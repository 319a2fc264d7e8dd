package report

import (
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"pommego/arena/tournament"
)

// The chart's measures.
const (
	barWidth    = 14 * vg.Length(1)
	groupWidth  = 78 * vg.Length(1)
	chartMargin = 90 * vg.Length(1)
	chartHeight = 300 * vg.Length(1)
	edge        = 8 * vg.Length(1)
	pngDPI      = 144
)

// bars are the chart's three bars an agent, in colours that stay apart for the
// colour-blind.
var bars = []struct {
	name   string
	colour color.Color
	of     func(a *tournament.Standing) tournament.Estimate
}{
	{"won", color.RGBA{0x00, 0x9e, 0x73, 0xff}, func(a *tournament.Standing) tournament.Estimate { return a.Win }},
	{"lost", color.RGBA{0xd5, 0x5e, 0x00, 0xff}, func(a *tournament.Standing) tournament.Estimate { return a.Loss }},
	{"tied", color.RGBA{0x99, 0x99, 0x99, 0xff}, func(a *tournament.Standing) tournament.Estimate { return a.Tie }},
}

// PNG draws the rates of wins, losses and ties of each agent, with intervals.
func PNG(w io.Writer, r *tournament.Results) error {
	p, width, err := chart(r)
	if err != nil {
		return err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width, chartHeight), vgimg.UseDPI(pngDPI))
	p.Draw(inset(canvas))
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// SVG draws the same as a vector graphic.
func SVG(w io.Writer, r *tournament.Results) error {
	p, width, err := chart(r)
	if err != nil {
		return err
	}
	canvas := vgsvg.New(width, chartHeight)
	p.Draw(inset(canvas))
	_, err = canvas.WriteTo(w)
	return err
}

// inset is the canvas without its edges.
func inset(canvas vg.CanvasSizer) draw.Canvas {
	return draw.Crop(draw.New(canvas), edge, -edge, edge, -edge)
}

// chart lays the chart out.
func chart(r *tournament.Results) (*plot.Plot, vg.Length, error) {
	p := plot.New()
	sans(p)
	p.Title.Text = r.Env + ", " + r.Format.String()
	if r.Against != "" {
		p.Title.Text += " against " + r.Against
	}
	p.Y.Label.Text = "games, %"
	p.Y.Min, p.Y.Max = 0, 100
	p.Y.Tick.Marker = percentTicks
	p.Title.Padding, p.Y.Label.Padding = 10, 4
	p.X.Tick.Label.YAlign = draw.YTop
	p.Legend.Top, p.Legend.Padding = true, 2
	lines := plotter.NewGrid()
	lines.Vertical.Color = nil
	p.Add(lines)
	for i, bar := range bars {
		offset := barWidth * vg.Length(i-1)
		if err := addBars(p, r, bar.of, bar.colour, offset, bar.name); err != nil {
			return nil, 0, err
		}
	}
	labels := make([]string, len(r.Agents))
	for i, a := range r.Agents {
		labels[i] = strings.NewReplacer(":", ":\n", ",", ",\n").Replace(a.Label)
	}
	p.NominalX(labels...)
	p.X.Min, p.X.Max = -0.5, float64(len(labels)) // room for the legend
	return p, chartMargin + groupWidth*vg.Length(max(4, len(labels))), nil
}

// percentTicks are the marks of the upright axis.
var percentTicks = plot.ConstantTicks{
	{Value: 0, Label: "0"}, {Value: 20, Label: "20"}, {Value: 40, Label: "40"},
	{Value: 60, Label: "60"}, {Value: 80, Label: "80"}, {Value: 100, Label: "100"},
}

// sans sets a font without serifs.
func sans(p *plot.Plot) {
	for _, style := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
}

// spread is the heights of one kind of bar, and how far their intervals reach.
type spread struct {
	plotter.XYs
	plotter.YErrors
}

func addBars(p *plot.Plot, r *tournament.Results, of func(*tournament.Standing) tournament.Estimate, colour color.Color, offset vg.Length, name string) error {
	var heights plotter.Values
	var s spread
	for i := range r.Agents {
		e := of(&r.Agents[i])
		heights = append(heights, 100*e.Value)
		s.XYs = append(s.XYs, plotter.XY{X: float64(i), Y: 100 * e.Value})
		s.YErrors = append(s.YErrors, struct{ Low, High float64 }{100 * (e.Value - e.Low), 100 * (e.High - e.Value)})
	}
	chart, err := plotter.NewBarChart(heights, barWidth)
	if err != nil {
		return err
	}
	chart.Color, chart.Offset, chart.LineStyle.Width = colour, offset, 0
	whiskers, err := plotter.NewYErrorBars(s)
	if err != nil {
		return err
	}
	p.Add(chart, shifted{whiskers, offset})
	p.Legend.Add(name, chart)
	return nil
}

// shifted draws whiskers in the middle of bars that stand beside their place.
type shifted struct {
	*plotter.YErrorBars
	by vg.Length
}

func (s shifted) Plot(c draw.Canvas, p *plot.Plot) {
	c.Push()
	c.Translate(vg.Point{X: s.by})
	s.YErrorBars.Plot(c, p)
	c.Pop()
}
