package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"pommego/env/record"
	"pommego/internal/disk"
)

// The original Pommerman writes each state of a game to a file, 000.json and so on, and joins
// them to game_state.json at the end. Others publish lists of such games, or scripts that assign
// them to variables. A Reader makes one line of each game: record.Original.
var (
	original   = regexp.MustCompile(`(?s)^\s*([\w.$ ]+=)?\s*[\[{].*"state"\s*:\s*\[\s*\{`)
	assignment = regexp.MustCompile(`(?m)^[\w.$ ]+=|;\s*$`)
)

type originalGame struct {
	Blob    *originalGame
	Config  string
	Agents  []string
	Result  struct{ Name string }
	Winners []int
	State   record.Steps
}

// readOriginals makes the lines that Next returns. It leaves out values that are no games.
func (r *Reader) readOriginals() error {
	var lines bytes.Buffer
	text, err := io.ReadAll(io.LimitReader(r.lines, int64(r.max)))
	values := json.NewDecoder(bytes.NewReader(assignment.ReplaceAll(text, nil)))
	for err == nil {
		var value json.RawMessage
		games := make([]originalGame, 1)
		err = values.Decode(&value)
		wrong := json.Unmarshal(value, &games[0])
		if wrong != nil {
			wrong = json.Unmarshal(value, &games)
		}
		if errors.Is(wrong, record.ErrManySteps) {
			return r.fail(0, wrong)
		}
		for _, g := range games {
			if g.Blob != nil {
				g = *g.Blob
			}
			if len(g.State) > 0 {
				lines.Write(append(g.line(), '\n'))
			}
		}
	}
	switch {
	case len(text) == r.max:
		err = ErrLong
	case err == io.EOF:
		r.lines = bufio.NewReaderSize(&lines, 1<<16)
		return nil
	}
	return r.fail(0, damage(err))
}

func (g *originalGame) line() []byte {
	step := func(state json.RawMessage) int64 {
		var s struct {
			Count json.Number `json:"step_count"`
		}
		json.Unmarshal(state, &s)
		n, _ := s.Count.Int64()
		return n
	}
	slices.SortStableFunc(g.State, func(a, b json.RawMessage) int { return cmp.Compare(step(a), step(b)) })
	h := record.Head{Format: record.Original, Variant: g.Config, Policies: g.Agents, Initial: g.State[0],
		Steps: g.State[1:]}
	if last := len(h.Steps) - 1; last >= 0 && g.Result.Name != "" {
		end, _ := json.Marshal(record.Outcome{Result: g.Result.Name, Winners: g.Winners})
		h.Steps[last] = append(append(end[:len(end)-1], ','), h.Steps[last][1:]...)
	}
	line, _ := json.Marshal(&h) // its parts have been read as JSON, so there is no error
	return line
}

// openFolder opens the recording in a folder: its game_state.json, or else its states.
func openFolder(folder string) (*Reader, error) {
	if whole, err := disk.OpenIn(folder, "game_state.json"); !errors.Is(err, fs.ErrNotExist) {
		return opened(filepath.Join(folder, "game_state.json"), whole, err)
	}
	states, err := fs.Glob(os.DirFS(folder), "[0-9]*.json")
	states = slices.DeleteFunc(states, func(name string) bool { return !RecordedName.MatchString(name) })
	if len(states) == 0 {
		err = cmp.Or(err, errors.New("the folder has no game_state.json and no 000.json"))
	}
	text := []byte(`{"state":[`)
	for i, name := range states {
		state, e := readIn(folder, name, maxLine-len(text))
		if err = cmp.Or(err, e); i > 0 {
			text = append(text, ',')
		}
		text = append(text, state...)
	}
	if err != nil {
		return nil, &Error{folder, 0, err}
	}
	return NewReader(folder, bytes.NewReader(append(text, "]}"...)))
}

// readIn reads a file of a folder, if it has no more than so many bytes.
func readIn(folder, name string, most int) ([]byte, error) {
	f, err := disk.OpenIn(folder, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if len(text) > most {
		err = fmt.Errorf("the states have more than %d bytes", maxLine)
	}
	return text, err
}
