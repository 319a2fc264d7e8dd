package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
)

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
	ln, err := net.Listen("tcp", address)
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
