package web

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Chart is bars with their names: how often something was so in the games of a listing.
type Chart struct {
	Title  string   `json:"title"`
	Names  []string `json:"names"`
	Counts []int    `json:"counts"`
}

const mostBars = 12

// draw makes the charts of the listing, which has its games, and adds others that are not empty.
func (l *Listing) draw(others ...Chart) {
	for _, c := range append([]Chart{l.lengths(), l.winners()}, others...) {
		if len(c.Counts) > 0 && slices.Max(c.Counts) > 0 {
			l.Charts = append(l.Charts, c)
		}
	}
}

// lengths counts the games by their steps, in ranges of one width.
func (l *Listing) lengths() Chart {
	longest := 0
	for i := range l.Games {
		longest = max(longest, l.Games[i].Steps)
	}
	width := longest/mostBars + 1
	if width > 10 {
		width = (width + 9) / 10 * 10
	}
	c := Chart{Title: "Steps", Counts: make([]int, longest/width+1)}
	for i := range l.Games {
		c.Counts[l.Games[i].Steps/width]++
	}
	for i := range c.Counts {
		c.Names = append(c.Names, fmt.Sprintf("%d to %d", i*width, (i+1)*width-1))
	}
	return c
}

// winners counts the games that each agent won, and those that nobody won by how they ended.
func (l *Listing) winners() Chart {
	wins := map[string]int{}
	for i := range l.Games {
		names, _ := l.Games[i].won()
		for _, name := range names {
			wins[name]++
		}
	}
	c := Chart{Title: "Won by", Names: slices.Collect(maps.Keys(wins))}
	slices.SortFunc(c.Names, func(a, b string) int { return cmp.Or(wins[b]-wins[a], cmp.Compare(a, b)) })
	c.Names = c.Names[:min(len(c.Names), mostBars)]
	for _, name := range c.Names {
		c.Counts = append(c.Counts, wins[name])
	}
	return c
}

// deaths says in whose flames seats died, of games that count it.
func deaths(counted map[string]int) Chart {
	return Chart{"Died in flames of", []string{"enemies", "teammates", "themselves"},
		[]int{counted["kills"], counted["team_kills"], counted["suicides"]}}
}
