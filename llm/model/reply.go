package model

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"pommego/arena/match"
	"pommego/llm/dialogue"
	"pommego/llm/orders"
)

// reply is what a server with OpenAI's protocol answers.
type reply struct {
	Model   string
	Choices []struct {
		Message said
		Finish  string `json:"finish_reason"`
	}
	Usage struct { // floats: some servers send fractions
		In  float64 `json:"prompt_tokens"`
		Out float64 `json:"completion_tokens"`
	}
}

// said is the message of a reply. Without content its other fields say why there is none.
type said struct {
	Content   content
	Refusal   string
	Calls     []json.RawMessage `json:"tool_calls"`
	Reasoning string
	Thought   string `json:"reasoning_content"` // another name for it
}

// content is a text, or a list of parts, of which the texts count.
type content string

func (c *content) UnmarshalJSON(text []byte) error {
	var parts []struct{ Text string }
	if len(text) == 0 || text[0] != '[' {
		return json.Unmarshal(text, (*string)(c))
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		*c += content(part.Text)
	}
	return nil
}

// missing says what came in place of an answer; "" if an answer came.
func (s *said) missing(finish string) string {
	what := "nothing"
	switch {
	case strings.TrimSpace(string(s.Content)) != "":
		return ""
	case s.Refusal != "":
		what = fmt.Sprintf("a refusal, %.200q", s.Refusal)
	case len(s.Calls) > 0:
		what = "a tool call"
	case s.Reasoning+s.Thought != "":
		what = "reasoning alone"
	}
	return fmt.Sprintf("the model answered with %s (finish_reason %q)", what, finish)
}

// read reads the server's reply and returns the answer. The turn gets the other fields.
func (p *player) read(text []byte, cost *match.Cost) (string, error) {
	var in reply
	if err := json.Unmarshal(text, &in); err != nil || len(in.Choices) == 0 {
		return "", fmt.Errorf(`%w: the model's server answered %s, want {"choices": [{"message": {"content": ...}}]}: %w`,
			match.ErrVoid, match.Short(text), cmp.Or(err, errors.New("it has no choices")))
	}
	one, used := &in.Choices[0], &cost.Answers
	count := func(tokens float64) int { return int(min(max(tokens, 0), 1e9)) }
	used.TokensIn, used.TokensOut = count(in.Usage.In), count(in.Usage.Out)
	used.Cost = (p.in*float64(used.TokensIn) + p.out*float64(used.TokensOut)) / 1e6
	if p.spent += used.TokensIn + used.TokensOut; p.spent == 0 && p.budget > 0 {
		return "", fmt.Errorf("%w: the model's server does not say how many tokens it used, and the budget needs that",
			match.ErrVoid)
	}
	cost.Note = one.Message.missing(one.Finish)
	p.turn.Model, p.turn.Finish = in.Model, one.Finish
	p.turn.Reasoning = orders.Read(one.Message.Reasoning + one.Message.Thought)
	return string(one.Message.Content), nil
}

// pictured adds a picture, a PNG, to the last of the messages.
func pictured(messages []dialogue.Message, picture []byte) (all []any) {
	last := len(messages) - 1
	for _, m := range messages[:last] {
		all = append(all, m)
	}
	address := "data:image/png;base64," + base64.StdEncoding.EncodeToString(picture)
	return append(all, map[string]any{"role": messages[last].Role, "content": []any{
		map[string]any{"type": "text", "text": messages[last].Content},
		map[string]any{"type": "image_url", "image_url": map[string]string{"url": address}},
	}})
}
