package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// containerName is what this program is called when it becomes a container.
const containerName = "sumac-container"

// containerPlan is all that a container's process needs to know before it becomes the program.
type containerPlan struct {
	Root    string            // an empty folder, on which its file system is put together
	Mounts  []mount           // its volumes
	Links   map[string]string // symbolic links, by their place
	Args    []string
	Env     []string
	Workdir string
	Parent  int // with which it ends
}

// mount shows a file or folder of this machine at another place.
type mount struct {
	Source, Target string
	ReadOnly       bool
}

// RunContainer makes this process a container, and does not return, when it was started as one;
// else it does nothing. The first thing that main does in whatever plays programs.
func RunContainer() {
	if filepath.Base(os.Args[0]) != containerName {
		return
	}
	err := becomeContainer(os.Args[1])
	fmt.Fprintln(os.Stderr, "container:", err)
	os.Exit(128)
}

func becomeContainer(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var plan containerPlan
	if err := json.Unmarshal(text, &plan); err != nil {
		return err
	}
	if err := plan.build(); err != nil {
		return fmt.Errorf("put its file system together: %w", err)
	}
	if err := os.Chdir(plan.Workdir); err != nil {
		return err
	}
	program, err := lookUp(plan.Args[0], plan.Env)
	if err != nil {
		return err
	}
	if err := dieWith(plan.Parent); err != nil {
		return err
	}
	return fmt.Errorf("run %s: %w", program, unix.Exec(program, plan.Args, plan.Env))
}

// dieWith has the kernel kill this process when its parent ends. It belongs to the thread, so what
// the parent asked for is lost unless the thread that it forked is the one that executes.
func dieWith(parent int) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	if os.Getppid() != parent {
		return errors.New("the test has ended")
	}
	return nil
}

func lookUp(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, each := range env {
		path, found := strings.CutPrefix(each, "PATH=")
		if !found {
			continue
		}
		for _, folder := range filepath.SplitList(path) {
			file := filepath.Join(folder, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, nil
			}
		}
		return "", fmt.Errorf("no program %q in PATH=%s", name, path)
	}
	return "", fmt.Errorf("no program %q: there is no PATH", name)
}

// build makes a root of this machine's files, read-only, with the volumes at their places, and moves
// into it. The process has a mount namespace of its own: nobody else sees any of it.
func (p *containerPlan) build() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("sumac", p.Root, "tmpfs", 0, "mode=755"); err != nil {
		return err
	}
	// So that the folder with this root in it can be shown in it.
	if err := unix.Mount("", p.Root, "", unix.MS_UNBINDABLE, ""); err != nil {
		return err
	}
	owned := p.ownedFolders()
	if err := p.show("/", owned); err != nil {
		return err
	}
	if err := p.makePlaces(owned); err != nil {
		return err
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, p.Root, unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("make it read-only: %w", err)
	}
	for _, each := range p.Mounts {
		if err := p.bind(each.Source, each.Target); err != nil {
			return err
		}
		if each.ReadOnly {
			if err := unix.MountSetattr(unix.AT_FDCWD, p.at(each.Target), 0, &readOnly); err != nil {
				return err
			}
		}
	}
	return p.enter()
}

func (p *containerPlan) at(path string) string { return filepath.Join(p.Root, path) }

func (p *containerPlan) bind(source, target string) error {
	err := unix.Mount(source, p.at(target), "", unix.MS_BIND|unix.MS_REC, "")
	if err != nil {
		return fmt.Errorf("show %s at %s: %w", source, target, err)
	}
	return nil
}

// ownedFolders are those that need entries which this machine has not, or has otherwise: all above a
// mount or a link. The places are first made free of symbolic links such as /var/run.
func (p *containerPlan) ownedFolders() map[string]bool {
	owned := map[string]bool{"/": true}
	own := func(place string) string {
		place = resolved(filepath.Clean(place))
		for folder := filepath.Dir(place); folder != "/"; folder = filepath.Dir(folder) {
			owned[folder] = true
		}
		return place
	}
	for i := range p.Mounts {
		p.Mounts[i].Target = own(p.Mounts[i].Target)
	}
	links := map[string]string{}
	for place, to := range p.Links {
		links[filepath.Join(filepath.Dir(own(place)), filepath.Base(place))] = to
	}
	p.Links = links
	return owned
}

// resolved follows the links in the part of a path that exists.
func resolved(path string) string {
	folder, rest := filepath.Dir(path), filepath.Base(path)
	for {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			return filepath.Join(real, rest)
		}
		folder, rest = filepath.Dir(folder), filepath.Join(filepath.Base(folder), rest)
	}
}

// device says which of a machine's devices a container has, where its /dev is its own.
var device = map[string]bool{"null": true, "zero": true, "full": true, "random": true, "urandom": true,
	"tty": true, "shm": true, "fd": true, "stdin": true, "stdout": true, "stderr": true}

// show puts this machine's entries of an owned folder into the root.
func (p *containerPlan) show(folder string, owned map[string]bool) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if p.isPlace(path) || folder == "/dev" && !device[entry.Name()] {
			continue
		}
		if owned[path] {
			if err := os.Mkdir(p.at(path), 0o755); err != nil {
				return err
			}
			if err := p.show(path, owned); err != nil {
				return err
			}
			continue
		}
		p.showEntry(path, entry)
	}
	return nil
}

// showEntry passes over what cannot be shown, such as a file that has gone meanwhile.
func (p *containerPlan) showEntry(path string, entry fs.DirEntry) {
	switch {
	case entry.Type()&fs.ModeSymlink != 0:
		if to, err := os.Readlink(path); err == nil {
			_ = os.Symlink(to, p.at(path))
		}
		return
	case entry.IsDir():
		_ = os.Mkdir(p.at(path), 0o755)
	default:
		_ = os.WriteFile(p.at(path), nil, 0o644)
	}
	_ = p.bind(path, path)
}

func (p *containerPlan) isPlace(path string) bool {
	_, link := p.Links[path]
	for _, each := range p.Mounts {
		link = link || each.Target == path
	}
	return link
}

// makePlaces makes what mounts need below them, and the links.
func (p *containerPlan) makePlaces(owned map[string]bool) error {
	for folder := range owned {
		if err := os.MkdirAll(p.at(folder), 0o755); err != nil {
			return err
		}
	}
	for _, each := range p.Mounts {
		info, err := os.Stat(each.Source)
		if err != nil {
			return err
		}
		if info.IsDir() {
			err = os.MkdirAll(p.at(each.Target), 0o755)
		} else {
			err = os.WriteFile(p.at(each.Target), nil, 0o644)
		}
		if err != nil {
			return err
		}
	}
	for place, to := range p.Links {
		if err := os.Symlink(to, p.at(place)); err != nil {
			return err
		}
	}
	return nil
}

// enter makes the folder this process's root, and lets go of the old one.
func (p *containerPlan) enter() error {
	if err := os.Chdir(p.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	return unix.Unmount(".", unix.MNT_DETACH)
}
