package bridge

import (
	"fmt"
	"slices"
	"strings"

	"pommego/env"
	"pommego/internal/enum"
)

func init() {
	register("envs", readNothing, (*session).listEnvs)
	register("spaces", readGame, (*session).spaces)
}

// gameRequest names a game of the catalog, perhaps with rules of its own.
type gameRequest struct {
	id    string
	rules []byte // JSON; nil: the id's
}

func readGame(in *fields) gameRequest {
	in.need("env_id")
	return gameRequest{env.ID(in.text("env_id")), in.rules()}
}

// catalogGame finds the game a request names.
func (s *session) catalogGame(q gameRequest) (env.Game, error) {
	c := &s.server.cfg
	if ids := c.IDs(); !slices.Contains(ids, q.id) {
		return nil, fail(codeUnknownEnvID, "env_id", "", "unknown id %q%s, want one of %s", q.id, enum.Suggest(q.id, ids),
			strings.Join(ids, ", "))
	}
	if q.rules == nil {
		game, err := c.Game(q.id)
		if err != nil {
			return nil, fail(codeUnknownEnvID, "env_id", "", "%v", err)
		}
		return game, nil
	}
	if c.Variant == nil {
		return nil, fail(codeBadOption, "rules", "leave rules out", "this server takes no rules that differ from an id's")
	}
	game, err := c.Variant(q.id, q.rules)
	if err != nil {
		return nil, fail(codeBadOption, "rules", "", "%v", err)
	}
	return game, nil
}

func (s *session) listEnvs(id uint64, _ nothing) (reply, error) {
	specs := []any{}
	for _, name := range s.server.cfg.IDs() {
		game, err := s.server.cfg.Game(name)
		if err != nil {
			return reply{}, fmt.Errorf("the catalog lists %q, but: %w", name, err)
		}
		specs = append(specs, asJSON{game.Spec()})
	}
	return message("envs", id, "envs", specs)
}

func (s *session) spaces(id uint64, q gameRequest) (reply, error) {
	game, err := s.catalogGame(q)
	if err != nil {
		return reply{}, err
	}
	return message("spaces", id, "spec", asJSON{game.Spec()})
}
