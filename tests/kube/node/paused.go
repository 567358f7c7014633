package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Paused are containers whose processes stand still. They keep connections and memory; a signal that
// can be handled waits until they run again, and SIGKILL ends them all the same.
type Paused struct {
	processes []process
}

type process struct {
	id     int
	handle int // a file that means this process alone, also after its id is another's
}

// Pause stops the processes of containers (containerd://ID), all at the same moment, and returns when
// they stand still.
func (m *Machine) Pause(ctx context.Context, containers ...string) (*Paused, error) {
	p := &Paused{}
	for _, container := range containers {
		ids, err := m.processes(container)
		if err != nil {
			return nil, errors.Join(err, p.Resume())
		}
		for _, id := range ids {
			handle, err := unix.PidfdOpen(id, 0)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("process %d of %s: %w", id, container, err), p.Resume())
			}
			p.processes = append(p.processes, process{id, handle})
		}
	}
	err := p.signal(unix.SIGSTOP)
	for _, each := range p.processes {
		if err == nil {
			err = poll(ctx, each.standsStill)
		}
	}
	if err != nil {
		return nil, errors.Join(err, p.Resume())
	}
	return p, nil
}

func (p *Paused) signal(signal unix.Signal) error {
	var failed error
	for _, each := range p.processes {
		if err := unix.PidfdSendSignal(each.handle, signal, nil, 0); err != nil && err != unix.ESRCH {
			failed = errors.Join(failed, fmt.Errorf("signal process %d: %w", each.id, err))
		}
	}
	return failed
}

// Resume lets those that still live run on. A second time it does nothing.
func (p *Paused) Resume() error {
	err := p.signal(unix.SIGCONT)
	for _, each := range p.processes {
		unix.Close(each.handle)
	}
	p.processes = nil
	return err
}

// AwaitAsked waits until one of them has been asked to end (SIGTERM), or has ended.
func (p *Paused) AwaitAsked(ctx context.Context) error {
	return poll(ctx, func() error {
		for _, each := range p.processes {
			if each.isAsked() {
				return nil
			}
		}
		return errors.New("no process was asked to end")
	})
}

func (p process) standsStill() error {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.id))
	for _, each := range threads {
		name, fields, err := readStatFile(each)
		if err != nil {
			return err
		}
		if len(fields) == 0 || fields[0] != "T" {
			return fmt.Errorf("thread %s of process %d runs on: %s", name, p.id, fields[:min(len(fields), 1)])
		}
	}
	if len(threads) == 0 {
		return fmt.Errorf("process %d has ended", p.id)
	}
	return nil
}

func (p process) isAsked() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.id))
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if waiting, found := strings.CutPrefix(line, "ShdPnd:"); found {
			signals, err := strconv.ParseUint(strings.TrimSpace(waiting), 16, 64)
			return err == nil && signals&(1<<(unix.SIGTERM-1)) != 0
		}
	}
	return true // one that has ended has no such line
}
