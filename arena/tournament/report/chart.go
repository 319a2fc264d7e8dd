package report

import (
	"slices"
	"strings"

	"pommego/arena/tournament"
	"pommego/internal/chart"
)

// The chart's measures, in points.
const (
	groupWidth  = 78
	chartMargin = 90
	chartHeight = 300
)

// bars are the chart's three bars an agent.
var bars = []struct {
	name string
	of   func(a *tournament.Standing) tournament.Estimate
}{
	{"won", func(a *tournament.Standing) tournament.Estimate { return a.Win }},
	{"lost", func(a *tournament.Standing) tournament.Estimate { return a.Loss }},
	{"tied", func(a *tournament.Standing) tournament.Estimate { return a.Tie }},
}

// overview is a chart with a group an agent.
func overview(r *tournament.Results) *chart.Bars {
	c := &chart.Bars{
		Title: r.Env + ", " + r.Format.String(),
		Width: chartMargin + groupWidth*float64(max(4, len(r.Agents))), Height: chartHeight,
	}
	if r.Against != "" {
		c.Title += " against " + r.Against
	}
	for _, a := range r.Agents {
		c.Groups = append(c.Groups, strings.NewReplacer(":", ":\n", ",", ",\n").Replace(a.Label))
	}
	return c
}

// ratings draws the agents' ratings, with intervals.
func ratings(r *tournament.Results) *chart.Bars {
	c := overview(r)
	c.YLabel = "rating, " + r.Anchor + " is 0"
	s := chart.Series{Colour: chart.Colours[5]}
	for _, a := range r.Agents {
		e := a.Rating
		s.Values, s.Low, s.High = append(s.Values, e.Value), append(s.Low, e.Low), append(s.High, e.High)
	}
	c.Min, c.Max = min(0, slices.Min(s.Low)), max(1, slices.Max(s.High))
	c.Series = []chart.Series{s}
	return c
}

// rates draws the shares of wins, losses and ties of each agent, with intervals.
func rates(r *tournament.Results) *chart.Bars {
	c := overview(r)
	c.YLabel, c.Max = "games, %", 100
	for i, bar := range bars {
		s := chart.Series{Name: bar.name, Colour: chart.Colours[i]}
		for n := range r.Agents {
			e := bar.of(&r.Agents[n])
			s.Values = append(s.Values, 100*e.Value)
			s.Low, s.High = append(s.Low, 100*e.Low), append(s.High, 100*e.High)
		}
		c.Series = append(c.Series, s)
	}
	return c
}
