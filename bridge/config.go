package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"time"

	"pommego/env"
	"pommego/internal/memory"
	"pommego/vec"
)

// Config says what a server serves, to whom, and how much of it. The zero
// value of every field but IDs and Game is usable.
type Config struct {
	// IDs lists the catalog and Game finds one of its games. Both are
	// required, and must be safe for concurrent use.
	IDs  func() []string
	Game func(id string) (env.Game, error)

	// Variant makes a game from an id and rules that differ from its own, as
	// a JSON object. Nil: requests with rules of their own are refused.
	Variant func(id string, rules json.RawMessage) (env.Game, error)

	// Agent makes an agent of a game from a name that is not one of the game's own, such
	// as a program's, with its limit for a move (0: the usual one); ok reports whether
	// there may be an agent of that name. Nil: no names but the game's own are known.
	Agent func(game env.Game, name string, limit time.Duration) (a env.Agent, ok bool, err error)

	// Version is the server's own, for the hello. Empty: "dev".
	Version string

	// Token, unless empty, is what every client must send as
	// "Authorization: Bearer TOKEN".
	Token string

	// Hosts are the names, besides 127.0.0.1, localhost and [::1], by which
	// clients may call the server, without a port. It keeps web pages that
	// rebind their name to this machine away.
	Hosts []string

	// Origins are the web pages that may connect, as browsers send them:
	// "https://example.org". None: no browser may.
	Origins []string

	// Metrics has the server answer /metrics on its own address, to those who have the
	// token. Server.Operations is for another address.
	Metrics bool

	MaxConnections  int // 0: 64
	MaxPerAddress   int // connections from one address that is not this machine's. 0: 16
	MaxEnvs         int // environments of one connection. 0: 64
	MaxGames        int // games of one environment, and states of one simulate. 0: 65,536
	MaxTotalGames   int // games of the whole server, those of simulate included. 0: 131,072
	MaxInFlight     int // requests of one connection read ahead. 0: 8
	MaxMessageBytes int // a request. 0: 16 MiB
	MaxBatchBytes   int // a reply. 0: 1 GiB
	MaxWorkers      int // goroutines of one environment. 0: 64, or Cores if that is more

	// Cores is how many workers compute at a time. 0: GOMAXPROCS, which a program that wants
	// short requests served at once beside long ones sets higher (serve does).
	Cores int

	// MaxMemoryBytes is what games, batches, simulators and saved states of all
	// connections may take together, and one connection half of it. It is counted
	// before memory is allocated. 0: half of what there is, the least of the machine's
	// memory, the control group's limit and what RLIMIT_AS leaves.
	MaxMemoryBytes int64

	// MaxAgentTicks is what one decision of an agent on the server may simulate: the
	// most that its options ticks, iterations and samples may be. MaxAgentTime is the
	// same for ms, and MaxAgentMemory, in bytes, for memory, which each search at work
	// has of its own. 0: 1,000,000; 10 s; 1 GiB.
	MaxAgentTicks  int
	MaxAgentTime   time.Duration
	MaxAgentMemory int64

	// HelloTimeout bounds the time from connection to hello. 0: 10 s.
	HelloTimeout time.Duration

	// MessageTimeout bounds the time a message may take to arrive once it has
	// begun, however steadily its bytes come. 0: 60 s.
	MessageTimeout time.Duration

	// IdleTimeout ends a connection on which there has been no request for so
	// long, and none is being worked on. Learners pause for minutes between
	// steps. 0: 30 minutes.
	IdleTimeout time.Duration

	// WriteTimeout bounds the time a reply may wait for its reader. A learner
	// with several steps in flight pauses here too. 0: 5 minutes.
	WriteTimeout time.Duration

	// PingInterval is how often an open connection is pinged, so that what
	// lies between keeps it open and a vanished peer is noticed. An answer is
	// not demanded. 0: 30 s.
	PingInterval time.Duration

	// ShutdownTimeout is how long shutting down waits for the replies in
	// progress before it cuts the connections. 0: 3 s.
	ShutdownTimeout time.Duration

	// Log receives connections, refusals and faults. Nil: nothing is logged.
	Log *slog.Logger
}

// The bounds that no configuration can exceed.
const (
	minMessageBytes = 4 << 10
	maxMessageBytes = 1 << 30
	maxBatchBytes   = 1<<31 - 1
	minMemoryBytes  = 1 << 20
)

