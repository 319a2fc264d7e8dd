package openenv_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pommego/arena/match"
	"pommego/arena/trace"
	"pommego/bridge"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/dialogue"
	"pommego/llm/model"
	"pommego/llm/openenv"
)

// turn is a line of a file of dialogues.
type turn struct {
	ID string
	dialogue.Turn
	Turns int
	Game  json.RawMessage
}

func turnsOf(t *testing.T, path string) (all []turn) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var one turn
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, one)
	}
	return all
}

var formats = trace.Formats(append(catalog.Formats(), dialogue.Formats(catalog.Formats())...))

func verify(path string) (string, bool) {
	var out strings.Builder
	total, err := formats.VerifyAll(&out, []string{path}, 10)
	return fmt.Sprint(out.String(), err), err == nil && total.OK
}

// recording is a server that records its dialogues.
func recording(t *testing.T) (*server, string) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	log := dialogue.NewLog(path)
	return serve(t, func(cfg *bridge.Config) {
		h := openenv.New(catalog.IDs())
		h.Dialogues, cfg.Protocols = log, []bridge.Protocol{h}
	}), path
}

// TestDialogues: sessions that play at a time have their turns recorded, as they were told and as
// they answered, with what their games say that they did.
func TestDialogues(t *testing.T) {
	s, path := recording(t)
	var sessions sync.WaitGroup
	var views sync.Map
	for i := range 6 {
		sessions.Go(func() {
			c := s.dial(t)
			told := c.reset(fmt.Sprintf(`{"seed": %d, "rules": {"max_steps": 40}, "frame_ticks": %d}`, i/2, i))
			for n := 0; !told.Data.Done && (i != 5 || n < 3); n++ { // one leaves
				views.Store(told.Data.Observation.Text, true)
				told = c.step([]string{"hide for 4", "hunt", "up, up, \u202eno\x00 <b>", "right"}[n%4])
			}
		})
	}
	sessions.Wait()
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	said, ok := verify(path)
	lines, games, did := turnsOf(t, path), 0, map[string][]int{} // by game
	for _, l := range lines {
		if l.Game != nil {
			games++
			wantActions(t, l.Game, 0, did[l.ID])
			continue
		}
		for _, tick := range l.Actions {
			did[l.ID] = append(did[l.ID], tick[0])
		}
		if len(l.Messages) != 1 || l.Answer == nil || l.Detail != "full" || len(l.Actions) == 0 || l.Reading == "" {
			t.Errorf("a turn is %+v", l)
		} else if _, ok := views.Load(l.Messages[0].Content); !ok {
			t.Errorf("nobody was told %s", l.Messages[0].Content)
		}
	}
	if !ok || games != 6 || len(lines) < 20 || !strings.Contains(said, "6 games") {
		t.Errorf("%d lines, %d of games: %s", len(lines), games, said)
	}
}

// wantActions checks that a seat of a recorded game did what its turns say, until it left or died.
func wantActions(t *testing.T, game []byte, seat int, turns []int) {
	var played struct{ Steps []struct{ Actions []int } }
	err := json.Unmarshal(game, &played)
	for tick, action := range turns {
		if err != nil || tick >= len(played.Steps) || played.Steps[tick].Actions[seat] != action {
			t.Fatalf("the turns say that it did %v, which is not so at tick %d of %s, %v", turns, tick, game, err)
		}
	}
}

