// Package scenarios proves the product on a real control plane. All scenarios share one, each in a
// namespace of its own; those that break the API server run before the others, alone. Pods are
// played, but for the sets `nodes` and `figures`: their scenarios run on a real node, or on any cluster that
// SUMAC_TEST_KUBECONFIG names.
package scenarios

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"sumac.dev/tests/kube/kubelet"
	"sumac.dev/tests/kube/lab"
	"sumac.dev/tests/kube/node"
)

var (
	program  = flag.String("kube", os.Getenv("SUMAC_KUBE"), "the program that tests/kube/build.sh makes")
	kwok     = flag.String("kwok", os.Getenv("SUMAC_KWOK"), "the program that tests/kube/build.sh kwok makes")
	helm3    = flag.String("helm3", os.Getenv("SUMAC_HELM3"), "the program that tests/kube/build.sh helm3 makes")
	bin      = flag.String("bin", os.Getenv("SUMAC_BIN_DIR"), "the folder of our programs")
	root     = flag.String("root", "../../..", "the root of the sources")
	set      = flag.String("set", "all", "core: only scenarios of the core; all; nodes: those on real nodes; nodes-core; figures; sizing")
	pause    = flag.String("pause", os.Getenv("SUMAC_PAUSE"), "the program of sandboxes, for a real node")
	images   = flag.String("images", os.Getenv("SUMAC_IMAGES"), "the folder of our images, for a real node")
	machines = flag.String("machines", os.Getenv("SUMAC_MACHINES"), "the folder of real nodes")
	metrics  = flag.String("metrics-server", os.Getenv("SUMAC_METRICS_SERVER"), "the program that tests/kube/build.sh metrics-server makes")
	late     = flag.Duration("node-after", 0, "how old pods are, at least, when a node for them appears")
	keep     = flag.Bool("keep", false, "keep the folder of the control plane even when all pass")
)

// world is what all scenarios share.
type world struct {
	*lab.Cluster
	kubelet *kubelet.Kubelet // nil: nodes are real
	node    *kubelet.Node
	nodes   *realNodes // nil: nodes are played
}

var shared *world

func TestMain(m *testing.M) {
	kubelet.RunContainer() // neither returns where this process is one
	node.RunMachine()
	runHog()
	flag.Parse()
	if flag.Lookup("test.list").Value.String() != "" {
		os.Exit(m.Run())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if *program == "" {
		fmt.Fprintln(os.Stderr, "scenarios: -kube is missing; tests/kube/run.sh sets it")
		return 2
	}
	begin := time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	make := newWorld
	if onRealNodes() {
		make = newRealWorld
	}
	w, err := make(ctx)
	if lacking := (*lacking)(nil); errors.As(err, &lacking) {
		fmt.Fprintln(os.Stderr, "scenarios: skipped:", err)
		return 77
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scenarios:", err)
		return 1
	}
	fmt.Printf("control plane up after %.1f s: export KUBECONFIG=%s\n", time.Since(begin).Seconds(), w.Kubeconfig("admin"))
	shared = w
	quieten(w)
	status := m.Run()
	kept := status != 0 || *keep
	if w.kubelet != nil {
		w.kubelet.Stop()
	} else if err := w.stopNodes(kept); err != nil {
		fmt.Fprintln(os.Stderr, "scenarios:", err)
		status = max(status, 1)
	}
	w.Stop(kept)
	if kept {
		fmt.Println("kept, with the logs of all programs and pods:", w.Folder)
	}
	return status
}

func newWorld(ctx context.Context) (*world, error) {
	cluster, err := lab.Start(ctx, *program, "")
	if err != nil {
		return nil, err
	}
	w := &world{Cluster: cluster}
	if err := w.addKubelet(ctx); err != nil {
		cluster.Stop(true)
		return nil, fmt.Errorf("start the kubelet: %w; logs are in %s", err, cluster.Folder)
	}
	if err := w.installDefinition(ctx); err != nil {
		w.kubelet.Stop()
		cluster.Stop(true)
		return nil, err
	}
	return w, nil
}

func (w *world) addKubelet(ctx context.Context) (err error) {
	if w.kubelet, err = kubelet.StartFor(ctx, w.Cluster); err != nil {
		return err
	}
	w.node, err = w.kubelet.AddNode(ctx, kubelet.NodeSpec{Name: "node-a"})
	return err
}

// quieten sends what client-go has to say, such as of watches that broke when the API server was
// killed, to a file.
func quieten(w *world) {
	log, err := os.Create(w.Folder + "/log/client.log")
	if err != nil {
		return
	}
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(log, nil)))
}
