package bridge

import (
	"encoding"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"pommego/env"
	"pommego/vec"
)

// maxAgentSeconds is the most time that an agent outside the server can have for a move.
const maxAgentSeconds = 3600

func init() { register("make", readMake, (*session).makeEnv) }

// makeRequest asks for an environment.
type makeRequest struct {
	game   gameRequest
	pool   vec.Config // without its game
	limit  float64    // seconds, of agents outside the server
	noop   bool
	slots  int // in shared memory
	places int // for batches there; 0: as many as slots
}

func readMake(in *fields) (q makeRequest) {
	q.game = readGame(in)
	q.pool.Variants.ByGame = readByGame(in, "rules_by_game")
	in.need("games")
	q.pool.Games = in.integer("games", 1, vec.MaxGames)
	q.pool.Observation = in.text("observation")
	q.pool.State = in.flag("state")
	readOption(in, "reward", &q.pool.Reward)
	readOption(in, "mask", &q.pool.Mask)
	readOption(in, "autoreset_mode", &q.pool.Autoreset)
	q.pool.Opponents = in.texts("opponents")
	q.pool.LineUps = readLineUps(in)
	q.pool.Seats = in.texts("seats")
	if in.at("seat") {
		q.pool.Seat = new(int(in.number("seat", 0, 255)))
	}
	q.limit = in.float("agent_seconds")
	readOption(in, "on_death", &q.pool.OnDeath)
	q.pool.Counts = in.flag("counts")
	q.pool.StepCounts = in.flag("step_counts")
	q.pool.MaxEpisodeSteps = in.integer("max_episode_steps", 0, maxInt)
	q.pool.BatchSize = in.integer("batch_size", 1, maxInt)
	q.pool.Workers = in.integer("workers", 0, maxInt)
	q.noop = in.flag("noop")
	q.slots = in.integer("shared_memory", 2, maxSlots)
	q.places = in.integer("places", 2, maxPlaces)
	return q
}

func readOption(in *fields, name string, to encoding.TextUnmarshaler) {
	if text := in.text(name); text != "" {
		if err := to.UnmarshalText([]byte(text)); err != nil && in.err == nil {
			in.err = badOption(name, err)
		}
	}
}

func (s *session) makeEnv(id uint64, q makeRequest) (reply, error) {
	var err error
	v := &q.pool.Variants
	if v.Games, err = s.catalogGames(q.game, v.Called); err != nil {
		return reply{}, err
	}
	q.pool.Game = v.Games[0]
	if err := s.checkAgents(&q); err != nil {
		return reply{}, err
	}
	if err := s.checkLimits(&q.pool); err != nil {
		return reply{}, err
	}
	if q.places != 0 && q.slots == 0 {
		return reply{}, fail(codeBadOption, "places", "give shared_memory, too", "places is %d, but no memory is shared",
			q.places)
	}
	e := &environment{handle: s.nextHandle, noop: q.noop, owner: s, key: s.server.cfg.newKey(), gone: make(chan struct{})}
	messages := messagesPerPool
	if q.slots > 0 {
		messages = 0 // shareMemory counts its own
	}
	if e.pool, e.layout, e.bytes, err = s.newPool(kindBatch, e.handle, q.pool, 1, messages); err != nil {
		return reply{}, err
	}
	s.server.metrics.environments.Inc()
	if q.slots == 0 {
		e.messages = newBatchMessages(e.layout, e.pool)
	} else if err := s.shareMemory(e, q.slots, q.places); err != nil {
		s.freeEnv(e)
		return reply{}, err
	}
	e.agents = e.layout.agents
	s.nextHandle++
	s.envs = append(s.envs, e)
	s.server.gallery.add(e)
	return e.describe(id)
}

