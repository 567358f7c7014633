// Package proc starts processes that cannot outlive the test that started them, and ends them by
// their id, never by their name.
package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Spec says what to start.
type Spec struct {
	Name   string // in messages
	Path   string // the program
	Argv0  string // what it is called; "": Path
	Args   []string
	Env    []string // nil: that of this process
	Dir    string
	Output io.Writer // standard output and error; nil: nowhere
	// Attr is filled in with what ties the process to us; a namespace, say, is the caller's.
	Attr *syscall.SysProcAttr
}

// Process is one child, reaped by a goroutine of its own. Its methods may be called from anywhere.
type Process struct {
	Name string
	cmd  *exec.Cmd
	done chan struct{}
}

// The kernel kills a child when the thread that forked it ends, so one thread forks them all and
// stays until the process ends.
var forker = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

// Fork starts a command on the thread that stays. The caller waits for it.
func Fork(cmd *exec.Cmd) error {
	started := make(chan error)
	forker() <- func() { started <- cmd.Start() }
	return <-started
}

// Start forks and executes; it returns when the kernel has taken the program, or refused it.
func Start(spec Spec) (*Process, error) {
	cmd := exec.Command(spec.Path, spec.Args...)
	if spec.Argv0 != "" {
		cmd.Args[0] = spec.Argv0
	}
	cmd.Env, cmd.Dir = spec.Env, spec.Dir
	cmd.Stdout, cmd.Stderr = spec.Output, spec.Output
	cmd.WaitDelay = 2 * time.Second // for grandchildren that keep our pipe
	cmd.SysProcAttr = spec.Attr
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr.Setpgid = true // a Ctrl-C at the terminal is ours to handle
	if err := Fork(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	process := &Process{Name: spec.Name, cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the state tells more
		close(process.done)
	}()
	return process, nil
}

// Done is closed when the process has ended and its output has been taken.
func (p *Process) Done() <-chan struct{} { return p.done }

// ID is the process's id, which is also that of its group.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Signal sends to the process; one that has ended already is no error.
func (p *Process) Signal(signal os.Signal) error {
	err := p.cmd.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Exit is what the process ended with; call it after Done.
func (p *Process) Exit() (code int, signal syscall.Signal) {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return 128 + int(status.Signal()), status.Signal()
	}
	return p.cmd.ProcessState.ExitCode(), 0
}

// Stop asks with SIGTERM, and kills the process and its group when grace has passed.
func (p *Process) Stop(grace time.Duration) {
	if grace > 0 {
		_ = p.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
			return
		case <-time.After(grace):
		}
	}
	select {
	case <-p.done: // its id may be another's by now
	default:
		_ = syscall.Kill(-p.ID(), syscall.SIGKILL)
	}
	<-p.done
}
