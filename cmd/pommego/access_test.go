package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const longToken = "9f86d081884c7d659a2feaa0c55ad015"

// TestAccess asks for servers that other machines reach.
func TestAccess(t *testing.T) {
	files := []string{"--tls-cert", "cert.pem", "--tls-key", "key.pem"}
	for _, test := range []struct {
		reason, listen, token string
		args                  []string
		says                  string // empty: it may listen
	}{
		{"this machine", "127.0.0.1:0", "", nil, ""},
		{"this machine by IPv6", "[::1]:0", "short", nil, ""},
		{"a socket", "unix:/nowhere/socket", "", nil, ""},
		{"a socket that all users could open", "unix:@name", "", nil, "every user could open"},
		{"a socket with such a name", "unix:./@name", "", nil, ""},
		{"without a token", "0.0.0.0:0", "", files, "needs a token"},
		{"with a short one", "0.0.0.0:0", "secret", files, "32 random characters"},
		{"with 31 digits", "0.0.0.0:0", longToken[1:], files, "32 random characters"},
		{"with one that nobody drew", "0.0.0.0:0", strings.Repeat("ab", 32), files, "32 random characters"},
		{"without TLS", "0.0.0.0:0", longToken, nil, "--allow-plaintext"},
		{"all interfaces without TLS", ":0", longToken, nil, "--allow-plaintext"},
		{"by name without TLS", "example.org:80", longToken, nil, "--allow-plaintext"},
		{"in plain text on purpose", "0.0.0.0:0", longToken, []string{"--allow-plaintext"}, ""},
		{"with TLS", "0.0.0.0:0", longToken, files, ""},
		{"with half of TLS", "127.0.0.1:0", "", files[:2], "give both or neither"},
		{"with the other half", "127.0.0.1:0", "", files[2:], "give both or neither"},
		{"clients' certificates without TLS", "127.0.0.1:0", "", []string{"--tls-client-ca", "ca.pem"}, "needs --tls-cert"},
		{"a socket with TLS", "unix:/nowhere/socket", "", files, "not sent over any network"},
	} {
		var p access
		cmd := newServe()
		cmd.ResetFlags()
		p.flags(cmd.Flags())
		if err := cmd.ParseFlags(test.args); err != nil {
			t.Fatal(err)
		}
		err := p.check(test.listen, test.token)
		if (err == nil) != (test.says == "") || err != nil &&
			(!strings.Contains(err.Error(), test.says) || !errors.As(err, new(usageError))) {
			t.Errorf("%s: %v, want an error of usage with %q", test.reason, err, test.says)
		}
	}
}

func TestHardToGuess(t *testing.T) {
	for token, want := range map[string]bool{
		"": false, longToken: true, longToken[1:]: false, strings.Repeat("abcdefg", 10): false,
		"correct horse battery staple": false, "abcdefghABCDEFGH-_012xyzuvw45678": true,
	} {
		if got := hardToGuess(token); got != want {
			t.Errorf("%q is hard to guess: %v, want %v", token, got, want)
		}
	}
}

// authority signs certificates.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	pem  []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, cert := newCertificate(t, nil, 1)
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{key, parsed, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})}
}

func newCertificate(t *testing.T, by *authority, serial int64) (*ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"},
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1")},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IsCA:        by == nil, BasicConstraintsValid: true,
	}
	parent, signer := about, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, about, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return key, der
}

// write makes a certificate and its key in files.
func (a *authority) write(t *testing.T, serial int64, cert, key string) {
	t.Helper()
	private, der := newCertificate(t, a, serial)
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	replaceFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}))
	replaceFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func replaceFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Duration(len(text)) * time.Second) // clocks of file systems can be coarse
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
}

// echo serves what a listener accepts.
func echo(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(c, c)
			c.Close()
		}()
	}
}

// TestCertificates replaces the files of a server that goes on.
func TestCertificates(t *testing.T) {
	folder, ca := t.TempDir(), newAuthority(t)
	in := func(name string) string { return filepath.Join(folder, name) }
	files := &certificates{cert: in("cert.pem"), key: in("key.pem")}
	if _, err := files.listen("127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "--tls-cert") {
		t.Errorf("without files: %v, want an error that names the option", err)
	}
	ca.write(t, 7, files.cert, files.key)
	ln, err := files.listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go echo(ln)
	client := &tls.Config{RootCAs: x509.NewCertPool()}
	client.RootCAs.AddCert(ca.cert)
	// serial is that of the certificate a new connection sees, or why there is none.
	serial := func(cfg *tls.Config) string {
		c, err := tls.Dial("tcp", ln.Addr().String(), cfg)
		if err != nil {
			return err.Error()
		}
		defer c.Close()
		if _, err = c.Write([]byte("x")); err == nil {
			_, err = c.Read(make([]byte, 1)) // with TLS 1.3 a client is refused only now
		}
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(c.ConnectionState().PeerCertificates[0].SerialNumber)
	}
	want := func(step string, cfg *tls.Config, says string) {
		t.Helper()
		if got := serial(cfg); !strings.Contains(got, says) {
			t.Errorf("%s: %s, want %s", step, got, says)
		}
	}
	want("the first", client, "7")
	old := client.Clone()
	old.MaxVersion = tls.VersionTLS12
	want("TLS 1.2", old, "protocol version")
	const second int64 = 1 << 40
	ca.write(t, second, files.cert, files.key)
	want("the second", client, fmt.Sprint(second))
	replaceFile(t, files.cert, []byte("half of a certificate"))
	want("a file that is wrong", client, fmt.Sprint(second))
	ca.write(t, 99, files.cert, files.key)
	want("the third", client, "99")

	files.mu.Lock()
	files.clientCA = in("ca.pem")
	files.mu.Unlock()
	replaceFile(t, in("ca.pem"), ca.pem)
	want("a client without a certificate", client, "certificate required")
	stranger, der := newCertificate(t, newAuthority(t), 5)
	known := client.Clone()
	known.Certificates = []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: stranger}}
	// "required" or "unknown": the client may not even send it
	want("a client that another authority knows", known, "certificate")
	friend, der := newCertificate(t, ca, 6)
	known.Certificates = []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: friend}}
	want("a client with a certificate", known, "99")
}