// Validate says what is wrong with a configuration.
func (c Config) Validate() error {
	if c.IDs == nil || c.Game == nil {
		return errors.New("bridge: Config needs IDs and Game, such as those of package catalog")
	}
	for _, n := range []struct {
		name         string
		value        int
		atLeast, top int
	}{
		{"MaxConnections", c.MaxConnections, 1, 1 << 20},
		{"MaxPerAddress", c.MaxPerAddress, 1, 1 << 20},
		{"MaxEnvs", c.MaxEnvs, 1, 1 << 20},
		{"MaxGames", c.MaxGames, 1, vec.MaxGames},
		{"MaxTotalGames", c.MaxTotalGames, 1, 1 << 28},
		{"MaxInFlight", c.MaxInFlight, 1, 1 << 10},
		{"MaxMessageBytes", c.MaxMessageBytes, minMessageBytes, maxMessageBytes},
		{"MaxBatchBytes", c.MaxBatchBytes, minMessageBytes, maxBatchBytes},
		{"MaxWorkers", c.MaxWorkers, 1, 1 << 10},
		{"MaxAgentTicks", c.MaxAgentTicks, 1, 1e9},
		{"Cores", c.Cores, 1, 1 << 16},
	} {
		if n.value != 0 && (n.value < n.atLeast || n.value > n.top) {
			return fmt.Errorf("bridge: Config.%s is %d, want %d to %d, or 0 for the default", n.name, n.value, n.atLeast, n.top)
		}
	}
	if c.MaxAgentMemory != 0 && c.MaxAgentMemory < minMemoryBytes {
		return fmt.Errorf("bridge: Config.MaxAgentMemory is %d, want at least %d, or 0 for the default", c.MaxAgentMemory, minMemoryBytes)
	}
	if c.MaxMemoryBytes != 0 && c.MaxMemoryBytes < minMemoryBytes {
		return fmt.Errorf("bridge: Config.MaxMemoryBytes is %d, want at least %d, or 0 for the default", c.MaxMemoryBytes, minMemoryBytes)
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"HelloTimeout", c.HelloTimeout}, {"MessageTimeout", c.MessageTimeout}, {"IdleTimeout", c.IdleTimeout},
		{"MaxAgentTime", c.MaxAgentTime}, {"WriteTimeout", c.WriteTimeout}, {"PingInterval", c.PingInterval}, {"ShutdownTimeout", c.ShutdownTimeout},
	} {
		if d.value < 0 {
			return fmt.Errorf("bridge: Config.%s is %v, want more than 0, or 0 for the default", d.name, d.value)
		}
	}
	return c.validateNames()
}

func (c Config) validateNames() error {
	for _, host := range c.Hosts {
		if _, _, err := net.SplitHostPort(host); err == nil || host == "" || strings.Contains(host, "/") {
			return fmt.Errorf("bridge: Config.Hosts has %q, want a bare host name or address without scheme and port", host)
		}
	}
	for _, origin := range c.Origins {
		if !strings.Contains(origin, "://") || strings.HasSuffix(origin, "/") {
			return fmt.Errorf("bridge: Config.Origins has %q, want it as a browser sends it, such as https://example.org", origin)
		}
	}
	if strings.ContainsAny(c.Token, " \t\r\n") {
		return errors.New("bridge: Config.Token contains white space, which cannot be sent in a header")
	}
	return nil
}

// withDefaults replaces the zeros.
func (c Config) withDefaults() Config {
	orInt := func(v *int, n int) {
		if *v == 0 {
			*v = n
		}
	}
	orTime := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	orInt(&c.MaxConnections, 64)
	orInt(&c.MaxPerAddress, 16)
	orInt(&c.MaxEnvs, 64)
	orInt(&c.MaxGames, 65536)
	orInt(&c.MaxTotalGames, 131072)
	orInt(&c.MaxInFlight, 8)
	orInt(&c.MaxMessageBytes, 16<<20)
	orInt(&c.MaxBatchBytes, 1<<30)
	orInt(&c.Cores, runtime.GOMAXPROCS(0))
	orInt(&c.MaxWorkers, max(64, c.Cores))
	if c.MaxMemoryBytes == 0 {
		c.MaxMemoryBytes = max(memory.Available()/2, minMemoryBytes)
	}
	orInt(&c.MaxAgentTicks, 1_000_000)
	orTime(&c.MaxAgentTime, 10*time.Second)
	if c.MaxAgentMemory == 0 {
		c.MaxAgentMemory = 1 << 30
	}
	orTime(&c.HelloTimeout, 10*time.Second)
	orTime(&c.MessageTimeout, time.Minute)
	orTime(&c.IdleTimeout, 30*time.Minute)
	orTime(&c.WriteTimeout, 5*time.Minute)
	orTime(&c.PingInterval, 30*time.Second)
	orTime(&c.ShutdownTimeout, 3*time.Second)
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
