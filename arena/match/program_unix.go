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
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// program is a running program in a process group of its own, with a pipe each
// way. The group is not reaped before it has been killed, so that its number
// cannot have passed to another process.
type program struct {
	cmd     *exec.Cmd
	stderr  *tail
	in, out *os.File
	unsent  []byte // the rest of a line that the program did not read in time
	buf     []byte // bytes that were read; those from at on are not used yet
	at      int

	watched chan struct{}  // closed when the watcher is to end
	watcher sync.WaitGroup // runs watch, which measures the memory
	excess  atomic.Int64   // the memory for which it was killed, else 0
	most    int64          // the most bytes that it may have in memory; 0: any number
	family  family         // its processes, if the memory is limited
}

// errNoPrograms is nil here: this system can run programs.
var errNoPrograms error

// How long a program may take to end by itself: after it has closed its input or
// output, and after it has been asked to. And how often its memory is measured.
const (
	exitWait    = 500 * time.Millisecond
	grace       = time.Second
	memoryPause = 50 * time.Millisecond
)

const shell = "/bin/sh"

// startProgram runs a command by the shell, with arguments; stderr gets its standard error. Once it
// has more bytes in memory than most, if that is not 0, it is killed.
func startProgram(command []string, most int64, stderr *tail) (*program, error) {
	if most > 0 && !measuresMemory {
		return nil, errors.New("the memory of programs can be limited on Linux only: leave out the limit")
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	cmd := exec.Command(shell, append([]string{"-c"}, command...)...)
	if most > 0 {
		cmd.Path, cmd.Args[0] = "/proc/self/exe", reaper
	}
	p := &program{
		cmd: cmd, stderr: stderr, in: in, out: out, buf: make([]byte, 0, maxAnswer),
		watched: make(chan struct{}), most: most, family: family{},
	}
	stderr.kept = nil
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = grace // a process that has left the group may keep stderr open
	err = cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	if most > 0 {
		p.watcher.Go(p.watch)
	}
	return p, nil
}

// watch kills the program once it has too much in memory.
func (p *program) watch() {
	for tick := time.Tick(memoryPause); ; {
		select {
		case <-p.watched:
			return
		case <-tick:
		}
		bytes := p.family.memory(p.cmd.Process.Pid)
		if bytes <= p.most || becoming(p.cmd.Process.Pid) {
			continue
		}
		p.excess.Store(bytes)
		p.killFamily()
	}
}

func (p *program) killFamily() {
	for pid := range p.family {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
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

// send writes a line. If the program does not read all of it in time, the rest
// is sent before any other line. Lines that come before the rest is sent are
// dropped.
func (p *program) send(line []byte) error {
	rest := len(p.unsent)
	whole := slices.Concat(p.unsent, line, []byte{'\n'})
	n, err := p.in.Write(whole)
	if n <= rest { // nothing of the line was sent
		whole = whole[:rest]
	}
	if p.unsent = whole[n:]; errors.Is(err, syscall.EPIPE) {
		return errGone
	}
	return err
}

// receive reads a line, which is valid until the next call.
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

// end ends a program and returns the reason, with the program's exit status and last output.
func (p *program) end(reason error) error {
	if reason == errGone {
		awaitExit(p.cmd.Process.Pid, exitWait)
	}
	p.kill()
	switch excess := p.excess.Load(); {
	case excess > 0:
		return fmt.Errorf("the program was stopped for %w: %d bytes, where --program-memory allows %d", errMemory, excess,
			p.most)
	case reason == errGone && len(p.stderr.kept) > 0:
		return fmt.Errorf("%w: %v; the last it wrote to standard error: %s", errGone, p.cmd.ProcessState,
			bytes.ToValidUTF8(bytes.TrimSpace(p.stderr.kept), []byte("?")))
	case reason == errGone:
		return fmt.Errorf("%w: %v", errGone, p.cmd.ProcessState)
	}
	return reason
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

// kill ends the whole group, and if its memory is limited the family, and waits for the program.
func (p *program) kill() {
	close(p.watched)
	p.watcher.Wait()
	if p.most > 0 {
		p.family.memory(p.cmd.Process.Pid)
	}
	p.killFamily()
	p.cmd.Wait()
	p.in.Close()
	p.out.Close()
}
