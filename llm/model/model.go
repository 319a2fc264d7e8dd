// Package model holds language models as players of matches, whose names begin with "llm:", and the recording of
// what they read and answer. A program that imports it has such players: see match.Kinds.
package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/env"
	"pommego/llm/dialogue"
	"pommego/llm/words"
)

func init() { match.Kinds["llm:ADDRESS,model=NAME"] = newPlayer }

// player is a language model behind a server with OpenAI's protocol. It is asked when its last
// answer has no actions left.
type player struct {
	match.Local
	match.Caller
	game         env.Game
	model        string
	form         words.Form     // the form of its views
	variable     string         // the environment variable that holds the key
	body         map[string]any // fields of each request, beside its model and messages
	file, prompt string         // a file, and its text, in place of the game's prompt
	turns        int            // how many past turns it is shown
	scratchpad   int            // bytes of notes that it is shown again
	budget       int            // tokens per game; 0: any number
	in, out      float64        // prices of a million tokens

	// For the current game:
	tracker env.Tracker
	seat    *dialogue.Seat // nil before the first move
	notes   string
	spent   int            // tokens
	turn    *dialogue.Turn // the turn that the last move began; nil: none
	past    []dialogue.Message
}

const (
	limit     = 30 * time.Second  // for a move, unless the rules have one
	modelKey  = "POMMEGO_LLM_KEY" // holds the key, where the option key names no other
	mostReply = 4 << 20           // bytes
	mostTries = 5
	mostSaid  = 8 << 10 // the last bytes of an answer, which recorded games keep
)

// newPlayer makes a player from "llm:ADDRESS,model=NAME,...". Errors show no values: a
// value in the wrong place may be a key.
func newPlayer(game env.Game, name string) (match.Player, error) {
	parts := strings.Split(strings.TrimPrefix(name, "llm:"), ",")
	address := strings.TrimRight(parts[0], "/")
	p := &player{Local: match.Local(name), Caller: match.NewCaller(address, mostReply), game: game,
		form: words.Form{Detail: "full"}, variable: modelKey, body: map[string]any{}}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		err = errors.New("its address is wrong, want http://HOST:PORT/v1 or https, without user, password and query")
	} else {
		err = p.readOptions(parts[1:])
	}
	key := strings.TrimSpace(os.Getenv(p.variable)) // files end with a newline
	if p.Hide(key); err == nil && (key == "" && p.variable != modelKey || strings.ContainsFunc(key, unicode.IsControl)) {
		err = errors.New("key wants the name of an environment variable that is set, and holds the key in one line")
	}
	if err == nil && p.file != "" {
		var text []byte
		text, err = os.ReadFile(p.file)
		p.prompt = string(text)
	}
	if err != nil {
		return nil, fmt.Errorf("match: a language model, llm:ADDRESS,model=NAME: %w", err)
	}
	return p, nil
}

func (p *player) Traits() match.Traits {
	return match.Traits{Remote: true, Limit: limit, Events: true, File: p.file}
}

// Begin waits until the server gives any answer.
func (p *player) Begin(ctx context.Context, g match.Start) error {
	p.tracker, p.seat, p.notes, p.spent, p.past = g.Tracker, nil, "", 0, nil
	p.form.Eventless = g.Tracker == nil
	return p.Await(ctx, p.Name(), "/models")
}

