package bridge

import (
	"errors"
	"slices"
	"strings"

	"pommego/env"
	"pommego/vec"
)

// environment is what make makes. It belongs to its session's worker; only
// frames come back from the writer, through their channel.
type environment struct {
	handle  uint32
	pool    *vec.Pool
	layout  *layout
	frames  chan *frame // those not on their way
	shared  *sharedMemory
	mailbox *mailbox // nil without shared memory, or where there are none
	noop    bool     // steps do nothing
	running bool     // all games have been reset
	mask    []bool   // scratch for reset
	sims    []*simulator
}

// reply is an answer: a message, and the frame it lies in, if it does.
type reply struct {
	msg   []byte
	frame *frame
}

// find is the environment a request is about.
func (s *session) find(r *request) (*environment, error) {
	for _, e := range s.envs {
		if uint64(e.handle) == r.env {
			return e, nil
		}
	}
	return nil, fail(CodeUnknownEnv, "env", "make one, and use the handle in its reply",
		"this connection has no environment %d, it has %v", r.env, s.handles())
}

func (s *session) handles() []uint32 {
	all := []uint32{}
	for _, e := range s.envs {
		all = append(all, e.handle)
	}
	return all
}

// findRunning is find for what needs games that have been reset.
func (s *session) findRunning(r *request) (*environment, error) {
	e, err := s.find(r)
	if err == nil && !e.running {
		err = notReset(e)
	}
	return e, err
}

func notReset(e *environment) error {
	return fail(CodeNotReset, "env", "send reset first", "environment %d has not been reset", e.handle)
}

// take waits for a frame of a pool. The session owns it until it is sent.
func (s *session) take(frames chan *frame) *frame {
	s.loan = <-frames
	return s.loan
}

// catalogGame finds the game a request names.
func (s *session) catalogGame(r *request) (env.Game, error) {
	c := &s.server.cfg
	if ids := c.IDs(); !slices.Contains(ids, r.envID) {
		return nil, fail(CodeUnknownEnvID, "env_id", "", "unknown id %q, want one of %s", r.envID, strings.Join(ids, ", "))
	}
	if !r.given("rules") {
		game, err := c.Game(r.envID)
		if err != nil {
			return nil, fail(CodeUnknownEnvID, "env_id", "", "%v", err)
		}
		return game, nil
	}
	if c.Variant == nil {
		return nil, fail(CodeBadOption, "rules", "leave rules out", "this server has no games with rules of one's own")
	}
	game, err := c.Variant(r.envID, r.rules)
	if err != nil {
		return nil, fail(CodeBadOption, "rules", "spaces shows the rules of an id", "%v", err)
	}
	return game, nil
}

func (s *session) makeEnv(r *request) (reply, error) {
	game, err := s.catalogGame(r)
	if err != nil {
		return reply{}, err
	}
	cfg, err := s.config(r, game)
	if err != nil {
		return reply{}, err
	}
	if err := checkCompression(r.compression, r.shared); err != nil {
		return reply{}, err
	}
	limits := &s.server.cfg
	if len(s.envs) >= limits.MaxEnvs {
		return reply{}, fail(CodeLimit, "", "close one, or use another connection", "this connection has %d environments, and may have no more", len(s.envs))
	}
	e := &environment{handle: s.nextHandle, noop: r.noop}
	if e.pool, e.layout, err = s.newPool(kindBatch, e.handle, cfg); err != nil {
		return reply{}, err
	}
	if err := e.makeFrames(r.shared, r.compression != ""); err != nil {
		s.freeEnv(e)
		return reply{}, err
	}
	s.nextHandle++
	s.envs = append(s.envs, e)
	msg, err := e.describe(r.id)
	return reply{msg: msg}, err
}

