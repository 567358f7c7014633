package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// folders is the folder that has one for each machine, beside a lock file for each. The first process
// of a machine holds its lock, and nobody else does: a lock that is free means that it has ended.
type folders struct{ path string }

// InUse says that a machine of that name runs, or is being started or stopped.
type InUse struct{ Name string }

func (e *InUse) Error() string { return fmt.Sprintf("a machine named %s is running", e.Name) }

var goodName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func openFolders(path string) (*folders, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	path, err = filepath.EvalSymlinks(path)
	return &folders{path}, err
}

func (f *folders) of(name string) string { return filepath.Join(f.path, name) }

// lock takes a machine's lock, which is released when the last copy of the file is closed.
func (f *folders) lock(name string) (*os.File, error) {
	if !goodName.MatchString(name) {
		return nil, fmt.Errorf("%q cannot name a machine: use small letters, digits and hyphens, at most 40", name)
	}
	file, err := os.OpenFile(f.of(name)+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &InUse{name}
		}
		return nil, err
	}
	// Whoever removed the file while we waited for it holds nothing that others see.
	if !same(file) {
		file.Close()
		return f.lock(name)
	}
	return file, nil
}

func same(file *os.File) bool {
	ours, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(file.Name())
	return err == nil && os.SameFile(ours, there)
}

// take locks a name and makes its folder, empty.
func (f *folders) take(name string) (*os.File, error) {
	lock, err := f.lock(name)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(clean(f.of(name)), os.Mkdir(f.of(name), 0o711)); err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// clean removes the folder and the cgroups of a machine that has ended.
func clean(folder string) error {
	return errors.Join(removeGroups(groupOf(filepath.Base(folder))), os.RemoveAll(folder))
}

// remove is clean with the lock, and then removes that as well.
func (f *folders) remove(name string) error {
	lock, err := f.lock(name)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := clean(f.of(name)); err != nil {
		return err
	}
	return os.Remove(lock.Name())
}

// CleanRemains removes what is left in a folder of machines that ended without Stop.
func CleanRemains(folder string) error {
	f, err := openFolders(folder)
	if err != nil {
		return err
	}
	return f.cleanRemains()
}

func (f *folders) cleanRemains() error {
	locks, err := filepath.Glob(filepath.Join(f.path, "*.lock"))
	for _, each := range locks {
		failed := f.remove(strings.TrimSuffix(filepath.Base(each), ".lock"))
		if used := (*InUse)(nil); !errors.As(failed, &used) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// note writes the process id of a machine's first process; it holds while the lock is held.
func (m *Machine) note() error {
	return os.WriteFile(filepath.Join(m.Folder, "pid"), []byte(strconv.Itoa(m.pid)), 0o644)
}

// Find is the machine of a name that runs, or nil where none does.
func Find(folder, name string) (*Machine, error) {
	f, err := openFolders(folder)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(f.of(name) + ".lock"); err != nil {
		return nil, nil
	}
	lock, err := f.lock(name)
	if err == nil {
		return nil, lock.Close() // what remains of it is for the next one to remove
	}
	if used := (*InUse)(nil); !errors.As(err, &used) {
		return nil, err
	}
	m := &Machine{Name: name, Folder: f.of(name)}
	text, err := os.ReadFile(filepath.Join(m.Folder, "pid"))
	if err != nil {
		return nil, fmt.Errorf("machine %s is being started or stopped: %w", name, err)
	}
	m.pid, err = strconv.Atoi(string(text))
	return m, err
}
