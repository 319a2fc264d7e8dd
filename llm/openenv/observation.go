package openenv

import (
	"bytes"
	"cmp"
	"encoding/json"
	"unicode/utf8"

	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/llm/dialogue"
	"pommego/llm/words"
)

// observation is the reply to a session's answer. Reward is nil at the start.
type observation struct {
	Observation seen     `json:"observation"`
	Reward      *float64 `json:"reward"`
	Done        bool     `json:"done"`
	Metadata    metadata `json:"metadata"`
}

// seen is what the model reads. It has little besides the text, since some clients show all of it to the model.
type seen struct {
	Text     string     `json:"text"`
	Legal    [][]string `json:"legal"` // for each figure that the seat moves
	Image    *image     `json:"image,omitempty"`
	Metadata metadata   `json:"metadata"`
	Tool     string     `json:"tool_name,omitempty"` // the tool that a step has called
	Result   string     `json:"result,omitempty"`    // the text again, as the tool's result
}

type image struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// metadata is the same in games with the same seed and answers.
type metadata struct {
	Seat    int              `json:"seat"`
	Tick    int              `json:"tick"`
	Reading string           `json:"reading,omitempty"` // how the last answer was read: legal, repaired or illegal
	Last    *words.Last      `json:"last,omitempty"`    // what the last answer led to, as in the text
	Prompt  int              `json:"prompt,omitempty"`  // how many characters of the text come before the view
	Late    int              `json:"late,omitempty"`    // how many ticks were made without an answer
	Result  string           `json:"result,omitempty"`  // the result of the seat, at the end
	Counts  *match.Readings  `json:"counts,omitempty"`  // how answers were read; for the model at the end
	Game    map[string]int32 `json:"game,omitempty"`    // what the game counts for the seat; not for the model
	Out     bool             `json:"out,omitempty"`     // the seat is out while its team plays on; not for the model
	Played  []byte           `json:"played,omitempty"`  // the actions since the last answer; not for the model
}

func (s *seat) image(step *scene.Step) *image { return &image{"image/png", s.Picture(step)} }

// observe is what a seat sees in a position, with its rewards since the last reply. With first it
// begins with the prompt. mu is held.
func (g *game) observe(s *seat, step *scene.Step, first bool) observation {
	text, legal := s.View(step)
	about, told := metadata{Seat: s.Number, Tick: step.Step, Reading: s.Last.Reading, Late: s.Counts.Late}, s.Last
	reward, prompt := s.unpaid, ""
	if first {
		if prompt = *cmp.Or(s.prompt, new(s.Prompt())); prompt != "" {
			text = prompt + "\n" + text
		}
	}
	counts, out := s.Counts, !s.done && !g.match.Status().In.Has(s.Number)
	if s.unpaid = 0; s.done {
		about.Counts, about.Result = &counts, g.result(s)
	} else if g.record != nil && !out { // answers of who is out play nothing
		s.turn = s.Turn(step, dialogue.Message{Role: "user", Content: text})
		s.turn.Own = first && s.prompt != nil
	}
	shown := seen{Text: text, Legal: legal, Metadata: about}
	about.Played, s.played, about.Prompt = s.played, nil, utf8.RuneCountInString(prompt)
	about.Counts, about.Game, about.Out = &counts, map[string]int32{}, out
	for name, bySeat := range step.Counts {
		about.Game[name] = bySeat[s.Number]
	}
	if told.String() != "" {
		about.Last = &told
	}
	if s.Detail == "image" {
		shown.Image = s.image(step)
	}
	return observation{Observation: shown, Reward: &reward, Done: s.done, Metadata: about}
}

// result is the result of a seat; "" before it is known. mu is held.
func (g *game) result(s *seat) string {
	if !s.done {
		return ""
	}
	status := g.match.Status()
	return string(status.SeatResults(g.game.Spec().Teams, g.before)[s.Number])
}

// encode is a value as JSON. It does not escape < > and &.
func encode(v any) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		panic(err) // no type that is sent can fail
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
