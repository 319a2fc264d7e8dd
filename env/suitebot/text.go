package suitebot

import "fmt"

// agentColours are the players' colours on a terminal, as ANSI escape sequences.
var agentColours = [MaxPlayers]string{
	"\x1b[1;97;41m", "\x1b[1;97;44m", "\x1b[1;97;42m", "\x1b[1;97;45m",
	"\x1b[1;30;43m", "\x1b[1;30;46m", "\x1b[1;30;47m", "\x1b[1;97;100m",
}

// AppendText appends a picture of the game: a line of numbers, the plan, and a
// line about each player. Agents are A0, A1 and so on, their home bases H0, H1;
// a bomb shows the rounds it has left and a letter for its owner, a for player 0;
// a dot is a field that still holds its points, ** one that has just been blown
// up.
func (m *Match) AppendText(dst []byte, colour bool) []byte {
	return m.game.plan.AppendText(dst, &m.State, colour)
}

// AppendText is Match.AppendText for a state by itself.
func (p *Plan) AppendText(dst []byte, s *State, colour bool) []byte {
	left := p.cells - s.Spent.Len()
	dst = fmt.Appendf(dst, "round %d of %d, %d fields left, %d contested\n", s.StepCount, p.rules.Rounds, left, s.Contested())
	return p.appendPlan(dst, s, nil, colour)
}

// AppendSeen appends a picture of what a seat sees: env.Seen. A field out of sight
// is ??, or the home base that is known to be there.
func (m *Match) AppendSeen(dst []byte, seat int, colour bool) []byte {
	var v View
	m.View(seat, &v)
	dst = fmt.Appendf(dst, "round %d of %d, you are A%d\n", m.StepCount, m.game.plan.rules.Rounds, seat)
	return m.game.plan.appendPlan(dst, &v.State, &v.Sight, colour)
}

// appendPlan appends the plan and a line about each player. With a sight only its
// fields are shown.
func (p *Plan) appendPlan(dst []byte, s *State, sight *Cells, colour bool) []byte {
	things := p.things(s)
	for c := range p.cells {
		on := things[c]
		if on.text == "" && sight != nil && !sight.Has(Cell(c)) {
			on = thing{"??", -1}
		}
		dst = p.appendCell(dst, s, Cell(c), on, colour)
		if (c+1)%p.rules.Width == 0 {
			dst = append(dst, '\n')
		}
	}
	for seat := range p.rules.Players {
		name := fmt.Sprintf("player %d", seat)
		if colour {
			name = agentColours[seat] + name + "\x1b[0m"
		}
		dst = fmt.Appendf(dst, "%s: %4d points (%+d), %d fields, %d kills, %d deaths\n",
			name, s.Scores[seat], s.Gains[seat], s.Collected[seat], s.Kills[seat], s.Deaths[seat])
	}
	return dst
}

// thing is what a picture shows on a field: two characters, and its owner.
type thing struct {
	text  string
	owner int
}

// things is what lies on the fields. An agent hides a bomb, that a home base.
func (p *Plan) things(s *State) map[int]thing {
	all := make(map[int]thing)
	for seat := range p.rules.Players {
		all[int(s.Homes[seat])] = thing{fmt.Sprintf("H%d", seat), seat}
	}
	for b := range s.Bombs {
		all[int(b.Cell)] = thing{fmt.Sprintf("%d%c", b.Rounds, 'a'+b.Owner), b.Owner}
	}
	for seat := range p.rules.Players {
		all[int(s.Agents[seat])] = thing{fmt.Sprintf("A%d", seat), seat}
	}
	return all
}

func (p *Plan) appendCell(dst []byte, s *State, c Cell, on thing, colour bool) []byte {
	text, escape := " .", "\x1b[90m"
	switch {
	case on.owner < 0:
		text = on.text
	case on.text != "":
		text, escape = on.text, agentColours[on.owner]
	case s.Blast.Has(c):
		text, escape = "**", "\x1b[91;101m"
	case s.Spent.Has(c):
		text, escape = "  ", ""
	}
	if !colour || escape == "" {
		return append(dst, text...)
	}
	dst = append(dst, escape...)
	dst = append(dst, text...)
	return append(dst, "\x1b[0m"...)
}
