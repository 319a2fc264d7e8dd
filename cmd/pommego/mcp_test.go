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

// TestMCP: standard output has messages alone, nothing is said besides, and the command ends with its input.
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
`)
	answers := 0
	for lines := bufio.NewScanner(out); lines.Scan(); answers++ {
		var message struct {
			Version string `json:"jsonrpc"`
		}
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil || message.Version != "2.0" {
			t.Errorf("%q is no message: %v", lines.Bytes(), err)
		}
		if all.Write(lines.Bytes()); answers == 2 {
			in.Close()
		}
	}
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("it ended with %v and said %q", err, said.String())
	}
	if answers != 3 || !strings.Contains(all.String(), `no agent is called \"exec\"`) {
		t.Errorf("there are %d answers, want 3: %s", answers, all.String())
	}
	if r := pommego(t, "mcp", "--seed", "1"); r.code != exitUsage {
		t.Errorf("with a flag that it has not: exit code %d", r.code)
	}
}
