package bridge

import (
	"strings"

	"pommego/env"
	"pommego/vec"
)

func init() { register("make", readMake, (*session).makeEnv) }

// makeRequest asks for an environment.
type makeRequest struct {
	game        gameRequest
	games       int
	observation string
	reward      string
	autoreset   string
	opponents   []string
	seats       []string
	seat        int // the learner's, counted from 1; 0 if the request has none
	onDeath     string
	maxSteps    int
	workers     int
	compression string
	noop        bool
	shared      int // frames to share
}

func readMake(in *fields) (q makeRequest) {
	q.game = readGame(in)
	in.need("games")
	q.games = in.integer("games", 1, maxInt)
	q.observation = in.text("observation")
	q.reward = in.text("reward")
	q.autoreset = in.text("autoreset_mode")
	q.opponents = in.texts("opponents")
	q.seats = in.texts("seats")
	if in.at("seat") {
		q.seat = 1 + int(in.number("seat", 0, 255))
	}
	q.onDeath = in.text("on_death")
	q.maxSteps = in.integer("max_episode_steps", 0, maxInt)
	q.workers = in.integer("workers", 0, maxInt)
	q.compression = in.text("compression")
	q.noop = in.flag("noop")
	q.shared = in.integer("shared_memory", 2, 16)
	return q
}

func (s *session) makeEnv(id uint64, q makeRequest) (reply, error) {
	game, err := s.catalogGame(q.game)
	if err != nil {
		return reply{}, err
	}
	cfg, err := s.config(&q, game)
	if err != nil {
		return reply{}, err
	}
	if err := checkCompression(q.compression, q.shared); err != nil {
		return reply{}, err
	}
	limits := &s.server.cfg
	if len(s.envs) >= limits.MaxEnvs {
		return reply{}, fail(CodeLimit, "", "close one, or use another connection", "this connection has %d environments, and may have no more", len(s.envs))
	}
	e := &environment{handle: s.nextHandle, noop: q.noop}
	if e.pool, e.layout, err = s.newPool(kindBatch, e.handle, cfg); err != nil {
		return reply{}, err
	}
	if err := e.makeFrames(q.shared, q.compression != ""); err != nil {
		s.freeEnv(e)
		return reply{}, err
	}
	s.nextHandle++
	s.envs = append(s.envs, e)
	return e.describe(id)
}

// config turns a request's options into a pool's configuration.
func (s *session) config(q *makeRequest, game env.Game) (vec.Config, error) {
	limits := &s.server.cfg
	if q.games > limits.MaxGames {
		return vec.Config{}, fail(CodeLimit, "games", "make several environments, or ask for a higher limit when the server is started",
			"games is %d, want at most %d", q.games, limits.MaxGames)
	}
	if q.workers > limits.MaxWorkers {
		return vec.Config{}, fail(CodeLimit, "workers", "leave it out: the server chooses", "workers is %d, want at most %d", q.workers, limits.MaxWorkers)
	}
	cfg := vec.Config{
		Game: game, Games: q.games, Workers: q.workers, Observation: q.observation,
		Opponents: q.opponents, Seats: q.seats, Seat: q.seat, MaxEpisodeSteps: q.maxSteps,
	}
	if q.workers == 0 {
		cfg.Workers = limits.MaxWorkers
	}
	var err error
	if cfg.Autoreset, err = vec.ParseAutoreset(q.autoreset); err != nil {
		return cfg, badOption("autoreset_mode", err)
	}
	if cfg.Reward, err = vec.ParseReward(q.reward); err != nil {
		return cfg, badOption("reward", err)
	}
	if cfg.OnDeath, err = vec.ParseOnDeath(q.onDeath); err != nil {
		return cfg, badOption("on_death", err)
	}
	return cfg, nil
}

func badOption(field string, err error) error {
	return fail(CodeBadOption, field, "", "%s", strings.TrimPrefix(err.Error(), "vec: "))
}

// optionFields are make's names of the fields that vec names in its errors.
var optionFields = map[string]string{
	"Games": "games", "Workers": "workers", "Seat": "seat", "Seats": "seats", "Opponents": "opponents",
	"opponent": "opponents", "MaxEpisodeSteps": "max_episode_steps", "Observation": "observation",
}

// optionField is the field that vec's error about a configuration is about,
// the first it names.
func optionField(err error) string {
	for _, word := range strings.Fields(err.Error()) {
		if name := optionFields[strings.Trim(word, ",:")]; name != "" {
			return name
		}
	}
	return ""
}

// newPool makes a pool with its frames, within the server's limits.
func (s *session) newPool(kind string, handle uint32, cfg vec.Config) (*vec.Pool, *layout, error) {
	fields, _, err := vec.Layout(cfg)
	if err != nil {
		return nil, nil, badOption(optionField(err), err)
	}
	cfg.Headroom = headroom(fields)
	fields, size, err := vec.Layout(cfg)
	if err != nil {
		return nil, nil, badOption(optionField(err), err)
	}
	l := newLayout(kind, handle, &cfg, fields, size)
	if most := s.server.cfg.MaxBatchBytes; l.size+l.tail > most {
		return nil, nil, fail(CodeLimit, "games", "make several environments with fewer games, or choose a smaller observation",
			"a batch of %d games has up to %d bytes, want at most %d", cfg.Games, l.size+l.tail, most)
	}
	if err := s.server.reserve(cfg.Games); err != nil {
		return nil, nil, err
	}
	pool, err := vec.New(cfg)
	if err != nil {
		s.server.release(cfg.Games)
		return nil, nil, badOption(optionField(err), err)
	}
	return pool, l, nil
}

// describe is the reply to make.
func (e *environment) describe(id uint64) (reply, error) {
	cfg := e.pool.Config()
	fields := []any{}
	for _, f := range e.layout.fields {
		fields = append(fields, entries{"name", f.Name, "dtype", string(f.DType), "shape", f.Shape, "per_game", f.PerGame})
	}
	about := entries{
		"env", int(e.handle), "spec", asJSON{e.pool.Spec()},
		"games", e.pool.Games(), "learners", e.pool.Learners(), "rows", e.pool.Rows(),
		"observation", cfg.Observation, "reward", cfg.Reward.String(), "autoreset_mode", cfg.Autoreset.String(), "on_death", cfg.OnDeath.String(),
		"fields", fields, "final_fields", e.layout.finalNames(), "batch_bytes", e.layout.size + e.layout.tail,
	}
	if e.shared != nil {
		about = append(about, "shared_memory", e.shared.describe(e.mailbox))
	}
	return message("env", id, about...)
}
