// Package lab runs the control plane of a Kubernetes on this machine: etcd, API server, controller
// manager and scheduler as real processes, on 127.0.0.1, by any user, in a folder of their own. As
// many as one likes run side by side. There are no nodes; the package kubelet plays them. The package
// node runs a real one, with the control plane at an address that its pods reach.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"sumac.dev/tests/kube/proc"
)

const (
	loopback     = "127.0.0.1"
	serviceRange = "10.96.0.0/24"
	serviceIP    = "10.96.0.1" // of the Service `kubernetes`
)

// Cluster is one control plane. Its methods may be called by one goroutine at a time, but for the
// clients, Kubeconfig and Config, which any may use.
type Cluster struct {
	URL    string // of the API server
	Folder string // all that the cluster writes; logs in Folder/log
	Admin  *rest.Config
	Client kubernetes.Interface // as admin

	program   string // the one that is every program
	address   string // of the API server
	moreArgs  []string
	port      *port // nil: nothing else can take its port
	authority *authority
	logs      []*os.File

	mutex   sync.Mutex
	running map[string]*proc.Process
	ending  bool
}

// Start brings a control plane up in a new folder below parent (""; that of temporary files), and
// returns when it takes requests. program is the file that build.sh makes. When the test process
// ends, however it ends, the kernel ends the programs too; Stop also deletes what they wrote.
// apiServerArgs come after the API server's own.
func Start(ctx context.Context, program, parent string, apiServerArgs ...string) (*Cluster, error) {
	if _, err := os.Stat(program); err != nil {
		return nil, fmt.Errorf("the programs of Kubernetes: %w; tests/kube/build.sh makes them", err)
	}
	folder, err := os.MkdirTemp(parent, "sumac-lab-")
	if err != nil {
		return nil, err
	}
	c := newCluster(program, folder, loopback)
	c.moreArgs = apiServerArgs
	if err := c.start(ctx); err != nil {
		c.Stop(true)
		return nil, fmt.Errorf("start the control plane: %w; logs are in %s", err, c.path("log"))
	}
	return c, nil
}

// StartAt brings a control plane up in an existing folder, with the API server at a port of an
// address that real pods reach. The caller sees to it that the port is free.
func StartAt(ctx context.Context, program, folder, address string, port int) (*Cluster, error) {
	c := newCluster(program, folder, address)
	c.URL = fmt.Sprintf("https://%s:%d", address, port)
	if err := c.start(ctx); err != nil {
		return nil, fmt.Errorf("start the control plane: %w; logs are in %s", err, c.path("log"))
	}
	return c, nil
}

// Attach makes a client of a cluster that somebody else runs, of which kubeconfig is the way in.
// Tools are those of program; folder takes what they and the tests write.
func Attach(program, kubeconfig, folder string) (*Cluster, error) {
	c := newCluster(program, folder, "")
	if err := c.makeFolders(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(c.Kubeconfig("admin"), text, 0o600); err != nil {
		return nil, err
	}
	if err := c.connect(); err != nil {
		return nil, err
	}
	c.URL = c.Admin.Host
	return c, nil
}

func newCluster(program, folder, address string) *Cluster {
	return &Cluster{Folder: folder, program: program, address: address, running: map[string]*proc.Process{}}
}

func (c *Cluster) makeFolders() error {
	for _, name := range []string{"bin", "config", "etcd", "keys", "log"} {
		if err := os.Mkdir(c.path(name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) connect() (err error) {
	if c.Admin, err = c.Config("admin"); err != nil {
		return err
	}
	c.Client, err = kubernetes.NewForConfig(c.Admin)
	return err
}

func (c *Cluster) start(ctx context.Context) error {
	err := c.makeFolders()
	if err != nil {
		return err
	}
	if c.address == loopback {
		if c.port, err = reservePort(); err != nil {
			return err
		}
		c.URL = fmt.Sprintf("https://%s:%d", loopback, c.port.number)
	}
	if c.authority, err = newAuthority(c.address); err != nil {
		return err
	}
	if err := errors.Join(writeKeys(c.path("keys"), c.authority), c.writeUsers()); err != nil {
		return err
	}
	if err := c.connect(); err != nil {
		return err
	}
	if err := c.run(etcd, c.etcdArgs()); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	if err := c.Keep(controllerManager, "", c.controllerManagerArgs()...); err != nil {
		return err
	}
	if err := c.Keep(scheduler, "", c.schedulerArgs()...); err != nil {
		return err
	}
	return c.awaitDefaultServiceAccount(ctx, "default")
}

// Stop ends all programs, and deletes the folder unless it is to be kept.
func (c *Cluster) Stop(keep bool) {
	c.mutex.Lock()
	c.ending = true
	c.mutex.Unlock()
	for _, name := range []string{kwok, scheduler, controllerManager, apiServer, etcd} {
		if process := c.process(name); process != nil {
			process.Stop(0) // nothing of theirs outlives them
		}
	}
	for _, log := range c.logs {
		log.Close()
	}
	if c.port != nil {
		c.port.release()
	}
	if !keep {
		_ = os.RemoveAll(c.Folder)
	}
}

// StopAPIServer kills the API server: connections break, nothing is said in farewell.
func (c *Cluster) StopAPIServer() {
	if process := c.process(apiServer); process != nil {
		process.Stop(0)
	}
}

// StartAPIServer starts it, at the address that it always has, and waits until it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if err := c.run(apiServer, append(c.apiServerArgs(), c.moreArgs...)); err != nil {
		return err
	}
	return c.awaitReady(ctx)
}

// RestartAPIServer is both. Watches from before find their resource version gone.
func (c *Cluster) RestartAPIServer(ctx context.Context) error {
	c.StopAPIServer()
	return c.StartAPIServer(ctx)
}

// path is that of a file of the cluster.
func (c *Cluster) path(name string) string { return filepath.Join(c.Folder, name) }

// run starts one of the programs under its own name, with its output in the log of that name.
func (c *Cluster) run(name string, args []string) error { return c.runProgram(name, "", args) }

// runProgram is run for a program elsewhere; "" is no such place.
func (c *Cluster) runProgram(name, path string, args []string) (err error) {
	if path == "" {
		if path, err = c.Tool(name); err != nil {
			return err
		}
	}
	log, err := os.OpenFile(c.path("log/"+name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.logs = append(c.logs, log)
	if c.ending {
		return nil
	}
	process, err := proc.Start(proc.Spec{Name: name, Path: path, Args: args, Dir: c.Folder, Output: log})
	if err == nil {
		c.running[name] = process
	}
	return err
}

func (c *Cluster) process(name string) *proc.Process {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.running[name]
}

// Keep runs a program, and again when it ends, as a real control plane does: the scheduler, for one,
// ends by itself when what it remembers of pods contradicts an API server that was killed. path is
// that of a program that is not one of ours; else it is empty.
func (c *Cluster) Keep(name, path string, args ...string) error {
	if err := c.runProgram(name, path, args); err != nil {
		return err
	}
	go func() {
		for {
			<-c.process(name).Done()
			c.mutex.Lock()
			ending := c.ending
			c.mutex.Unlock()
			if ending || c.runProgram(name, path, args) != nil {
				return
			}
		}
	}()
	return nil
}

// Tool is the path of another of the programs, such as kubectl or helm.
func (c *Cluster) Tool(name string) (string, error) {
	link := c.path("bin/" + name)
	if err := os.Symlink(c.program, link); err != nil && !os.IsExist(err) {
		return "", err
	}
	return link, nil
}

// between is the time between two looks at what cannot be watched.
const between = 50 * time.Millisecond
