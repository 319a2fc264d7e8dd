package bridge

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/vec"
)

type getStateRequest struct {
	Games []int `wire:"games"` // nil: all
	JSON  bool  `wire:"json"`
}

type setStateRequest struct {
	Games  []int    `wire:"games,needed"`
	States [][]byte `wire:"states,needed,1..65536"`
}

// pickGames checks the games that a request lists, and returns them; without a list it returns all games.
func (e *environment) pickGames(games []int) ([]int, error) {
	if games == nil {
		all := make([]int, e.pool.Games())
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	seen := make([]bool, e.pool.Games())
	for i, game := range games {
		if game >= len(seen) {
			return nil, outOfRange(element("games", i), game, 0, uint64(len(seen)-1))
		}
		if seen[game] {
			return nil, fail(codeBadOption, "games", "", "games names %d twice", game)
		}
		seen[game] = true
	}
	return games, nil
}

func (s *session) getState(e *environment, id uint64, q getStateRequest) (reply, error) {
	games, err := e.pickGames(q.Games)
	if err != nil {
		return reply{}, err
	}
	msg := appendHead(nil, 4, "states", id, e.handle)
	msg = appendArrayHeader(appendKey(msg, "states"), len(games))
	for i, game := range games {
		if i > 0 && len(msg)+len(msg)/i > cap(msg) {
			more := (len(msg)/i + 16) * (len(games) - i + 1)
			if err := s.hold(int64(more), "games", fmt.Sprintf("the states of %d games", len(games))); err != nil {
				return reply{}, err
			}
			msg = slices.Grow(msg, more)
		}
		if q.JSON {
			msg, err = appendJSONState(msg, e.pool, game)
		} else {
			msg, err = appendState(msg, e.pool, game)
		}
		if err != nil {
			return reply{}, s.fromVec(err, "games")
		}
		if most := s.server.cfg.maxBatchBytes; len(msg) > most {
			return reply{}, fail(codeLimit, "games", "ask for fewer games at a time",
				"the states of the first %d games have more than %d bytes, want fewer in one reply", i+1, most)
		}
	}
	return reply{msg: msg}, nil
}

func appendJSONState(msg []byte, pool *vec.Pool, game int) ([]byte, error) {
	text, err := pool.SaveJSON(game)
	if err != nil {
		return msg, err
	}
	msg = binary.BigEndian.AppendUint32(append(msg, msgpcode.Str32), uint32(len(text)))
	return append(msg, text...), nil
}

func (s *session) setState(e *environment, id uint64, q setStateRequest) (reply, error) {
	games, err := e.pickGames(q.Games)
	if err != nil {
		return reply{}, err
	}
	if len(q.States) != len(games) {
		return reply{}, fail(codeWrongShape, "states", "", "states has %d entries, want %d, one for each of games",
			len(q.States), len(games))
	}
	bytes := 2*stateBytes(q.States) + e.pool.LoadBytes(len(games)) // twice, as decoding takes as much again
	if err := s.memory.reserve(bytes, "states", fmt.Sprintf("%d states", len(q.States))); err != nil {
		return reply{}, err
	}
	defer s.memory.release(bytes)
	if err := e.pool.LoadAll(games, q.States); err != nil {
		return reply{}, s.fromVec(err, "states")
	}
	return s.observe(e, id, nothing{})
}
