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

	// Variant makes a game from an id and rules that differ from the id's own, as a JSON
	// object. Nil: the server refuses requests that bring rules.
	Variant func(id string, rules json.RawMessage) (env.Game, error)

	// Agent makes an agent of a game from a name that is not one of the game's own, such
	// as that of a program; limit is its time for a move, 0 for the usual one. ok reports
	// whether such a name is known here. Nil: only the game's own names are.
	Agent func(game env.Game, name string, limit time.Duration) (a env.Agent, ok bool, err error)

	// AllowAgents names the agents with the option omniscient that clients may seat, "*"
	// for all: such an agent sees more than its seat.
	AllowAgents []string

	// Protocols are other ways to play at the server's addresses, such as package openenv's.
	Protocols []Protocol

	// Version is the server's version, which the hello has. Empty: "dev".
	Version string

	// Token, unless empty, is what every client must send as
	// "Authorization: Bearer TOKEN".
	Token string

	// Hosts are the names, besides localhost and IP addresses, by which
	// clients may call the server, without a port. It keeps web pages that
	// rebind their name to this machine away.
	Hosts []string

	// ListKey is the key to the list of all environments; what is in them stays closed.
	// Empty: nobody gets the list.
	ListKey string

	MaxConnections int // 0: 64
	MaxPerAddress  int // connections from one address of another machine. 0: 16
	MaxGames       int // games of one environment, and states of one simulate. 0: 65,536
	MaxTotalGames  int // games of the whole server, including those of simulate. 0: 131,072
	MaxWorkers     int // goroutines of one environment. 0: 64, or Cores if that is more

	// Cores is how many workers compute at a time. 0: GOMAXPROCS. A program that wants
	// short requests served at once beside long ones sets GOMAXPROCS higher (serve does).
	Cores int

	// MaxMemoryBytes is how much games, batches, simulators and saved states of all
	// connections may take together; one connection may take half of it. Memory is counted
	// before it is allocated. 0: half of what is available, which is the least of the
	// machine's memory, the control group's limit and what RLIMIT_AS leaves.
	MaxMemoryBytes int64

	// MaxAgentTicks limits what one decision of an agent on the server may simulate: its
	// options ticks, samples and iterations, one of which counts as 100 ticks. MaxAgentTime
	// limits its option ms. MaxAgentMemory, in bytes, limits its option memory, which each search under way
	// takes. 0: 1,000,000; 10 s; 1 GiB.
	MaxAgentTicks  int
	MaxAgentTime   time.Duration
	MaxAgentMemory int64

	// IdleTimeout ends a connection without requests, unless one is being answered.
	// Learners pause for minutes between steps, also with replies to read: each waits a sixth
	// of this time for its reader, or 5 minutes if that is more. 0: 30 minutes.
	IdleTimeout time.Duration

	// Log gets connections, refusals and faults. Nil: the server logs nothing.
	Log *slog.Logger

	// The fields below have their defaults in every program. Tests set lower values.

	maxEnvs         int // environments of one connection
	maxShared       int // environments of the whole server that share memory: each takes a thread while it waits
	maxInFlight     int // requests of one connection read ahead
	maxMessageBytes int // the longest request
	maxBatchBytes   int // the longest reply

	helloTimeout    time.Duration // the time from connection to hello
	messageTimeout  time.Duration // the time from a message's first byte to its last
	writeTimeout    time.Duration // the time to send a reply or a ping
	pingInterval    time.Duration // between pings, so that the connection stays open and a vanished peer is noticed
	shutdownTimeout time.Duration // the time for replies in progress, after which connections are cut

	newKey func() string // makes the key of an environment
}

// wrong makes the error of a field of Config. says is the rest of a sentence that begins with the field.
func wrong(field, says string, args ...any) error {
	return fmt.Errorf("bridge: Config.%w", &vec.OptionError{Field: field, Says: fmt.Errorf(says, args...)})
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
		limit("MaxMemoryBytes", &c.MaxMemoryBytes, max(memory.Available()/2, 1<<20), 1<<20, math.MaxInt),
		limit("MaxAgentTicks", &c.MaxAgentTicks, 1_000_000, 1, 1e9),
		limit("MaxAgentTime", &c.MaxAgentTime, 10*time.Second, 1, long),
		limit("MaxAgentMemory", &c.MaxAgentMemory, 1<<30, 1<<20, math.MaxInt64),
		limit("IdleTimeout", &c.IdleTimeout, 30*time.Minute, 1, long),
	)
	c.maxEnvs, c.maxShared, c.maxInFlight = cmp.Or(c.maxEnvs, 64), cmp.Or(c.maxShared, 256), cmp.Or(c.maxInFlight, 8)
	c.maxMessageBytes, c.maxBatchBytes = cmp.Or(c.maxMessageBytes, 16<<20), cmp.Or(c.maxBatchBytes, 1<<30)
	c.helloTimeout, c.messageTimeout = cmp.Or(c.helloTimeout, 10*time.Second), cmp.Or(c.messageTimeout, time.Minute)
	c.writeTimeout = cmp.Or(c.writeTimeout, max(5*time.Minute, c.IdleTimeout/6))
	c.pingInterval = cmp.Or(c.pingInterval, 30*time.Second)
	c.shutdownTimeout = cmp.Or(c.shutdownTimeout, 3*time.Second)
	if c.newKey == nil {
		c.newKey = rand.Text // 128 bits or more
	}
	c.Version, c.Log = cmp.Or(c.Version, "dev"), cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return errors.Join(err, c.checkNames())
}

// limit checks a limit, after it has set one that is 0 to its default.
func limit[N int | int64 | time.Duration](name string, value *N, usual, least, most N) error {
	*value = cmp.Or(*value, usual)
	if *value < least || *value > most {
		return wrong(name, " is %v, want %v to %v, or 0 for the default", *value, least, most)
	}
	return nil
}

func (c *Config) checkNames() error {
	for _, host := range c.Hosts {
		if _, _, err := net.SplitHostPort(host); err == nil || host == "" || strings.Contains(host, "/") {
			return wrong("Hosts", " is %q, want a bare host name or address without scheme and port", host)
		}
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return wrong("Token", " has white space or other than printable ASCII, which cannot be sent in a header")
	}
	return nil
}
