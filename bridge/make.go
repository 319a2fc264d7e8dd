package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"pommego/env"
	"pommego/env/saved"
	"pommego/vec"
)

// maxAgentSeconds is the most time that an agent outside the server can have for a move.
const maxAgentSeconds = 3600

type makeRequest struct {
	gameRequest
	Pool   vec.Config // the pool's configuration, without its game
	Limit  float64    `wire:"agent_seconds"` // seconds for a move of agents outside the server
	Noop   bool       `wire:"noop"`
	Listed bool       `wire:"listed"` // whether the list of environments shows its key
	Slots  int        `wire:"shared_memory,2..16"`
	Places int        `wire:"places,2..64"` // places for batches in shared memory; 0: as many as slots
}

func (s *session) makeEnv(id uint64, q makeRequest) (reply, error) {
	var err error
	v := &q.Pool.Variants
	if v.Games, err = s.catalogGames(q.gameRequest, v.Which); err != nil {
		return reply{}, err
	}
	q.Pool.Game = v.Games[0]
	if err := s.checkAgents(&q); err != nil {
		return reply{}, err
	}
	if err := s.checkLimits(&q.Pool); err != nil {
		return reply{}, err
	}
	if q.Places != 0 && q.Slots == 0 {
		return reply{}, fail(codeBadOption, "places", "give shared_memory, too", "places is %d, but no memory is shared",
			q.Places)
	}
	e := &environment{noop: q.Noop, listed: q.Listed, owner: s,
		key: s.server.cfg.newKey(), gone: make(chan struct{}), followed: map[int]*followed{}}
	e.shown.Store(new(shown))
	messages := messagesPerPool
	if q.Slots > 0 {
		messages = 0 // shareMemory reserves their memory
	}
	if e.batches, err = s.newPool(kindBatch, s.nextHandle, q.Pool, messages); err != nil {
		return reply{}, err
	}
	e.followedBytes = followedBytes(e.pool)
	if q.Slots > 0 {
		if err := s.shareMemory(e, q.Slots, q.Places); err != nil {
			s.freeEnv(e)
			return reply{}, err
		}
	}
	s.nextHandle++
	s.envs = append(s.envs, e)
	s.server.gallery.add(e)
	return e.describe(id)
}

func (s *session) checkAgents(q *makeRequest) error {
	if !(q.Limit >= 0 && q.Limit <= maxAgentSeconds) {
		return fail(codeOutOfRange, "agent_seconds", "", "agent_seconds is %v, want 0 to %d", q.Limit, maxAgentSeconds)
	}
	make, game, limit := s.server.cfg.Agent, q.Pool.Game, time.Duration(q.Limit*float64(time.Second))
	if make == nil {
		return nil
	}
	q.Pool.Agent = func(name string) (env.Agent, error) {
		a, _, err := make(game, name, limit)
		return a, err
	}
	return nil
}

func (s *session) checkLimits(cfg *vec.Config) error {
	limits := &s.server.cfg
	switch {
	case cfg.Games > limits.MaxGames:
		return fail(codeLimit, "games", "make several environments",
			"games is %d, want at most %d", cfg.Games, limits.MaxGames)
	case cfg.Workers > limits.MaxWorkers:
		return fail(codeLimit, "workers", "leave it out, and the server chooses", "workers is %d, want at most %d",
			cfg.Workers, limits.MaxWorkers)
	case len(s.envs) >= limits.maxEnvs:
		return fail(codeLimit, "", "close one, or use another connection",
			"this connection has %d environments, and may have no more", len(s.envs))
	}
	cfg.MaxWorkers, cfg.Stop, cfg.Allow = limits.MaxWorkers, &s.cancel, limits.allowAgent
	cfg.Cores, cfg.Neighbours, cfg.Client = limits.Cores, &s.server.neighbours, s.number
	return nil
}

// optionNames holds the fields of make by vec's names, where those are not the same word in small letters.
var optionNames = map[string]string{
	"Variants": "rules", "Variants.ByGame": "rules_by_game", "LineUps": "line_ups", "ByGame": "by_game",
	"BatchSize": "batch_size", "Autoreset": "autoreset_mode", "MaxEpisodeSteps": "max_episode_steps", "Player": "policy",
	"OnDeath": "on_death",
}

