package bridge

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
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

	// AllowAgents are the names of agents with the option omniscient that clients may seat, "*"
	// for all: such an agent sees more than its seat.
	AllowAgents []string

	// Protocols are other ways to play at the server's addresses, such as package openenv's.
	Protocols []Protocol

	// Version is the server's own, for the hello. Empty: "dev".
	Version string

	// Token, unless empty, is what every client must send as
	// "Authorization: Bearer TOKEN".
	Token string

	// Hosts are the names, besides 127.0.0.1, localhost and [::1], by which
	// clients may call the server, without a port. It keeps web pages that
	// rebind their name to this machine away.
	Hosts []string

	// ListKey opens the list of all environments, without what is in them, to those who have
	// it. Empty: nobody gets one.
	ListKey string

	MaxConnections int // 0: 64
	MaxPerAddress  int // connections from one address of another machine. 0: 16
	MaxGames       int // games of one environment, and states of one simulate. 0: 65,536
	MaxTotalGames  int // games of the whole server, those of simulate included. 0: 131,072
	MaxWorkers     int // goroutines of one environment. 0: 64, or Cores if that is more

	// Cores is how many workers compute at a time. 0: GOMAXPROCS. A program that wants
	// short requests served at once beside long ones sets GOMAXPROCS higher (serve does).
	Cores int

	// MaxMemoryBytes is what games, batches, simulators and saved states of all
	// connections may take together, and one connection half of it. It is counted
	// before memory is allocated. 0: half of what is available, the least of the machine's
	// memory, the control group's limit and what RLIMIT_AS leaves.
	MaxMemoryBytes int64

	// MaxAgentTicks limits what one decision of an agent on the server may simulate: its
	// options ticks, iterations and samples. MaxAgentTime limits its option ms, and
	// MaxAgentMemory, in bytes, its option memory, which each search at work has of its
	// own. 0: 1,000,000; 10 s; 1 GiB.
	MaxAgentTicks  int
	MaxAgentTime   time.Duration
	MaxAgentMemory int64

	// IdleTimeout ends a connection without requests, unless one is being answered.
	// Learners pause for minutes between steps. 0: 30 minutes.
	IdleTimeout time.Duration

	// Log receives connections, refusals and faults. Nil: nothing is logged.
	Log *slog.Logger

	// What follows has its default in every program. Tests set less.

	maxEnvs         int // environments of one connection
	maxInFlight     int // requests of one connection read ahead
	maxMessageBytes int // a request
	maxBatchBytes   int // a reply

	helloTimeout    time.Duration // from connection to hello
	messageTimeout  time.Duration // from a message's first byte to its last
	writeTimeout    time.Duration // of a reply; a learner with steps in flight pauses here too
	pingInterval    time.Duration // between pings, so that the connection stays open and a vanished peer is noticed
	shutdownTimeout time.Duration // for the replies in progress; then connections are cut

	newKey func() string // the key of an environment
}

// maxMessageBytes is the most that any server accepts.
const maxMessageBytes = 1 << 30

// complete checks a configuration and fills in its defaults.
func (c *Config) complete() error {
	if c.IDs == nil || c.Game == nil {
		return errors.New("bridge: Config needs IDs and Game, such as those of package catalog")
	}
	const long = time.Duration(math.MaxInt64)
	err := errors.Join(
		limit("MaxConnections", &c.MaxConnections, 64, 1, 1<<20),
		limit("MaxPerAddress", &c.MaxPerAddress, 16, 1, 1<<20),
		limit("MaxGames", &c.MaxGames, 65536, 1, vec.MaxGames),
		limit("MaxTotalGames", &c.MaxTotalGames, 131072, 1, 1<<28),
		limit("Cores", &c.Cores, runtime.GOMAXPROCS(0), 1, 1<<16),
		limit("MaxWorkers", &c.MaxWorkers, max(64, c.Cores), 1, 1<<10),
		limit("MaxMemoryBytes", &c.MaxMemoryBytes, max(memory.Available()/2, 1<<20), 1<<20, math.MaxInt64),
		limit("MaxAgentTicks", &c.MaxAgentTicks, 1_000_000, 1, 1e9),
		limit("MaxAgentTime", &c.MaxAgentTime, 10*time.Second, 1, long),
		limit("MaxAgentMemory", &c.MaxAgentMemory, 1<<30, 1<<20, math.MaxInt64),
		limit("IdleTimeout", &c.IdleTimeout, 30*time.Minute, 1, long),
	)
	c.maxEnvs, c.maxInFlight = cmp.Or(c.maxEnvs, 64), cmp.Or(c.maxInFlight, 8)
	c.maxMessageBytes, c.maxBatchBytes = cmp.Or(c.maxMessageBytes, 16<<20), cmp.Or(c.maxBatchBytes, 1<<30)
	c.helloTimeout, c.messageTimeout = cmp.Or(c.helloTimeout, 10*time.Second), cmp.Or(c.messageTimeout, time.Minute)
	c.writeTimeout, c.pingInterval = cmp.Or(c.writeTimeout, 5*time.Minute), cmp.Or(c.pingInterval, 30*time.Second)
	c.shutdownTimeout = cmp.Or(c.shutdownTimeout, 3*time.Second)
	if c.newKey == nil {
		c.newKey = rand.Text // 128 bits or more
	}
	c.Version, c.Log = cmp.Or(c.Version, "dev"), cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return errors.Join(err, c.checkNames())
}

// limit gives a limit its default if it is 0, and checks it.
func limit[N int | int64 | time.Duration](name string, value *N, usual, least, most N) error {
	*value = cmp.Or(*value, usual)
	if *value < least || *value > most {
		return fmt.Errorf("bridge: Config.%s is %v, want %v to %v, or 0 for the default", name, *value, least, most)
	}
	return nil
}

func (c *Config) checkNames() error {
	for _, host := range c.Hosts {
		if _, _, err := net.SplitHostPort(host); err == nil || host == "" || strings.Contains(host, "/") {
			return fmt.Errorf("bridge: Config.Hosts has %q, want a bare host name or address without scheme and port", host)
		}
	}
	if strings.ContainsAny(c.Token, " \t\r\n") {
		return errors.New("bridge: Config.Token contains white space, which cannot be sent in a header")
	}
	return nil
}
