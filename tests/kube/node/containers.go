package node

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// containerGroup is the cgroup of a container of the node, in a hierarchy (as "memory"). id is what a
// pod's status has: containerd://ID.
func (m *Machine) containerGroup(hierarchy, id string) (string, error) {
	id = strings.TrimPrefix(id, "containerd://")
	root := filepath.Join(groupRoot, hierarchy, groupOf(m.Name), "pods")
	if _, err := os.Stat(groupRoot + "/cgroup.controllers"); err == nil {
		root = filepath.Join(groupRoot, groupOf(m.Name), "pods")
	}
	var found string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == id {
			found = path
			return filepath.SkipAll
		}
		return nil // others come and go while we look
	})
	if err == nil && found == "" {
		err = fmt.Errorf("no container %s below %s", id, root)
	}
	return found, err
}

// Process is the id, outside the machine, of a container's first process.
func (m *Machine) Process(id string) (int, error) {
	all, err := m.processes(id)
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

func (m *Machine) processes(id string) ([]int, error) {
	group, err := m.containerGroup("pids", id)
	if err != nil {
		return nil, err
	}
	all, err := groupProcesses(group)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("container %s has no processes", id)
	}
	slices.Sort(all)
	return all, nil
}

// KillContainer sends SIGKILL to all processes of a container, as the kernel would.
func (m *Machine) KillContainer(id string) error {
	all, err := m.processes(id)
	if err != nil {
		return err
	}
	for _, each := range all {
		if err := syscall.Kill(each, syscall.SIGKILL); err != nil {
			return err
		}
	}
	return nil
}

// JoinMemory is the file to which a process writes "0" to have its memory counted as a container's.
func (m *Machine) JoinMemory(id string) (string, error) {
	group, err := m.containerGroup("memory", id)
	return filepath.Join(group, "cgroup.procs"), err
}
