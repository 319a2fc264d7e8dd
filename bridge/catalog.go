package bridge

import (
	"fmt"
	"slices"
	"strings"

	"pommego/env"
	"pommego/env/saved"
	"pommego/internal/enum"
	"pommego/vec"
)

// gameRequest names a game of the catalog, perhaps with rules of its own.
type gameRequest struct {
	ID    string   `wire:"env_id,needed"`
	Rules [][]byte `wire:"rules,1..256"` // sets of rules; none: the id's own
}

func (s *session) catalogGames(q gameRequest, which func(k int) string) (all []env.Game, err error) {
	if len(q.Rules) == 0 {
		q.Rules = [][]byte{nil}
	}
	bytes := vec.VariantBytes * int64(len(q.Rules))
	if err := s.memory.reserve(bytes, "rules", fmt.Sprintf("%d sets of rules", len(q.Rules))); err != nil {
		return nil, err
	}
	defer s.memory.release(bytes) // the pool counts what it keeps
	for k, rules := range q.Rules {
		if s.cancel.Load() {
			return nil, vec.ErrStopped
		}
		game, err := s.server.cfg.game(q.ID, rules)
		if err != nil {
			if e := asError(err); len(q.Rules) > 1 {
				e.Message = "rules" + which(k) + ": " + e.Message
			}
			return nil, err
		}
		all = append(all, game)
	}
	return all, nil
}

// game makes the game of an id, with rules of its own unless they are nil.
func (c *Config) game(id string, rules []byte) (env.Game, error) {
	if len(rules) > maxRulesBytes {
		return nil, fail(codeOutOfRange, "rules", "", "rules have %d bytes, want at most %d", len(rules), maxRulesBytes)
	}
	id = env.ID(id)
	if ids := c.IDs(); !slices.Contains(ids, id) {
		return nil, fail(codeUnknownEnvID, "env_id", "", "unknown id %q%s, want one of %s", id, enum.Suggest(id, ids),
			strings.Join(ids, ", "))
	}
	if rules == nil {
		game, err := c.Game(id)
		if err != nil {
			return nil, fail(codeUnknownEnvID, "env_id", "", "%v", err)
		}
		return game, nil
	}
	if c.Variant == nil {
		return nil, fail(codeBadOption, "rules", "leave rules out", "this server takes no rules that differ from an id's")
	}
	game, err := c.Variant(id, rules)
	if err != nil {
		return nil, fail(codeBadOption, "rules", "", "%v", err)
	}
	return game, nil
}

func (s *session) listEnvs(id uint64, _ nothing) (reply, error) {
	specs := []string{}
	for _, name := range s.server.cfg.IDs() {
		game, err := s.server.cfg.Game(name)
		if err != nil {
			return reply{}, fmt.Errorf("the catalog lists %q, but: %w", name, err)
		}
		specs = append(specs, string(saved.JSON(game.Spec())))
	}
	return message("envs", id, "envs", specs)
}

func (s *session) spaces(id uint64, q gameRequest) (reply, error) {
	game, err := s.server.cfg.game(q.ID, append(q.Rules, nil)[0])
	if err != nil {
		return reply{}, err
	}
	return message("spaces", id, "spec", string(saved.JSON(game.Spec())))
}
