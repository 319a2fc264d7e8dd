package openenv

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"pommego/bridge"
)

// object is a JSON schema's object.
func object(required []string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "required": required, "properties": properties, "additionalProperties": false}
}

func typed(kind, about string) map[string]any {
	return map[string]any{"type": kind, "description": about}
}

// schemas is the answer to /schema. The action's is what models are shown each turn, so it is short, and
// it has one required field, so that a bare text is taken as the action.
var schemas = func() map[string]any {
	sees := object([]string{"text", "legal"}, map[string]any{
		"text": typed("string", "What the seat sees. The first of a game begins with the rules."),
		"legal": map[string]any{"type": "array", "items": map[string]any{"type": "array", "items": typed("string", "")},
			"description": "The moves that have an effect, by figure."},
		"metadata": typed("object", "Seat, tick, and how the last answer was read."),
	})
	state := map[string]any{"type": "object", "properties": map[string]any{
		"episode_id": map[string]any{"type": []string{"string", "null"}, "description": "Other sessions join the game by it."},
		"step_count": typed("integer", "Steps of this session in the episode."),
	}}
	return map[string]any{
		"action":      object([]string{"action"}, map[string]any{"action": typed("string", "moves or an order")}),
		"observation": sees, "reset_observation": sees, "state": state,
	}
}()

func (h *Handler) metadata(g *bridge.Guest, _ *http.Request) (any, error) {
	return map[string]any{
		"name": name, "version": g.Version(), "author": "pommego",
		"description": "Bomberman games in words: Pommerman, BaseWar and SuiteBot, with seeds, opponents of every strength, " +
			"and several sessions in one game",
		"readme_content": nil, "documentation_url": nil,
	}, nil
}

// openAPI names the paths; 1 is the version of OpenEnv's profile for running servers.
func (h *Handler) openAPI(g *bridge.Guest, _ *http.Request) (any, error) {
	paths := map[string]map[string]any{}
	for _, route := range h.routes {
		method, path, _ := strings.Cut(route, " ")
		paths[path] = map[string]any{strings.ToLower(method): map[string]any{
			"responses": map[string]any{"200": map[string]string{"description": "JSON"}},
		}}
	}
	return map[string]any{
		"openapi": "3.1.0", "info": map[string]string{"title": name + " " + g.Version(), "version": "1.0.0"}, "paths": paths,
	}, nil
}

// mcp answers tool calls: there are no tools here.
func mcp(_ *Handler, _ *bridge.Guest, r *http.Request) (any, error) {
	body, err := readBody(r)
	return noTools(body), err
}

// noTools is the JSON-RPC answer to a request.
func noTools(request []byte) map[string]any {
	var in struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": nil}
	switch err := json.Unmarshal(request, &in); {
	case err != nil:
		answer["error"] = map[string]any{"code": -32700, "message": "the request is not JSON-RPC"}
		return answer
	case in.Method == "":
		answer["error"] = map[string]any{"code": -32600, "message": "the request has no method"}
	case in.Method == "tools/list":
		answer["result"] = map[string]any{"tools": []any{}}
	default:
		answer["error"] = map[string]any{"code": -32601,
			"message": fmt.Sprintf("the method is %.100q, and this environment has no tools: send steps to %s", in.Method,
				socketPath)}
	}
	answer["id"] = in.ID
	return answer
}
