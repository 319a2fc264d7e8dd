package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pommego/arena/match"
	"pommego/bridge"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/dialogue"
	"pommego/llm/openenv"
	"pommego/vec"
)

// tokenVariable is the environment variable for the token: other users can read flags.
const tokenVariable = "POMMEGO_TOKEN"

type serveOptions struct {
	listen  string
	access  access
	readyFD int
	parent  bool // the server ends with the process that started it
	web     bool
	openEnv bool
	talks   string // the file of dialogues
	log     *dialogue.Log
	ops     operations
	asJSON  bool
	agents  []string
	match   match.Rules
	cfg     bridge.Config
}

func newServe() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve environments over WebSocket",
		Long: `Serve environments over WebSocket, as bridge/PROTOCOL.md describes. Once it listens, the
server prints one line with its address. SIGINT, SIGTERM and SIGHUP shut it down cleanly.

Only this machine can connect unless --listen says otherwise, and other machines only
with a token of 32 random characters or more and TLS (--tls-cert, --tls-key), or --allow-plaintext.
The token comes from --token-file or the environment variable ` + tokenVariable + `;
clients send it as "Authorization: Bearer TOKEN". A socket's file is for this user alone.

What clients ask for is counted in bytes before it is made, and refused with the error
"limit" where it would exceed --max-memory-bytes, or half of it for one connection. Unless
the environment variable GOMEMLIMIT is set, the program's heap is held to one and a half
times that, so that what is no longer used is collected in time.`,
		Example: `  pommego serve
  pommego serve --listen 127.0.0.1:0
  pommego serve --web
  pommego serve --openenv --max-connections 10000
  pommego serve --listen unix:/run/user/1000/pommego.sock
  pommego serve --allow-agents "exec:python3 agent.py" --allow-agents http://localhost:8000
  pommego serve --max-memory-bytes 8589934592
  pommego serve --metrics-address 127.0.0.1:9090 --drain-timeout 1m --log-format json
  pommego serve --listen 0.0.0.0:8765 --host training-box --token-file token --tls-cert cert.pem --tls-key key.pem`,
		Args: exactly(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8765", "where to listen: host:port (port 0: a free one) or unix:PATH")
	f.IntVar(&o.readyFD, "ready-fd", -1,
		"write the address to this file descriptor, and close it; only with --json is it printed, too")
	f.BoolVar(&o.parent, "exit-on-stdin-close", false,
		"serve the process that started it alone: shut down when standard input closes, and limit only memory and what "+
			"other flags say")
	o.access.flags(f)
	f.StringSliceVar(&o.cfg.Hosts, "host", nil,
		"a name by which clients may call this machine, besides localhost and IP addresses; may be repeated")
	f.IntVar(&o.cfg.MaxConnections, "max-connections", 0,
		"connections at a time, a quarter of them from one other machine (default 64)")
	f.Int64Var(&o.cfg.MaxMemoryBytes, "max-memory-bytes", 0,
		"memory for games, agents' searches, batches and saved states, half of it a connection at most (default: "+
			"half\nof the least of the machine's memory, the control group's limit and what RLIMIT_AS leaves)")
	f.DurationVar(&o.cfg.MaxAgentTime, "max-agent-time", 0,
		"time of an agent's decision, its option ms; its ticks may be 100,000 and iterations 1,000 a second (default 10s)")
	f.StringArrayVar(&o.agents, "allow-agents", nil,
		"an agent outside the server ("+match.Forms()+"), or one with omniscient=1, "+
			`that clients may name as an opponent, word for word; "*" allows all, and with them any command; may be repeated`)
	limitMemory(f, &o.match.Memory)
	f.BoolVar(&o.web, "web", false,
		"serve a page, too, that lists all running environments, on this machine alone, and opens the games of those\n"+
			"made with web=True; its address is printed, with the key of the list")
	f.BoolVar(&o.openEnv, "openenv", false,
		"serve language models, too, by OpenEnv on the same address (docs/language-models.md)")
	recordDialogues(f, &o.talks)
	f.BoolVar(&o.asJSON, "json", false, "print the address as a JSON object")
	o.ops.flags(f)
	return cmd
}

// configFlags has the flags that set fields of the server's configuration.
var configFlags = map[string]string{"MaxConnections": "--max-connections", "MaxMemoryBytes": "--max-memory-bytes",
	"MaxAgentTime": "--max-agent-time", "Hosts": "--host", "Token": "the token of --token-file or " + tokenVariable}

// limits sets the limits that follow from other flags. A server with --parent has
// a single user, who may use the whole machine and be idle for hours.
func (o *serveOptions) limits() {
	c := &o.cfg
	if o.parent {
		const always = 10 * 365 * 24 * time.Hour
		c.MaxConnections, c.MaxAgentTime = cmp.Or(c.MaxConnections, 1024), cmp.Or(c.MaxAgentTime, always)
		c.MaxGames, c.MaxTotalGames, c.MaxWorkers = 1<<20, 1<<22, 1024
		c.MaxAgentMemory, c.IdleTimeout = 1<<40, always
	}
	c.MaxPerAddress = (c.MaxConnections + 3) / 4
	c.MaxAgentTicks = int(min(max(0, c.MaxAgentTime.Seconds())*100_000, 1e9))
}

