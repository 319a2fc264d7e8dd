package card

import (
	"bytes"

	"pommego/arena/dataset"
	"pommego/internal/chart"
)

// The pictures' measures, in points.
const (
	width  = 460
	height = 240
)

// lengths draws how many games have how many steps.
func lengths(m *dataset.Manifest) ([]byte, error) {
	s := m.Statistics
	bars := chart.Series{Colour: chart.Colours[3]}
	for _, n := range s.Lengths {
		bars.Values = append(bars.Values, float64(n))
	}
	return svg(&chart.Bars{
		Title: "Lengths of games", XLabel: "steps", YLabel: "games",
		Range: float64(s.LengthBin * len(s.Lengths)), Series: []chart.Series{bars},
	})
}

// outcomes draws how often each agent won, lost and tied.
func outcomes(m *dataset.Manifest) ([]byte, error) {
	share := func(a *dataset.AgentStatistics, i int) float64 {
		return float64([]int{a.Won, a.Lost, a.Tied}[i]) / float64(a.Games)
	}
	return shares(m, "Outcomes", "seats, %", []string{"won", "lost", "tied"}, share)
}

// choices draws how often each agent made each choice.
func choices(m *dataset.Manifest) ([]byte, error) {
	share := func(a *dataset.AgentStatistics, i int) float64 {
		if i >= len(a.Choices) {
			return 0
		}
		return float64(a.Choices[i]) / float64(max(1, a.Lived))
	}
	action := m.Env.Actions[0]
	return shares(m, "Choices of "+action.Name, "decisions, %", action.Names, share)
}

// shares draws a group of bars for each agent that has played, a bar for each
// name.
func shares(m *dataset.Manifest, title, label string, names []string,
	share func(a *dataset.AgentStatistics, i int) float64) ([]byte, error) {
	c := &chart.Bars{Title: title, YLabel: label}
	for i, name := range names {
		c.Series = append(c.Series, chart.Series{Name: name, Colour: chart.Colours[i%len(chart.Colours)]})
	}
	for i := range m.Statistics.Agents {
		a := &m.Statistics.Agents[i]
		if a.Games == 0 {
			continue
		}
		c.Groups = append(c.Groups, a.Agent)
		for n := range names {
			c.Series[n].Values = append(c.Series[n].Values, 100*share(a, n))
		}
	}
	return svg(c)
}

func svg(c *chart.Bars) ([]byte, error) {
	c.Width, c.Height = width, height
	var out bytes.Buffer
	err := c.SVG(&out)
	return out.Bytes(), err
}
