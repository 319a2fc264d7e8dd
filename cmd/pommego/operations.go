package main

import (
	"context"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pommego/bridge"
)

// operations has the settings for logs, metrics and the end of a server.
type operations struct {
	address       string // a separate address for metrics; empty: none
	url           string // the address of the metrics then
	drain         time.Duration
	format, level string
}

func (o *operations) flags(f *pflag.FlagSet) {
	f.StringVar(&o.address, "metrics-address", "",
		"answer /metrics, /healthz and /readyz on this host:port, without a token; :PORT is 127.0.0.1:PORT")
	f.DurationVar(&o.drain, "drain-timeout", 0,
		"at SIGTERM, take no new connections and give those that are open so long to end (default: none)")
	f.StringVar(&o.format, "log-format", "text", "how to log to standard error: text or json")
	f.StringVar(&o.level, "log-level", "warn", "what to log: debug, info (connections and refusals, too), warn or error")
}

// prepare checks the options and completes the server's configuration.
func (o *operations) prepare(cfg *bridge.Config) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.level)); err != nil {
		return usagef("--log-level is %q, want debug, info, warn or error", o.level)
	}
	options := &slog.HandlerOptions{Level: level}
	var handler slog.Handler = slog.NewTextHandler(os.Stderr, options)
	switch o.format {
	case "text":
	case "json":
		handler = slog.NewJSONHandler(os.Stderr, options)
	default:
		return usagef("--log-format is %q, want one of text, json", o.format)
	}
	cfg.Log = slog.New(handler)
	slog.SetDefault(cfg.Log)
	slog.SetLogLoggerLevel(slog.LevelError)
	if o.drain < 0 {
		return usagef("--drain-timeout is %v, want 0 or more", o.drain)
	}
	if strings.HasPrefix(o.address, ":") {
		o.address = "127.0.0.1" + o.address
	}
	if _, _, err := net.SplitHostPort(o.address); o.address != "" && err != nil {
		return usagef("--metrics-address is %q, want host:port", o.address)
	}
	return nil
}

// serve answers requests for metrics on their address, if there is one, until ctx ends.
func (o *operations) serve(ctx context.Context, srv *bridge.Server) error {
	if o.address == "" {
		return nil
	}
	ln, err := listenTCP("--metrics-address", o.address)
	if err != nil {
		return err
	}
	o.url = "http://" + ln.Addr().String() + "/metrics"
	go func() {
		if err := serveHTTP(ctx, ln, srv.Operations()); err != nil {
			slog.Error("metrics are no longer served", "error", err)
		}
	}()
	slog.Info("metrics", "url", o.url)
	return nil
}

// untilStopped returns a context that ends when the server is to shut down: at a signal; for SIGTERM and SIGHUP after
// it has drained. A second signal ends the draining, and a third ends the process at once.
func (o *operations) untilStopped(parent context.Context, srv *bridge.Server) (ctx context.Context, stop func()) {
	ctx, stop = context.WithCancel(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings()...)
	go func() {
		defer stop()
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			slog.Info("stopping", "signal", s.String())
			if s != os.Interrupt && o.drain > 0 {
				o.drained(ctx, srv)
			}
		case <-ctx.Done():
		}
	}()
	return ctx, stop
}

// drained waits until all connections have ended, for the drain timeout at most.
func (o *operations) drained(ctx context.Context, srv *bridge.Server) {
	begun := time.Now()
	ctx, stop := interruptible(ctx)
	defer stop()
	ctx, end := context.WithTimeout(ctx, o.drain)
	defer end()
	slog.Info("draining", "seconds", o.drain.Seconds())
	left := srv.Drain(ctx)
	slog.Info("drained", "seconds", time.Since(begun).Seconds(), "connections_left", left)
}
