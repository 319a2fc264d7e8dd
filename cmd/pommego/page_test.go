package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// openPages are pages, answered by handler.
func openPages(t *testing.T, handler http.HandlerFunc) (ask func(request string) net.Conn) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go serveHTTP(t.Context(), ln, handler)
	return func(request string) net.Conn {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := io.WriteString(c, request+"\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		c.SetReadDeadline(time.Now().Add(20 * time.Second))
		return c
	}
}

// TestPagesKeepNobody: nobody holds a connection to the pages after an answer, or by a body that never comes.
func TestPagesKeepNobody(t *testing.T) {
	t.Parallel() // it waits for the deadline
	ask := openPages(t, http.NotFound)
	const head = " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
	for _, request := range []string{"GET" + head + "0", "POST" + head + "9"} {
		if answer, err := io.ReadAll(ask(request)); err != nil || !strings.Contains(string(answer), "404") {
			t.Errorf("%s: %q and %v, want status 404 and the end", request, answer, err)
		}
	}
}

// TestPagesBound: of too many connections to the pages one makes room.
func TestPagesBound(t *testing.T) {
	ask := openPages(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ended := make(chan error, 513)
	for range cap(ended) {
		c := ask("GET / HTTP/1.1\r\nHost: localhost")
		go func() {
			_, err := c.Read(make([]byte, 1))
			ended <- err
		}()
	}
	if err := <-ended; err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the first to end has %v, want its end", err)
	}
}
