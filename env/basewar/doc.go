// Package basewar is BaseWar, a contest of programs: two sides of three bombers
// each on 15x15 cells, which bomb boxes and each other for points, and the other
// side's base to win.
//
//	game, err := basewar.New("my-basewar", "", basewar.Standard(), nil)
//	var s basewar.State
//	game.Deal(&s, env.Seed{Value: 7})
//	game.Step(&s, []uint8{0, 1, 2, 5, 4, 0})
//
// Rules holds every number and switch, Game what follows from them, State a running
// game as one comparable value, and Match a state and its game as the contract of
// package env. A step allocates nothing and draws nothing:
// once the map has been made, nothing in the game is random.
//
// # Seats
//
// With [Standard] each of six seats moves one bomber; seats 0, 2 and 4 are blue,
// 1, 3 and 5 green, so that every other seat is a mate. With [StandardSides] each
// of two seats moves the three bombers of a side, A, B and C, and its action has
// three components. It is the same game: bombers are numbered as the six seats.
// Everybody sees everything.
//
// # Where a rule lives
//
//	rules.go    numbers, switches, presets
//	state.go    what a running game consists of, and its layout in memory
//	turn.go     one round: moves, laying, ticking
//	blast.go    chains, rays, what is hit
//	ending.go   when a game is over, who won, what it pays
//	board.go    how a map is drawn
//	raw.go      the lossless encoding; planes.go the one
//	            for networks; encode.go what both look up
//	match.go    the contract; table.go what a state holds; check.go what must fit
//	            together in it; save.go saved states
//	record.go   recorded games; dict.go what programs of the contest are told
//	forecast.go what the bombs on a map are going to do, for agents
//	text.go    pictures for terminals; picture.go drawn ones; describe.go what there is to draw
//
// # The map
//
// The bases stand in the middle row, blue's in the first column, green's in the
// last. A starts above its base, B in front of it, C below. Cells at most
// FreeSteps steps from a start are free. Stones are drawn first, cell by cell,
// each as likely as any other, and its mirror image with it; then boxes in the
// same way. A map on which a cell cannot be reached even with all boxes gone is
// drawn again.
//
// # One round, in order
//
// The map at the beginning of the round decides, so 1 and 2 happen together.
//
//  1. Living bombers that move go one cell up, down, left or right, unless there
//     is a stone, a box, a base, a bomb or the edge. Bombers do not hinder each
//     other: they may pass and share a cell.
//  2. Living bombers that lay a bomb and have one lay it where they stand, if no
//     bomb lies there yet. Several on one cell lay one bomb, which belongs to the
//     first of each side, and those pay for it. A bomb of both sides is public.
//     A bomber on the cell of a new bomb may stay there or leave.
//  3. The life of each bomb falls by 1, except of those laid in this round. A bomb
//     whose life is 0 explodes.
//  4. An explosion reaches the bomb's cell, where it hurts everyone and nothing
//     shields, and BlastRange cells each way, up to and including the first that holds
//     a box, a base or a bomber. A stone and the edge end a ray before them.
//     Bombs do not stop it: a bomb reached explodes at the same time. All rays see
//     the map as it was before the first explosion.
//  5. Boxes and bombers reached are hurt once, however many bombs reached them: a box is removed, and
//     each side one of whose own bombs (not public ones) reached it scores BoxPoints; a
//     bomber loses a life, and when that was the last it leaves the map and the
//     other side scores DeathPoints, whoever laid the bomb. A base loses 1 energy
//     for each bomb that reached it.
//  6. Exploded bombs are gone; the bombers that paid for them can lay them again.
//  7. The round is counted. The game is over if a base has no energy left, after
//     the last round, and when nothing can change any more because no bomb lies
//     and no living bomber has one.
//
// # The end, and what it pays
//
// The side whose base is the only one left has won. Otherwise, and if both bases fell in the same
// round, the higher score wins and equal scores are a draw.
//
// The game's own reward of every round ("reference") is the growth of the seat's lead in
// points: those that its side scored in the round less those of the other. Its sum over a
// game is the final lead. Bases do not count in it. The outcome is +1 for all seats of
// the side that won, -1 for the others and 0 for a draw, once, in the last round.
//
// # Drawing sides
//
// A game does not decide who plays blue. The sides of a match are drawn by lot
// (match.DrawSides, and Game.SidesByLot asks for it), and a learner without a fixed seat
// gets a random one each episode.
//
// # The document's sentences
//
// Each is a drawn map in TestDocument, under the name that stands before it.
//
//	first-base-wins       within the rounds, the side that first destroys the other's base wins
//	score-decides         if no base is destroyed, the higher score wins in the end
//	equal-scores-draw     equal scores are a draw
//	one-operation         each round each bomber moves one cell, lays a bomb or does nothing
//	free-cells-only       it moves into cells that can be entered
//	at-the-same-time      both sides' operations are carried out at the same time
//	one-thing-a-cell      besides bombers a cell holds one thing
//	bombers-overlap       several bombers can be on one cell
//	bombers-and-things    but not together with anything else, bombs excepted
//	base-energy           a base does not move and has energy 5
//	base-loses-one        an explosion that reaches a base takes 1
//	base-decides          destroying the other's base wins at once
//	box-blocks            a box does not move and blocks the way
//	box-burns             an explosion that reaches a box removes it; its cell is free
//	box-scores            1 point for the side whose bomb it was
//	box-example           the example: A lays Q beside a box; the box goes, score++
//	stone-blocks          a stone does not move and blocks the way
//	stone-stays           bombs do not destroy stones
//	one-bomb-a-cell       one bomb to a cell
//	life-of-seven         a bomb's time to live is 7, and 1 less each round
//	explodes-at-zero      at 0 it explodes
//	explosion-hurts       things around are hurt, stones excepted
//	reach                 the picture of the usual reach
//	chain                 a bomb in reach of one that explodes explodes at the same time
//	chain-goes-on         the picture of a chain
//	first-thing-is-hit    a thing in reach is hurt and shields what is behind it
//	bomber-shields        a bomber does
//	base-shields          a base does
//	stone-shields         a stone does, unhurt
//	bomb-does-not-shield  a bomb does not
//	shielded-bomb         a shielded bomb is not reached
//	shield-example        the example of W and X
//	three-bombs           a bomber has 3 bombs
//	one-bomb-a-round      each bomber can lay one a round, where it stands
//	stands-on-its-bomb    a bomber that lays a bomb may be on it
//	bombs-block           no other bomber can be on a bomb or pass it
//	bombers-pass          bombers do not hinder each other
//	three-lives           a bomber has 3 lives; at 0 it dies and leaves the map
//	hurt-once             hurt, it loses one
//	death-scores          the other side gets 3 points for a death, whichever side's bomb it was
//	suicide-scores        the same for one's own bomb
//	public-death-scores   and for a public one
//	public-bomb           both sides lay on a cell in one round: the bomb is public
//	public-box            what it destroys scores for neither side
//	no-double-damage      several bombs that hit one thing together hit it once
//	no-double-box         they destroy a box once
//	both-score            every side whose bombs hit it scores
//	both-bases-by-score   both bases destroyed together: by score
//	points                a box +1, a death +3
//
// And in tests of their own:
//
//	TestMap               15x15 cells; blue's base at the left, green's at the right
//	TestTeams             each side has three bombers
//	TestEverythingIsSeen  each round both sides are told the whole state of the map
//	TestReplayFile        the server writes a replay, which a program can show
//	match.TestDrawSides   who plays blue is drawn
//
// # What the document leaves open
//
// The reading taken; a line that begins with dots is the reading that a switch of
// the rules chooses instead. Each is a drawn map in TestReadings.
//
//	range                    how far explosions reach: blast_range
//	range-of-four            ... any number of cells
//	last-round               max_steps
//	as-the-round-began       moves are judged on the map as the round began
//	walks-into-the-blast     explosions come last
//	not-the-round-it-is-laid the round of laying does not count
//	tick-at-once             ... tick_at_once: it does
//	laid-in-a-blast          a new bomb can be part of a chain at once
//	bomb-comes-back          bombs come back when they explode
//	bombs-spent              ... bombs_spent: never
//	lowest-pays              of several mates on a cell the first pays
//	lowest-that-has-one-pays ... of those that have a bomb
//	public-pays              a public bomb is paid by the first of each side
//	all-pay                  ... all_pay: by all
//	public-needs-both        both sides must have a bomb to lay
//	own-cell-hurt            on the bomb's own cell all are hurt and none shields
//	own-cell-safe            ... own_cell_safe: they are not hurt
//	own-cell-shields         ... own_cell_shields: they shield
//	all-on-a-cell-hurt       all bombers on a cell are hurt
//	hurt-first               ... hurt_first: the first
//	base-for-each-bomb       of bombs that reach a base together each takes 1
//	base-once-a-round        ... base_damage round: they take 1 together
//	both-bases-equal         both bases and equal scores: a draw
//	draw-together            ... draw_together: a draw whatever the score
//	enters-a-new-bomb        a bomber may enter the cell of a new bomb
//	lay-first                ... lay_first: it may not
//	stands-on-anothers-bomb  a bomber that stands where another lays may stay or leave
//	own-bomb-hurts           a side's bombs hurt its own bombers
//	own-base-hurt            ... and its own base
//	own-harmless             ... own_harmless: they do not
//	public-is-nobodys-own    ... but public ones do
//	nothing-can-change       the game ends when nothing can change
//	play-on                  ... play_on: it goes on
//	a-bomb-is-left           ... but not while a bomb lies
package basewar
