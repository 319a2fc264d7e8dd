package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"pommego/arena/web"
)

// TestPagesWaitForNoBody: nobody holds a connection to the pages by a body that never comes.
func TestPagesWaitForNoBody(t *testing.T) {
	t.Parallel() // it waits for the deadline
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go serveHTTP(t.Context(), ln, http.NotFoundHandler())
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(time.Minute))
	if answer, err := io.ReadAll(c); err != nil || !strings.Contains(string(answer), "404") {
		t.Errorf("%q and %v, want status 404 and the end", answer, err)
	}
}

// TestPagesMakeRoom: a page keeps 512 connections of those without its token, who cannot end the streams of others.
func TestPagesMakeRoom(t *testing.T) {
	more := make(chan bool)
	p, err := openPage("127.0.0.1:0", web.Config{Handlers: map[string]http.HandlerFunc{
		"GET /api/stream": func(w http.ResponseWriter, _ *http.Request) {
			for range 2 {
				fmt.Fprintln(w, "line")
				http.NewResponseController(w).Flush()
				<-more
			}
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	go serveHTTP(t.Context(), p.ln, p.handler)
	ask := func(path, token string) *bufio.Reader {
		c, err := net.Dial("tcp", p.ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		c.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
		return bufio.NewReader(c)
	}
	of := func(in *bufio.Reader) *http.Response {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	lines := bufio.NewReader(of(ask("/api/stream", p.token)).Body)
	first := ask("/api/stream", "")
	io.Copy(io.Discard, of(first).Body)
	for range 512 {
		ask("/nothing", "")
	}
	if _, err := first.ReadByte(); err != io.EOF {
		t.Errorf("the oldest of 513 connections: %v, want it closed", err)
	}
	more <- true
	lines.ReadString('\n')
	if line, err := lines.ReadString('\n'); line != "line\n" {
		t.Errorf("the stream goes on with %q, %v", line, err)
	}
	close(more)
}
