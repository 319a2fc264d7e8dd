package words

import (
	"fmt"
	"strings"
)

// rules are the numbers of the three games' rules that texts mention, by their names in JSON.
type rules struct {
	MaxSteps      int    `json:"max_steps"` // from here on of Pommerman
	ViewSize      int    `json:"agent_view_size"`
	StartAmmo     int    `json:"start_ammo"`
	StartBlast    int    `json:"start_blast_strength"`
	FlameLife     int    `json:"flame_life"`
	Step          string `json:"step"`
	DelayedChain  bool   `json:"delayed_chain"`
	Skulls        bool   `json:"skulls"`
	FirstCollapse int    `json:"first_collapse"`
	CollapseEvery int    `json:"collapse_every"`
	RadioWords    int    `json:"radio_num_words"`
	RadioVocab    int    `json:"radio_vocab_size"`
	BombLife      int    `json:"bomb_life"` // and of BaseWar, as what follows
	BaseEnergy    int    `json:"base_energy"`
	Lives         int    `json:"lives"`
	Bombs         int    `json:"bombs"`
	BlastRange    int    `json:"blast_range"`
	BoxPoints     int    `json:"box_points"`
	DeathPoints   int    `json:"death_points"`
	BombDelay     int    `json:"bomb_delay"` // from here on of SuiteBot
	BlastRadius   int    `json:"blast_radius"`
	BlastShape    string `json:"blast_shape"`
	FieldPoints   int    `json:"field_points"`
	KillPoints    int    `json:"kill_points"`
	ViewRadius    int    `json:"view_radius"`
}

// every is the number of steps between two rings, 0 if none falls.
func (r *rules) every() int {
	switch {
	case r.FirstCollapse < 0:
		return 0
	case r.CollapseEvery > 0:
		return r.CollapseEvery
	}
	return (r.MaxSteps - r.FirstCollapse) / 4
}

// Rules is the rules of the game in short, and how to read views of it.
func (g *Game) Rules() string {
	r, lines := &g.rules, []string{fmt.Sprintf("%s: %d rows, %d columns.", g.spec.ID, g.head.Rows, g.head.Cols)}
	say := func(when bool, format string, args ...any) {
		if when {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	var teams []string
	for _, team := range g.head.Teams {
		alias := ""
		for _, seat := range team {
			alias += g.Alias(seat)
		}
		teams = append(teams, alias)
	}
	say(true, "%s play against each other, all at once in each tick. A move is one of: %s.", strings.Join(teams, ", "),
		strings.Join(g.spec.Actions[0].Names, ", "))
	if tell := families[g.head.Game]; tell != nil {
		tell(g, r, say)
	} else {
		say(true, "%s.", g.spec.Description)
	}
	say(true, "%s", reading)
	return strings.Join(lines, "\n") + "\n"
}

const reading = "Views: cells are (row,column); (0,0) is the top left, up is a row less. Figures are capital letters, bases " +
	"the small letter of their owner. A figure hides what is under it. Reach is how many cells a blast goes each way. The danger grid has the first tick at " +
	"which a cell burns, as far as you can know: 1 is right after the move that you choose now, a is 10, b is 11 and so on. " +
	"Rows without danger are left out. You may cross a cell before it burns; whoever is on it as it burns is hit. Deadly " +
	"lists the legal moves after which you would burn at once."

// teller says the rules of a family of games, each line if it applies.
type teller func(g *Game, r *rules, say func(when bool, format string, args ...any))

var families = map[string]teller{"pommerman": tellPommerman, "basewar": tellBaseWar, "suitebot": tellSuiteBot}

func tellPommerman(g *Game, r *rules, say func(bool, string, ...any)) {
	say(len(g.head.Teams[0]) == 1, "Goal: be the last one alive. Tick %d ends the game without a winner.", r.MaxSteps)
	say(len(g.head.Teams[0]) > 1, "Goal: kill both enemies. A team has won if it has one alive and the other has none. Tick %d "+
		"ends the game without a winner.", r.MaxSteps)
	say(true, "Moves: walls, wood and bombs are in the way; of two who want the same cell neither gets it.")
	say(true, "Bombs: one costs 1 ammo until it explodes, %d ticks after it was laid. At first you have ammo %d and reach %d. "+
		"A blast stops before walls and with the first wood, which it burns.", r.BombLife-1, r.StartAmmo, r.StartBlast-1)
	say(r.Step != "2018" && !r.DelayedChain, "A bomb that flames reach explodes at once.")
	say(r.DelayedChain, "A bomb that flames reach explodes a tick later.")
	say(r.Step == "2018", "A bomb that flames reach vanishes.")
	lasts := r.FlameLife
	if r.Step == "java" {
		lasts++ // they still burn as they go out
	}
	say(r.Step != "2018", "Flames stay for %d ticks and kill all who are or step there.", lasts)
	say(r.Step == "2018", "Flames kill as they appear; you may step into old ones.")
	say(true, "Items lie under some wood: e is 1 ammo more, i is 1 reach more, k lets you kick: a bomb that you walk onto rolls "+
		"until something is in its way.")
	say(r.Skulls, "s is a skull: it changes ammo or reach, often for the worse.")
	say(r.ViewSize > 0, "Fog: you see %d cells each way.", r.ViewSize)
	say(r.RadioWords > 0, "Radio: with each move you send your teammate %d numbers from 0 to %d, 0 for nothing. It hears them "+
		"in the next tick.", r.RadioWords, r.RadioVocab)
	say(r.every() > 0 && r.FirstCollapse < r.MaxSteps, "The board shrinks: at tick %d its outermost ring turns to wall and kills "+
		"all on it, then the next ring every %d ticks.", r.FirstCollapse, r.every())
}

func tellBaseWar(g *Game, r *rules, say func(bool, string, ...any)) {
	say(true, "Goal: destroy the enemy base (energy %d, each bomb that reaches it takes 1), or have more points after tick %d: "+
		"%d for a box that your bombs destroy, %d for an enemy's death.", r.BaseEnergy, r.MaxSteps, r.BoxPoints, r.DeathPoints)
	say(len(g.spec.Actions) > 1, "You move several figures, each with a move of its own.")
	say(true, "Moves: stones, boxes, bases and bombs are in the way, figures are not.")
	say(true, "Bombs: a figure can have %d on the map. One explodes %d ticks after it was laid, at once if another reaches it, "+
		"and reaches %d cells each way: up to a stone, or with the first box, base or figure. Boxes vanish; figures lose one of "+
		"%d lives.", r.Bombs, r.BombLife, r.BlastRange, r.Lives)
	say(true, "The danger grid takes no figure for a shield.")
}

func tellSuiteBot(g *Game, r *rules, say func(bool, string, ...any)) {
	shape := "in the four directions"
	if r.BlastShape == "square" {
		shape = "in a square"
	}
	say(true, "Goal: the most points after tick %d. Your bombs collect %d for each field that they reach first, and %d for each "+
		"enemy they kill; what bombs of several owners reach together counts for nobody.", g.head.MaxSteps, r.FieldPoints,
		r.KillPoints)
	say(true, "Moves: nothing is in the way, and the edges meet: left of column 0 is the last column. Figures that end on one "+
		"cell all die, and so does who stands on an enemy's home. The dead go on from their own home.")
	say(true, "Bombs: one a tick if you like. It explodes %d ticks later, at once if another reaches it, and reaches %d cells %s; "+
		"nothing stops it. A bomb laid on another replaces it.", r.BombDelay, r.BlastRadius, shape)
	say(r.ViewRadius > 0, "Fog: you see %d cells each way.", r.ViewRadius)
}