// optionError turns vec's error about an option into one with the request's name of the field.
func optionError(err error) *wireError {
	var option *vec.OptionError
	if !errors.As(err, &option) {
		return asError(err)
	}
	field := cmp.Or(optionNames[option.Field], strings.ToLower(option.Field))
	e := fail(codeBadOption, field, "", "%s", option.Named(field))
	if errors.As(err, &e) { // the agent's name is not allowed
		e.Field = field
	}
	return e
}

// newPool makes a pool within the server's limits, with some messages. freePool releases the memory that it reserves.
func (s *session) newPool(kind string, handle uint32, cfg vec.Config, messages int) (b *batches, err error) {
	fields, own, err := vec.Layout(cfg)
	if err == nil {
		cfg.Headroom = headroom(fields)
		fields, own, err = vec.Layout(cfg)
	}
	if err != nil {
		return nil, optionError(err)
	}
	b = newBatches(kind, handle, &cfg, fields, own)
	whole := int64(b.size+b.tail) * int64(cfg.Games) / int64(cfg.BatchGames()) // the pool keeps the rows of all games
	if most := s.server.cfg.maxBatchBytes; whole > int64(most) {
		return nil, fail(codeLimit, "games",
			"make several environments with fewer games, or choose a smaller observation",
			"a batch of %d games has up to %d bytes, want at most %d", cfg.Games, whole, most)
	}
	b.bytes = own.Pool - own.Agents + own.Searches + int64(messages)*(int64(b.size+b.tail+align)+b.besides)
	what := fmt.Sprintf("an environment of %d games, with its agents' searches,", cfg.Games)
	if err := s.memory.reserve(b.bytes+b.agents, "games", what); err != nil {
		return nil, err
	}
	if err := s.server.reserve(cfg.Games); err != nil {
		s.memory.release(b.bytes + b.agents)
		return nil, err
	}
	cfg.Reserve = func(more int64) error { return s.memory.reserve(more, "opponents", "searches of the agents") }
	if b.pool, err = vec.New(cfg); err != nil {
		s.server.release(cfg.Games)
		s.memory.release(b.bytes + b.agents)
		return nil, optionError(err)
	}
	b.messages = make(chan *batchMessage, max(messages, 1))
	for range messages {
		b.messages <- b.newMessage(b.messages, vec.Aligned(b.size+b.tail))
	}
	return b, nil
}

// freePool stops a pool and releases its memory. Messages that are still on their way stay whole.
func (s *session) freePool(b *batches) {
	b.pool.Close()
	s.server.release(b.pool.Games())
	s.memory.release(b.bytes + b.agents + b.pool.Reserved())
}

func (e *environment) describe(id uint64) (reply, error) {
	cfg := e.pool.Config()
	fields, finals := []any{}, []string{}
	for _, f := range e.final {
		finals = append(finals, f.name)
	}
	for _, f := range e.fields {
		fields = append(fields, entries{"name", f.Name, "dtype", f.Dtype().String(), "shape", []int(f.Shape()),
			"per_game", f.PerGame})
	}
	about := entries{
		"env", int(e.handle), "spec", string(saved.JSON(e.pool.Spec())),
		"games", e.pool.Games(), "learners", e.pool.Learners(), "rows", e.pool.Rows(),
		"observation", cfg.Observation, "reward", cfg.Reward.String(), "mask", cfg.Mask.String(),
		"autoreset_mode", cfg.Autoreset.String(), "on_death", cfg.OnDeath.String(),
		"fields", fields, "final_fields", finals, "batch_bytes", e.size + e.tail,
		"view_key", e.key,
	}
	if cfg.BatchSize > 0 {
		about = append(about, "batch_size", cfg.BatchSize)
	}
	if n := e.pool.Policies(); n > 0 {
		about = append(about, "policies", n)
	}
	if e.channel != nil {
		about = append(about, "shared_memory", e.channel.describe())
	}
	return message("env", id, about...)
}