func (p *player) Act(ctx context.Context, m env.Match, seat int, action []uint8) (cost match.Cost, err error) {
	spec := p.game.Spec()
	if p.turn = nil; p.seat == nil {
		p.seat = dialogue.NewSeat(words.New(p.game, spec, m), m, seat, p.form)
		if p.tracker == nil { // a server's games have none for their agents
			p.tracker = p.game.NewTrackers(1, false)[0]
			p.tracker.Begin(m)
		}
	}
	step := scene.Describe(spec, m, p.tracker, nil)
	step.Events = p.tracker.Events()
	if !p.seat.Act(&step, action) {
		return cost, nil
	}
	if p.budget > 0 && p.spent >= p.budget {
		return cost, fmt.Errorf("the game's budget of %d tokens is spent: it has used %d", p.budget, p.spent)
	}
	view, _ := p.seat.View(&step)
	p.turn = p.seat.Turn(&step, p.messages(view)...)
	p.turn.Own = p.file != ""
	asked := time.Now()
	text, err := p.ask(ctx, &step, &cost)
	if err == nil {
		err = ctx.Err() // reading a long reply takes time, too
	}
	p.turn.Latency = time.Since(asked).Milliseconds()
	p.turn.Tokens = [2]int{cost.Answers.TokensIn, cost.Answers.TokensOut}
	if err != nil {
		p.seat.Late()
		if p.turn.Note = err.Error(); ctx.Err() != nil && !errors.Is(err, match.ErrVoid) {
			p.turn.Reading, cost.Answers.Late = "late", 1
		}
		return cost, err
	}
	p.turn.Note = cost.Note
	dialogue.Count(&cost.Answers.Readings, p.seat.Take(p.note(text)))
	p.turn.Answer, p.turn.Reading = &text, p.seat.Last.Reading
	if strings.TrimSpace(text) != "" { // some servers refuse empty messages
		p.past = append(p.past, dialogue.Message{Role: "user", Content: view},
			dialogue.Message{Role: "assistant", Content: text})
	}
	p.seat.Act(&step, action)
	return cost, nil
}

func (p *player) messages(view string) []dialogue.Message {
	system := p.prompt
	if p.file == "" {
		system = p.seat.Prompt()
	}
	if p.scratchpad > 0 {
		if system != "" && !strings.HasSuffix(system, "\n") {
			system += "\n"
		}
		system += fmt.Sprintf("Before the answer you may write <notes>...</notes>. They replace those before, and you read "+
			"their first %d bytes in your next turn.\n", p.scratchpad)
		view = "Your notes: " + p.notes + "\n\n" + view
	}
	p.past = p.past[max(0, len(p.past)-2*p.turns):]
	var all []dialogue.Message
	if system != "" { // some servers refuse empty messages
		all = append(all, dialogue.Message{Role: "system", Content: system})
	}
	return append(append(all, p.past...), dialogue.Message{Role: "user", Content: view})
}

// note removes the last notes after the thought from an answer and keeps them.
func (p *player) note(text string) string {
	end := strings.LastIndex(text, "</notes>")
	start := strings.LastIndex(text[:max(end, 0)], "<notes>")
	if start < max(0, strings.LastIndex(text, "</think>")) || p.scratchpad == 0 {
		return text
	}
	notes := strings.TrimSpace(text[start+len("<notes>") : end])
	p.notes = strings.ToValidUTF8(notes[:min(len(notes), p.scratchpad)], "")
	return text[:start] + text[end+len("</notes>"):]
}

// ask asks the model. It repeats a request after a while if the server is busy or fails. If the server still
// fails, or refuses, the game is void.
func (p *player) ask(ctx context.Context, step *scene.Step, cost *match.Cost) (string, error) {
	question := maps.Clone(p.body)
	question["model"], question["messages"] = p.model, p.turn.Messages
	if p.form.Detail == "image" {
		question["messages"] = pictured(p.turn.Messages, p.seat.Picture(step))
	}
	for try, pause := 1, time.Second/2; ; try, pause = try+1, 2*pause {
		p.Lost = false
		text, err := p.Do(ctx, "/chat/completions", question)
		if err == nil {
			return p.read(text, cost)
		}
		status, refused := errors.AsType[match.StatusError](err)
		busy := p.Lost || status.Code == http.StatusRequestTimeout || status.Code == http.StatusTooManyRequests ||
			status.Code >= 500
		if !busy && !refused {
			return "", err // the model was late, or its answer is too long
		}
		err = fmt.Errorf("%w: %w %s", match.ErrVoid, err, status.Body)
		if !busy || try == mostTries {
			return "", err
		}
		select {
		case <-ctx.Done():
			return "", err
		case <-time.After(max(pause, status.Wait)):
		}
	}
}

// Dialogue implements env.Talker.
func (p *player) Dialogue() (read, said string) {
	if p.turn == nil {
		return "", ""
	}
	if p.turn.Answer != nil {
		said = (*p.turn.Answer)[max(0, len(*p.turn.Answer)-mostSaid):]
	}
	return p.turn.Messages[len(p.turn.Messages)-1].Content, said
}
