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
// # The document
//
// TestDocument has a drawn map for each sentence of the contest's document. What that
// leaves open is a switch or number of [Rules]: TestReadings has a map for each question,
// with the reading that [Standard] takes and those that it can take instead.
package basewar
