package kubelet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"

	"sumac.dev/tests/kube/proc"
)

// Programs says what stands in for images: containers are processes of this machine, with its files
// read-only, their volumes at their mount paths, an address of their own, and their namespace's names
// in /etc/hosts. They are killed with the test. Not played: users, capabilities, limits of resources,
// liveness and startup probes, hooks, and network policies.
type Programs struct {
	Folder string // first in PATH
	// Images have the command of a container that has none, by a part of the image's name. Without
	// an entry it is the program that is called as the image is: sumac-worker of x/sumac-worker:1.
	Images map[string][]string
	// Files have what else an image would bring: files or folders of this machine, by their place.
	Files map[string]string
}

// PlayPrograms makes the pods of the namespace that come from now on real; "" is every namespace of
// which nothing else is said.
func (k *Kubelet) PlayPrograms(namespace string, programs Programs) {
	k.setPlayer(namespace, func(*corev1.Pod) stage {
		return &programStage{programs: programs, processes: map[*container]*proc.Process{}, over: make(chan struct{})}
	})
}

// CanPlayPrograms says why this machine and user cannot; nil when they can.
func CanPlayPrograms() error {
	command := exec.Command("/bin/true")
	command.SysProcAttr = ownMounts()
	if err := command.Run(); err != nil {
		return fmt.Errorf("no mount namespaces for this user: %w", err)
	}
	return nil
}

// ownMounts is a mount namespace; who is not root is root in a user namespace of their own.
func ownMounts() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return attr
}

// programStage plays one pod with processes. Its own goroutines start them; what they find out they
// send to the pod's.
type programStage struct {
	programs Programs
	over     chan struct{} // closed when nothing may start any more

	mutex     sync.Mutex
	ended     bool
	processes map[*container]*proc.Process
}

func (s *programStage) begin(p *Pod) { p.kubelet.done.Go(func() { s.play(p) }) }

func (s *programStage) idle() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.processes) == 0
}

// finish lets nothing start any more, and returns what runs.
func (s *programStage) finish() []*proc.Process {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.ended {
		s.ended = true
		close(s.over)
	}
	var running []*proc.Process
	for _, process := range s.processes {
		running = append(running, process)
	}
	return running
}

func (s *programStage) end(p *Pod, grace time.Duration) {
	for _, process := range s.finish() {
		p.kubelet.done.Go(func() { process.Stop(grace) })
	}
}

// Kill kills what runs in a pod of programs with SIGKILL, as the kernel does when memory is short.
func (p *Pod) Kill() {
	stage, ok := p.stage.(*programStage)
	if !ok {
		return
	}
	stage.mutex.Lock()
	defer stage.mutex.Unlock()
	for _, process := range stage.processes {
		_ = process.Signal(syscall.SIGKILL)
	}
}

func (s *programStage) abandon() {
	for _, process := range s.finish() {
		process.Stop(0)
	}
}

const preparationRetry = 500 * time.Millisecond

// play takes a pod through its life: volumes, init containers in turn, the others at once.
func (s *programStage) play(p *Pod) {
	places, ready := s.prepare(p)
	if !ready {
		return
	}
	p.kubelet.names.add(p.object, p.address)
	var sidecars, mains []*container
	for _, each := range p.containers {
		switch {
		case each.sidecar():
			sidecars = append(sidecars, each)
			p.kubelet.done.Go(func() { s.supervise(p, each, places, corev1.RestartPolicyAlways) })
		case each.init:
			policy := p.object.Spec.RestartPolicy
			if policy == corev1.RestartPolicyAlways {
				policy = corev1.RestartPolicyOnFailure
			}
			if code, ran := s.supervise(p, each, places, policy); !ran || code != 0 {
				s.end(p, 0)
				return
			}
		default:
			mains = append(mains, each)
		}
	}
	var all sync.WaitGroup
	for _, each := range mains {
		all.Go(func() { s.supervise(p, each, places, p.object.Spec.RestartPolicy) })
	}
	all.Wait()
	if len(sidecars) > 0 {
		s.end(p, defaultGrace)
	}
}

// prepare makes the volumes; what is missing is reported, and looked for again.
func (s *programStage) prepare(p *Pod) (places map[string]string, ready bool) {
	for {
		places, err := p.makeVolumes()
		if err == nil {
			return places, true
		}
		p.do(func() { p.main().wait("ContainerCreating", err.Error()) })
		if !s.pause(preparationRetry) {
			return nil, false
		}
	}
}

// pause waits; false: nothing may start any more.
func (s *programStage) pause(length time.Duration) bool {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.over:
		return false
	}
}

// supervise runs a container until its policy lets it rest; ran is false where it never started.
func (s *programStage) supervise(p *Pod, c *container, places map[string]string, policy corev1.RestartPolicy) (code int, ran bool) {
	delay := preparationRetry
	for {
		process, err := s.launch(p, c, places)
		switch {
		case process != nil:
			code, ran = s.attend(p, c, process), true
		case err == nil:
			return code, ran // nothing may start any more
		default:
			p.do(func() { c.wait("CreateContainerConfigError", err.Error()) })
			if !s.pause(preparationRetry) {
				return code, ran
			}
			continue
		}
		if policy == corev1.RestartPolicyNever || policy == corev1.RestartPolicyOnFailure && code == 0 {
			return code, true
		}
		if !s.pause(delay) {
			return code, true
		}
		delay = min(2*delay, 10*time.Second)
		p.do(c.again)
	}
}

