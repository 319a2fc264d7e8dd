package bridge

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/env"
)

var update = flag.Bool("update", false, "write the golden messages anew")

const goldenFolder = "testdata/golden"

// golden is one entry of index.json.
type golden struct {
	Name    string   `json:"name"`
	Shows   string   `json:"shows"`
	Request string   `json:"request"`           // file
	Reply   string   `json:"reply"`             // file
	Message [][2]any `json:"message,omitempty"` // what the request says, in its order; none if it is no message
	Closes  bool     `json:"closes,omitempty"`  // the server closes the connection after it
}

// goldenScript is a whole session, whose replies depend on nothing else. A nil
// message is one that is malformed. Where a request uses a reply before it,
// the message is made from that.
var goldenScript = []struct {
	name, shows string
	message     func(before Message) entries
}{
	{"hello", "the first request, and the server's limits", fixed("hello", "versions", []int{1}, "client", "golden/1")},
	{"spaces", "a spec; rules of one's own", fixed("spaces", "env_id", "ToySolo-v0", "rules", Message{"energy": 150, "max_steps": 30})},
	{"make", "an environment with opponents and autoreset SameStep", fixed("make", "env_id", "ToySolo-v0", "games", 3, "observation", "maps",
		"reward", "reference", "autoreset_mode", "SameStep", "opponents", []string{"still", "hunter"}, "seat", 1, "max_episode_steps", 2)},
	{"not_reset", "an error: the environment has not been reset", fixed("observe", "env", 1)},
	{"reset", "a batch", fixed("reset", "env", 1, "seed", 7)},
	{"step", "a step in which no game ends", fixed("step", "env", 1, "actions", toyActions(3, 1, 0))},
	{"step_final", "a step in which games end: finished and final are filled", fixed("step", "env", 1, "actions", toyActions(3, 2, 2))},
	{"bad_action", "an error: an action out of range", fixed("step", "env", 1, "actions", toyActions(3, 0, 3))},
	{"wrong_type", "an error: actions of another type", fixed("step", "env", 1, "actions", Tensor{env.Int32, []int{1}, []byte{1, 0, 0, 0}})},
	{"wrong_shape", "an error: actions of another shape", fixed("step", "env", 1, "actions", uint8s(1, 2))},
	{"reset_seeds", "a reset of some games, with seeds", fixed("reset", "env", 1,
		"seeds", Tensor{env.Uint64, []int{3}, append(bytes.Repeat([]byte{0xff}, 8), make([]byte, 16)...)}, "mask", uint8s(1, 0, 1))},
	{"observe", "the present batch again", fixed("observe", "env", 1)},
	{"set_opponents", "other opponents from the next episode on", fixed("set_opponents", "env", 1, "opponents", []string{"wander", "wander"})},
	{"get_state", "states as opaque binaries", fixed("get_state", "env", 1, "games", []int{2, 0})},
	{"set_state", "states set", func(before Message) entries {
		return entries{"type", "set_state", "id", 0, "env", 1, "games", []int{0, 1}, "states", before["states"]}
	}},
	{"get_state_json", "states as JSON", fixed("get_state", "env", 1, "games", []int{1}, "json", true)},
	{"set_state_json", "states set from JSON", func(before Message) entries {
		return entries{"type", "set_state", "id", 0, "env", 1, "games", []int{2}, "states", before["states"]}
	}},
	{"get_state_again", "states for the simulation that follows", fixed("get_state", "env", 1, "games", []int{0, 1})},
	{"simulate", "a step of a forward model", func(before Message) entries {
		return entries{"type", "simulate", "id", 0, "env", 1, "states", before["states"], "actions", toyActions(2, 3, 1), "seed", 5}
	}},
	{"render", "a picture", fixed("render", "env", 1, "game", 1, "colour", false)},
	{"unknown_env_id", "an error: no such id", fixed("make", "env_id", "Nothing-v0", "games", 1)},
	{"limit", "an error: too many games", fixed("make", "env_id", "ToySolo-v0", "games", 5000)},
	{"unknown_field", "an error: a misspelt field", fixed("step", "env", 1, "action", 0)},
	{"unknown_type", "an error: no such request", fixed("stop")},
	{"malformed", "an error: bytes that are no message; the connection goes on", nil},
	{"ping", "a sign of life", fixed("ping")},
	{"close", "the environment freed", fixed("close", "env", 1)},
	{"unknown_env", "an error: the handle of a closed environment", fixed("observe", "env", 1)},
}

func fixed(kind string, fields ...any) func(Message) entries {
	return func(Message) entries { return append(entries{"type", kind, "id", 0}, fields...) }
}

