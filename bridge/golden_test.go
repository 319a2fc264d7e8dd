package bridge

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden messages anew")

// goldenFile has the golden messages; PROTOCOL.md says what its entries mean.
// A new exchange needs its name, what it shows and its message there; running
// this test with -update adds the rest.
const goldenFile = "testdata/golden.json"

// golden is one exchange of the session.
type golden struct {
	Name    string
	Shows   string
	Closes  bool     // on a connection of its own, which the server closes after it
	Takes   string   // the field whose value is that of the reply before, for -update
	Message [][2]any // what the request says, in its order; none if it is no message
	Request hexBytes
	Reply   hexBytes
}

type hexBytes []byte

func (h hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.AppendDecode(nil, text)
	return err
}

func readGolden(tb testing.TB) (session []golden) {
	tb.Helper()
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		tb.Fatal(err)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&session); err != nil {
		tb.Fatal(err)
	}
	return session
}

// goldenConfig has all that a reply shows of a configuration.
func goldenConfig(c *Config) {
	c.Version, c.MaxWorkers, c.MaxGames = "golden", 4, 1000
	c.newKey = func() string { return "ABCDEFGHIJKLMNOPQRSTUVWXYZ" }
}

// TestGolden plays the session: each message is encoded to the bytes of its
// request, as clients in other languages do, and the server answers with those
// of its reply.
func TestGolden(t *testing.T) {
	server := startServer(t, goldenConfig)
	p := dialRaw(t, server.host)
	var before Message
	session := readGolden(t)
	for i := range session {
		g, peer := &session[i], p
		if g.Closes {
			peer = dialRaw(t, server.host)
		}
		if g.Takes != "" {
			k := slices.IndexFunc(g.Message, func(field [2]any) bool { return field[0] == g.Takes })
			g.Message[k][1] = readable(before[g.Takes])
		}
		request := []byte(g.Request)
		if g.Message != nil {
			request = mustEncode(t, g.entries(t))
		}
		compareGolden(t, g.Name+"'s request", request, &g.Request)
		if _, err := peer.Write(binaryFrame(request)); err != nil {
			t.Fatal(err)
		}
		_, reply, err := peer.next()
		if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		compareGolden(t, g.Name+"'s reply", bytes.Clone(reply), &g.Reply)
		if before, err = decodeReply(g.Reply); err != nil && asError(err).Code == codeInternal {
			t.Errorf("%s: %v", g.Name, err)
		}
		if g.Closes {
			if code := peer.closed(t); code != 1002 {
				t.Errorf("%s: close code %d, want 1002", g.Name, code)
			}
		}
	}
	if *update {
		writeGolden(t, session)
	}
}

// compareGolden compares bytes with those of the file, or replaces them.
func compareGolden(t *testing.T, what string, got []byte, want *hexBytes) {
	t.Helper()
	if *update {
		*want = got
	}
	if !bytes.Equal(got, *want) {
		at := 0
		for at < min(len(got), len(*want)) && got[at] == (*want)[at] {
			at++
		}
		from := at / 16 * 16
		t.Errorf("%s differs from byte %d on; got %d bytes, want %d:\n%s\nwant\n%s\n(go test -run Golden -update writes "+
			"it anew)", what, at, len(got), len(*want),
			hex.Dump(got[from:min(len(got), from+64)]), hex.Dump((*want)[from:min(len(*want), from+64)]))
	}
}

// writeGolden writes the file, each part of an exchange on a line of its own.
func writeGolden(t *testing.T, session []golden) {
	t.Helper()
	line := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var list []string
	for _, g := range session {
		parts := []string{`"name":` + line(g.Name) + `,"shows":` + line(g.Shows)}
		if g.Closes {
			parts[0] += `,"closes":true`
		}
		if g.Takes != "" {
			parts = append(parts, `"takes":`+line(g.Takes))
		}
		if g.Message != nil {
			parts = append(parts, `"message":`+line(g.Message))
		}
		parts = append(parts, `"request":`+line(g.Request), `"reply":`+line(g.Reply))
		list = append(list, "{"+strings.Join(parts, ",\n ")+"}")
	}
	if err := os.WriteFile(goldenFile, []byte("[\n"+strings.Join(list, ",\n")+"\n]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// entries is the message as it is encoded.
func (g *golden) entries(tb testing.TB) (message entries) {
	for _, field := range g.Message {
		message = append(message, field[0], fromReadable(tb, field[1]))
	}
	return message
}

// readable is a value as JSON can hold it: binaries as {"bin": hex}.
func readable(v any) any {
	switch v := v.(type) {
	case []byte:
		return map[string]any{"bin": hex.EncodeToString(v)}
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, readable(e))
		}
		return list
	}
	return v
}

func fromReadable(t testing.TB, v any) any {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			t.Fatal(err)
		}
		return n
	case []any:
		list := []any{}
		for _, e := range v {
			list = append(list, fromReadable(t, e))
		}
		return list
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
