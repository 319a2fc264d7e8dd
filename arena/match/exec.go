package match

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"pommego/env"
	"pommego/env/saved"
)

// execPlayer is a program that reads questions and writes answers, one JSON object per
// line. Every question has a number, which its answer repeats, so that an answer that
// comes too late is recognised.
type execPlayer struct {
	remote
	command []string // a command for the shell, and its arguments
	program *program // nil before the first game, and once it is broken
	broken  error    // why the program is broken
	ready   bool     // one was ready for an earlier game
	stderr  tail     // of this program and those before it
	id      uint64   // the number of the last question
	obs     []byte
}

// newExec makes a player from "exec:COMMAND", which starts with its first game.
func newExec(game env.Game, name string) (Player, error) {
	command := strings.TrimPrefix(name, "exec:")
	if strings.TrimSpace(command) == "" {
		return nil, fmt.Errorf("match: player %q, want exec:COMMAND", name)
	}
	return &execPlayer{remote: remote{Local(name), game, ""}, command: []string{command}}, nil
}

// tail passes on what a player's programs write to standard error, and keeps the end of it.
type tail struct {
	kept         []byte
	passed, most int // how many bytes it has passed on, and about how many it may; 0: all
}

// maxTail is how many of the last bytes of a program's standard error an error shows.
const maxTail = 1000

func (t *tail) Write(text []byte) (int, error) {
	t.kept = append(t.kept, text...)
	t.kept = slices.Clone(t.kept[max(0, len(t.kept)-maxTail):])
	if t.most > 0 && t.passed >= t.most {
		return len(text), nil
	}
	os.Stderr.Write(text) // an error is ignored: the program goes on
	if t.passed += len(text); t.most > 0 && t.passed >= t.most {
		fmt.Fprintf(os.Stderr, "\npommego: no more is shown of this agent's standard error, after %d bytes\n", t.passed)
	}
	return len(text), nil
}

// beginning is the question at the start of a game.
type beginning struct {
	Type        string          `json:"type"`
	ID          uint64          `json:"id"`
	Env         string          `json:"env"`
	Seat        int             `json:"seat"`
	Seats       int             `json:"seats"`
	GameType    json.RawMessage `json:"game_type"`
	ActionSpace json.RawMessage `json:"action_space"`
	LimitMS     float64         `json:"limit_ms"`
	Rules       any             `json:"rules"` // the game's, as its spec has them
}

// Why a program has ended: it closed its output or its input, or it used too much memory. And errAgain: it was kept
// from an earlier game and is not ready for this one, so another one is started if Begin is called again.
var (
	errGone   = errors.New("the program has ended")
	errMemory = errors.New("too much memory")
	errAgain  = errors.New("the program is not ready for another game")
)

// Begin starts the program, again if it has broken, and waits until it is ready. Once one has been ready, failures are
// those of the player, which plays stop. Until then one that is late may be starting still, and is asked again.
func (p *execPlayer) Begin(ctx context.Context, g Start) error {
	kept := p.program != nil
	err := p.begin(ctx, g)
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		p.ready = p.ready || err == nil
		return err
	case !p.ready && errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s %w: %w", p.Name(), ErrAbsent, err)
	}
	if p.broken = err; p.program != nil {
		p.broken, p.program = p.program.end(err), nil
	}
	switch {
	case kept:
		return errAgain
	case p.ready || errors.Is(p.broken, errMemory): // with too much memory the player loses, but is not absent
		return p.broken
	}
	return fmt.Errorf("%s %w: %w", p.Name(), ErrAbsent, p.broken)
}

func (p *execPlayer) begin(ctx context.Context, g Start) (err error) {
	if p.program == nil {
		if p.program, err = startProgram(p.command, g.Memory, &p.stderr); err != nil {
			return err
		}
	}
	p.id++
	spec := p.game.Spec()
	_, err = p.ask(ctx, saved.JSON(beginning{
		"begin", p.id, spec.ID, g.Seat, spec.Seats,
		json.RawMessage(p.game.GameType()), json.RawMessage(p.game.ActionSpace()),
		float64(g.Limit) / float64(time.Millisecond), spec.Rules,
	}))
	if err != nil {
		err = fmt.Errorf("not ready: %w", err)
	}
	return err
}