func (s *session) checkAgents(q *makeRequest) error {
	if !(q.limit >= 0 && q.limit <= maxAgentSeconds) {
		return fail(codeOutOfRange, "agent_seconds", "", "agent_seconds is %v, want 0 to %d", q.limit, maxAgentSeconds)
	}
	make, game, limit := s.server.cfg.Agent, q.pool.Game, time.Duration(q.limit*float64(time.Second))
	if make == nil {
		return nil
	}
	q.pool.Agent = func(name string) (env.Agent, error) {
		if a, ok, err := make(game, name, limit); ok || err != nil {
			return a, err
		}
		return game.NewAgent(name)
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

func badOption(field string, err error) error {
	if e := (*wireError)(nil); errors.As(err, &e) { // of a name that is not allowed
		return inField(e, field)
	}
	return fail(codeBadOption, field, "", "%s", strings.TrimPrefix(err.Error(), "vec: "))
}

// optionNames replaces the names of vec's fields by those of make.
var optionNames = strings.NewReplacer("Variants.ByGame", "rules_by_game", "LineUps", "line_ups",
	"ByGame", "by_game", "Weights", "weights", "Games", "games",
	"BatchSize", "batch_size", "Autoreset", "autoreset_mode", "Workers", "workers", "Seats", "seats", "Seat", "seat",
	"Opponents", "opponents", "Mask", "mask", "MaxEpisodeSteps", "max_episode_steps",
	"Observation", "observation", "State", "state")

// optionField finds the name of a field of make, or the word for an entry of one.
var optionField = regexp.MustCompile(`\b(rules|rules_by_game|line_ups|line-up|by_game|weights|games|batch_size|autoreset_mode|workers|` +
	`seats?|opponents?|max_episode_steps|observation|mask|state)\b`)

func optionError(err error) *wireError {
	text := optionNames.Replace(strings.TrimPrefix(err.Error(), "vec: "))
	e := fail(codeBadOption, "", "", "%s", text)
	_ = errors.As(err, &e) // of a name that is not allowed
	switch e.Field = optionField.FindString(text); e.Field {
	case "opponent":
		e.Field = "opponents"
	case "line-up":
		e.Field = "line_ups"
	}
	return e
}

// newPool makes a pool within the server's limits, with the layout of its batch messages, each of
// so many steps, and takes the memory of it and so many messages: bytes, to be released
// when it is closed.
func (s *session) newPool(kind string, handle uint32, cfg vec.Config, steps, messages int) (
	pool *vec.Pool, l *messageLayout, bytes int64, err error,
) {
	shown := cfg
	shown.Games *= steps
	fields, _, err := vec.Layout(shown)
	if err != nil {
		return nil, nil, 0, optionError(err)
	}
	cfg.Headroom = headroom(fields)
	shown.Headroom = cfg.Headroom
	fields, size, err := vec.Layout(shown)
	if err != nil {
		return nil, nil, 0, optionError(err)
	}
	l = newMessageLayout(kind, handle, &shown, fields, size)
	l.steps = steps
	whole := (l.size + l.tail) * shown.Games / shown.BatchGames() // what all games show is kept, however few a batch has
	if most := s.server.cfg.maxBatchBytes; whole > most {
		return nil, nil, 0, fail(codeLimit, "games",
			"make several environments with fewer games, or choose a smaller observation",
			"a batch of %d games has up to %d bytes, want at most %d", shown.Games, whole, most)
	}
	if bytes, err = l.memory(cfg, shown, messages); err != nil {
		return nil, nil, 0, optionError(err)
	}
	what := fmt.Sprintf("an environment of %d games, with its agents' searches,", shown.Games)
	if err := s.memory.reserve(bytes, "games", what); err != nil {
		return nil, nil, 0, err
	}
	if err := s.server.reserve(shown.Games); err != nil {
		s.memory.release(bytes)
		return nil, nil, 0, err
	}
	cfg.Reserve = func(more int64) error { return s.memory.reserve(more, "opponents", "searches of the agents") }
	if pool, err = vec.New(cfg); err != nil {
		s.server.release(shown.Games)
		s.memory.release(bytes)
		return nil, nil, 0, optionError(err)
	}
	return pool, l, bytes, nil
}

// memory is what a pool takes with so many messages, which show games as those of shown,
// and notes what a batch takes besides, and the agents of the pool.
func (l *messageLayout) memory(cfg, shown vec.Config, messages int) (int64, error) {
	pool, err := vec.MemoryOf(cfg)
	if err != nil {
		return 0, err
	}
	all := pool
	if l.steps > 1 {
		if all, err = vec.MemoryOf(shown); err != nil {
			return 0, err
		}
	}
	l.besides, l.agents = all.Batch, pool.Agents
	bytes := pool.Pool + pool.Searches + int64(messages)*l.messageBytes()
	if l.steps > 1 {
		bytes += l.messageBytes() / int64(l.steps) // of the batch of one step
	}
	return bytes, nil
}

func (e *environment) describe(id uint64) (reply, error) {
	cfg := e.pool.Config()
	fields := []any{}
	for _, f := range e.layout.fields {
		fields = append(fields, entries{"name", f.Name, "dtype", f.Dtype().String(), "shape", []int(f.Shape()),
			"per_game", f.PerGame})
	}
	about := entries{
		"env", int(e.handle), "spec", asJSON{e.pool.Spec()},
		"games", e.pool.Games(), "learners", e.pool.Learners(), "rows", e.pool.Rows(),
		"observation", cfg.Observation, "reward", cfg.Reward.String(), "mask", cfg.Mask.String(),
		"autoreset_mode", cfg.Autoreset.String(), "on_death", cfg.OnDeath.String(),
		"fields", fields, "final_fields", e.layout.finalNames(), "batch_bytes", e.layout.size + e.layout.tail,
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
