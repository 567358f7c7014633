package scenarios

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sumac.dev/tests/kube/node"
)

// remains are what there is outside a machine of it: cgroups, processes, mounts, files; and what a
// node on this machine itself would change: links, firewall tables, kernel settings.
func remains(name string) string {
	var all []string
	for _, pattern := range []string{"/sys/fs/cgroup/*/sumac-" + name, "/sys/fs/cgroup/sumac-" + name, filepath.Join(*machines, name+"*")} {
		found, _ := filepath.Glob(pattern)
		all = append(all, found...)
	}
	processes, _ := filepath.Glob("/proc/[0-9]*/cgroup")
	for _, each := range append(processes, "/proc/self/mountinfo") {
		if text, _ := os.ReadFile(each); strings.Contains(string(text), name) {
			all = append(all, each)
		}
	}
	links, _ := exec.Command("ip", "-o", "link", "show", "pods").Output()
	tables, _ := exec.Command("nft", "list", "tables").Output()
	settings, _ := exec.Command("sysctl", "vm.overcommit_memory", "kernel.panic", "kernel.panic_on_oops", "net.ipv4.ip_forward").Output()
	return strings.Join(append(all, string(links), string(tables), string(settings)), "\n")
}

func TestNodesLeaveNothingOnThisMachine(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("starts and ends nodes of ours")
	settings := node.Settings{
		Program: *program, Pause: *pause, Folder: *machines, Name: filepath.Base(s.nodes.scratch) + "-second",
	}
	before := remains(settings.Name)

	second, err := node.Start(s.ctx, settings) // beside ours, with the same addresses
	if err != nil {
		t.Fatal(err)
	}
	if running := remains(settings.Name); running == before {
		t.Error("a machine that runs leaves no trace either: nothing is looked at")
	}
	if _, err := node.Start(s.ctx, settings); !errors.As(err, new(*node.InUse)) {
		t.Errorf("another machine of the same name: %v", err)
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	if after := remains(settings.Name); after != before {
		t.Errorf("there remains of a machine that was stopped:\n%s\nand before it there was:\n%s", after, before)
	}

	third, err := node.Start(s.ctx, settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(third.ID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-third.Ended()
	if err := node.CleanRemains(*machines); err != nil {
		t.Fatal(err)
	}
	if after := remains(settings.Name); after != before {
		t.Errorf("there remains of a machine that was killed:\n%s\nand before it there was:\n%s", after, before)
	}
}

// secondUp is how long a cluster may take to start where its programs are built.
const secondUp = 20 * time.Second

func TestNodesAreStartedAndEndedByTheScript(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("starts and ends nodes of ours")
	name := filepath.Base(s.nodes.scratch) + "-script"
	before := remains(name)
	script := func(args ...string) output {
		command := exec.CommandContext(s.ctx, filepath.Join(*root, "tests", "kube", "cluster"), append([]string{"--name", name}, args...)...)
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		err := command.Run()
		return output{stdout.String(), stderr.String(), err}
	}
	t.Cleanup(func() { script("down") })
	if got := script("status"); got.err == nil || !strings.Contains(got.stderr, "there is no cluster named "+name) {
		t.Errorf("status without a cluster: %v\n%s%s", got.err, got.stdout, got.stderr)
	}
	s.says(script("up"), "export KUBECONFIG=")
	s.says(script("up"), "end it with: tests/kube/cluster --name "+name+" down")
	s.says(script("status"), "node/"+node.NodeName)
	s.says(script("kubectl", "get", "nodes", "-o", "name"), "node/"+node.NodeName)
	s.says(script("inside", "ctr", "version"), "Server:")
	s.says(script("down"), "down after")
	began := time.Now()
	s.says(script("up"), "export KUBECONFIG=")
	if took := time.Since(began); took > secondUp {
		t.Errorf("the second cluster took %.1f s", took.Seconds())
	}
	s.says(script("down"), "down after")
	if after := remains(name); after != before {
		t.Errorf("there remains\n%s\nand before there was\n%s", after, before)
	}
}