func (o *serveOptions) run(out io.Writer) error {
	if err := o.prepare(); err != nil {
		return err
	}
	// Workers use at most one thread per core. Without more threads, a request during
	// a long step would wait 10 ms, until Go's scheduler takes a thread from a worker.
	o.cfg.Cores = runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(o.cfg.Cores + 2)
	srv, err := bridge.New(o.cfg)
	if wrong, ok := errors.AsType[*vec.OptionError](err); ok && configFlags[wrong.Field] != "" {
		return usagef("%s", wrong.Named(configFlags[wrong.Field]))
	} else if err != nil {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(srv.MemoryBudget() / 2 * 3)
	}
	ctx, stop := o.ops.untilStopped(context.Background(), srv)
	defer stop()
	ctx, gone := untilStdinCloses(ctx, o.parent)
	defer gone()
	ln, err := o.access.listen(o.listen)
	if err != nil {
		return err
	}
	served, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end() // metrics are served until the server has shut down
	if err := o.ops.serve(served, srv); err != nil {
		return errors.Join(err, ln.Close())
	}
	pageAddress := ""
	if o.web {
		p, err := openPage("127.0.0.1:0", liveConfig(srv.Live()))
		if err != nil {
			return errors.Join(err, ln.Close())
		}
		pageAddress = p.address(livePage, url.Values{"key": {o.cfg.ListKey}, "at": {o.address(ln.Addr())}})
		go serveHTTP(ctx, p.ln, p.handler)
	}
	if err := o.announce(out, ln.Addr(), pageAddress); err != nil {
		return errors.Join(err, ln.Close())
	}
	begun := time.Now()
	err = errors.Join(srv.Serve(ctx, ln), o.log.Err())
	slog.Info("stopped", "seconds", time.Since(begun).Seconds(), "error", err)
	return err
}

// prepare completes the configuration, and checks combinations of flags that bridge cannot check.
func (o *serveOptions) prepare() (err error) {
	o.limits()
	o.cfg.IDs, o.cfg.Game, o.cfg.Variant, o.cfg.Version = catalog.IDs, catalog.Game, catalog.Variant, version()
	if err = cmp.Or(o.allow(), vacant(o.talks), o.ops.prepare(&o.cfg)); err != nil {
		return err
	}
	if o.talks != "" && !o.openEnv {
		return usagef("--record-dialogues needs --openenv, whose dialogues it records")
	}
	if o.openEnv {
		h := openenv.New(catalog.IDs())
		o.log = dialogue.NewLog(o.talks)
		o.cfg.Protocols, h.Dialogues = append(o.cfg.Protocols, h), o.log
	}
	if o.web {
		o.cfg.ListKey = rand.Text()
	}
	if o.cfg.Token, err = serverToken(o.access.tokenFile); err != nil {
		return err
	}
	o.access.warn(o.cfg.Log)
	return o.access.check(o.listen, o.cfg.Token)
}

// allow lets the server make the agents of --allow-agents. It refuses other agents outside this program.
func (o *serveOptions) allow() error {
	if err := o.match.Validate(); err != nil {
		return usageError{err}
	}
	for _, name := range o.agents {
		if match.Outside(name) {
			p, err := match.NewPlayer(nil, name)
			if err != nil {
				return usagef("--allow-agents: %w", err)
			}
			p.Close() // it has not started
		} else if name != "*" && !strings.Contains(name, "omniscient=1") {
			return usagef("--allow-agents is %q, want one of %s, one with omniscient=1, or *; the games' other agents are "+
				"always allowed", name, match.Forms())
		}
	}
	o.cfg.AllowAgents = o.agents
	o.cfg.Agent = func(game env.Game, name string, limit time.Duration) (env.Agent, bool, error) {
		if !match.Outside(name) {
			return nil, false, nil
		}
		if !slices.Contains(o.agents, "*") && !slices.Contains(o.agents, name) {
			return nil, false,
				fmt.Errorf("the server was not started with the agent %q: allow it there with pommego serve --allow-agents %q",
					name, name)
		}
		rules := o.match
		rules.Limit = limit
		a, err := match.NewAgent(game, name, rules, o.cfg.Log)
		return a, true, err
	}
	return nil
}

// address is the server's address for clients.
func (o *serveOptions) address(addr net.Addr) string {
	switch {
	case addr.Network() == "unix":
		return "unix:" + addr.String()
	case o.access.tls.cert != "":
		return "wss://" + addr.String()
	}
	return "ws://" + addr.String()
}

// announce prints the addresses of the server, of its metrics and of its page, if it has them.
func (o *serveOptions) announce(out io.Writer, addr net.Addr, page string) error {
	address := o.address(addr)
	if page != "" && !o.asJSON {
		defer fmt.Fprintf(out, "running environments, in the browser: %s\n", page)
	}
	said := map[string]string{"address": address}
	if o.ops.address != "" {
		said["metrics"] = o.ops.url
	}
	if page != "" {
		said["web"] = page
	}
	if o.asJSON || o.readyFD < 0 {
		if err := say(out, o.asJSON, said, "pommego listens on "+address); err != nil || o.readyFD < 0 {
			return err
		}
	}
	ready := os.NewFile(uintptr(o.readyFD), "ready-fd")
	if ready == nil {
		return usagef("--ready-fd %d is no file descriptor", o.readyFD)
	}
	if _, err := fmt.Fprintln(ready, address); err != nil {
		return fmt.Errorf("--ready-fd %d: want an open file descriptor to write the address to: %w", o.readyFD, err)
	}
	return ready.Close()
}
