package dataset

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// FuzzParquet: no file in place of a data set's makes reading panic, or take more than
// it is worth.
func FuzzParquet(f *testing.F) {
	steps := tiny()
	steps.Layout = Steps
	fuzzFiles(f, tiny(), steps)
}

// FuzzDialogues: nor does one of layout Dialogues, whose rows have lists.
func FuzzDialogues(f *testing.F) {
	dialogues := tiny()
	dialogues.Layout = Dialogues
	fuzzFiles(f, dialogues, dialogues)
}

// fuzzFiles reads fuzzed files as the first of either data set.
func fuzzFiles(f *testing.F, one, other Config) {
	var paths []string // of the first files
	for i, config := range []Config{one, other} {
		config.MaxSteps = 3
		folder := generate(f, "OneVsOne-v0", config, testOptions(1))
		files, err := filepath.Glob(filepath.Join(folder, dataFolder, "*.parquet"))
		if err != nil || len(files) != 2 {
			f.Fatal(files, err)
		}
		paths = append(paths, files[0])
		for _, path := range files {
			file, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(i == 1, file)
		}
	}
	f.Fuzz(func(t *testing.T, second bool, file []byte) {
		path := paths[0]
		if second {
			path = paths[1]
		}
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		set, err := Open(filepath.Dir(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		_ = set.Episodes(func(*Episode) error { return nil })
	})
}

// hostile makes manifests whose sizes are not those of any game.
var hostile = []func(*Manifest){
	func(m *Manifest) { m.Env.Seats = 0 },
	func(m *Manifest) { m.Env.Seats = -1 },
	func(m *Manifest) { m.Env.Seats = 1 << 31 },
	func(m *Manifest) { m.Env.Seats = 3 },
	func(m *Manifest) { m.Env.Actions = nil },
	func(m *Manifest) { m.Env.Actions[0].N = 1 << 40 },
	func(m *Manifest) { m.Columns = m.Columns[:0] },
	func(m *Manifest) { m.Columns[0].Type = Bytes },
	func(m *Manifest) { m.Layout = Steps },
	func(m *Manifest) { m.Extra = []Extra{{"a", "int64", nil}} },
}

// FuzzManifest: no manifest makes reading or verifying a data set panic, or leads out of its
// folder.
func FuzzManifest(f *testing.F) {
	folder := generate(f, "OneVsOne-v0", tiny(), testOptions(1))
	path := filepath.Join(folder, ManifestName)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for _, change := range hostile {
		m, text := new(Manifest), whole
		if err = json.Unmarshal(whole, m); err == nil {
			change(m)
			text, err = m.encode()
		}
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, manifest []byte) {
		m := new(Manifest)
		if json.Unmarshal(manifest, m) == nil { // a checksum that holds
			if text, err := m.encode(); err == nil {
				manifest = text
			}
		}
		if err := os.WriteFile(path, manifest, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err = ReadManifest(folder)
		if err != nil {
			return
		}
		for i := range m.Files {
			if !filepath.IsLocal(filepath.FromSlash(m.Files[i].Path)) {
				t.Fatalf("%q is accepted as a file of the data set", m.Files[i].Path)
			}
		}
		_, _ = Verify(folder,
			VerifyOptions{Game: func(m *Manifest) (env.Game, error) { return catalog.Played(m.Env.ID, m.Env.Rules) }})
		set := &Set{folder, m}
		_ = set.Episodes(func(*Episode) error { return nil })
	})
}
