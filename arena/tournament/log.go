package tournament

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"pommego/env"
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

	anyProgram bool // a log that another build began will do
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

// differs says in what another header differs, "" for nothing.
func (h *header) differs(other *header) string {
	a, b := h.fields(), other.fields()
	for i := range a {
		if a[i].value != b[i].value {
			return fmt.Sprintf("with %s %s, this run has %s", a[i].name, b[i].value, a[i].value)
		}
	}
	return ""
}

type headerField struct{ name, value string }

// fields lists what two logs can differ in, besides the program.
func (h *header) fields() []headerField {
	c := &h.Config
	return []headerField{
		{"log format", h.Format}, {"env", h.Env}, {"agents", fmt.Sprintf("%q", c.Agents)}, {"against", fmt.Sprintf("%q", c.Against)},
		{"format", c.Format.String()}, {"games", fmt.Sprint(c.Games)}, {"seed", fmt.Sprint(c.Seed)},
		{"limit", c.Limit.String()}, {"limit for all", fmt.Sprint(c.LimitAll)}, {"ties", c.Ties.String()}, {"game version", fmt.Sprint(h.Version)},
		{"seed version", fmt.Sprint(h.Seeds)}, {"rules", string(h.Rules)},
	}
}

// Errors of opening a log.
var (
	ErrLogExists  = errors.New("the log exists")
	ErrLogOther   = errors.New("the log is of another tournament")
	ErrLogProgram = errors.New("another build of the program, whose agents may play otherwise, began the log")
	ErrLogInUse   = errors.New("another process writes to the log")
)

// logFile is what a log needs of its file.
type logFile interface {
	io.Writer
	Sync() error
	Close() error
}

// gameLog is an open log.
type gameLog struct {
	path string
	file logFile
	line []byte
}

// openLog begins a log, or goes on with one, and returns the games it holds.
func openLog(path string, h *header, s *schedule, resume bool) (*gameLog, []Record, error) {
	flags := os.O_RDWR | os.O_CREATE
	if !resume {
		flags |= os.O_EXCL
	}
	file, err := os.OpenFile(path, flags, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, nil, fmt.Errorf("%s: %w: resume it, or name another file", path, ErrLogExists)
	case err != nil:
		return nil, nil, err
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w: %w", path, ErrLogInUse, err)
	}
	l := &gameLog{path: path, file: file}
	records, err := l.begin(file, h, s)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return l, records, nil
}

// begin reads what the file holds and leaves it ready to be appended to.
func (l *gameLog) begin(file *os.File, h *header, s *schedule) ([]Record, error) {
	first, err := appendLine(nil, h)
	if err != nil {
		return nil, err
	}
	records, good, err := readLog(file, l.path, first, h, s)
	if err != nil {
		return nil, err
	}
	if err := file.Truncate(good); err != nil {
		return nil, err
	}
	if _, err := file.Seek(good, io.SeekStart); err != nil {
		return nil, err
	}
	if good > 0 {
		return records, file.Sync()
	}
	if err := l.write(first); err != nil {
		return nil, err
	}
	return nil, syncFolder(filepath.Dir(l.path))
}

// readLog reads a log and returns how many of its bytes are good. A file that
// holds no more than a part of the first line is new.
func readLog(in io.Reader, path string, first []byte, h *header, s *schedule) ([]Record, int64, error) {
	lines := bufio.NewReaderSize(in, 1<<16)
	line, err := lines.ReadBytes('\n')
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	if len(line) < len(first) && bytes.HasPrefix(first, line) {
		return nil, 0, nil
	}
	var other header
	if err := readLine(line, &other); err != nil || other.Format == "" {
		return nil, 0, fmt.Errorf("%s: %w: its first line is no header of one", path, ErrLogOther)
	}
	if d := h.differs(&other); d != "" {
		return nil, 0, fmt.Errorf("%s: %w: it was begun %s", path, ErrLogOther, d)
	}
	if h.Program != other.Program && !h.anyProgram {
		return nil, 0, fmt.Errorf("%s: %w: %q, this one is %q", path, ErrLogProgram, other.Program, h.Program)
	}
	r := logReader{path: path, schedule: s, seen: make([]bool, s.games()), good: int64(len(line))}
	return r.read(lines)
}

// logReader reads the games of a log.
type logReader struct {
	path     string
	schedule *schedule
	seen     []bool
	records  []Record
	good     int64 // bytes up to the last good line
	bad      error // the first bad line
}

// read reads to the end. Bad lines at the very end are what a crash leaves;
// one with a good line after it is damage.
func (r *logReader) read(lines *bufio.Reader) ([]Record, int64, error) {
	for number := 2; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, 0, err
		}
		if len(line) == 0 {
			return r.records, r.good, nil
		}
		var record Record
		if err := readLine(line, &record); err != nil {
			if r.bad == nil {
				r.bad = fmt.Errorf("%s: line %d is damaged: %w; cut the file off before it, and that game and the later ones will be played again", r.path, number, err)
			}
			continue
		}
		if r.bad != nil {
			return nil, 0, r.bad
		}
		if err := r.schedule.check(&record); err != nil {
			return nil, 0, fmt.Errorf("%s: line %d: %w", r.path, number, err)
		}
		if r.seen[record.Game] {
			return nil, 0, fmt.Errorf("%s: line %d: game %d is there twice", r.path, number, record.Game)
		}
		r.seen[record.Game] = true
		r.records = append(r.records, record)
		r.good += int64(len(line))
	}
}

// add writes finished games and waits until they are on the disk.
func (l *gameLog) add(records []Record) error {
	l.line = l.line[:0]
	for i := range records {
		var err error
		if l.line, err = appendLine(l.line, &records[i]); err != nil {
			return err
		}
	}
	return l.write(l.line)
}

func (l *gameLog) write(lines []byte) error {
	if _, err := l.file.Write(lines); err != nil {
		return fmt.Errorf("writing the log: %w", err)
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("writing the log %s: %w", l.path, err)
	}
	return nil
}

func (l *gameLog) Close() error { return l.file.Close() }

// syncFolder makes a new file's name last. Where folders cannot be synced there
// is nothing to do.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
