// Package start reads saved games from which a match can begin.
//
//	saved, err := start.Read("game.json", trace.Formats(catalog.Formats()))
//	state, err := saved.In(game) // for match.Rules.From
//
// A file is one of
//   - recorded games (package trace): the match begins where the first of them began;
//   - a state as env.Match.AppendJSON writes it, or an environment of package vec;
//     in Pommerman that is also the original's own file, as its get_json_info writes
//     it and its game_state_file reads it;
//   - the bytes that env.Match.Append or such an environment writes.
package start

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/gamestate"
	"pommego/env/ruleset"
	"pommego/env/saved"
)

// Saved is a saved game, read from a file.
type Saved struct {
	path  string
	state []byte
	spec  *env.Spec // set for recorded games alone, like Rules

	// ID and Rules say what was played. They are set for recorded games alone.
	ID    string
	Rules json.RawMessage
}

// Read reads a file, or a folder that trace.Open opens. From recorded games it takes the first.
func Read(path string, formats trace.Formats) (*Saved, error) {
	s := &Saved{path: path}
	games, err := trace.Open(path)
	if err != nil {
		return s, err
	}
	defer games.Close()
	if s.state, err = games.Other(); s.state != nil || err != nil {
		return s, err
	}
	replay, err := formats.Next(games)
	if err != nil {
		return s, err
	}
	s.state, s.spec = replay.Position()
	s.ID = replay.Info().EnvID
	s.Rules = saved.JSON(s.spec.Rules)
	return s, nil
}

// In returns the saved game as env.Match.Append writes it in matches of game. It returns an
// error if the saved game has another game or other rules, or is over.
func (s *Saved) In(game env.Game) ([]byte, error) {
	m := game.New(1)[0]
	m.Reset(env.Seed{}) // sets what the readable form of other programs lacks
	if err := s.restore(m, game.Spec()); err != nil {
		return nil, fmt.Errorf("%s: no saved game of %s: %w", s.path, game.Spec().ID, err)
	}
	if st := m.Status(); st.Over {
		return nil, fmt.Errorf("%s: the game is over (%v after %d steps), so no match can begin from it", s.path, st.Result,
			st.Steps)
	}
	return m.Append(nil), nil
}

// restore sets m to the saved game. In an environment a learner's death may end the game; in a match nobody learns.
func (s *Saved) restore(m env.Match, spec *env.Spec) error {
	switch {
	case s.spec != nil:
		if s.spec.Game != spec.Game {
			return fmt.Errorf("its game is %s, want %s", s.spec.Game, spec.Game)
		}
		if d := ruleset.Difference(s.Rules, saved.JSON(spec.Rules)); d != "" {
			return fmt.Errorf("it was recorded in %s, where %s; name neither environment nor rules, as it has its own", s.ID, d)
		}
		return m.Restore(s.state)
	case bytes.HasPrefix(bytes.TrimSpace(s.state), []byte{'{'}):
		match, part, err := gamestate.SplitJSON(s.state)
		if err == nil {
			err = m.RestoreJSON(match)
		}
		if err == nil && part != nil {
			m.SetTrainingSeat(-1)
		}
		return err
	}
	plain := m.Restore(s.state)
	if plain == nil {
		return nil
	}
	whole, err := gamestate.Of(spec).Decode(s.state)
	if err != nil {
		return fmt.Errorf("%w; and as the state of a match alone: %w", err, plain)
	}
	err = m.Restore(whole.Match)
	m.SetTrainingSeat(-1)
	return err
}
