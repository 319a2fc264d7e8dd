// # The step of 2018
//
// The reference of May 2018, which the preset 2018 plays, had another step
// (turn_2018.go). Most of it depends on what the board shows, and the board is redrawn
// only in 9: until then it shows agents and bombs where they were at the start of the
// step. A cell shows flames over agents over bombs, so that an agent in flames is not
// visible. A cell can hold any number of bombs, of which observations show the last laid.
//
//  1. Flames age. Where one goes out, the item hidden there appears, or a
//     passage. If another flame burns there, it hides the item again in 9, and an
//     item not picked up before that is lost.
//  2. Living agents act in order of their ids. One with ammo lays a bomb, even on a
//     cell with other bombs. One that moves wants the neighbouring cell unless that shows
//     rigid or wood or is off the board. If a bomb lies there, the agent must be able
//     to kick, and the cell beyond must show passage.
//  3. Two agents that want each other's cells both stay.
//  4. Agents that want the same cell stay; this is repeated until nothing changes.
//  5. Agents move. One that can kick sends the first bomb of the list on its new
//     cell in its direction. Then each, moved or not, takes the item its cell
//     shows: as today, and a skull as below.
//  6. Bombs age, roll and explode, each completely before the next. A bomb rolls onto
//     a cell that shows passage, or into flames, which set it off; anything else
//     stops it. A bomb that explodes gives its ammo back, however many its owner has,
//     and reaches the same cells as today.
//  7. Bombs left on cells reached vanish without exploding, and give their ammo
//     back in the same way. There are no chains.
//  8. Agents on cells reached die. Older flames do not kill.
//  9. The board is drawn: bombs, living agents, a new flame on each cell reached,
//     flames over everything.
//  10. The step is counted after result and rewards, so the limit takes effect a step
//     later, after MaxSteps+1 steps. Teams that die together before it get no reward.
//     A game without a winner was reported as won; here it is a tie, except in records
//     of that time.
//
// A skull draws once: under 0.33 it costs a blast strength (not under 2), under
// 0.66 ammo (not under 1, and an agent without ammo gets one), otherwise it gives two
// of blast strength. An agent in fog sees one row and column less up and left. An agent
// that sends no word by radio sends word 1. Boards and items are dealt as today. A
// collapse, which the reference did not have then, works as today.
package pommerman
