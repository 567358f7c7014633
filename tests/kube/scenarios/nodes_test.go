package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/lab"
	"sumac.dev/tests/kube/node"
)

// realNodes are where the scenarios of the set `nodes` run pods.
type realNodes struct {
	machine  *node.Machine // nil: somebody else's nodes
	registry string        // where our images are pulled from
	scratch  string        // a folder that our node sees too

	install       sync.Once
	lacksOperator error // why the operator could not be installed; set by install
}

// lacking says why this machine cannot run a real node.
type lacking struct{ error }

func onRealNodes() bool {
	return strings.HasPrefix(*set, "nodes") || *set == "figures" || *set == "sizing"
}

// newRealWorld starts a real node with our images in it, or attaches to the cluster of
// SUMAC_TEST_KUBECONFIG, which pulls them from SUMAC_TEST_REGISTRY.
func newRealWorld(ctx context.Context) (*world, error) {
	scratch, err := os.MkdirTemp("", "sumac-nodes-")
	if err != nil {
		return nil, err
	}
	nodes := &realNodes{registry: "sumac.test", scratch: scratch}
	kubeconfig := os.Getenv("SUMAC_TEST_KUBECONFIG")
	if kubeconfig == "" {
		if err := nodes.start(ctx); err != nil {
			return nil, err
		}
		kubeconfig = nodes.machine.Kubeconfig()
	} else if nodes.registry = os.Getenv("SUMAC_TEST_REGISTRY"); nodes.registry == "" {
		return nil, errors.New("SUMAC_TEST_KUBECONFIG is set, and SUMAC_TEST_REGISTRY is not: where are the images?")
	}
	cluster, err := lab.Attach(*program, kubeconfig, scratch)
	w := &world{Cluster: cluster, nodes: nodes}
	if err == nil {
		err = os.Chmod(scratch, 0o711) // volumes in it are for other users
	}
	if err != nil {
		return nil, errors.Join(err, w.stopNodes(true))
	}
	return w, nil
}

func (n *realNodes) start(ctx context.Context) error {
	if err := node.Missing(); err != nil {
		return &lacking{err}
	}
	name := "test-" + strings.ToLower(filepath.Base(n.scratch))
	machine, err := node.Start(ctx, node.Settings{Program: *program, Pause: *pause, Folder: *machines, Name: name})
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := importImages(ctx, machine); err != nil {
		return errors.Join(err, machine.Stop())
	}
	fmt.Printf("images imported after %.1f s\n", time.Since(begin).Seconds())
	n.machine = machine
	return nil
}

// importImages puts our images into a node.
func importImages(ctx context.Context, machine *node.Machine) error {
	files, err := filepath.Glob(filepath.Join(*images, "sumac-*.tar"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("there are no images in %q (-images); docker/images.sh makes them", *images)
	}
	for _, each := range files {
		if err := machine.Import(ctx, each); err != nil {
			return err
		}
	}
	return nil
}

// stopNodes ends our node. Its logs stay beside those of the scenarios where they are wanted.
func (w *world) stopNodes(keepLogs bool) error {
	machine := w.nodes.machine
	if machine == nil {
		return nil
	}
	var err error
	if keepLogs {
		err = machine.KeepLogs(w.nodes.scratch)
	}
	return errors.Join(err, machine.Stop())
}

// onNodes begins a scenario with the operator on real nodes, in a namespace that takes restricted pods
// alone. Those run one after another: they compute.
func onNodes(t *testing.T) *scenario {
	t.Helper()
	if shared.nodes == nil {
		t.Skip("needs real nodes: tests/kube/run.sh nodes")
	}
	s := place(t, map[string]string{"pod-security.kubernetes.io/enforce": "restricted"})
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.ctx)) // the test's own ends before its clean-ups
	t.Cleanup(cancel)
	s.ctx = ctx
	t.Cleanup(func() {
		if t.Failed() {
			s.printAll()
			s.keepPodLogs()
		}
		s.anywhere("", "delete", "namespace", s.namespace, "--wait=false")
	})
	s.nodes.install.Do(func() { s.nodes.lacksOperator = s.installReal() })
	if s.nodes.lacksOperator != nil {
		t.Fatal("install the operator: ", s.nodes.lacksOperator)
	}
	return s
}

// notInNodesCore keeps a scenario out of the core of the set.
func notInNodesCore(t *testing.T) {
	t.Helper()
	if *set == "nodes-core" {
		t.Skip("not in the core set")
	}
}

