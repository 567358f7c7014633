package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A machine has one cgroup in each hierarchy, with one for its pods and one for its own processes in
// it. They are all that outlives its processes, besides its folder.
const groupRoot = "/sys/fs/cgroup"

func groupOf(machine string) string { return "sumac-" + machine }

// hierarchies are where cgroups are made: the one of version 2, or those of version 1.
func hierarchies() []string {
	if _, err := os.Stat(groupRoot + "/cgroup.controllers"); err == nil {
		return []string{groupRoot}
	}
	files, _ := filepath.Glob(groupRoot + "/*/cgroup.procs")
	var found []string
	for _, each := range files {
		found = append(found, filepath.Dir(each))
	}
	return found
}

func makeGroups(group string) error {
	for _, hierarchy := range hierarchies() {
		for _, each := range []string{group, group + "/pods", group + "/machine"} {
			path := filepath.Join(hierarchy, each)
			if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("make a cgroup: %w", err)
			}
			if err := prepare(path); err != nil {
				return fmt.Errorf("prepare a cgroup: %w", err)
			}
		}
	}
	return nil
}

// prepare makes a cgroup usable: in version 1 a new one may use no processors and no memory node, in
// version 2 its parent has to pass the controllers on.
func prepare(path string) error {
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil || len(strings.TrimSpace(string(value))) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(path, name), value, 0o644); err != nil {
			return err
		}
	}
	parent := filepath.Dir(path)
	controllers, err := os.ReadFile(filepath.Join(parent, "cgroup.controllers"))
	if err != nil {
		return nil
	}
	for _, each := range strings.Fields(string(controllers)) {
		// One that cannot be passed on is missed when a pod needs it, with a message that says so.
		_ = os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+"+each), 0o644)
	}
	return nil
}

// enterGroup puts this process, and all that come from it, into the machine's cgroup, so that
// removeGroups knows when the last has ended. In version 1 one hierarchy does for that.
func (p *plan) enterGroup() error {
	path := filepath.Join(processGroups(), p.Group, "machine", "cgroup.procs")
	return os.WriteFile(path, []byte("0"), 0o644)
}

// processGroups is the hierarchy that tells which processes are a machine's.
func processGroups() string {
	all := hierarchies()
	return all[max(0, slices.Index(all, groupRoot+"/pids"))]
}

// groupProcesses are the processes of one cgroup.
func groupProcesses(group string) ([]int, error) {
	text, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	var all []int
	for _, each := range strings.Fields(string(text)) {
		process, err := strconv.Atoi(each)
		if err != nil {
			return nil, err
		}
		all = append(all, process)
	}
	return all, nil
}

// removeGroups waits until the processes in a machine's cgroups have ended, and removes these.
func removeGroups(group string) error {
	deadline := time.Now().Add(20 * time.Second)
	for _, hierarchy := range hierarchies() {
		if err := removeTree(filepath.Join(hierarchy, group), deadline); err != nil {
			return err
		}
	}
	return nil
}

func removeTree(path string, deadline time.Time) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeTree(filepath.Join(path, entry.Name()), deadline); err != nil {
				return err
			}
		}
	}
	for {
		err := syscall.Rmdir(path)
		if err == nil || err == syscall.ENOENT {
			return nil
		}
		if err != syscall.EBUSY || time.Now().After(deadline) {
			return fmt.Errorf("remove the cgroup %s: %w", path, err)
		}
		time.Sleep(10 * time.Millisecond) // the end of its processes cannot be waited for
	}
}
