package dialogue

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"

	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/record"
	"pommego/llm/orders"
	"pommego/llm/words"
)

// format names the form of the lines, earlier the form of release 0.1, whose views had other words.
const format, earlier = "pommego-dialogue/2", "pommego-dialogue/1"

// Log writes a new file of dialogues: one line for each turn of a model when it ends, and one for each
// game at its end. It is safe for concurrent use; the lines of games interleave.
type Log struct {
	mu     sync.Mutex
	path   string
	file   *os.File // nil before the first line
	length int64    // bytes of its complete lines
	err    error    // why the last line could not be written
	lost   error    // why a line is missing
}

// NewLog makes a Log. The first line creates the file, which must not exist before. Without a name
// the Log is nil.
func NewLog(path string) *Log {
	if path == "" {
		return nil
	}
	return &Log{path: path}
}

// write writes a line at once, so that a kill leaves complete lines. After an error no part of the line
// stays, and the next line is tried again.
func (l *Log) write(v line) (err error) {
	text, err := json.Marshal(v)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil && err == nil {
		l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	if err == nil {
		if _, err = l.file.WriteAt(append(text, '\n'), l.length); err == nil {
			l.length += int64(len(text)) + 1
		} else {
			err = errors.Join(err, l.file.Truncate(l.length))
		}
	}
	if err != nil && l.err == nil {
		slog.Error("a dialogue cannot be recorded; the next one is tried", "error", err)
		l.lost = fmt.Errorf("dialogues are missing in %s: %w", l.path, err)
	}
	l.err = err
	return err
}

// Err returns why lines are missing in the file, nil if none are.
func (l *Log) Err() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Message is a message of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Turn is a view that a seat got, its answer, and its actions until the seat's next turn.
type Turn struct {
	Tick int `json:"tick"`
	Seat int `json:"seat"`
	words.Form
	Own      bool       `json:"own_prompt,omitempty"`
	Last     words.Last `json:"last,omitzero"` // the part of the view about the answer before
	Messages []Message  `json:"messages"`
	Answer   *string    `json:"answer"`  // null: no answer came
	Reading  string     `json:"reading"` // legal, repaired or illegal; late or failed
	Tokens   [2]int     `json:"tokens"`  // into the model and out of it; 0: unknown
	Actions  [][]int    `json:"actions"` // from Tick on

	// These are empty if a client asks the model and not the server.
	Model     string `json:"model,omitempty"` // the model's name in its server's reply
	Reasoning string `json:"reasoning,omitempty"`
	Finish    string `json:"finish_reason,omitempty"`
	Note      string `json:"note,omitempty"` // what came in place of an answer, or why no answer came
	Latency   int64  `json:"latency_ms,omitempty"`
}

// Turn begins the record of a turn after a view; sent are the messages that the model got.
func (s *Seat) Turn(step *scene.Step, sent ...Message) *Turn {
	return &Turn{Tick: step.Step, Seat: s.Number, Form: s.Form, Last: s.Last, Messages: sent, Reading: "failed"}
}

// line is a line of the file: a turn, or the record of a game.
type line struct {
	Format string `json:"format"`
	ID     string `json:"id"` // of the game
	Seed   uint64 `json:"seed"`
	*Turn
	Number int             `json:"turn,omitempty"`  // the number of the turn in the game, from 1
	Turns  int             `json:"turns,omitempty"` // of the game
	Game   json.RawMessage `json:"game,omitempty"`
}

// Formats are the formats of files of dialogues. The games in them, whose formats are given, are checked; turns
// are only read.
func Formats(games trace.Formats) []record.Format {
	check := func(text []byte) (record.Report, error) {
		var l line
		err := json.Unmarshal(text, &l)
		if err == nil && (l.Turn == nil) == (l.Game == nil) {
			err = errors.New("it has both or neither")
		}
		if err != nil {
			return record.Report{}, fmt.Errorf("want a turn or a game of %s: %w", format, err)
		}
		if l.Game == nil {
			return record.Report{}, nil
		}
		of, err := games.Of(l.Game)
		if err != nil {
			return record.Report{}, err
		}
		return of.Check(l.Game)
	}
	return []record.Format{{Name: format, Check: check}, {Name: earlier, Check: check}}
}

// Record records a game. A nil Record records nothing.
type Record struct {
	log   *Log
	line  line
	game  env.Game
	info  record.Info
	start []byte
	first int      // the tick at which the game began
	made  [][]byte // the actions of all seats, by tick
	turns []*Turn  // the current turns, by seat
	in    []int    // by seat: how many ticks it was in
	err   error    // why a line could not be written; then the file has no line for the game
}

// Begin begins the record of a game; m is at its start. A nil Log records nothing.
func (l *Log) Begin(game env.Game, m env.Match, info record.Info) *Record {
	if l == nil {
		return nil
	}
	seats := game.Spec().Seats
	return &Record{log: l, line: line{Format: format, ID: rand.Text(), Seed: info.Seed}, game: game, info: info,
		start: m.Append(nil), first: m.Status().Steps, turns: make([]*Turn, seats), in: make([]int, seats)}
}

// Turn ends a seat's turn and begins the next; nil begins none. Of an answer only what orders reads is recorded.
func (r *Record) Turn(seat int, next *Turn) {
	if r == nil || next != nil && next == r.turns[seat] {
		return
	}
	if t, width := r.turns[seat], len(r.game.Spec().Actions); t != nil {
		from, to := t.Tick-r.first, r.in[seat]
		if next != nil { // ticks since its view, in which its answer was late, are the next turn's
			to = min(to, next.Tick-r.first)
		}
		for _, tick := range r.made[from:max(from, to)] {
			var own []int
			for _, a := range tick[seat*width:][:width] {
				own = append(own, int(a))
			}
			t.Actions = append(t.Actions, own)
		}
		r.line.Turns++
		r.write(line{Format: format, ID: r.line.ID, Seed: r.line.Seed, Turn: t, Number: r.line.Turns})
	}
	if next != nil && next.Answer != nil {
		next.Answer = new(orders.Read(*next.Answer))
	}
	r.turns[seat] = next
}

func (r *Record) write(v line) {
	if r.err == nil {
		r.err = r.log.write(v)
	}
}

// Step adds the actions of all seats in a tick; in are the seats that were in before it.
func (r *Record) Step(in env.SeatSet, actions []uint8) {
	if r == nil {
		return
	}
	r.made = append(r.made, slices.Clone(actions))
	for _, seat := range in.List() {
		r.in[seat] = len(r.made)
	}
}

// End ends the record of a game that is over or was stopped.
func (r *Record) End() (err error) {
	if r == nil || r.line.Game != nil {
		return nil
	}
	for seat := range r.turns {
		r.Turn(seat, nil)
	}
	if r.line.Game, err = record.Write(r.game, r.info, r.start, r.made, make([][]env.Thought, len(r.made))); err != nil {
		return err
	}
	r.write(r.line)
	return r.err
}
