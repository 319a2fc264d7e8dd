//go:build unix

package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// program is a running program in a process group of its own, with a pipe each
// way. The group is not reaped before it has been killed, so that its number
// cannot have passed to another process.
type program struct {
	cmd     *exec.Cmd
	stderr  tail
	in, out *os.File
	unsent  []byte // rest of a line that the program has not read in time
	buf     []byte // what was read, from at on not looked at yet
	at      int
}

// errNoPrograms would say that this system cannot run programs.
var errNoPrograms error

// The times that a program has to end by itself, once it has closed its input
// or output and once it has been asked to.
const (
	exitWait = 500 * time.Millisecond
	grace    = time.Second
)

// maxTail is how many of the last bytes of a program's standard error an error shows.
const maxTail = 1000

// startProgram runs a command by the shell, with arguments. Each of its processes gets so many bytes of
// data from the system at most, if that is not 0.
func startProgram(command []string, most int64, stderr io.Writer) (*program, error) {
	limit := ""
	if most > 0 && runtime.GOOS != "linux" {
		return nil, errors.New("the memory of programs can be limited on Linux only: leave out the limit")
	} else if most > 0 {
		limit = fmt.Sprintf("ulimit -d %d || exit; ", (most+1023)/1024)
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", limit + command[0]}, command[1:]...)...)
	p := &program{cmd: cmd, stderr: tail{out: stderr}, in: in, out: out, buf: make([]byte, 0, maxAnswer)}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, &p.stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = grace // for one that has left its group and keeps stderr
	err = cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return p, nil
}

// bound makes sending and receiving fail once ctx ends, until it is released.
func (p *program) bound(ctx context.Context) (release func()) {
	p.deadline(time.Time{})
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		p.deadline(time.Unix(1, 0))
		close(ended)
	})
	return func() {
		if !stop() {
			<-ended
		}
	}
}

func (p *program) deadline(t time.Time) {
	p.in.SetWriteDeadline(t)
	p.out.SetReadDeadline(t)
}

// send writes a line. If the program does not read, a line may be left over in
// part: then the rest goes out before anything else, and lines in between not
// at all.
func (p *program) send(line []byte) error {
	if len(p.unsent) > 0 {
		n, err := p.in.Write(p.unsent)
		p.unsent = p.unsent[n:]
		if err != nil {
			return p.sending(err)
		}
	}
	whole := append(slices.Clone(line), '\n')
	n, err := p.in.Write(whole)
	if n > 0 {
		p.unsent = whole[n:]
	}
	if err != nil {
		return p.sending(err)
	}
	return nil
}

func (p *program) sending(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return errGone
	}
	return err
}

// receive reads a line. It is valid until the next.
func (p *program) receive() ([]byte, error) {
	for looked := p.at; ; {
		if i := bytes.IndexByte(p.buf[looked:], '\n'); i >= 0 {
			line := p.buf[p.at : looked+i]
			p.at = looked + i + 1
			return line, nil
		}
		if p.at > 0 {
			p.buf = p.buf[:copy(p.buf, p.buf[p.at:])]
			p.at = 0
		}
		if len(p.buf) == cap(p.buf) {
			return nil, fmt.Errorf("the program wrote a line of more than %d bytes", maxAnswer)
		}
		looked = len(p.buf)
		n, err := p.out.Read(p.buf[looked:cap(p.buf)])
		p.buf = p.buf[:looked+n]
		if n == 0 && err == io.EOF {
			return nil, errGone
		}
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// end ends a program for the given reason, and adds what it ended with.
func (p *program) end(reason error) error {
	if reason == errGone {
		awaitExit(p.cmd.Process.Pid, exitWait)
	}
	p.kill()
	switch {
	case reason == errGone && len(p.stderr.kept) > 0:
		return fmt.Errorf("%w: %v; the last it wrote to standard error: %s", errGone, p.cmd.ProcessState,
			bytes.ToValidUTF8(bytes.TrimSpace(p.stderr.kept), []byte("?")))
	case reason == errGone:
		return fmt.Errorf("%w: %v", errGone, p.cmd.ProcessState)
	}
	return reason
}

// tail passes on what a program writes to standard error, and keeps the end of it.
type tail struct {
	out  io.Writer
	kept []byte
}

func (t *tail) Write(text []byte) (int, error) {
	t.kept = append(t.kept, text...)
	t.kept = slices.Clone(t.kept[max(0, len(t.kept)-maxTail):])
	t.out.Write(text) // whether it is shown or not, the program goes on
	return len(text), nil
}

// finish asks the program to end and ends it.
func (p *program) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	release := p.bound(ctx)
	p.send([]byte(`{"type": "shutdown"}`))
	p.in.Close()
	var err error
	for err == nil {
		_, err = p.out.Read(p.buf[:cap(p.buf)])
	}
	release()
	if err == io.EOF {
		awaitExit(p.cmd.Process.Pid, exitWait)
	}
	p.kill()
}

// kill ends the whole group and waits for the program.
func (p *program) kill() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.cmd.Wait()
	p.in.Close()
	p.out.Close()
}
