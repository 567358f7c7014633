// Package node runs a whole Kubernetes with a real node on this machine: the control plane of package
// lab, and containerd, kubelet, service proxy and DNS beside it, whose pods are real containers.
//
// All of it lives in PID, mount, network, IPC and host name namespaces of its own, as another machine
// would. So addresses and ports inside are fixed and as many as one likes run side by side; and when
// the first process of the machine ends, however it ends, the kernel ends the others and takes back
// mounts, links and firewall rules. What then remains is a folder and cgroups, both with the name of
// the machine: Stop removes them, and so does the next Start where a test was killed.
//
// From outside, the API server is reached at a port of 127.0.0.1 that the kernel chose.
package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sumac.dev/tests/kube/lab"
	"sumac.dev/tests/kube/proc"
)

// Settings say what to start.
type Settings struct {
	Program string // the file that build.sh makes
	Pause   string // the program of pods' sandboxes
	Folder  string // of all machines: a folder for each
	Name    string // of this one
	Outlive bool   // it lives on when this process ends; else it ends with it
}

// complete makes paths absolute: the machine's programs run elsewhere.
func (s *Settings) complete() (err error) {
	for _, each := range []*string{&s.Program, &s.Pause} {
		if _, err := os.Stat(*each); err != nil {
			return fmt.Errorf("a program of the machine: %w; tests/kube/build.sh makes it", err)
		}
		if *each, err = filepath.Abs(*each); err != nil {
			return err
		}
	}
	return nil
}

// Machine is one that runs. Its methods may be called from anywhere.
type Machine struct {
	Name   string
	Folder string // all that it writes; logs in Folder/log, those of containers in Folder/pods
	pid    int
	ended  chan struct{} // nil where another process started it
}

// Kubeconfig is the path of the administrator's kubeconfig, for use on this machine.
func (m *Machine) Kubeconfig() string { return filepath.Join(m.Folder, "kubeconfig") }

// ID is the process id of the machine's first process, with which all others end.
func (m *Machine) ID() int { return m.pid }

// Ended is closed when the machine has ended; nil where another process started it.
func (m *Machine) Ended() <-chan struct{} { return m.ended }

// firstFile is the first file descriptor that the machine gets: the socket, the lock, the report.
const firstFile = 3

// plan is what the machine's first process reads.
type plan struct {
	Program, Pause, Folder, Group string
}

// Start brings a machine up, and returns when its node and its DNS are ready. Fails with *InUse where
// one of that name runs.
func Start(ctx context.Context, settings Settings) (*Machine, error) {
	if err := errors.Join(Missing(), settings.complete()); err != nil {
		return nil, err
	}
	folders, err := openFolders(settings.Folder)
	if err != nil {
		return nil, err
	}
	if err := folders.cleanRemains(); err != nil {
		return nil, fmt.Errorf("clean what is left of a machine: %w", err)
	}
	lock, err := folders.take(settings.Name)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	m := &Machine{Name: settings.Name, Folder: folders.of(settings.Name), ended: make(chan struct{})}
	if err := m.start(ctx, settings, lock); err != nil {
		m.kill()
		return nil, fmt.Errorf("start a machine: %w\n%s", err, m.lastWords())
	}
	return m, nil
}

func (m *Machine) start(ctx context.Context, settings Settings, lock *os.File) error {
	if err := makeGroups(groupOf(m.Name)); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer socket.Close()
	report, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer report.Close()
	text, err := json.Marshal(plan{settings.Program, settings.Pause, m.Folder, groupOf(m.Name)})
	if err != nil {
		return err
	}
	err = m.fork(string(text), settings.Outlive, socket, lock, theirs)
	theirs.Close()
	if err != nil {
		return err
	}
	if err := m.note(); err != nil {
		return err
	}
	if err := m.awaitReport(ctx, report); err != nil {
		return err
	}
	return m.writeKubeconfig(listener.Addr().String())
}

