package basewar

import "testing"

// readings is the questions that the document leaves open, each with the
// reading taken unless told otherwise and with what the rules' switch makes of
// it.
var readings = []scenario{
	{
		name: "range", reason: "blast_range is how far an explosion reaches: 2",
		start: "b.....0", edit: lives(1), want: []string{"***...0 *...... *......"},
	},
	{
		name: "range-of-four", reason: "or any other number", rules: func(r *Rules) { r.BlastRange = 4 },
		start: "b.....0", edit: lives(1), want: []string{"*****.0 *...... *......"},
	},
	{
		name: "last-round", reason: "max_steps is the last round",
		rules: func(r *Rules) { r.MaxSteps = 3 },
		start: "0.....1", want: []string{"0.....1", "0.....1", "0.....1"}, end: ends{"winner": -1},
	},
	{
		name: "as-the-round-began",
		reason: "moves are judged on the map as the round began: a box that burns in this round still blocks, and the " +
			"cell of a bomb that explodes in it too",
		start: "0%b1...", edit: lives(1), moves: [][]Action{{Right, Left}},
		want: []string{"0**1... ..*.... ..*...."},
		end:  ends{"lives 0": 3, "lives 1": 2},
	},
	{
		name:   "walks-into-the-blast",
		reason: "explosions come after the moves: who walks into reach is hurt, who walks out of it is not",
		start:  "...1... .0.b...", edit: lives(1), moves: [][]Action{{Right, Right}},
		want: []string{"...*1.. ..0***. ...*... <..*..>"},
		end:  ends{"lives 0": 2, "lives 1": 3},
	},
	{
		name: "not-the-round-it-is-laid", reason: "the round in which a bomb is laid does not count for its life",
		start: "0......", moves: [][]Action{{LayBomb}}, want: []string{"0......"}, end: ends{"life of bomb 0": 7},
	},
	{
		name: "tick-at-once", reason: "with tick_at_once it does", rules: func(r *Rules) { r.TickAtOnce = true },
		start: "0......", moves: [][]Action{{LayBomb}}, want: []string{"0......"}, end: ends{"life of bomb 0": 6},
	},
	{
		name: "laid-in-a-blast", reason: "a bomb laid within reach of an explosion of that round explodes too",
		start: ".b0...1", edit: lives(1), moves: [][]Action{{LayBomb}},
		want: []string{"**0**.1 .**.... .**...."},
		end:  ends{"bombs": 0, "bombs of 0": 3, "lives 0": 2},
	},
	{
		name:   "bomb-comes-back",
		reason: "a bomb is one of three while it lies, and comes back when it explodes, even to one who has none left",
		start:  "b.b.b.0", edit: lives(1, 4, 7), moves: [][]Action{{LayBomb}, {LayBomb}},
		want: []string{"", ""}, end: ends{"bombs": 1, "bombs of 0": 2},
	},
	{
		name: "bombs-spent", reason: "with bombs_spent it never does", rules: func(r *Rules) { r.BombsSpent = true },
		start: "b.b.b.0", edit: lives(1, 4, 7), moves: [][]Action{{LayBomb}, {LayBomb}},
		want: []string{"", ""}, end: ends{"bombs": 0, "bombs of 0": 0},
	},
	{
		name: "lowest-pays", reason: "several of one side lay on one cell: it is the bomb of the lowest",
		start: "0......", edit: together(stand(2, 0, 0, 3), stand(4, 0, 0, 3)),
		moves: [][]Action{{Stop, Stop, LayBomb, Stop, LayBomb}}, want: []string{"0......"},
		end: ends{"bombs of 0": 3, "bombs of 2": 2, "bombs of 4": 3},
	},
	{
		name: "lowest-that-has-one-pays", reason: "among those that have a bomb",
		start: "b.b.b0.", edit: stand(2, 0, 5, 3), moves: [][]Action{{LayBomb, Stop, LayBomb}},
		want: []string{"b.b.b0."}, end: ends{"bombs of 0": 0, "bombs of 2": 2, "bombs": 4},
	},
	{
		name: "public-pays", reason: "a public bomb is paid by the lowest of each side, and comes back to both",
		start: "0......", edit: together(stand(1, 0, 0, 3), stand(2, 0, 0, 3), stand(3, 0, 0, 3)),
		moves: [][]Action{{LayBomb, LayBomb, LayBomb, LayBomb}}, want: []string{"0......"},
		end: ends{"bombs of 0": 2, "bombs of 1": 2, "bombs of 2": 3, "bombs of 3": 3},
	},
	{
		name: "all-pay", reason: "with all_pay everybody who laid pays", rules: func(r *Rules) { r.AllPay = true },
		start: "0......", edit: together(stand(1, 0, 0, 3), stand(2, 0, 0, 3)),
		moves: [][]Action{{LayBomb, LayBomb, LayBomb}}, want: []string{"0......"},
		end: ends{"bombs": 1, "bombs of 0": 2, "bombs of 1": 2, "bombs of 2": 2},
	},
	{
		name: "public-needs-both", reason: "a bomb is not public if one side's bomber has none to lay",
		start: "g.g.g.0 .....%.", edit: together(stand(1, 0, 6, 3), lives(7, 7, 7)), moves: [][]Action{{LayBomb, LayBomb}},
		want: []string{"g.g.g.0 .....%."}, end: ends{"bombs of 0": 2, "bombs of 1": 0},
	},
	{
		name: "own-cell-hurt", reason: "whoever stands on the exploding bomb's own cell is hurt, and shields nothing",
		start: ".b%...1", edit: together(lives(1), stand(0, 0, 1, 3)), want: []string{"*0*...1 .*..... .*....."},
		end: ends{"lives 0": 2, "blue score": 1},
	},
	{
		name: "own-cell-safe", reason: "with own_cell_safe it is not hurt", rules: func(r *Rules) { r.OwnCellSafe = true },
		start: ".b%...1", edit: together(lives(1), stand(0, 0, 1, 3)), want: []string{"*0*...1 .*..... .*....."},
		end: ends{"lives 0": 3, "blue score": 1},
	},
	{
		name: "own-cell-shields", reason: "with own_cell_shields it shields everything",
		rules: func(r *Rules) { r.OwnCellShields = true },
		start: ".b%...1", edit: together(lives(1), stand(0, 0, 1, 3)), want: []string{".0%...1"},
		end: ends{"lives 0": 2, "blue score": 0},
	},
	{
		name: "all-on-a-cell-hurt", reason: "all bombers on a cell are hurt",
		start: "b1....5", edit: together(lives(1), stand(0, 0, 1, 3), stand(3, 0, 1, 3)),
		want: []string{"*0....5 *...... *......"},
		end:  ends{"lives 0": 2, "lives 1": 2, "lives 3": 2, "lives 5": 3},
	},
	{
		name: "hurt-first", reason: "with hurt_first only the first is", rules: func(r *Rules) { r.HurtFirst = true },
		start: "b1....5", edit: together(lives(1), stand(3, 0, 1, 3)), want: []string{"*1....5 *...... *......"},
		end: ends{"lives 1": 2, "lives 3": 3},
	},
	{
		name: "base-once-a-round", reason: "with base_damage by round, they take 1 together",
		rules: func(r *Rules) { r.BaseDamage = PerRound },
		start: "1...... ....... b...... <b....> b...... ....... ......0", edit: lives(1, 1, 1), want: []string{""},
		end: ends{"blue energy": 4},
	},
	{
		name: "base-for-each-bomb", reason: "of several bombs that reach a base together each takes 1",
		start: "1...... ....... b...... <b....> b...... ....... ......0", edit: lives(1, 1, 1), want: []string{""},
		end: ends{"blue energy": 2},
	},
	{
		name: "both-bases-equal", reason: "both bases destroyed together and equal scores are a draw",
		start: "0.....1 ....... ....... <b...g>", edit: together(lives(1, 1), energy(1, 1), score(2, 2)),
		want: []string{""}, end: ends{"winner": -1},
	},
	{
		name: "draw-together", reason: "with draw_together it is a draw whatever the score",
		rules: func(r *Rules) { r.DrawTogether = true },
		start: "0.....1 ....... ....... <b...g>", edit: together(lives(1, 1), energy(1, 1), score(2, 1)),
		want: []string{""}, end: ends{"winner": -1},
	},
	{
		name: "enters-a-new-bomb",
		reason: "a bomber may enter a cell in the round in which a bomb is laid there, and leave it like the one who " +
			"laid it",
		start: "01.....", moves: [][]Action{{LayBomb, Left}, {Stop, Right}, {Stop, Left}},
		want: []string{"0......", "01.....", "01....."},
	},
	{
		name: "lay-first", reason: "with lay_first it cannot enter", rules: func(r *Rules) { r.LayFirst = true },
		start: "01.....", moves: [][]Action{{LayBomb, Left}}, want: []string{"01....."}, end: ends{"bombs": 1},
	},
	{
		name: "stands-on-anothers-bomb", reason: "who stands where somebody else lays may stay and leave",
		start: "0......", edit: stand(1, 0, 0, 3), moves: [][]Action{{LayBomb}, {Right}, {Stop, Down}, {Stop, Up}},
		want: []string{"0......", "10.....", "b0..... 1......", "b0..... 1......"},
	},
	{
		name: "own-bomb-hurts", reason: "an own bomb hurts bombers and base of its side like any other",
		start: "1...... ....... .b0.... <.....> ....... ....... .......", edit: lives(1),
		want: []string{"1*..... .*..... **0.... <*....> .*....."},
		end:  ends{"lives 0": 2, "blue energy": 5},
	},
	{
		name: "own-base-hurt", reason: "its own base",
		start: "1...... ....... ....... <b....> ....... ....... ......0", edit: lives(1), want: []string{""},
		end: ends{"blue energy": 4},
	},
	{
		name: "own-harmless", reason: "with own_harmless it does not, but its bombers and base shield all the same",
		rules: func(r *Rules) { r.OwnHarmless = true },
		start: "1...... ....... %...... <b0%..> ....... ....... .......", edit: lives(1),
		want: []string{"1...... .*..... %*..... <*0%..> .*..... .*....."},
		end:  ends{"lives 0": 3, "blue energy": 5, "blue score": 0},
	},
	{
		name: "public-is-nobodys-own", reason: "a public bomb hurts both sides even so",
		rules: func(r *Rules) { r.OwnHarmless = true },
		start: "p0....1", edit: lives(1), want: []string{"*0....1 *...... *......"}, end: ends{"lives 0": 2},
	},
	{
		name: "nothing-can-change", reason: "when nobody is left and no bomb lies, the game ends at once, by score",
		start: "b......", edit: together(lives(1), stand(0, 0, 1, 1), score(3, 1)), want: []string{"**..... *...... *......"},
		end: ends{"lives 0": 0, "over": 1, "winner": 1, "green score": 4},
	},
	{
		name: "play-on", reason: "with play_on it goes on to the last round", rules: func(r *Rules) { r.PlayOn = true },
		start: "b......", edit: together(lives(1), stand(0, 0, 1, 1)), want: []string{"", "", "......."},
		end: ends{"over": 0},
	},
	{
		name: "a-bomb-is-left", reason: "while a bomb lies something can change",
		start: "b....b.", edit: together(lives(1, 7), stand(0, 0, 1, 1)), want: []string{""},
		end: ends{"over": 0, "lives 0": 0},
	},
}

// TestReadings plays every question.
func TestReadings(t *testing.T) {
	for i := range readings {
		t.Run(readings[i].name, readings[i].run)
	}
}
