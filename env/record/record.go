// Package record is what games have in common where they write a game down and
// read it back: what a record says besides the game, who writes one, how one is
// shown again, and what checking one found.
//
// A game's recorded form is its own. It makes a [Recorder] of a match and a
// [Replay] of a record, and compares a record with its replay by a [Comparison].
// Files of records are the business of package arena/trace.
package record

import (
	"cmp"
	"errors"
	"fmt"

	"pommego/env"
)

// Info is what a record says about its game besides the game itself. All of it
// may be left empty.
type Info struct {
	EnvID    string   `json:"env_id"`
	Variant  string   `json:"variant"`        // EnvID if empty
	Name     string   `json:"name,omitempty"` // of a scenario made by hand, with a note about it
	Note     string   `json:"note,omitempty"`
	Seed     uint64   `json:"seed"`
	Setup    string   `json:"setup"`    // how it began; "standard" if empty
	Policies []string `json:"policies"` // who plays, by seat
	// ObsEvery: observations are recorded every so many steps, and at the end;
	// 0: never.
	ObsEvery int `json:"obs_every"`
}

// Complete fills in what may be left empty and has a default. Observations
// every so many steps less than none are an error.
func (i Info) Complete() (Info, error) {
	if i.ObsEvery < 0 {
		return i, fmt.Errorf("trace: observations are to be recorded every %d steps, want 0 or more", i.ObsEvery)
	}
	i.Variant, i.Setup = cmp.Or(i.Variant, i.EnvID), cmp.Or(i.Setup, "standard")
	return i, nil
}

// Recordable is a match that can be written down. Record begins the record of
// the match as it stands.
type Recordable interface {
	Record(info Info) (Recorder, error)
}

// Recorder writes down the match it was made for.
type Recorder interface {
	// Step is called after each step of the match with the step's actions.
	Step(actions []uint8) error
	// Append appends the record of all steps so far, one line without its line
	// feed.
	Append(dst []byte) ([]byte, error)
}

// Replay is a recorded game that is being shown. It is made by a [Reopen] and
// stands at the game's start.
type Replay interface {
	Info() Info
	Len() int    // recorded steps
	Step() error // makes the next of them
	Status() env.Status
	AppendText(dst []byte, colour bool) []byte // a picture of the game as it stands
}

// Playback is the part of a Replay that is the same in every game, to be
// embedded.
type Playback struct {
	info        Info
	steps, made int
	step        func(i int) error
}

// NewPlayback counts the steps that step makes, from 0.
func NewPlayback(info Info, steps int, step func(i int) error) Playback {
	return Playback{info: info, steps: steps, step: step}
}

// Info is what the record says about its game.
func (p *Playback) Info() Info { return p.info }

// Len is the number of recorded steps.
func (p *Playback) Len() int { return p.steps }

// Step makes the next of them.
func (p *Playback) Step() error {
	if p.made == p.steps {
		return errors.New("trace: all recorded steps have been made")
	}
	err := p.step(p.made)
	if err == nil {
		p.made++
	}
	return err
}
