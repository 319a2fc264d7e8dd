package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"pommego/arena/web"
)

// access says who may connect to a server, and how: its token, its certificates, and whether
// other machines may connect without TLS.
type access struct {
	tokenFile string
	tls       certificates
	plaintext bool
}

// The least length of a token, and the least number of different characters in it, if other machines can
// connect: those of 128 random bits in hexadecimal digits.
const safeLength, safeVariety = 32, 8

func (p *access) flags(f *pflag.FlagSet) {
	f.StringVar(&p.tokenFile, "token-file", "", "a file that holds the token; -: the first line of standard input does")
	f.StringVar(&p.tls.cert, "tls-cert", "",
		"serve wss:// with the certificate in this PEM file, with those it depends on after it; read again when it "+
			"changes, as are all of these files")
	f.StringVar(&p.tls.key, "tls-key", "", "the PEM file with its private key")
	f.StringVar(&p.tls.clientCA, "tls-client-ca", "",
		"a PEM file of authorities: clients then need a certificate from one of them, too")
	f.BoolVar(&p.plaintext, "allow-plaintext", false,
		"let other machines connect without TLS: whoever is on the way can read the token and all else, and play in your "+
			"name. Only for networks that you trust, or behind a proxy with TLS")
}

// serverToken is the token that clients of a server must send: the one in a file, or else the one in the environment;
// "" if there is none.
func serverToken(file string) (string, error) {
	token := os.Getenv(tokenVariable)
	os.Unsetenv(tokenVariable)
	if file == "" {
		return token, nil
	}
	read := os.ReadFile
	if file == "-" {
		read = func(string) ([]byte, error) { return bufio.NewReader(os.Stdin).ReadBytes('\n') }
	}
	text, err := read(file)
	if err != nil && err != io.EOF {
		return "", usagef("--token-file %s: %v", file, err)
	}
	if token = strings.TrimSpace(string(text)); token == "" {
		return "", usagef("--token-file %s is empty: write a token into it, or leave the option out", file)
	}
	return token, nil
}

// warn logs a warning for each secret file that every user of this machine may read. Access lists, such
// as systemd's for one user, appear as rights of the file's group.
func (p *access) warn(log *slog.Logger) {
	for _, path := range []string{p.tokenFile, p.tls.key} {
		if about, err := os.Stat(path); path != "-" && err == nil && about.Mode()&0o004 != 0 {
			log.Warn("every user of this machine may read this file, which is a secret: chmod o= FILE", "file", path)
		}
	}
}

// check returns an error if other machines could connect without a token that is hard to guess, or
// if the token would be sent without encryption.
func (p *access) check(listen, token string) error {
	isTLS := p.tls.cert != ""
	isUnix := strings.HasPrefix(listen, "unix:")
	_, _, wrong := net.SplitHostPort(listen)
	switch {
	case listen == "unix:" || !isUnix && wrong != nil:
		return usagef("--listen is %q, want host:port or unix:PATH", listen)
	case strings.HasPrefix(listen, "unix:@"):
		return usagef("--listen %s: every user could open an abstract socket, want a path such as unix:./@x", listen)
	case isTLS != (p.tls.key != ""):
		return usagef("--tls-cert and --tls-key go together: give both or neither")
	case p.tls.clientCA != "" && !isTLS:
		return usagef("--tls-client-ca needs --tls-cert and --tls-key")
	case isTLS && isUnix:
		return usagef("--tls-cert is for --listen HOST:PORT; a Unix socket is not sent over any network")
	case isUnix || web.Local(listen):
		return nil
	case token == "":
		return usagef("--listen %s reaches other machines, which needs a token: set %s or --token-file", listen,
			tokenVariable)
	case !hardToGuess(token):
		return usagef("--listen %s reaches other machines, and the token is too easy to guess for that: want %d random "+
			"characters or more, such as `openssl rand -hex 32` prints", listen, safeLength)
	case !isTLS && !p.plaintext:
		return usagef("--listen %s reaches other machines: give --tls-cert and --tls-key, or --allow-plaintext if "+
			"everybody on the way may read the token and all else", listen)
	}
	return nil
}

// hardToGuess reports whether a token can have 128 random bits.
func hardToGuess(token string) bool {
	different := slices.Compact(slices.Sorted(slices.Values([]rune(token))))
	return len(token) >= safeLength && len(different) >= safeVariety
}