// launch starts a container's process; neither process nor error: nothing may start any more.
func (s *programStage) launch(p *Pod, c *container, places map[string]string) (*proc.Process, error) {
	spec, output, err := s.plan(p, c, places)
	if err != nil {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended {
		return nil, nil
	}
	process, err := proc.Start(proc.Spec{
		Name: p.name + "." + c.spec.Name, Path: "/proc/self/exe", Args: []string{spec}, Output: output,
		Attr: ownMounts(), Argv0: containerName,
	})
	if err == nil {
		s.processes[c] = process
	}
	return process, err
}

// plan writes what the process has to know to a file, and says which, and where its output goes.
func (s *programStage) plan(p *Pod, c *container, places map[string]string) (string, io.Writer, error) {
	folder := filepath.Join(p.folder(), "containers", c.spec.Name)
	root := filepath.Join(folder, "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", nil, err
	}
	env, err := p.environment(c.spec, s.programs.Folder+":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
	if err != nil {
		return "", nil, err
	}
	termination := filepath.Join(folder, "termination-log")
	resolver := filepath.Join(folder, "nsswitch.conf")
	for file, text := range map[string]string{
		termination: "", resolver: "passwd: files\ngroup: files\nhosts: files\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return "", nil, err
		}
	}
	plan := containerPlan{
		Root: root, Args: env.expand(append(s.command(c.spec), c.spec.Args...)), Env: env.list(), Workdir: "/",
		Parent: os.Getpid(),
		Links:  map[string]string{"/etc/hosts": "/.names/hosts"},
		Mounts: []mount{
			{Source: p.kubelet.names.folderOf(p.namespace), Target: "/.names", ReadOnly: true},
			{Source: resolver, Target: "/etc/nsswitch.conf", ReadOnly: true},
			{Source: termination, Target: c.spec.TerminationMessagePath},
		},
	}
	if c.spec.WorkingDir != "" {
		plan.Workdir = c.spec.WorkingDir
	}
	for place, source := range s.programs.Files {
		plan.Mounts = append(plan.Mounts, mount{Source: source, Target: place, ReadOnly: true})
	}
	for _, each := range c.spec.VolumeMounts {
		source, err := sourceOf(each, places)
		if err != nil {
			return "", nil, err
		}
		plan.Mounts = append(plan.Mounts, mount{Source: source, Target: each.MountPath, ReadOnly: each.ReadOnly})
	}
	text, err := json.Marshal(plan)
	if err != nil {
		return "", nil, err
	}
	log, err := os.OpenFile(filepath.Join(folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return "", nil, err
	}
	file := filepath.Join(folder, "plan.json")
	return file, &tee{c.log.Load(), log}, os.WriteFile(file, text, 0o644)
}

// sourceOf is what is mounted of a volume. As on real nodes, a subPath that is not there becomes a folder.
func sourceOf(mount corev1.VolumeMount, places map[string]string) (string, error) {
	source := filepath.Join(places[mount.Name], mount.SubPath)
	if _, err := os.Stat(source); !errors.Is(err, fs.ErrNotExist) {
		return source, err
	}
	return source, os.MkdirAll(source, 0o755)
}

// tee writes to the log that others read and to a file that is looked at afterwards.
type tee struct {
	log  *logBuffer
	file *os.File
}

func (t *tee) Write(data []byte) (int, error) {
	_, _ = t.file.Write(data)
	return t.log.Write(data)
}

func (s *programStage) command(spec *corev1.Container) []string {
	if len(spec.Command) > 0 {
		return append([]string{}, spec.Command...)
	}
	for part, command := range s.programs.Images {
		if strings.Contains(spec.Image, part) {
			return append([]string{}, command...)
		}
	}
	name := filepath.Base(spec.Image)
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	return []string{name}
}

// attend stays with a process until it has ended, and reports it.
func (s *programStage) attend(p *Pod, c *container, process *proc.Process) int {
	probe := c.spec.ReadinessProbe
	p.do(func() { c.run(probe == nil) })
	if probe != nil {
		p.kubelet.done.Go(func() { p.probe(c, probe, process.Done()) })
	}
	<-process.Done()
	code, signal := process.Exit()
	exit := Exit{Code: int32(code), Signal: int32(signal), Message: p.lastWords(c, code)}
	s.mutex.Lock()
	delete(s.processes, c)
	s.mutex.Unlock()
	p.do(func() { c.exit(exit) })
	return code
}

const maxLastWords = 4096

// lastWords is the termination message, cut as Kubernetes does.
func (p *Pod) lastWords(c *container, code int) string {
	text, _ := os.ReadFile(filepath.Join(p.folder(), "containers", c.spec.Name, "termination-log"))
	if len(text) == 0 && code != 0 && c.spec.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError {
		return c.log.Load().tail(2048)
	}
	return string(text[:min(len(text), maxLastWords)])
}
