package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"sumac.dev/tests/kube/proc"
)

// operator is one sumac-operator of a scenario: a process that serves the scenario's namespace, with
// the rights of deploy/namespaced and no others.
type operator struct {
	*scenario
	name       string
	kubeconfig string
	serves     string // a namespace; empty: all
	log        *os.File
	process    *proc.Process
}

// grantRights makes what deploy/namespaced has, but for the Deployment, in the scenario's namespace.
func (s *scenario) grantRights() {
	s.Helper()
	s.must(strings.Join(without(s.kustomized("deploy/namespaced"), "Deployment"), "---\n"), "apply", "-f", "-")
}

// kustomized is what `kubectl apply -k` of a folder of ours would apply to the scenario's namespace.
func (s *scenario) kustomized(folder string) []string {
	s.Helper()
	return strings.Split(s.overlaid(folder, "namespace: "+s.namespace), "\n---\n")
}

// overlaid is a folder of ours with more lines of kustomization over it, in which FOLDER is its path.
func (s *scenario) overlaid(folder, lines string) string {
	s.Helper()
	overlay := s.TempDir()
	source, err := filepath.Abs(filepath.Join(*root, folder))
	if err != nil {
		s.Fatal(err)
	}
	if overlay, err = filepath.EvalSymlinks(overlay); err != nil {
		s.Fatal(err)
	}
	relative, err := filepath.Rel(overlay, source)
	if err != nil {
		s.Fatal(err)
	}
	lines = strings.ReplaceAll(lines, "FOLDER", relative)
	text := fmt.Sprintf("resources: [%s]\n%s\n", relative, lines)
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
	return s.must("", "kustomize", overlay)
}

func without(documents []string, kind string) []string {
	var rest []string
	for _, each := range documents {
		if !strings.Contains("\n"+each, "\nkind: "+kind+"\n") {
			rest = append(rest, each+"\n")
		}
	}
	return rest
}

// operator starts one that does not wait for a Lease. It ends with the scenario.
func (s *scenario) operator(flags ...string) *operator {
	s.Helper()
	s.grantRights()
	o := s.prepareOperator("operator")
	o.start(nil, append([]string{"--leader-elect=false"}, flags...)...)
	return o
}

// operatorOfAll starts one that serves every namespace, with the rights of an administrator: only for
// scenarios that run alone.
func (s *scenario) operatorOfAll(flags ...string) *operator {
	s.Helper()
	s.grantRights()
	o := s.prepareOperator("operator")
	o.kubeconfig, o.serves = s.Kubeconfig("admin"), ""
	o.start(nil, append([]string{"--leader-elect=false"}, flags...)...)
	return o
}

// prepareOperator makes all that one needs and does not start it. Rights have been granted.
func (s *scenario) prepareOperator(name string) *operator {
	s.Helper()
	kubeconfig, err := s.ServiceAccountKubeconfig(s.ctx, s.namespace, "sumac-operator")
	if err != nil {
		s.Fatal(err)
	}
	log, err := os.Create(filepath.Join(s.Folder, "log", s.namespace+"."+name+".log"))
	if err != nil {
		s.Fatal(err)
	}
	o := &operator{scenario: s, name: name, kubeconfig: kubeconfig, serves: s.namespace, log: log}
	s.Cleanup(o.finish)
	return o
}

// start starts the process, again or for the first time, with more environment and flags.
func (o *operator) start(environment []string, flags ...string) {
	o.Helper()
	args := []string{
		"--kubeconfig", o.kubeconfig, "--namespace", o.serves, "--lease-namespace", o.namespace,
		"--health-listen", "127.0.0.1:0", "--log-level", "debug",
	}
	if !slices.Contains(flags, "--worker-image") {
		args = append(args, "--worker-image", "sumac/sumac-worker:test", "--server-image", "sumac/sumac-server:test")
	}
	process, err := proc.Start(proc.Spec{
		Name: o.namespace + "." + o.name, Path: filepath.Join(*bin, "sumac-operator"), Args: append(args, flags...),
		Env: append([]string{"PATH=/usr/bin:/bin", "HOME=/"}, environment...), Dir: o.Folder, Output: o.log,
	})
	if err != nil {
		o.Fatal(err)
	}
	o.process = process
}

// kill ends it as a lost node would.
func (o *operator) kill() { o.process.Stop(0) }

// awaitDeath waits until it has ended by itself, and returns the signal that did it.
func (o *operator) awaitDeath() syscall.Signal {
	o.Helper()
	select {
	case <-o.process.Done():
	case <-time.After(patience):
		o.Fatalf("%s lives on", o.name)
	}
	_, signal := o.process.Exit()
	return signal
}

// finish ends it politely, and says what it said where the scenario failed.
func (o *operator) finish() {
	if o.process != nil {
		select {
		case <-o.process.Done():
		default:
			o.process.Stop(20 * time.Second)
			if code, signal := o.process.Exit(); code != 143 {
				o.Errorf("%s ended with %d (%v) when it was asked to stop, not with 143", o.name, code, signal)
			}
		}
	}
	o.log.Close()
	if o.Failed() {
		text, _ := os.ReadFile(o.log.Name())
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		o.Logf("%s said last (%s):\n%s", o.name, o.log.Name(), strings.Join(lines[max(0, len(lines)-25):], "\n"))
	}
}
