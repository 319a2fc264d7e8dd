package tournament

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"pommego/env"
	"pommego/env/ruleset"
	"pommego/internal/disk"
)

// logFormat is the version of the log's form.
const logFormat = "pommego-tournament/1"

// header is the log's first line: what the games depend on.
type header struct {
	Format  string          `json:"format"`
	Program string          `json:"program"` // the build, since a changed agent plays other games
	Env     string          `json:"env"`
	Version int             `json:"version"` // of the game
	Seeds   int             `json:"seed_version"`
	Rules   json.RawMessage `json:"rules"`
	Config  Config          `json:"config"`
}

func newHeader(spec *env.Spec, c *Config, program string) (*header, error) {
	rules, err := json.Marshal(spec.Rules)
	if err != nil {
		return nil, err
	}
	return &header{
		Format: logFormat, Program: program, Env: spec.ID, Version: spec.Version,
		Seeds: env.SeedVersion, Rules: rules, Config: *c,
	}, nil
}

// readHeader reads a log's first line.
func readHeader(line []byte) (*header, error) {
	h := new(header)
	if json.Unmarshal(line, h) != nil || h.Format == "" {
		return nil, errors.New("it has no header of a tournament")
	}
	return h, nil
}

func (h *header) differs(other *header) string {
	parts := func(h *header) [3]any {
		head, c := *h, h.Config
		head.Program, head.Rules, head.Config = "", nil, Config{}
		c.Games, c.Repetitions = 0, c.repetitions()
		return [3]any{head, c, h.Rules}
	}
	mine := parts(h)
	for i, theirs := range parts(other) {
		was, err := json.Marshal(theirs)
		is, also := json.Marshal(mine[i])
		if err != nil || also != nil {
			return fmt.Sprint("in what cannot be read: ", errors.Join(err, also))
		}
		if d := ruleset.Difference(was, is); d != "" {
			return d
		}
	}
	return ""
}

// Errors of opening a log.
var (
	ErrLogOther   = errors.New("the log is of another tournament")
	ErrLogProgram = errors.New("another build of the program, whose agents may play differently, began the log")
)

// accept says why a log that begins with another header cannot be continued.
func (h *header) accept(text []byte) error {
	other, err := readHeader(text)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrLogOther, err)
	}
	if d := h.differs(other); d != "" {
		return fmt.Errorf("%w, whose %s", ErrLogOther, d)
	}
	if h.Program != other.Program {
		return fmt.Errorf("%w: %q, this one is %q", ErrLogProgram, other.Program, h.Program)
	}
	return nil
}

// openLog begins or continues a log of this tournament, the games in which take is given.
func (r *run) openLog(d disk.FS, path string, take func(text []byte) error) (*disk.Log, error) {
	h, err := newHeader(r.t.game.Spec(), &r.t.config, r.o.Program)
	if err != nil {
		return nil, err
	}
	return disk.OpenLog(d, path, disk.LogOptions{
		Header: h, Accept: h.accept, Take: take,
	})
}

// errTwice says that a game is in the log already.
var errTwice = errors.New("is there twice")

// takePart takes over the games in the log of a part that are not known yet.
func (r *run) takePart(d disk.FS, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	var taken []json.RawMessage
	part, err := r.openLog(d, path, func(text []byte) error {
		err := r.takeOver(text)
		if errors.Is(err, errTwice) {
			return nil
		}
		taken = append(taken, slices.Clone(text))
		return err
	})
	if err != nil {
		return err
	}
	if r.log != nil {
		err = keep(r.log, taken)
	}
	return errors.Join(err, part.Close())
}

func (r *run) takeOver(text []byte) error {
	var record Record
	if err := json.Unmarshal(text, &record); err != nil {
		return err
	}
	if total := r.t.Games(); record.Game >= total {
		return fmt.Errorf("%w: it holds game %d, this run has %d; there can be more games than before, not fewer",
			ErrLogOther, record.Game, total)
	}
	if err := r.t.schedule.check(&record); err != nil {
		return err
	}
	if r.records[record.Game].Agents != nil {
		return fmt.Errorf("game %d %w", record.Game, errTwice)
	}
	r.records[record.Game] = record
	r.resumed++
	return nil
}

// keep writes finished games to a log and waits until they are on the disk.
func keep[R any](log *disk.Log, records []R) error {
	for i := range records {
		if err := log.Add(&records[i]); err != nil {
			return err
		}
	}
	return log.Sync()
}
