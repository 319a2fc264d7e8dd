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
	of    string // what there are parts of, such as files
	part  string
	take  []string
	count bool
	stdin bool
}

// add adds the flags. kept: what keeps a part.
func (p *parts) add(cmd *cobra.Command, of, kept string) {
	p.of = of
	f := cmd.Flags()
	f.StringVar(&p.part, "part", "", fmt.Sprintf("make only a part, these %s: `FIRST-LAST`, counted from 0; --take puts parts together", of))
	f.StringArrayVar(&p.take, "take", nil, fmt.Sprintf("do not make again what this %s of a part has; may be repeated", kept))
	f.BoolVar(&p.count, "count", false, fmt.Sprintf("only print how many %s there are to be, 0 if that is not known before", of))
	f.BoolVar(&p.stdin, "exit-on-stdin-close", false, "stop when standard input closes, as it does when a parent process ends")
}

// span is the numbers of a part.
type span struct{ First, Last int }

// span reads --part; nil: it is not given.
func (p *parts) span() (*span, error) {
	if p.part == "" {
		return nil, nil
	}
	from, to, several := strings.Cut(p.part, "-")
	if !several {
		to = from
	}
	first, err := strconv.Atoi(from)
	last, also := strconv.Atoi(to)
	if err != nil || also != nil || first < 0 || last < first {
		return nil, usagef("--part is %q, want FIRST-LAST, such as 20-29", p.part)
	}
	return &span{first, last}, nil
}

// printCount prints how many there are to be.
func (p *parts) printCount(out io.Writer, n int, asJSON bool) error {
	if asJSON {
		return printJSON(out, map[string]int{"parts": n})
	}
	_, err := fmt.Fprintf(out, "%d %s\n", n, p.of)
	return err
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