// TestDroppedDialogues: dialogues in which a caller went before all of its answer was played are checked, too, and it
// is told the same without a record.
func TestDroppedDialogues(t *testing.T) {
	s, path := recording(t)
	told := []string{}
	for _, s := range []*server{s, serve(t, nil)} {
		a, b := s.dial(t), s.mustTools(t)
		const name = `"episode_id":"the-name-of-a-game-in-tests"`
		a.reset(`{"seed":3,` + name + `,"opponents":"open"}`)
		b.tell("new_game", `{`+name+`}`)
		goes := s.post(t, b.ID(), "act", `{"action":"wait for 100"}`)
		a.step("dig for 30")
		goes()
		b.tell("look", `{}`) // waits until its call has ended
		for range 2 {
			var plays sync.WaitGroup
			plays.Go(func() { a.step("stop") })
			told = append(told, b.tell("act", `{"action":"stop"}`)[0])
			plays.Wait()
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
	if told[0] != told[2] || told[1] != told[3] || !strings.Contains(told[0], "wood burnt") {
		t.Errorf("it is told %q, and without a record %q", told[:2], told[2:])
	}
	if said, ok := verify(path); !ok {
		t.Error(said)
	}
}

// TestModelsPlayAlike: a model in a match is told what a session is told that answers the same.
func TestModelsPlayAlike(t *testing.T) {
	for _, id := range []string{"OneVsOne-v0", "PommeRadioCompetition-v2", "BaseWarSides-v0", "SuiteBot-v0"} {
		answers := []string{"hide for 4; say 1 2", "up, down, left", "no", "hunt for 9", "bomb"}
		s, path := recording(t)
		c := s.dial(t)
		c.reset(fmt.Sprintf(`{"env": %q, "seed": 5, "detail": "full", "frame_ticks": 3}`, id))
		for n := range 12 {
			if c.step(answers[n%len(answers)]).Data.Done {
				break
			}
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
		session := turnsOf(t, path)

		n := 0
		stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			if r.Method == http.MethodPost {
				fmt.Fprintf(w, `{"choices": [{"message": {"content": %q}}]}`, answers[n%len(answers)])
				n++
			}
		}))
		defer stub.Close()
		inMatch := filepath.Join(t.TempDir(), "d.jsonl")
		log := dialogue.NewLog(inMatch)
		playModel(t.Context(), t, id, "llm:"+stub.URL+"/v1,model=m,frame_ticks=3", (&model.Dialogues{Log: log}).Watch)
		inside := turnsOf(t, inMatch)
		for i, turn := range session[:10] {
			other := inside[i]
			want := other.Messages[1].Content
			if i == 0 {
				want = other.Messages[0].Content + "\n" + want
			}
			if turn.Messages[0].Content != want || turn.Tick != other.Tick || turn.Reading != other.Reading ||
				!reflect.DeepEqual(turn.Last, other.Last) || !reflect.DeepEqual(turn.Actions, other.Actions) {
				t.Fatalf("%s, turn %d: the session's is %+v, in the match it is %+v", id, i, turn, other)
			}
		}
		if said, ok := verify(inMatch); !ok {
			t.Errorf("%s: %s", id, said)
		}
	}
}

// playModel plays a match of a model in seat 0 against simple.
func playModel(ctx context.Context, t *testing.T, id, name string, watch match.Watch) {
	game, err := catalog.Game(id)
	if err != nil {
		t.Fatal(err)
	}
	names := append([]string{name}, slices.Repeat([]string{"simple"}, game.Spec().Seats-1)...)
	var players []match.Player
	for _, name := range names {
		p, err := match.NewPlayer(game, name)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		players = append(players, p)
	}
	if _, err := match.Play(ctx, game, players, env.Seed{Value: 5}, match.Rules{}, watch); err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
}

// TestOnePrompt: in every game and form the first text is the same in all seats: of OpenEnv over both of its ways, of
// tools and of models in matches.
func TestOnePrompt(t *testing.T) {
	asked := make(chan []dialogue.Message, 1)
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Messages []dialogue.Message }
		if json.NewDecoder(r.Body).Decode(&in) == nil {
			asked <- in.Messages
			<-r.Context().Done() // the match has been ended
		}
	}))
	defer stub.Close()
	s := serve(t, nil)
	tools := s.mustTools(t)
	for _, id := range catalog.IDs() {
		for _, detail := range []string{"full", "short", "json"} {
			for _, hints := range []string{"true", "false"} {
				options := fmt.Sprintf(`{"env":%q,"seed":5,"detail":%q,"hints":%s}`, id, detail, hints)
				session := s.dial(t)
				first := session.reset(options).Data
				session.ws.Close()
				var http struct{ Observation struct{ Text string } }
				s.ask(t, "POST", "/reset", options, &http)
				messages := firstAsked(t, id, fmt.Sprintf("llm:%s/v1,model=m,detail=%s,hints=%s", stub.URL, detail, hints), asked)
				texts := map[string]string{"tools": tools.tell("new_game", options)[0], "HTTP": http.Observation.Text,
					"llm:": messages[0].Content + "\n" + messages[1].Content}
				prompt := string([]rune(first.Observation.Text)[:first.Metadata.Prompt])
				if messages[0].Content != prompt || !strings.HasPrefix(prompt, id) || len(prompt) < 1000 {
					t.Errorf("%s: the prompt is %q, and a model in a match has %q", options, prompt, messages[0].Content)
				}
				for where, text := range texts {
					if text != first.Observation.Text {
						t.Errorf("%s: by %s the first text is\n%s\nwant\n%s", options, where, text, first.Observation.Text)
					}
				}
			}
		}
	}
}

// firstAsked is the first messages of a model in a match, which ends then.
func firstAsked(t *testing.T, id, name string, asked chan []dialogue.Message) (messages []dialogue.Message) {
	ctx, cancel := context.WithCancel(t.Context())
	var played sync.WaitGroup
	played.Go(func() { playModel(ctx, t, id, name, nil) })
	messages = <-asked
	cancel()
	played.Wait()
	return messages
}
