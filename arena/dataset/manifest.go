package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pommego/env"
	"pommego/env/saved"
	"pommego/internal/disk"
)

// manifestFormat is the version of the form of data sets.
const manifestFormat = "pommego-dataset/1"

// The names in a data set's folder.
const (
	ManifestName = "manifest.json"
	CardName     = "README.md"
	dataFolder   = "data"
	WorkFolder   = ".generate"
)

// About describes a data set: everything on which the meaning of its files depends. Each file
// has a copy of it, without the number of games.
type About struct {
	Format  string `json:"format"`
	Layout  Layout `json:"layout"`
	Env     Env    `json:"env"`
	Program string `json:"program"` // the version that wrote it

	Observation string      `json:"observation,omitempty"` // the encoding in layout Steps
	Fields      []env.Field `json:"fields,omitempty"`      // the fields of the observation
	Mask        string      `json:"mask,omitempty"`        // as Config.Mask; "": legal, by an earlier version
	Extra       []Extra     `json:"extra,omitempty"`       // what agents report beside the statistics of searches

	Agents  []string `json:"agents"` // all agents that play
	Columns []Column `json:"columns"`

	// Generated is the configuration of generated data sets; nil for others.
	Generated *Config `json:"generated,omitempty"`
	// Sources lists the data sets from which the games were taken, and Filter says which games were taken.
	Sources []Source `json:"sources,omitempty"`
	Filter  string   `json:"filter,omitempty"`
	// Unrepeatable lists the reasons why the same command could give other games; empty if there are none.
	Unrepeatable []string `json:"unrepeatable,omitempty"`
}

// Env describes the game that is played.
type Env struct {
	ID          string          `json:"id"`
	Game        string          `json:"game"`
	Version     int             `json:"version"`
	SeedVersion int             `json:"seed_version"`
	Seats       int             `json:"seats"`
	Teams       [][]int         `json:"teams"`
	Elimination bool            `json:"elimination"`
	Actions     []env.Choice    `json:"actions"`
	MaxSteps    int             `json:"max_steps"`
	Rules       json.RawMessage `json:"rules"`
	Counts      []env.Name      `json:"counts,omitempty"` // what the game counts for each seat
}

func envOf(s *env.Spec) Env {
	return Env{s.ID, s.Game, s.Version, env.SeedVersion, s.Seats, s.Teams, s.Elimination, s.Actions, s.MaxSteps,
		saved.JSON(s.Rules), s.Counts}
}

// index is the place of a column; -1 if there is none of that name.
func (a *About) index(name string) int {
	return slices.IndexFunc(a.Columns, func(c Column) bool { return c.Name == name })
}

// choices is how many choices all components of an action have together.
func (e *Env) choices() int { return (&env.Spec{Actions: e.Actions}).MaskSize() }

// counted lists the names of the counts.
func (e *Env) counted() (names []string) {
	for _, c := range e.Counts {
		names = append(names, c.Name)
	}
	return names
}

