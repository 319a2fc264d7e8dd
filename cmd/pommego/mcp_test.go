package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMCP: standard output has messages alone, nothing is said besides, and the command ends with its input, when all
// calls have been answered.
func TestMCP(t *testing.T) {
	program() // so that building it takes none of the server's time
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(), "mcp")
	in, noIn := cmd.StdinPipe()
	out, noOut := cmd.StdoutPipe()
	var said, all strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil || noIn != nil || noOut != nil {
		t.Fatal(err, noIn, noOut)
	}
	io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"new_game","arguments":{"opponents":"exec:true"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"unknown"}}
`+strings.Repeat(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"new_game","arguments":{}}}
{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}
`, 2)+`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"new_game","arguments":{"env":"BaseWar-v0"}}}`)
	in.Close()
	answers := 0
	for lines := bufio.NewScanner(out); lines.Scan(); answers++ {
		var message struct {
			Version string `json:"jsonrpc"`
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil || message.Version != "2.0" {
			t.Errorf("%q is no message: %v", lines.Bytes(), err)
		}
		all.Write(lines.Bytes())
	}
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("it ended with %v and said %q", err, said.String())
	}
	if answers < 4 || !strings.Contains(all.String(), `{"jsonrpc":"2.0","id":5,"result":`) || !strings.Contains(all.String(), `no agent is called \"exec\"`) {
		t.Errorf("there are %d answers, want 4 or more: %s", answers, all.String())
	}
	if r := pommego(t, "mcp", "--seed", "1"); r.code != exitUsage {
		t.Errorf("with a flag that it has not: exit code %d", r.code)
	}
}
