// # The step of 2018
//
// The reference of May 2018, which the preset 2018 plays, had another step
// (turn_2018.go). It asks the board for most things, and the board is drawn anew
// only in 9: until then it shows agents where they stood at the start of the
// step, and bombs where they lay. A cell shows flames over agents over bombs, so
// that an agent in flames is not to be seen, and any number of bombs lie on one
// cell, of which observations show the last laid.
//
//  1. Flames age. Where one goes out, the item hidden there appears, or a
//     passage. If another burns there, that hides it again in 9, and what was
//     not taken meanwhile is lost.
//  2. Living agents act in order of their ids. One with ammo lays a bomb, also
//     onto others. One that moves wants the neighbouring cell unless that shows
//     rigid or wood or is off the board. If a bomb lies there, it must be able to
//     kick, and the cell beyond must show passage.
//  3. Two agents that want each other's cells both stay.
//  4. All who want a cell that somebody else wants too stay, until nothing
//     changes.
//  5. Agents move. One that can kick sends the first bomb of the list on its new
//     cell in its direction. Then each, moved or not, takes the item its cell
//     shows: as today, and a skull as below.
//  6. Bombs, each completely before the next, age, roll and explode. One rolls
//     onto a cell that shows passage; into flames, which set it off; anything
//     else stops it for good. One that explodes gives its ammo back, whatever its
//     owner carries, and reaches what it would today.
//  7. Bombs left on cells reached vanish without exploding, and give their ammo
//     back in the same way. There are no chains.
//  8. Agents on cells reached die. Older flames kill nobody.
//  9. The board is drawn: bombs, living agents, a new flame on each cell reached,
//     flames over everything.
//  10. The step is counted after result and rewards: the limit is met a step
//     later, after MaxSteps+1 of them. Teams that die together before it are paid
//     nothing; and a game that nobody has won was called won, by nobody. Here it
//     is a tie, but for records of that time.
//
// A skull draws once: under 0.33 it costs a blast strength (not under 2), under
// 0.66 ammo (not under 1, and who has none gets one), else it gives two of blast
// strength. An agent in fog sees one row and column less up and left. Whoever
// says nothing by radio says word 1. Boards and items are dealt as today. A
// collapse, which the reference could not play then, falls as today's does.
package pommerman
