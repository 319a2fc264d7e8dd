package champion

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// A champion's words. The board is cut into as many rows and columns of blocks as there
// are words. A message names a block by its row and its column, from 1. What stands in
// that block depends on the step count in which the message is sent, in turns:
//
//	0  the sender, after its move
//	1  the first of its enemies by seat, if it sees that enemy
//	2  the same for the second
//
// Silence, a message without words, says that the enemy is not in view. After a teammate has
// said three things that cannot be, it is not believed any more. Silence is never wrong.
const (
	topics    = 3
	mostLies  = 3
	talkWords = 2
)

// talks reports whether messages are long enough and silence is possible.
func talks(r *pommerman.Rules) bool {
	return r.RadioWords >= talkWords && r.RadioVocab >= 2 && r.Traits().Silence
}

func (m *championMemory) say(v *pommerman.View, move pommerman.Action, words []uint8) {
	if !talks(v.Rules) {
		return
	}
	at := v.Self.Cell
	if topic := v.StepCount % topics; topic > 0 {
		enemy := int(v.Enemies[topic-1] - v.Rules.Agent0())
		if !v.Alive.Has(enemy) || m.where[enemy].Len() != 1 {
			return
		}
		if at = m.where[enemy].First(); v.Board[at] != v.Enemies[topic-1] {
			return // the enemy is out of view
		}
	} else if move != pommerman.LayBomb {
		if to := at.Next(grid.Dir(move)); tactics.Walkable.Has(v.Board[to]) {
			at = to
		}
	}
	words[0], words[1] = blockOf(v.Rules, at.Row()), blockOf(v.Rules, at.Col())
}

// blockOf returns the word for the block that a row or column is in.
func blockOf(r *pommerman.Rules, line int) uint8 {
	return uint8(1 + line*min(r.RadioVocab, r.BoardSize)/r.BoardSize)
}

// listen takes in what the teammate said in the last step. It was true at the start of
// that step.
func (m *championMemory) listen(v *pommerman.View) {
	if !talks(v.Rules) || m.lies >= mostLies || v.StepCount == 0 || v.Message[0] == 0 {
		return
	}
	about := v.Teammate
	if topic := (v.StepCount - 1) % topics; topic > 0 {
		about = v.Enemies[topic-1]
	}
	seat := int(about - v.Rules.Agent0())
	if seat >= len(m.where) || m.where[seat].Empty() {
		return
	}
	now := blockCells(v.Rules, v.Message).Grow().And(m.where[seat])
	if now.Empty() {
		m.lies++
		return
	}
	m.where[seat] = now
}

func blockCells(r *pommerman.Rules, message [pommerman.MaxWords]uint8) (b grid.Bits) {
	for c := range grid.Square(r.BoardSize).All {
		if blockOf(r, c.Row()) == message[0] && blockOf(r, c.Col()) == message[1] {
			b.Add(c)
		}
	}
	return b
}
