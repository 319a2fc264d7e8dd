package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pommego/bridge"
)

// parts are the flags by which work is done in several places.
type parts struct {
	part  string
	take  []string
	count bool
	stdin bool
}

// add adds the flags. of: what there are parts of, such as files; kept: what keeps a part.
func (p *parts) add(cmd *cobra.Command, of, kept string) {
	f := cmd.Flags()
	f.StringVar(&p.part, "part", "", fmt.Sprintf("make only a part, these %s: `FIRST-LAST`, counted from 0; --take puts parts together", of))
	f.StringArrayVar(&p.take, "take", nil, fmt.Sprintf("do not make again what this %s of a part has; may be repeated", kept))
	f.BoolVar(&p.count, "count", false, fmt.Sprintf("only print how many %s there are to be, 0 if that is not known before", of))
	f.BoolVar(&p.stdin, "exit-on-stdin-close", false, "stop when standard input closes, as it does when a parent process ends")
}

// span reads --part; ok: it is given.
func (p *parts) span() (first, last int, ok bool, err error) {
	if p.part == "" {
		return 0, 0, false, nil
	}
	from, to, several := strings.Cut(p.part, "-")
	if !several {
		to = from
	}
	first, err = strconv.Atoi(from)
	if err == nil {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 0 || last < first {
		return 0, 0, false, usagef("--part is %q, want FIRST-LAST, such as 20-29", p.part)
	}
	return first, last, true, nil
}

// context is interruptible, and ends with standard input if that is wanted.
func (p *parts) context(parent context.Context) (context.Context, func()) {
	ctx, stop := interruptible(parent)
	ctx, gone := untilStdinCloses(ctx, p.stdin)
	return ctx, func() { gone(); stop() }
}

// untilStdinCloses is a context that, if that is wanted, ends with bridge.ErrAbandoned as its
// cause when no process holds the other end of standard input any more.
func untilStdinCloses(parent context.Context, wanted bool) (context.Context, context.CancelFunc) {
	if !wanted {
		return parent, func() {}
	}
	ctx, gone := context.WithCancelCause(parent)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		gone(bridge.ErrAbandoned)
	}()
	return ctx, func() { gone(nil) }
}

// counted is what --count prints as JSON.
type counted struct {
	Parts int `json:"parts"`
}
