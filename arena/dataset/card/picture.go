package card

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"pommego/arena/dataset"
)

// The pictures' measures.
const (
	width  = 460 * vg.Length(1)
	height = 240 * vg.Length(1)
	edge   = 8 * vg.Length(1)
	dpi    = 96
)

// colours stay apart for the colour-blind.
var colours = []color.Color{
	color.RGBA{0x00, 0x9e, 0x73, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x99, 0x99, 0x99, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0x33, 0x33, 0x33, 0xff},
}

// lengths draws how many games have how many steps.
func lengths(m *dataset.Manifest) ([]byte, error) {
	s := m.Statistics
	p := newPlot("Lengths of games", "steps", "games")
	bins := make([]plotter.HistogramBin, len(s.Lengths))
	for i, n := range s.Lengths {
		bins[i] = plotter.HistogramBin{Min: float64(i * s.LengthBin), Max: float64((i + 1) * s.LengthBin), Weight: float64(n)}
	}
	p.Add(&plotter.Histogram{Bins: bins, Width: float64(s.LengthBin), FillColor: colours[3]})
	p.Y.Min = 0
	return png(p)
}

// outcomes draws how often each agent won, lost and tied.
func outcomes(m *dataset.Manifest) ([]byte, error) {
	p := newPlot("Outcomes", "", "seats, %")
	agents := players(m)
	var g groups
	for i, kind := range []string{"won", "lost", "tied"} {
		var share plotter.Values
		for _, a := range agents {
			share = append(share, 100*float64([]int{a.Won, a.Lost, a.Tied}[i])/float64(a.Games))
		}
		g.add(kind, share)
	}
	return g.draw(p, agents)
}

// choices draws how often each agent made each choice.
func choices(m *dataset.Manifest) ([]byte, error) {
	p := newPlot("Choices of "+m.Env.Actions[0].Name, "", "decisions, %")
	agents := players(m)
	var g groups
	for i, name := range m.Env.Actions[0].Names {
		var share plotter.Values
		for _, a := range agents {
			n := 0
			if i < len(a.Choices) {
				n = a.Choices[i]
			}
			share = append(share, 100*float64(n)/float64(max(1, a.Lived)))
		}
		g.add(name, share)
	}
	return g.draw(p, agents)
}

// players are the agents that have played.
func players(m *dataset.Manifest) []dataset.AgentStatistics {
	var all []dataset.AgentStatistics
	for _, a := range m.Statistics.Agents {
		if a.Games > 0 {
			all = append(all, a)
		}
	}
	return all
}

// groups is a group of bars for each agent.
type groups struct {
	names  []string
	shares []plotter.Values
}

func (g *groups) add(name string, share plotter.Values) {
	g.names, g.shares = append(g.names, name), append(g.shares, share)
}

func (g *groups) draw(p *plot.Plot, agents []dataset.AgentStatistics) ([]byte, error) {
	bar := (width - 150) / vg.Length(len(agents)*(len(g.names)+1))
	for i, share := range g.shares {
		chart, err := plotter.NewBarChart(share, bar)
		if err != nil {
			return nil, err
		}
		chart.Color, chart.LineStyle.Width = colours[i%len(colours)], 0
		chart.Offset = bar * (vg.Length(i) - vg.Length(len(g.names)-1)/2)
		p.Add(chart)
		p.Legend.Add(g.names[i], chart)
	}
	var labels []string
	for _, a := range agents {
		labels = append(labels, a.Agent)
	}
	p.NominalX(labels...)
	p.X.Min, p.X.Max = -0.5, float64(len(labels))-0.5+0.3*float64(len(labels)) // room for the legend
	p.Y.Min = 0
	return png(p)
}

// newPlot is an empty picture.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, style := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = "Sans"
	}
	p.Title.Padding, p.Legend.Top, p.Legend.Padding = 8, true, 2
	lines := plotter.NewGrid()
	lines.Vertical.Color = nil
	p.Add(lines)
	return p
}

func png(p *plot.Plot) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	p.Draw(draw.Crop(draw.New(canvas), edge, -edge, edge, -edge))
	var out bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&out)
	return out.Bytes(), err
}
