package main

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
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