// goldenConfig has all that a reply shows of a configuration.
func goldenConfig(c *Config) {
	c.Version, c.MaxWorkers, c.MaxGames = "golden", 4, 1000
}

func TestGolden(t *testing.T) {
	server := startServer(t, goldenConfig)
	p := dialRaw(t, server.host)
	var index []golden
	var before Message
	for i, entry := range goldenScript {
		g := golden{Name: entry.name, Shows: entry.shows}
		msg := []byte("\x82\xa4type\xa4ping\xa2id")
		if entry.message != nil {
			message := entry.message(before)
			message[3] = i + 1
			msg, g.Message = mustEncode(t, message), readable(message)
		}
		before = nil
		reply := exchange(t, p, &g, i, msg)
		if message, err := decodeReply(reply); err == nil {
			before = message
		} else if asError(err).Code == CodeInternal {
			t.Errorf("%s: %v", g.Name, err)
		}
		index = append(index, g)
	}
	other := dialRaw(t, server.host)
	g := golden{Name: "version_mismatch", Shows: "an error: no common version; on a connection of its own", Closes: true}
	message := entries{"type", "hello", "id", 1, "versions", []int{98, 99}, "client", "golden/99"}
	g.Message = readable(message)
	exchange(t, other, &g, len(goldenScript), mustEncode(t, message))
	if code := other.closed(t); code != 1002 {
		t.Errorf("%s: close code %d, want 1002", g.Name, code)
	}
	index = append(index, g)

	var lines []string
	for _, g := range index {
		line, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	compareGolden(t, "index.json", []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"))
	files, err := os.ReadDir(goldenFolder)
	if err != nil || len(files) != 2*len(index)+1 {
		t.Errorf("%d files, %v; want %d: two for each entry, and the index", len(files), err, 2*len(index)+1)
	}
}

// exchange sends a request and compares it and its reply with the files.
func exchange(t *testing.T, p *rawPeer, g *golden, i int, request []byte) []byte {
	t.Helper()
	g.Request, g.Reply = fmt.Sprintf("%02d-%s.request.bin", i+1, g.Name), fmt.Sprintf("%02d-%s.reply.bin", i+1, g.Name)
	if _, err := p.Write(binaryFrame(request)); err != nil {
		t.Fatal(err)
	}
	_, reply, err := p.next()
	if err != nil {
		t.Fatalf("%s: %v", g.Name, err)
	}
	reply = bytes.Clone(reply)
	compareGolden(t, g.Request, request)
	compareGolden(t, g.Reply, reply)
	return reply
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(goldenFolder, name)
	if *update {
		if err := os.MkdirAll(goldenFolder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s differs from byte %d on; got %d bytes, want %d:\n%s\nwant\n%s\n(go test -run Golden -update writes it anew)", name, at, len(got), len(want),
			hex.Dump(got[at/16*16:min(len(got), at/16*16+64)]), hex.Dump(want[at/16*16:min(len(want), at/16*16+64)]))
	}
}

// readable is a message as JSON can hold it: binaries as {"bin": hex}.
func readable(message entries) [][2]any {
	var list [][2]any
	for i := 0; i < len(message); i += 2 {
		list = append(list, [2]any{message[i], readableValue(message[i+1])})
	}
	return list
}

func readableValue(v any) any {
	switch v := v.(type) {
	case []byte:
		return map[string]string{"bin": hex.EncodeToString(v)}
	case Tensor:
		return []any{v.DType, v.Shape, readableValue([]byte{}), readableValue(v.Data)}
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, readableValue(e))
		}
		return list
	}
	return v
}

// TestGoldenIndex encodes each request from what the index says, as clients in
// other languages do.
func TestGoldenIndex(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(goldenFolder, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	in := json.NewDecoder(strings.NewReader(string(text)))
	in.UseNumber()
	var index []golden
	if err := in.Decode(&index); err != nil {
		t.Fatal(err)
	}
	for _, g := range index {
		if g.Message == nil {
			continue
		}
		message := entries{}
		for _, pair := range g.Message {
			message = append(message, pair[0], fromReadable(t, pair[1]))
		}
		compareGolden(t, g.Request, mustEncode(t, message))
	}
}

func fromReadable(t *testing.T, v any) any {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	case []any:
		for i := range v {
			v[i] = fromReadable(t, v[i])
		}
		return v
	case map[string]any:
		if text, ok := v["bin"].(string); ok {
			data, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		m := Message{}
		for key, e := range v {
			m[key] = fromReadable(t, e)
		}
		return m
	}
	return v
}
