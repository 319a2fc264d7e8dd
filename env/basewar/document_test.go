package basewar

import "testing"

// document is the sentences of the contest's document, in its order, each with
// a drawn map on which it can be seen. Tests of their own have TestMap (15x15 cells, blue's
// base at the left, green's at the right), TestTeams (each side has three bombers),
// TestEverythingIsSeen (each round both sides are told the whole state of the map),
// TestReplayFile (the server writes a replay, which a program can show). Who plays blue, which is drawn
// there, is for those who set up a match to say; tournaments give each agent both sides.
var document = []scenario{
	// The game in short.
	{
		name: "first-base-wins", reason: "within the rounds, who destroys the other's base first has won, whatever the score",
		start: "......1 ....... ....... <....b>", edit: together(lives(1), energy(5, 1), score(0, 20)),
		want: []string{"......1 .....*. .....*. <..***> .....*. .....*."},
		end:  ends{"winner": 0, "green energy": 0},
	},
	{
		name: "score-decides", reason: "with no base destroyed, the higher score wins in the last round",
		rules: func(r *Rules) { r.MaxSteps = 2 },
		start: "0.....1", edit: score(3, 4), want: []string{"0.....1", "0.....1"},
		end: ends{"winner": 1},
	},
	{
		name: "equal-scores-draw", reason: "equal scores are a draw",
		rules: func(r *Rules) { r.MaxSteps = 1 },
		start: "0.....1", edit: score(4, 4), want: []string{"0.....1"},
		end: ends{"winner": -1},
	},
	// Rounds.
	{
		name: "one-operation", reason: "each bomber moves one cell up, down, left or right, lays a bomb, or does nothing",
		start: "....... .0.1.2. ....... <.....> .3.4.5. ....... .......",
		moves: [][]Action{{Up, Down, Left, Right, LayBomb, Stop}},
		want:  []string{".0..... ....2.. ...1... <.....> ..34.5. ....... ......."},
		end:   ends{"bombs": 1, "bombs of 4": 2, "over": 0},
	},
	{
		name: "free-cells-only", reason: "it moves only into a cell that can be entered: not off the map",
		start: "0.....1 ....... ....... <.....> ....... ....... 2.....3",
		moves: [][]Action{{Up, Up, Down, Right}, {Left, Right, Left, Down}},
		want: []string{
			"0.....1 ....... ....... <.....> ....... ....... 2.....3",
			"0.....1 ....... ....... <.....> ....... ....... 2.....3",
		},
	},
	{
		name:   "at-the-same-time",
		reason: "both sides' operations of a round are carried out at the same time: each enters the cell the other leaves",
		start:  ".01....", moves: [][]Action{{Right, Left}}, want: []string{".10...."},
	},
	// The map.
	{
		name:   "one-thing-a-cell",
		reason: "besides bombers there is one thing on a cell: a second bomb is not laid on a first",
		start:  ".b.....", edit: stand(1, 0, 1, 3), moves: [][]Action{{Stop, LayBomb}},
		want: []string{".1....."},
		end:  ends{"bombs": 1, "bombs of 1": 3, "life of bomb 0": 6},
	},
	{
		name: "bombers-overlap", reason: "bombers of either side can stand on one cell",
		start: "0.1.2..", moves: [][]Action{{Right, Left}, {Stop, Stop, Left}, {Stop, Right, Left}},
		want: []string{".0..2..", ".0.2...", ".01...."},
	},
	{
		name: "bombers-and-things", reason: "but not with a stone, a box or a base",
		start: ".#..... #0%.... .%..... <2...3> ....... ....... .......",
		moves: [][]Action{{Up, Stop, Left, Right}, {Down}, {Left}, {Right}},
		want: []string{
			".#..... #0%.... .%..... <2...3>", ".#..... #0%.... .%..... <2...3>",
			".#..... #0%.... .%..... <2...3>", ".#..... #0%.... .%..... <2...3>",
		},
	},
	// Bases.
	{
		name: "base-energy", reason: "a base stays where it is and has energy 5; nobody takes it but explosions",
		start: "....... ....... ....... <0...1>", moves: [][]Action{{Left, Right}, {Left, Right}},
		want: []string{"....... ....... ....... <0...1>", "....... ....... ....... <0...1>"},
		end:  ends{"blue energy": 5, "green energy": 5},
	},
	{
		name: "base-loses-one", reason: "an explosion that reaches a base takes 1 of its energy",
		start: "1...... ....... ....... <.g...> ....... ....... 0......", edit: lives(1),
		want: []string{"1...... ..*.... ..*.... <****.> ..*.... ..*.... 0......"},
		end:  ends{"blue energy": 4, "green energy": 5, "green score": 0, "over": 0},
	},
	{
		name: "base-decides", reason: "a destroyed base decides the game at once",
		start: "1...... ....... ....... <.g...> ....... ....... 0......", edit: together(lives(1), energy(1, 5), score(9, 0)),
		want: []string{""}, end: ends{"blue energy": 0, "winner": 1},
	},
	// Boxes.
	{
		name: "box-blocks", reason: "a box stays where it is, and a bomber cannot walk onto it",
		start: "0%.....", moves: [][]Action{{Right}}, want: []string{"0%....."},
	},
	{
		name: "box-burns", reason: "an explosion removes a box that it reaches, and its cell is free for bombers",
		start: "0%b....", edit: lives(1), moves: [][]Action{{Stop}, {Right}},
		want: []string{"0****.. ..*.... ..*....", ".0....."},
	},
	{
		name: "box-scores", reason: "the side whose bomb destroys a box gets 1 point, wherever its bomber is by then",
		start: "..#g%.1 ..%.%..", edit: lives(1),
		want: []string{"..#**.1 ..%*%.. ...*..."},
		end:  ends{"blue score": 0, "green score": 1},
	},
	{
		name:   "box-example",
		reason: "the document's example: blue's A lays a bomb beside a box; it explodes, the box goes, blue has one more",
		start:  ".0%....", moves: [][]Action{{LayBomb}, {Down}, {Left}, {Down}},
		want: []string{
			".0%....", ".b%.... .0.....", ".b%.... 0......", ".b%.... ....... 0......",
			".b%.... ....... 0......", ".b%.... ....... 0......", ".b%.... ....... 0......", "***.... .*..... 0*.....",
		},
		end: ends{"blue score": 1, "green score": 0, "lives 0": 3},
	},
	// Stones.
	{
		name: "stone-blocks", reason: "a stone stays where it is, and a bomber cannot walk onto it",
		start: "0#.....", moves: [][]Action{{Right}}, want: []string{"0#....."},
	},
	{
		name: "stone-stays", reason: "an explosion does not destroy a stone",
		start: "....... .b#...0", edit: lives(1),
		want: []string{".*..... **#...0 .*..... <*....>"},
		end:  ends{"blue score": 0},
	},
	// Bombs.
	{
		name: "one-bomb-a-cell", reason: "one bomb can be laid on a cell: three mates who lay together lay one",
		start: "0......", edit: together(stand(2, 0, 0, 3), stand(4, 0, 0, 3)),
		moves: [][]Action{{LayBomb, Stop, LayBomb, Stop, LayBomb}}, want: []string{"0......"},
		end: ends{"bombs": 1},
	},
	{
		name: "life-of-seven", reason: "a bomb has a life of 7 when it is laid, 1 less after each round",
		start: "0......", moves: [][]Action{{LayBomb}, {Right}, {Right}},
		want: []string{"0......", "b0.....", "b.0...."},
		end:  ends{"life of bomb 0": 5},
	},
	{
		name: "explodes-at-zero", reason: "it explodes when its life has come to 0",
		start: "0......", moves: [][]Action{{LayBomb}, {Right}, {Down}},
		want: []string{
			"0......", "b0.....", "b...... .0.....", "b...... .0.....", "b...... .0.....", "b...... .0.....",
			"b...... .0.....", "***.... *0..... *......",
		},
		end: ends{"bombs": 0, "lives 0": 3},
	},
	{
		name:   "explosion-hurts",
		reason: "an explosion hurts what is around the bomb: box, base and bomber, of either side, but no stone",
		start:  "....... ....... .#..... <b0.... .%..... ....... ......1", edit: lives(1),
		want: []string{"....... ....... .#..... <*0...> .*..... ....... ......1"},
		end:  ends{"blue energy": 4, "lives 0": 2, "lives 1": 3, "blue score": 1},
	},
	{
		name: "reach", reason: "the usual shape: the bomb's cell and two cells each way",
		start: "......1 ....... ....... <..b..>", edit: lives(1),
		want: []string{"......1 ...*... ...*... <*****> ...*... ...*... ......."},
	},
	// Chains.
	{
		name: "chain", reason: "a bomb within reach of another that explodes first explodes with it, and so on",
		start: "....... ....... ....... <.....> ....... .b.b..g ......0", edit: lives(5, 1, 7),
		want: []string{"....... ....... ....... <*.*..> .*.*... ******g .*.*..0"},
		end:  ends{"bombs": 1},
	},
	{
		name: "chain-goes-on", reason: "and so do those that the second one reaches",
		start: "....... ....... ....... <.....> ....... .b.b.g. 0......", edit: lives(5, 1, 7),
		want: []string{"....... ....... ....... <*.*.*> .*.*.*. ******* 0*.*.*."},
		end:  ends{"bombs": 0, "lives 0": 3},
	},
	// Shielding.
	{
		name: "first-thing-is-hit", reason: "the first thing a ray meets is hurt and shields what is behind it: a box",
		start: "b%%.... ......0", edit: lives(1),
		want: []string{"**%.... *.....0 *......"},
		end:  ends{"blue score": 1},
	},
	{
		name: "bomber-shields", reason: "a bomber is hurt and shields too",
		start: "b1%.... ......0", edit: lives(1),
		want: []string{"*1%.... *.....0 *......"},
		end:  ends{"blue score": 0, "lives 1": 2},
	},
	{
		name: "base-shields", reason: "a base loses energy and shields too",
		start: "%.....0 ....... b...... <.....> %...... ....... ......1", edit: lives(1),
		want: []string{"*.....0 *...... ***.... <.....> %...... ....... ......1"},
		end:  ends{"blue score": 1, "blue energy": 4},
	},
	{
		name: "stone-shields", reason: "a stone shields without being hurt",
		start: "b#%.... ......0", edit: lives(1),
		want: []string{"*#%.... *.....0 *......"},
		end:  ends{"blue score": 0},
	},
	{
		name:   "bomb-does-not-shield",
		reason: "a bomb does not shield: a box behind it is reached, and so scores for the bomb in front too",
		start:  "bg%.... ......0", edit: lives(1, 7),
		want: []string{"***.... **....0 **....."},
		end:  ends{"blue score": 1, "green score": 1, "bombs": 0},
	},
	{
		name: "shielded-bomb", reason: "a bomb behind what shields is not reached and does not join the chain",
		start: "b%b.... ......0", edit: lives(1, 7),
		want: []string{"**b.... *.....0 *......"},
		end:  ends{"bombs": 1, "life of bomb 0": 6},
	},
	{
		name:   "shield-example",
		reason: "the document's picture: of the boxes W and X in a row, W goes and X stays; it falls to the next bomb",
		start:  ".b%%... ......0", edit: lives(1),
		want: []string{"***%... .*....0 .*....."},
		end:  ends{"blue score": 1},
	},
	// Bombers.
	{
		name: "three-bombs", reason: "a bomber has three bombs; one comes back when it explodes",
		start: "0......",
		moves: [][]Action{{LayBomb}, {Right}, {LayBomb}, {Right}, {LayBomb}, {Right}, {LayBomb}, {Down}, {Down}},
		want: []string{"0......", "b0.....", "b0.....", "bb0....", "bb0....", "bbb0...", "bbb0...",
			"*****.. ***0... ***...."},
		end: ends{"bombs": 0, "bombs of 0": 3, "lives 0": 3},
	},
	{
		name: "one-bomb-a-round", reason: "each bomber can lay one bomb a round, where it stands",
		start: "0.2.4..", moves: [][]Action{{LayBomb, Stop, LayBomb, Stop, LayBomb}, {Down, Stop, Down, Stop, Down}},
		want: []string{"0.2.4..", "b.b.b.. 0.2.4.."},
		end:  ends{"bombs": 3, "bombs of 0": 2, "bombs of 2": 2, "bombs of 4": 2},
	},
	{
		name: "stands-on-its-bomb", reason: "who has laid a bomb may stay on it and leave it",
		start: "0......", moves: [][]Action{{LayBomb}, {Stop}, {Right}},
		want: []string{"0......", "0......", "b0....."},
	},
	{
		name:   "bombs-block",
		reason: "otherwise a bomber can neither stand on a bomb nor pass it, not even the one it has left",
		start:  "0..b1..", moves: [][]Action{{LayBomb, Left}, {Right, Left}, {Left, Left}},
		want: []string{"0..b1..", "b0.b1..", "b0.b1.."},
	},
	{
		name: "bombers-pass", reason: "bombers do not hinder each other: they pass through one another",
		start: "01.....", moves: [][]Action{{Right, Left}, {Right, Stop}},
		want: []string{"10.....", "1.0...."},
	},
	{
		name: "three-lives", reason: "a bomber has 3 lives, loses one when it is hurt, and is taken off the map at 0",
		start: ".b0...1", edit: together(lives(1), hurt(0, 1)),
		moves: [][]Action{{}, {Right}},
		want:  []string{"***...1 .*..... .*.....", "......1"},
		end:   ends{"lives 0": 0, "lives 1": 3},
	},
	{
		name: "hurt-once", reason: "one who is hurt but lives stays where it is",
		start: ".b0...1", edit: lives(1), want: []string{"**0...1 .*..... .*....."},
		end: ends{"lives 0": 2, "green score": 0},
	},
	{
		name:   "death-scores",
		reason: "when a bomber is killed the other side gets 3 points, whoever laid the bomb: an enemy's",
		start:  ".b1...0", edit: together(lives(1), hurt(1, 1)), want: []string{"***...0 .*..... .*....."},
		end: ends{"lives 1": 0, "blue score": 3, "green score": 0},
	},
	{
		name: "suicide-scores", reason: "its own",
		start: "......1 ....... ....... <.....> ....... ....... 0......", edit: hurt(0, 1), moves: [][]Action{{LayBomb}},
		want: []string{"", "", "", "", "", "", "", "......1 ....... ....... <.....> *...... *...... ***...."},
		end:  ends{"lives 0": 0, "blue score": 0, "green score": 3, "bombs of 0": 3},
	},
	{
		name: "public-death-scores", reason: "or nobody's",
		start: ".p1...0", edit: together(lives(1), hurt(1, 1)), want: []string{"***...0 .*..... .*....."},
		end: ends{"lives 1": 0, "blue score": 3, "green score": 0},
	},
	// Special cases.
	{
		name: "public-bomb", reason: "bombers of both sides lay on one cell: the bomb is public",
		start: "0......", edit: stand(1, 0, 0, 3),
		moves: [][]Action{{LayBomb, LayBomb}, {Right, Down}}, want: []string{"0......", "p0..... 1......"},
		end: ends{"bombs": 1},
	},
	{
		name: "public-box", reason: "what a public bomb destroys scores for nobody",
		start: "p%....0 %.....1", edit: lives(1), want: []string{"**....0 *.....1"},
		end: ends{"blue score": 0, "green score": 0},
	},
	{
		name: "no-double-damage", reason: "several bombs that explode together hurt a bomber once",
		start: "b1b...0 .b.....", edit: lives(1, 1, 1), want: []string{"*1***.0 ****... ***.... <*....>"},
		end: ends{"lives 1": 2},
	},
	{
		name: "no-double-box", reason: "they destroy a box once: a side whose two bombs reach it scores 1",
		start: "b%b...0 ......1", edit: lives(1, 1), want: []string{"*****.0 *.*...1 *.*...."},
		end: ends{"blue score": 1, "green score": 0},
	},
	{
		name: "both-score", reason: "every side whose bombs reached a box scores for it",
		start: "b%g...0 ......1", edit: lives(1, 1), want: []string{"*****.0 *.*...1 *.*...."},
		end: ends{"blue score": 1, "green score": 1},
	},
	// The end.
	{
		name: "both-bases-by-score", reason: "if both bases are destroyed together the score decides",
		start: "0.....1 ....... ....... <b...g>", edit: together(lives(1, 1), energy(1, 1), score(2, 1)),
		want: []string{""}, end: ends{"winner": 0, "blue energy": 0, "green energy": 0},
	},
	{
		name: "points", reason: "a box counts 1 and a killed bomber 3",
		start: "%b1...0", edit: together(lives(1), hurt(1, 1)), want: []string{"***...0 .*..... .*....."},
		end: ends{"blue score": 4, "green score": 0},
	},
}

// TestDocument plays every sentence.
func TestDocument(t *testing.T) {
	for i := range document {
		t.Run(document[i].name, document[i].run)
	}
}
