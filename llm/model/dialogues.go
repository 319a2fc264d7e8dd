package model

import (
	"pommego/arena/match"
	"pommego/env/record"
	"pommego/llm/dialogue"
)

// Dialogues records a match, and what language models read and answer in it, in a
// log: its Watch is handed to [match.Play]. Without a log it records nothing.
type Dialogues struct {
	Log    *dialogue.Log
	Record *dialogue.Record // the record of the match

	players []match.Player
}

// Watch records a moment of the match. It returns no error of the log, which goes on: see [dialogue.Log.Err].
func (d *Dialogues) Watch(at match.Moment) error {
	if at.Actions == nil {
		d.players = at.Players
		info := record.Info{EnvID: at.Game.Spec().ID, Seed: at.Seed.Value}
		for _, p := range at.Players {
			info.Policies = append(info.Policies, p.Name())
		}
		d.Record = d.Log.Begin(at.Game, at.Match, info)
		return nil
	}
	for _, seat := range at.Asked.List() {
		if p, ok := at.Players[seat].(*player); ok && p.turn != nil {
			d.Record.Turn(seat, p.turn)
		}
	}
	d.Record.Step(at.Asked|at.Gone, at.Actions)
	if at.Match.Status().Over {
		if err := d.Record.End(); d.Log.Err() == nil {
			return err
		}
	}
	return nil
}

// End ends the record of a game that cannot be scored. The last turns show why.
func (d *Dialogues) End() error {
	for seat, p := range d.players {
		if m, ok := p.(*player); ok && m.turn != nil {
			d.Record.Turn(seat, m.turn)
		}
	}
	return d.Record.End()
}