func (p *access) listen(address string) (net.Listener, error) {
	if path, isUnix := strings.CutPrefix(address, "unix:"); isUnix {
		return listenUnix(path)
	}
	if p.tls.cert == "" {
		return listenTCP("--listen", address)
	}
	return p.tls.listen(address)
}

// listenTCP listens at a flag's address; at one of IPv4 not by IPv6, too.
func listenTCP(flag, address string) (net.Listener, error) {
	network := "tcp"
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().Is4() {
		network = "tcp4"
	}
	ln, err := net.Listen(network, address)
	if err != nil {
		err = fmt.Errorf("%s: %w", flag, err)
	}
	return ln, err
}

// listenUnix opens a socket that only this user can open. It makes the folder if it is missing, also
// for this user alone, and removes it with the socket.
func listenUnix(path string) (net.Listener, error) {
	folder := filepath.Dir(path)
	made := os.Mkdir(folder, 0o700) == nil
	// If no server answers, the socket file is left from a server that was killed.
	if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
		conn.Close()
		return nil, fmt.Errorf("--listen unix:%s: a server is listening there already", path)
	} else if errors.Is(err, syscall.ECONNREFUSED) {
		if about, err := os.Lstat(path); err == nil && about.Mode()&os.ModeSocket == 0 {
			return nil, fmt.Errorf("--listen unix:%s: that is no socket, and is kept: name a path that does not exist", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("--listen unix:%s: want a path of some 100 bytes at most, in a folder that you may write to: "+
			"%w", path, err)
	}
	ln.SetUnlinkOnClose(false) // Close does it
	err = os.Chmod(path, 0o600)
	about, missing := os.Lstat(path)
	own := ownSocket{ln, path, about, made}
	if err = errors.Join(err, missing); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	return own, nil
}

// ownSocket is a listener that removes its socket at the end, but not that of another server which took its path.
type ownSocket struct {
	net.Listener
	path  string
	about os.FileInfo
	made  bool // the folder, too, was made for it
}

func (l ownSocket) Close() error {
	if now, err := os.Lstat(l.path); err == nil && os.SameFile(now, l.about) {
		_ = os.Remove(l.path) // before it is closed, while no other server takes it for one that was left
	}
	if l.made {
		_ = os.Remove(filepath.Dir(l.path)) // fails if the folder is not empty, because others use it
	}
	return l.Listener.Close()
}

// certificates are the files of a server's TLS, which it reads again when they change.
type certificates struct {
	cert, key, clientCA string

	mu    sync.Mutex
	stamp string      // the state of the files when they were last read
	last  *tls.Config // the last configuration that was valid
}

func (c *certificates) listen(address string) (net.Listener, error) {
	if err := c.read(c.look()); err != nil {
		return nil, usageError{err}
	}
	ln, err := listenTCP("--listen", address)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(ln, &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: c.current}), nil
}

// current is the configuration for a new connection. Files that are wrong or half replaced change nothing.
func (c *certificates) current(*tls.ClientHelloInfo) (*tls.Config, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.look(); now != c.stamp {
		if err := c.read(now); err != nil {
			slog.Error("the certificates have changed and cannot be used, the earlier ones stay in use", "error", err)
		} else {
			slog.Info("the certificates have changed and are in use")
		}
	}
	return c.last, nil
}

func (c *certificates) look() (stamp string) {
	for _, path := range []string{c.cert, c.key, c.clientCA} {
		if about, err := os.Stat(path); err == nil {
			stamp += fmt.Sprint(about.ModTime().UnixNano(), " ", about.Size(), " ")
		}
	}
	return stamp
}

func (c *certificates) read(stamp string) error {
	c.stamp = stamp
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", c.cert, c.key, err)
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"},
		Certificates: []tls.Certificate{pair}}
	if c.clientCA != "" {
		cfg.ClientAuth = tls.RequireAndVerifyClientCert
		if cfg.ClientCAs, err = authorities("--tls-client-ca", c.clientCA); err != nil {
			return err
		}
	}
	c.last = cfg
	return nil
}

func authorities(flag, path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s %s has no certificate in PEM form", flag, path)
	}
	return pool, nil
}

func trust(caFile, clientCert string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS13}
	var err error
	if caFile != "" {
		if cfg.RootCAs, err = authorities("--ca-file", caFile); err != nil {
			return nil, usageError{err}
		}
	}
	if clientCert != "" {
		own, err := tls.LoadX509KeyPair(clientCert, clientCert)
		if err != nil {
			return nil, usagef("--client-cert %s: %w", clientCert, err)
		}
		cfg.Certificates = []tls.Certificate{own}
	}
	return cfg, nil
}