// config turns a request's options into a pool's configuration.
func (s *session) config(r *request, game env.Game) (vec.Config, error) {
	limits := &s.server.cfg
	if r.count > limits.MaxGames {
		return vec.Config{}, fail(CodeLimit, "games", "make several environments, or ask for a higher limit when the server is started",
			"games is %d, want at most %d", r.count, limits.MaxGames)
	}
	if r.workers > limits.MaxWorkers {
		return vec.Config{}, fail(CodeLimit, "workers", "leave it out: the server chooses", "workers is %d, want at most %d", r.workers, limits.MaxWorkers)
	}
	cfg := vec.Config{
		Game: game, Games: r.count, Workers: r.workers, Observation: r.observation,
		Opponents: r.opponents, Seats: r.seats, MaxEpisodeSteps: r.maxSteps,
	}
	if r.workers == 0 {
		cfg.Workers = limits.MaxWorkers
	}
	if r.given("seat") {
		cfg.Seat = r.seat + 1
	}
	var err error
	if cfg.Autoreset, err = vec.ParseAutoreset(r.autoreset); err != nil {
		return cfg, badOption("autoreset_mode", err)
	}
	if cfg.Reward, err = vec.ParseReward(r.reward); err != nil {
		return cfg, badOption("reward", err)
	}
	if cfg.OnDeath, err = vec.ParseOnDeath(r.onDeath); err != nil {
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
func (e *environment) describe(id uint64) ([]byte, error) {
	cfg := e.pool.Config()
	fields := []any{}
	for _, f := range e.layout.fields {
		fields = append(fields, entries{"name", f.Name, "dtype", string(f.DType), "shape", f.Shape, "per_game", f.PerGame})
	}
	about := entries{
		"type", "env", "id", id, "env", int(e.handle), "spec", asJSON{e.pool.Spec()},
		"games", e.pool.Games(), "learners", e.pool.Learners(), "rows", e.pool.Rows(),
		"observation", cfg.Observation, "reward", cfg.Reward.String(), "autoreset_mode", cfg.Autoreset.String(), "on_death", cfg.OnDeath.String(),
		"fields", fields, "final_fields", e.layout.finalNames(), "batch_bytes", e.layout.size + e.layout.tail,
	}
	if e.shared != nil {
		about = append(about, "shared_memory", e.shared.describe(e.mailbox))
	}
	return encode(about)
}

func (s *session) reset(r *request) (reply, error) {
	e, err := s.find(r)
	if err != nil {
		return reply{}, err
	}
	o, err := e.resetOptions(r)
	if err != nil {
		return reply{}, err
	}
	f := s.take(e.frames)
	if err := e.pool.Reset(f.batch, o); err != nil {
		return reply{}, s.fromVec(err, "mask")
	}
	e.running = true
	return f.reply(r.id), nil
}

func (e *environment) resetOptions(r *request) (o vec.ResetOptions, err error) {
	games := e.pool.Games()
	if r.given("seed") {
		o.Seed = &r.seed
	}
	if r.given("seeds") {
		if o.Seed != nil {
			return o, fail(CodeBadOption, "seeds", "", "seed and seeds are both given, want one of them")
		}
		if err := r.seeds.want("seeds", games); err != nil {
			return o, err
		}
		o.Seeds = r.seeds.uint64s()
	}
	if r.given("mask") {
		if err := r.mask.want("mask", games); err != nil {
			return o, err
		}
		o.Mask, err = e.readMask(r.mask.data)
	}
	return o, err
}

func (e *environment) readMask(data []byte) ([]bool, error) {
	if e.mask == nil {
		e.mask = make([]bool, len(data))
	}
	some := false
	for i, b := range data {
		if b > 1 {
			return nil, fail(CodeOutOfRange, "mask", "", "mask[%d] is %d, want 0 or 1", i, b)
		}
		e.mask[i] = b == 1
		some = some || b == 1
	}
	if !some {
		return nil, fail(CodeOutOfRange, "mask", "send observe to see the games as they are", "mask is 0 everywhere, want at least one game to reset")
	}
	return e.mask, nil
}

func (s *session) step(r *request) (reply, error) {
	e, err := s.findRunning(r)
	if err != nil {
		return reply{}, err
	}
	s.attentive = e.mailbox != nil
	if err := wantActions(&r.actions, e.pool.Rows(), e.pool.Spec()); err != nil {
		return reply{}, err
	}
	return s.stepWith(e, r.id, r.actions.data)
}

// stepWith makes a step with as many actions as there have to be.
func (s *session) stepWith(e *environment, id uint64, actions []byte) (reply, error) {
	f := s.take(e.frames)
	if e.noop {
		return f.reply(id), nil
	}
	if err := e.pool.Step(f.batch, actions); err != nil {
		return reply{}, s.fromVec(err, "actions")
	}
	return f.reply(id), nil
}

func wantActions(t *tensor, rows int, spec *env.Spec) error {
	components := len(spec.Actions)
	if components == 1 && len(t.shape) == 1 {
		return t.want("actions", rows)
	}
	return t.want("actions", rows, components)
}

func (s *session) observe(r *request) (reply, error) {
	e, err := s.findRunning(r)
	if err != nil {
		return reply{}, err
	}
	f := s.take(e.frames)
	e.pool.Observe(f.batch)
	return f.reply(r.id), nil
}

func (s *session) setOpponents(r *request) (reply, error) {
	e, err := s.find(r)
	if err != nil {
		return reply{}, err
	}
	if err := e.pool.SetOpponents(r.opponents); err != nil {
		return reply{}, badOption("opponents", err)
	}
	return s.ok(r)
}

func (s *session) closeEnv(r *request) (reply, error) {
	e, err := s.find(r)
	if err != nil {
		return reply{}, err
	}
	s.freeEnv(e)
	s.envs = slices.DeleteFunc(s.envs, func(other *environment) bool { return other == e })
	return s.ok(r)
}

// freeEnv stops an environment's pools. Frames still on their way stay whole.
func (s *session) freeEnv(e *environment) {
	for _, sim := range e.sims {
		s.freeSimulator(sim)
	}
	e.pool.Close()
	s.server.release(e.pool.Games())
	if e.shared != nil {
		e.shared.free()
	}
}

// ok is the reply that says no more than that.
func (s *session) ok(r *request) (reply, error) {
	msg, err := encode(entries{"type", "ok", "id", r.id, "env", r.env})
	return reply{msg: msg}, err
}

// fromVec turns vec's errors into replies. field is the one that is wrong
// unless the error says otherwise.
func (s *session) fromVec(err error, field string) error {
	message := strings.TrimPrefix(err.Error(), "vec: ")
	var broke *vec.GameError
	switch {
	case errors.As(err, &broke):
		s.server.cfg.Log.Error("game panicked", "client", s.client, "id", broke.Game, "seed", broke.Seed, "episode", broke.Episode,
			"value", broke.Value, "actions", broke.Actions, "stack", string(broke.Stack))
		e := fail(CodeGamePanic, "", "please report it with state; reset the game to go on", "%s", message)
		e.Fault = &Fault{Game: broke.Game, Seed: broke.Seed, Episode: broke.Episode, State: broke.State}
		return e
	case errors.As(err, new(*vec.ActionError)):
		return fail(CodeBadAction, "actions", "only rows that are out, or whose game this step resets, may have any value", "%s", message)
	case errors.As(err, new(*vec.StateError)):
		return fail(CodeBadState, "states", "states fit environments of the same id, rules and seats", "%s", message)
	case errors.Is(err, vec.ErrFinished):
		return fail(CodeGameFinished, field, "reset it with a mask", "%s", message)
	case errors.Is(err, vec.ErrBroken):
		return fail(CodeGameBroken, field, "reset it with a mask, or set its state", "%s", message)
	case errors.Is(err, vec.ErrNotReset):
		return fail(CodeNotReset, field, "reset all games first", "%s", message)
	}
	return fail(CodeInternal, field, "please report it", "%s", message)
}
