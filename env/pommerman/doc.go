// Package pommerman is Pommerman, faithful to the original Python environment
// to the bit, in every variant it registers, and in two older rule sets.
//
//	game, err := pommerman.New("my-ffa", "", pommerman.Playground(pommerman.FFA), nil)
//	var s pommerman.State
//	game.Deal(&s, env.Seed{Value: 7})
//	game.Rules().Step(&s, []uint8{0, 1, 2, 5})
//
// Rules holds every number and switch, State a running game as one comparable
// value, Match the two together as the contract of package env. New computes once
// whatever the rules fix; a step allocates nothing.
//
// turn.go, meet.go and blast.go have the step of today, turn_2018.go that of 2018, which
// doc_2018.go describes, and files that end in _java.go the Java rules. view.go says what a
// seat may know, and scene.go draws what the encodings of raw.go and planes.go show of that.
//
// # One step, in order
//
//  1. Flames age. Where the last flame of a cell goes out, the item hidden
//     there appears, or a passage. New flames show in FlameLife observations.
//     An item that appears under another flame is lost.
//  2. Living agents act in order of their ids. One that lays a bomb needs ammo
//     and a cell without a bomb. One that moves wants the neighbouring
//     cell unless that is rigid, wood or off the board.
//  3. Rolling bombs want the next cell unless that is rigid, wood, a
//     power-up or off the board.
//  4. Agents and bombs cannot swap cells. Two agents both stay, two bombs both
//     stay; a bomb that meets an agent stays and the agent moves on. For each
//     border between two cells the first to cross it is remembered, agents before
//     bombs, in either direction.
//  5. Claims are counted for each cell. An agent or bomb whose wanted cell is claimed by
//     two agents or two bombs stays where it is; this is repeated until nothing changes.
//     One that stays claims its own cell. Claims are never taken back, so the claim of
//     one that had to stay still blocks others.
//  6. Kicks, bomb by bomb in the order of laying. An agent walks onto a bomb's
//     cell: if it can kick and no one claimed the cell beyond, which
//     holds no power-up or wall, the bomb rolls there, in the agent's
//     direction; else both stay. A bomb that rolls onto an agent that does not
//     move stays. All this takes effect after every bomb has been checked.
//  7. If step 6 changed anything, conflicts are resolved again: an agent may not
//     enter a cell with another agent or any bomb, and a bomb may not enter one with
//     an agent or another bomb. A kick that fails here is undone, and kicker and bomb stay.
//  8. Bombs move. One that stays without having been kicked stops rolling.
//  9. Agents move, and those that moved pick up what lies there: ammo plus one
//     up to MaxAmmo; blast strength plus one, cut to MaxBlast; the ability to
//     kick; a skull's effect (below).
//  10. Bombs age. One explodes at the end of its life, or if it lies in flames.
//  11. All bombs due explode at once: each gives one ammo back and reaches its
//     cell and Blast-1 cells each way, up to the edge, before rigid walls, and
//     up to and including the first wood. Agents and items stop nothing. Bombs on
//     cells reached explode in the next round of the same step; the rays of
//     all rounds see the wood as it was. With DelayedChain they explode in the
//     next step instead.
//  12. Bombs are drawn; cells reached get a new flame; flames are drawn over
//     everything, which burns wood and visible power-ups.
//  13. Living agents in flames die; the others are drawn.
//  14. The step is counted. Result, rewards and observations follow from the state
//     now. If a ring of the collapse is due at this count, it falls after that, so
//     observations show it one step later: agents on the ring die, bombs on it
//     vanish and give their ammo back, flames and hidden items go, and its
//     cells become rigid.
//
// A bomb's life counts the step in which it is laid, so the first observation
// of one with BombLife 10 shows 9.
//
// # Collapse
//
// Rings fall from the outside in at FirstCollapse and every
// (MaxSteps-FirstCollapse)/4 steps after it, as long as that is below MaxSteps.
//
// # The end, and what it pays
//
// Without teams a game is over when at most one agent lives, and the one left
// has won. With teams it is over when one team is gone, and both members of the
// other have won, dead or alive. It is over at MaxSteps too, and when the
// training agent is dead; then, and if nobody is left, it is a tie unless there
// is a winner by the rule above.
//
// The reference pays +1 to winners and -1 to the others in the last step; -1 to
// all in a tie at MaxSteps and, with teams, when nobody lives. In every other
// step free-for-all pays -1 to each of the dead, and all else is 0.
//
// # Skulls
//
// With Skulls a fourth kind of item lies under wood, equally likely. It does
// one of three things, each a third of the time: blast strength minus one (not
// under 2), ammo minus one (not under 1), blast strength plus two (not over
// MaxBlast).
//
// # The Java step
//
// With [StepJava] a game is played as the code of the Java re-implementation plays
// it. Nothing caps ammo or blast strength, and the rules read the drawn board
// even where it is wrong: a cell can hold two agents or several bombs. In order:
//
//	2.1  Agents act. A bomb needs ammo and a cell on which none lay before the step.
//	2.2  Flames age. Those that go out continue to burn until 2.10.
//	2.3  Bombs age, those just laid too. A rolling one wants the next cell; only walls stop it.
//	2.4  Agents and bombs cannot swap cells; of an agent and a bomb the bomb stays.
//	2.5  Agents that want the same cell stay, then bombs that do. Claims are counted
//	     only once, so one that stays may share its cell with one that enters it.
//	2.6  Kicks: for each bomb, one agent after another. A bomb rolls under a standing
//	     agent that can kick and stops there; no bomb is kicked to a cell on which a wall
//	     or an agent is drawn. An agent that cannot kick stays, and so does the bomb, which
//	     rolls on in the next step if no later agent was checked.
//	2.7  Bombs that want the same cell stay.
//	2.8  Bombs move one after the other. An item under a bomb is hidden, and appears
//	     when the bomb leaves.
//	2.9  Agents pick up the item drawn on the cell they want, even if they are about to die.
//	2.10 Bombs explode, in passes over their list; flames burn at once, so that later bombs of
//	     a pass go off too and their rays run on through burnt wood. Hidden items survive.
//	     Then old flames go out and uncover what is hidden.
//	2.11 Agents move, or die where they were if the cell they want burns.
//	2.12 Results: the last to die tie, agents that died before have lost, and the last team
//	     alive has won.
//	2.13 A ring that was due before the step falls on what its cells show: a bomb under an
//	     agent stays in the wall, and destroys it. Deaths count as in 2.12.
//	2.14 The step is counted. At MaxSteps the living agents tie, with teams all agents.
//
// A game is over at MaxSteps, when nobody lives, or when a winner lives. It pays 1 to
// winners and -1 to all others, also in ties, at its end and nothing before. Observations
// show bombs as if none rolled and flames as if they were new. Boards are generated from a
// single number, as in the original from its seed; where the original would hang because
// the same seed gives the same unreachable cells again, we take another number.
package pommerman
