package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pommego/env"
	"pommego/env/ruleset"
	"pommego/internal/disk"
)

// plan is what a folder is to hold. An interrupted run leaves it there, so that
// no other run continues it by mistake.
type plan struct {
	config Config
	about  About
	spec   *env.Spec
	build  string

	columns []column
}

func newPlan(game env.Game, c Config, o Options) (*plan, error) {
	p := &plan{config: c, spec: game.Spec(), build: o.Build}
	missed := slices.ContainsFunc(c.Agents, outside)
	searched := c.Layout == Steps && slices.ContainsFunc(c.Agents, func(name string) bool { return searches(game, name) })
	var err error
	p.about, p.columns, err = aboutOf(game.Spec(), &c, o, missed, searched)
	p.about.Agents, p.about.Generated, p.about.Unrepeatable = c.Agents, &c, c.reasons()
	return p, err
}

// aboutOf is what follows from a game and the layout alone.
func aboutOf(spec *env.Spec, c *Config, o Options, missed, searched bool) (About, []column, error) {
	e, err := envOf(spec)
	a := About{Format: manifestFormat, Layout: c.Layout, Env: e, Program: o.Version, Observation: c.Observation}
	if c.Layout == Steps {
		a.Fields = spec.Encodings[spec.Encoding(c.Observation)].Fields
	}
	a.Extra = apart(c.Extra)
	columns := a.columns(missed, searched, c.Extra)
	a.Columns = descriptions(columns)
	return a, columns, errors.Join(err, a.checkNames())
}

// checkNames makes sure that no two columns have one name.
func (a *About) checkNames() error {
	seen := map[string]bool{}
	for i := range a.Columns {
		if name := a.Columns[i].Name; seen[name] {
			return fmt.Errorf("dataset: extra array %q: there is such a column already, call it otherwise", name)
		}
		seen[a.Columns[i].Name] = true
	}
	return nil
}

// searches reports whether a built-in agent reports its search statistics.
func searches(game env.Game, name string) bool {
	if outside(name) {
		return false
	}
	agent, err := game.NewAgent(name)
	_, ok := agent.(env.SearchReporter)
	return err == nil && ok
}

// Errors of a folder that holds something else.
var (
	ErrOther      = errors.New("the folder holds another data set")
	ErrOtherBuild = errors.New("another build of the program, whose agents may play differently, began the data set")
	ErrNotEmpty   = errors.New("the folder is not empty, and holds no data set that can be continued")
)

// staging is the folder in which a data set is made.
type staging struct {
	plan    *plan
	disk    disk.FS
	folder  string
	scratch string // for what is not finished: a folder in it
	unlock  func() error
	data    string // the folder of data files
}

// openStaging takes possession of a folder, or returns the manifest of what the
// plan wants if it lies there already.
func openStaging(p *plan, folder string, o Options) (*staging, *Manifest, error) {
	w := &staging{
		plan: p, disk: o.Disk, folder: folder, scratch: filepath.Join(folder, workFolder),
		data: filepath.Join(folder, dataFolder),
	}
	m, err := ReadManifest(folder)
	if err == nil {
		more, err := p.accept(&m.About)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", folder, err)
		}
		if !more {
			return nil, m, w.discard()
		}
	} else if !errors.Is(err, errNone) {
		return nil, nil, err
	} else if err := w.vacant(); err != nil {
		return nil, nil, err
	}
	if err := w.occupy(); err != nil {
		return nil, nil, err
	}
	err = nil
	if m != nil {
		err = w.reopen(m, o)
	}
	if err == nil {
		err = w.sign(o)
	}
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, nil, nil
}

// discard takes away what an interrupted run has left in the folder of a finished
// data set.
func (w *staging) discard() error {
	if _, err := os.Stat(w.scratch); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := w.occupy(); err != nil {
		return err
	}
	return errors.Join(w.removeAll(), w.Close())
}

// occupy makes the folders and keeps other processes out.
func (w *staging) occupy() error {
	for _, path := range []string{w.scratch, w.data} {
		if err := w.disk.MkdirAll(path); err != nil {
			return err
		}
	}
	if err := w.disk.SyncFolder(w.folder); err != nil {
		return err
	}
	var err error
	w.unlock, err = disk.Lock(filepath.Join(w.scratch, "lock"))
	return err
}