// TestSecretsThatOthersCanRead warns of a token file and a key that every user may read.
func TestSecretsThatOthersCanRead(t *testing.T) {
	token, key := filepath.Join(t.TempDir(), "token"), filepath.Join(t.TempDir(), "key.pem")
	for _, tc := range []struct {
		token, key os.FileMode
		warned     []string
	}{{0o600, 0o640, nil}, {0o604, 0o600, []string{token}}, {0o644, 0o666, []string{token, key}}} {
		for path, mode := range map[string]os.FileMode{token: tc.token, key: tc.key} {
			if err := errors.Join(os.WriteFile(path, []byte(longToken), 0o600), os.Chmod(path, mode)); err != nil {
				t.Fatal(err)
			}
		}
		var log strings.Builder
		p := access{tokenFile: token, tls: certificates{key: key}}
		p.warn(slog.New(slog.NewTextHandler(&log, nil)))
		for _, path := range []string{token, key} {
			if got := strings.Contains(log.String(), path); got != slices.Contains(tc.warned, path) {
				t.Errorf("%o and %o: %s, want a warning of %v", tc.token, tc.key, log.String(), tc.warned)
			}
		}
	}
	r := pommego(t, "serve", "--listen", "127.0.0.1:0", "--token-file", token, "--exit-on-stdin-close")
	if r.code != 0 || !strings.Contains(r.errors, "level=WARN") || !strings.Contains(r.errors, token) ||
		strings.Contains(r.errors, longToken) {
		t.Errorf("exit code %d, %q; want a warning of %s", r.code, r.errors, token)
	}
}

// TestTokenFromInputIsNoFile does not warn of a file whose name means standard input.
func TestTokenFromInputIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("-", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	p := access{tokenFile: "-"}
	if p.warn(slog.New(slog.NewTextHandler(&log, nil))); log.Len() > 0 {
		t.Errorf("--token-file - warns: %s", &log)
	}
}

// TestListenTCP listens by IPv4 alone where the address is one, and names the flag of an address in use.
func TestListenTCP(t *testing.T) {
	ln, err := listenTCP("--listen", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if at := ln.Addr().String(); !strings.HasPrefix(at, "0.0.0.0:") {
		t.Errorf("--listen 0.0.0.0:0 listens on %s", at)
	}
	other, err := listenTCP("--metrics-address", ln.Addr().String())
	if err == nil || other != nil || !strings.HasPrefix(err.Error(), "--metrics-address: listen tcp") {
		t.Errorf("an address in use: %v, %v", other, err)
	}
}

// TestServeTLS prints an address with TLS, and does not answer without.
func TestServeTLS(t *testing.T) {
	folder, ca := t.TempDir(), newAuthority(t)
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	ca.write(t, 7, cert, key)
	s := serve(t, "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
	host, ok := strings.CutPrefix(s.address, "wss://")
	if !ok {
		t.Fatalf("the server prints %q, want wss://", s.address)
	}
	client := &tls.Config{RootCAs: x509.NewCertPool()}
	client.RootCAs.AddCert(ca.cert)
	c, err := tls.Dial("tcp", host, client)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", host)
	if answer, _ := io.ReadAll(c); !strings.Contains(string(answer), "pommego server") {
		t.Errorf("with TLS it answers %q", answer)
	}
	r := pommego(t, "serve", "--listen", "0.0.0.0:0", "--tls-cert", cert, "--tls-key", key)
	if r.code != exitUsage || !strings.Contains(r.errors, "token") {
		t.Errorf("TLS without a token exits with %d and %q, want %d and a word about tokens", r.code, r.errors, exitUsage)
	}
}

// TestServeTokenFromInput hands the token over in the pipe whose end ends the server.
func TestServeTokenFromInput(t *testing.T) {
	for token, works := range map[string]bool{longToken: true, longToken + "\n": true, " \n": false, "": false} {
		cmd := exec.Command(program(), "serve", "--listen", "127.0.0.1:0", "--token-file", "-", "--exit-on-stdin-close")
		cmd.Stdin = strings.NewReader(token)
		out, err := cmd.CombinedOutput()
		if (err == nil) != works || !works && !strings.Contains(string(out), "--token-file - is empty") {
			t.Errorf("token %q: %v, %q", token, err, out)
		}
	}
}

// TestServeUnixFolder makes a folder for the socket, and both are for this user alone.
func TestServeUnixFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "own")
	path := filepath.Join(folder, "socket")
	s := serve(t, "--listen", "unix:"+path, "--exit-on-stdin-close")
	for name, want := range map[string]os.FileMode{folder: 0o700, path: 0o600} {
		if about, err := os.Stat(name); err != nil || about.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %v", name, about, err, want)
		}
	}
	s.stdin.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}