// File is one file of a data set.
type File struct {
	Path   string `json:"path"`           // below the data set's folder, with slashes
	Game   int    `json:"game,omitempty"` // the first game that it holds
	Games  int    `json:"games,omitempty"`
	Rows   int    `json:"rows,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// check compares a file of the data set in a folder with the manifest's entry.
func (f *File) check(folder string) error {
	name := filepath.FromSlash(f.Path)
	path := filepath.Join(folder, name)
	file, err := disk.OpenIn(folder, name)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: the file is missing", path)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	sum := fmt.Sprintf("%x", hash.Sum(nil))
	switch {
	case err != nil:
		return err
	case size != f.Bytes:
		return fmt.Errorf("%s: %w: it has %d bytes, want %d", path, errDamaged, size, f.Bytes)
	case sum != f.SHA256:
		return fmt.Errorf("%s: %w: its SHA-256 is %s, want %s", path, errDamaged, sum, f.SHA256)
	}
	return nil
}

// Manifest lists what a data set's folder holds.
type Manifest struct {
	About
	Games      int         `json:"games"`
	Steps      int         `json:"steps"`
	Rows       int         `json:"rows"`
	Bytes      int64       `json:"bytes"`  // of all Files
	Files      []File      `json:"files"`  // the data files, in the order of games
	Others     []File      `json:"others"` // the card
	Statistics *Statistics `json:"statistics"`

	// Checksum is the SHA-256 of the manifest with this left empty.
	Checksum string `json:"checksum"`
}

// encode is the text of the manifest's file, with the checksum.
func (m *Manifest) encode() ([]byte, error) {
	encode := func(checksum string) ([]byte, error) {
		var text bytes.Buffer
		out := json.NewEncoder(&text)
		out.SetEscapeHTML(false)
		out.SetIndent("", " ")
		m.Checksum = checksum
		err := out.Encode(m)
		return text.Bytes(), err
	}
	text, err := encode("")
	if err != nil {
		return nil, err
	}
	return encode(fmt.Sprintf("%x", sha256.Sum256(text)))
}

// errNone says that a folder holds no data set, or one that is not finished.
var errNone = errors.New("there is no finished data set")

// ReadManifest reads a folder's manifest and checks it against its checksum.
func ReadManifest(folder string) (*Manifest, error) {
	path := filepath.Join(folder, ManifestName)
	var text []byte
	file, err := disk.OpenIn(folder, ManifestName)
	if err == nil {
		text, err = io.ReadAll(file)
		file.Close()
	}
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(folder, WorkFolder)); err == nil {
			return nil, fmt.Errorf("%s: %w: repeat its command (generate, data merge or pack), unless that runs",
				folder, errNone)
		}
		return nil, fmt.Errorf("%s: %w: it has no %s", folder, errNone, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	err = json.Unmarshal(text, m)
	if m.Format != "" && m.Format != manifestFormat {
		return nil, fmt.Errorf("%s: its format is %q, want %q", path, m.Format, manifestFormat)
	}
	if err == nil {
		err = cmp.Or(m.check(text), m.inside(), m.bounded())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, errDamaged, err)
	}
	return m, nil
}

// bounded returns an error unless the sizes of what the game and the agents have are within their bounds.
func (m *Manifest) bounded() error {
	wrong := func(c env.Choice) bool { return c.N < 1 || c.N > 1<<8 }
	if e := &m.Env; e.Seats < 1 || e.Seats > 16 || len(e.Actions) == 0 || slices.ContainsFunc(e.Actions, wrong) {
		return fmt.Errorf("its games have %d seats and %d components of actions, want 1 to 16 seats, and components with 1 "+
			"to 256 choices", e.Seats, len(e.Actions))
	}
	for i := range m.Extra {
		if err := m.Extra[i].check(m.Env.choices()); err != nil {
			return err
		}
	}
	return nil
}

// inside returns an error unless all files lie in the data set's folder: a manifest is untrusted input.
func (m *Manifest) inside() error {
	for _, f := range slices.Concat(m.Files, m.Others) {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) || strings.Contains(f.Path, `\`) {
			return fmt.Errorf("it lists the file %q, which is not inside its folder", f.Path)
		}
	}
	return nil
}

func (m *Manifest) check(text []byte) error {
	at := bytes.LastIndex(text, []byte(m.Checksum))
	if len(m.Checksum) != 2*sha256.Size || at < 0 {
		return errors.New("it has no checksum")
	}
	sum := sha256.New()
	sum.Write(text[:at])
	sum.Write(text[at+len(m.Checksum):])
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != m.Checksum {
		return fmt.Errorf("its SHA-256 is %s, want %s, its own checksum", got, m.Checksum)
	}
	return nil
}

// Statistics are how the games of a data set ended. The statistics of all files add up to those of the data set.
type Statistics struct {
	Games     int `json:"games"`
	Steps     int `json:"steps"`
	Truncated int `json:"truncated"`

	Agents []AgentStatistics `json:"agents"` // each agent once, in the order of the data set's agents
}

// AgentStatistics are the results of one agent, in all its seats.
type AgentStatistics struct {
	Agent string `json:"agent"`
	Games int    `json:"games"` // counted once for each of its seats
	Won   int    `json:"won"`
	Lost  int    `json:"lost"`
	Tied  int    `json:"tied"` // includes games that were not decided

	Missed int `json:"missed,omitempty"` // moves that stop replaced, as far as that is known: see Episode
}

func newStatistics(agents []string) *Statistics {
	s := new(Statistics)
	for _, name := range agents {
		s.agent(name)
	}
	return s
}

func (s *Statistics) count(e *Episode) {
	s.Games++
	s.Steps += e.Steps
	if e.Truncated {
		s.Truncated++
	}
	for seat, name := range e.Agents {
		a := s.agent(name)
		a.Games++
		a.Missed += int(e.Missed[seat])
		switch e.Results[seat] {
		case env.Won:
			a.Won++
		case env.Lost:
			a.Lost++
		default:
			a.Tied++
		}
	}
}

// agent returns an agent's statistics, and adds an entry if there is none.
func (s *Statistics) agent(name string) *AgentStatistics {
	i := slices.IndexFunc(s.Agents, func(a AgentStatistics) bool { return a.Agent == name })
	if i < 0 {
		i = len(s.Agents)
		s.Agents = append(s.Agents, AgentStatistics{Agent: name})
	}
	return &s.Agents[i]
}

func (s *Statistics) add(o *Statistics) {
	s.Games += o.Games
	s.Steps += o.Steps
	s.Truncated += o.Truncated
	for _, from := range o.Agents {
		to := s.agent(from.Agent)
		to.Games += from.Games
		to.Won += from.Won
		to.Lost += from.Lost
		to.Tied += from.Tied
		to.Missed += from.Missed
	}
}