// vacant reports whether the folder is free, or an interrupted run's.
func (w *staging) vacant() error {
	there, err := os.ReadDir(w.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ours := slices.ContainsFunc(there, func(e fs.DirEntry) bool { return e.Name() == workFolder })
	if len(there) > 0 && !ours {
		return fmt.Errorf("%s: %w", w.folder, ErrNotEmpty)
	}
	return nil
}

// planName is the file of the plan, among what is not finished.
const planName = "plan.json"

// signature is the plan in its file.
type signature struct {
	Build string `json:"build"`
	About About  `json:"about"`
}

// sign leaves the plan in the folder, or compares it with the one there.
func (w *staging) sign(o Options) error {
	there, err := w.signature()
	if err != nil {
		return err
	}
	if there == nil {
		return w.writePlan(&w.plan.about)
	}
	more, err := w.continues(there, o)
	if err != nil || !more {
		return err
	}
	if err := w.unpack(&there.About); err != nil {
		return err
	}
	return w.writePlan(&w.plan.about)
}

// signature reads the plan in the folder, nil if there is none.
func (w *staging) signature() (*signature, error) {
	path := filepath.Join(w.scratch, planName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	there := new(signature)
	if err := json.Unmarshal(text, there); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, errDamaged, err)
	}
	return there, nil
}

// continues says why what was begun by another plan cannot go on by this one. It
// reports whether there are to be more games.
func (w *staging) continues(there *signature, o Options) (more bool, err error) {
	more, err = w.plan.accept(&there.About)
	if err == nil && there.Build != w.plan.build {
		err = fmt.Errorf("%w: %q, this one is %q", ErrOtherBuild, there.Build, w.plan.build)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", w.folder, err)
	}
	return more, err
}

// accept says in what another plan differs, besides how many games there are to
// be: of these it reports whether there are to be more.
func (p *plan) accept(there *About) (more bool, err error) {
	if there.Generated == nil {
		return false, fmt.Errorf("%w: that was not generated", ErrOther)
	}
	a, b := p.about.ofAnyExtent(), there.ofAnyExtent()
	a.Program, b.Program = "", ""
	var ours, theirs map[string]json.RawMessage
	for _, x := range []struct {
		about *About
		to    *map[string]json.RawMessage
	}{{&a, &ours}, {&b, &theirs}} {
		text, err := json.Marshal(x.about)
		if err != nil {
			return false, err
		}
		if err := json.Unmarshal(text, x.to); err != nil {
			return false, err
		}
	}
	if d := ruleset.Difference(there.Env.Rules, p.about.Env.Rules); d != "" && there.Env.Game == p.about.Env.Game {
		return false, fmt.Errorf("%w: its \"env\" has rules in which %s", ErrOther, d)
	}
	for _, key := range sortedKeys(ours) {
		if !bytes.Equal(ours[key], theirs[key]) {
			return false, fmt.Errorf("%w: its %q is %s, now it would be %s", ErrOther, key, short(theirs[key]), short(ours[key]))
		}
	}
	return p.config.extends(there.Generated)
}

// short is the beginning of a text, for errors.
func short(text []byte) string {
	if len(text) > 200 {
		return string(text[:200]) + "..."
	}
	return string(text)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// begun is how many shards earlier runs have begun.
func (w *staging) begun() (int, error) {
	there, err := os.ReadDir(w.scratch)
	n := 0
	for _, entry := range there {
		var k int
		if _, err := fmt.Sscanf(entry.Name(), "shard-%d.", &k); err == nil {
			n = max(n, k+1)
		}
	}
	return n, err
}

// removeAll takes the staging away.
func (w *staging) removeAll() error {
	there, err := os.ReadDir(w.scratch)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range there {
		err = errors.Join(err, w.disk.Remove(filepath.Join(w.scratch, entry.Name())))
	}
	if err != nil {
		return err
	}
	return w.disk.Remove(w.scratch)
}

func (w *staging) Close() error { return w.unlock() }

// dataName is the name of a data file in the data set's folder.
func dataName(l Layout, k int) string {
	return strings.Join([]string{dataFolder, fmt.Sprintf("%s-%05d.parquet", l, k)}, "/")
}