// fork starts the machine's first process, which is this program called otherwise.
func (m *Machine) fork(plan string, outlive bool, files ...*os.File) error {
	log, err := os.Create(filepath.Join(m.Folder, "machine.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command("/proc/self/exe", plan)
	command.Args[0] = firstName
	command.Stdout, command.Stderr, command.ExtraFiles = log, log, files
	command.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}
	command.Dir = m.Folder
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		Setsid:     true,
	}
	if !outlive {
		command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	if err := proc.Fork(command); err != nil {
		return err
	}
	m.pid = command.Process.Pid
	go func() {
		_ = command.Wait()
		close(m.ended)
	}()
	return nil
}

// awaitReport waits until the machine says that it is ready; it ends where it cannot be.
func (m *Machine) awaitReport(ctx context.Context, report *os.File) error {
	said := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(report)
		said <- string(text)
	}()
	select {
	case text := <-said:
		if text != ready {
			return errors.New("it ended before it was ready")
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(3 * time.Minute):
		return errors.New("it was not ready after 3 minutes")
	}
}

// writeKubeconfig is for clients on this machine, who reach the API server through the socket.
func (m *Machine) writeKubeconfig(address string) error {
	inside, err := os.ReadFile(filepath.Join(m.Folder, "config", "admin.kubeconfig"))
	if err != nil {
		return err
	}
	text := strings.ReplaceAll(string(inside), "https://"+net.JoinHostPort(Address, strconv.Itoa(apiPort)), "https://"+address)
	return os.WriteFile(m.Kubeconfig(), []byte(text), 0o600)
}

// Stop ends the machine, and removes all that remains of it.
func (m *Machine) Stop() error {
	m.kill()
	return (&folders{filepath.Dir(m.Folder)}).remove(m.Name)
}

// kill ends the first process, with which all others end, and waits until it is gone.
func (m *Machine) kill() {
	if m.pid == 0 {
		return
	}
	if m.ended != nil {
		_ = syscall.Kill(m.pid, syscall.SIGKILL)
		<-m.ended
		return
	}
	if fd, err := unix.PidfdOpen(m.pid, 0); err == nil {
		defer unix.Close(fd)
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		// It can be read when the process has ended, and with it all others of its namespace.
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
	}
}

// KeepLogs copies the logs of a machine to a folder that outlives it.
func (m *Machine) KeepLogs(to string) error {
	for _, each := range []string{"log", "pods"} {
		if err := os.CopyFS(filepath.Join(to, each), os.DirFS(filepath.Join(m.Folder, each))); err != nil {
			return err
		}
	}
	return nil
}

// lastWords are the ends of the logs, for a message.
func (m *Machine) lastWords() string {
	logs, _ := filepath.Glob(filepath.Join(m.Folder, "log", "*.log"))
	var text strings.Builder
	for _, each := range append(logs, filepath.Join(m.Folder, "machine.log")) {
		content, _ := os.ReadFile(each)
		lines := strings.Split(strings.TrimSpace(string(content)), "\n")
		fmt.Fprintf(&text, "--- %s\n%s\n", each, strings.Join(lines[max(0, len(lines)-8):], "\n"))
	}
	return text.String()
}

// Inside makes a command that runs in the machine's namespaces, such as ctr or nft.
func (m *Machine) Inside(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "nsenter", append([]string{
		"--target", strconv.Itoa(m.pid), "--mount", "--net", "--pid", "--ipc", "--uts", "--"}, args...)...)
}

// Import puts an image of a docker-archive or OCI tar file into the node.
func (m *Machine) Import(ctx context.Context, file string) error {
	said, err := m.Inside(ctx, "ctr", "--namespace", "k8s.io", "images", "import", file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("import %s: %w: %s", file, err, said)
	}
	return nil
}

// NodeName is that of the machine's node in the cluster.
const NodeName = lab.NodeName