// onOurNode skips where nodes are somebody else's; what says what the scenario does there.
func (s *scenario) onOurNode(what string) *node.Machine {
	s.Helper()
	if s.nodes.machine == nil {
		s.Skipf("%s, which takes a node of ours; SUMAC_TEST_KUBECONFIG is set", what)
	}
	return s.nodes.machine
}

// chartOnNodes is what installs or upgrades the chart, with the registry of our images.
func (s *scenario) chartOnNodes() []string {
	return []string{
		"upgrade", "--install", "sumac", filepath.Join(*root, "helm", "sumac"), "--namespace", operatorsNamespace,
		"--set", "image.registry=" + s.nodes.registry, "--wait", "--timeout", patience.String(),
	}
}

// installReal installs the operator with the chart, in a namespace that takes restricted pods alone.
func (s *scenario) installReal() error {
	s.Helper()
	got := s.anywhere(`{apiVersion: v1, kind: Namespace, metadata: {name: `+operatorsNamespace+`,
labels: {pod-security.kubernetes.io/enforce: restricted}}}`, "apply", "-f", "-")
	if got.err == nil {
		got = s.helm("admin", s.chartOnNodes()...)
	}
	if got.err != nil {
		return fmt.Errorf("%w: %s%s", got.err, got.stdout, got.stderr)
	}
	return nil
}

// expect ends the test where a command failed.
func (s *scenario) expect(got output) string {
	s.Helper()
	if got.err != nil {
		s.Fatalf("kubectl: %v\n%s", got.err, got.stderr)
	}
	return got.stdout
}

// volume makes a claim with an empty volume, and returns the folder that it is on our node.
func (s *scenario) volume(claim string) string {
	s.Helper()
	if s.nodes.machine == nil {
		s.claim(claim, "")
		return ""
	}
	folder, err := os.MkdirTemp(s.nodes.scratch, "volume-")
	if err != nil {
		s.Fatal(err)
	}
	s.claimWithVolume(claim, fmt.Sprintf(`local: {path: %s}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%s]}]`, folder, node.NodeName))
	return folder
}

// claimWithVolume makes a claim that one node alone may mount, and before it its volume: the other way
// round the claim is bound when the controller looks at it again, 15 s later.
func (s *scenario) claimWithVolume(claim, place string) {
	s.Helper()
	name := s.namespace + "-" + claim
	s.expect(s.anywhere(fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: %s}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  claimRef: {namespace: %s, name: %s}
  persistentVolumeReclaimPolicy: Retain
  %s
`, name, s.namespace, claim, place), "apply", "-f", "-"))
	s.Cleanup(func() { s.anywhere("", "delete", "persistentvolume", name, "--wait=false") })
	s.claim(claim, "storageClassName: '', volumeName: "+name+", ")
}

// claim makes a claim; volume are the fields that name its volume, each with a comma.
func (s *scenario) claim(name, volume string) {
	s.Helper()
	s.must(fmt.Sprintf(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s},
spec: {%saccessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`, name, volume), "apply", "-f", "-")
}

func (s *scenario) write(file, text string) {
	s.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

// getPod is a pod of the scenario as it is now.
func (s *scenario) getPod(name string) *corev1.Pod {
	s.Helper()
	pod, err := s.Client.CoreV1().Pods(s.namespace).Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	return pod
}

// ownerOf is the user and the group of a file.
func ownerOf(file os.FileInfo) string {
	status := file.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d", status.Uid, status.Gid)
}

// printAll prints what there is to know of a scenario that failed.
func (s *scenario) printAll() {
	for _, args := range [][]string{
		{"get", "tjob,pods,pvc,events", "-o", "wide"},
		{"get", "tjob", "-o", "yaml"},
		{"logs", "--selector", "sumac.dev/job-name", "--all-containers", "--prefix", "--tail=-1", "--ignore-errors"},
		{"--namespace", operatorsNamespace, "logs", "--selector", "app.kubernetes.io/component=operator", "--prefix", "--tail=-1"},
	} {
		got := s.kubectl("", args...)
		s.Logf("kubectl %s:\n%s%s", strings.Join(args, " "), got.stdout, got.stderr)
	}
}

// keepPodLogs copies the logs of all containers, also of those that ended: they go with the namespace.
func (s *scenario) keepPodLogs() {
	if s.nodes.machine == nil {
		return
	}
	to := filepath.Join(s.nodes.scratch, "failed", s.namespace)
	if err := os.CopyFS(to, os.DirFS(filepath.Join(s.nodes.machine.Folder, "pods"))); err != nil {
		s.Logf("not all logs of containers are kept: %v", err)
	}
	s.Logf("the logs of all containers are in %s", to)
}