func (p *execPlayer) Act(ctx context.Context, m env.Match, seat int, action []uint8) (Cost, error) {
	if p.program == nil {
		return Cost{}, p.broken
	}
	p.id++
	p.obs = fmt.Appendf(p.obs[:0], `{"type": "act", "id": %d, "obs": `, p.id)
	p.obs = append(p.game.AppendObservation(p.obs, m, seat), '}')
	answer, err := p.ask(ctx, p.obs)
	if err != nil {
		return Cost{}, err
	}
	return Cost{}, readAction(answer, p.game.Spec().Actions, action)
}

// ask sends question p.id and waits for its answer. It ignores answers to earlier
// questions, and ends a program that breaks or whose answer nobody waits for any more. If time was up, the error is
// that of ctx.
func (p *execPlayer) ask(ctx context.Context, question []byte) (action json.RawMessage, err error) {
	stray := false // it wrote a line that answers no question
	defer func() {
		waited := ctx.Err() == nil || context.Cause(ctx) == errStopped
		if err != nil && waited && !stray {
			p.broken = p.program.end(err)
			p.program, err = nil, p.broken
		}
	}()
	release := p.program.bound(ctx)
	defer release()
	if err := p.program.send(question); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	for {
		line, err := p.program.receive()
		if err != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
		var answer struct {
			ID     *uint64
			Action json.RawMessage
			Error  string
		}
		if json.Unmarshal(line, &answer) != nil || answer.ID == nil || *answer.ID > p.id {
			stray = true
			return nil, fmt.Errorf(`it wrote %s, want a line {"id": %d, ...} (and anything else on standard error)`, Short(line),
				p.id)
		}
		switch {
		case *answer.ID != p.id:
		case answer.Error != "":
			return nil, fmt.Errorf("the program cannot play: %.500q", answer.Error)
		default:
			return answer.Action, nil
		}
	}
}

func (p *execPlayer) End(ctx context.Context, r Outcome) error {
	if p.program == nil {
		return nil
	}
	line := saved.JSON(struct {
		Type    string      `json:"type"`
		Result  string      `json:"result"`
		Winners env.SeatSet `json:"winners"`
		Steps   int         `json:"steps"`
		Reward  float64     `json:"reward"`
		Counts  env.Counts  `json:"counts,omitempty"`
	}{"end", r.Result.String(), r.Winners, r.Steps, r.Reward, r.Counts})
	release := p.program.bound(ctx)
	err := p.program.send(line)
	release()
	if err == errGone {
		p.broken = p.program.end(err)
		p.program, err = nil, p.broken
	}
	return err
}

// Close gives the program a moment to end by itself, then ends it and all processes that
// it has started.
func (p *execPlayer) Close() error {
	if p.program != nil {
		p.program.finish()
		p.program = nil
		p.broken = errors.New("the player is closed")
	}
	return nil
}

// libraryHost is the program that loads a shared library and plays for it. It is written in Python:
// a Go program that loads libraries depends on the system's C library, and this program does not.
//
//go:embed library.py
var libraryHost string

// newLibrary makes a player from "library:PATH", whose host starts with its first game.
func newLibrary(game env.Game, name string) (Player, error) {
	if errNoPrograms != nil {
		return nil, fmt.Errorf("match: player %q: %w", name, errNoPrograms)
	}
	path := strings.TrimPrefix(name, "library:")
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path)
	}
	if err != nil {
		return nil, fmt.Errorf("match: player %q, want library:PATH with the path of a shared library: %w", name, err)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, fmt.Errorf("match: player %q: libraries are loaded by Python 3, want python3 in PATH: %w", name, err)
	}
	const command = `exec "$0" -I -S -c "$1" "$2"`
	return &execPlayer{remote: remote{Local(name), game, path}, command: []string{command, python, libraryHost, path}}, nil
}
