package node

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"sumac.dev/tests/kube/lab"
)

//go:embed config
var configs embed.FS

const (
	pauseImage = "docker.io/sumac/pause:1"
	dnsReady   = "127.0.0.1:8181"
)

// startNode starts what a node runs, in the order in which they need each other, and returns when
// pods can run and find each other's names.
func (p *plan) startNode(ctx context.Context, cluster *lab.Cluster) error {
	if err := errors.Join(p.writeConfigs(), cluster.WriteNodeCertificate()); err != nil {
		return err
	}
	if err := cluster.Keep("containerd", "/usr/bin/containerd", "--config", p.config("containerd.toml"), "--log-level", "warn"); err != nil {
		return err
	}
	if err := p.importPause(ctx); err != nil {
		return err
	}
	if err := cluster.Keep("kubelet", "", "--config="+p.config("kubelet.yaml"), "--kubeconfig="+cluster.Kubeconfig("node"),
		"--root-dir="+filepath.Join(p.Folder, "kubelet"), "--hostname-override="+NodeName, "--node-ip="+Address); err != nil {
		return err
	}
	kubectl, err := cluster.Tool("kubectl")
	if err != nil {
		return err
	}
	said, err := exec.CommandContext(ctx, kubectl, "--kubeconfig", cluster.Kubeconfig("admin"), "apply", "-f", p.config("coredns.yaml")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("grant rights to the DNS server: %w: %s", err, said)
	}
	if err := cluster.Keep("coredns", "", "-conf", p.config("Corefile")); err != nil {
		return err
	}
	// The proxy waits half a minute for a node that is not there yet.
	if err := awaitNode(ctx, cluster, func(*corev1.Node) bool { return true }); err != nil {
		return err
	}
	if err := cluster.Keep("kube-proxy", "", "--config="+p.config("kube-proxy.yaml")); err != nil {
		return err
	}
	if err := awaitNode(ctx, cluster, isReady); err != nil {
		return err
	}
	if err := offerStorage(ctx, cluster); err != nil {
		return err
	}
	return awaitDNS(ctx)
}

// offerStorage lets pods request ephemeral storage. The kubelet does not count it here, and so offers
// none, but keeps what the status says.
func offerStorage(ctx context.Context, cluster *lab.Cluster) error {
	status := []byte(`{"status": {"capacity": {"ephemeral-storage": "64Gi"}, "allocatable": {"ephemeral-storage": "64Gi"}}}`)
	_, err := cluster.Client.CoreV1().Nodes().Patch(ctx, NodeName, types.MergePatchType, status, metav1.PatchOptions{}, "status")
	if err != nil {
		return fmt.Errorf("offer ephemeral storage: %w", err)
	}
	return nil
}

func (p *plan) config(name string) string { return filepath.Join(p.Folder, "config", name) }

// writeConfigs fills the templates in.
func (p *plan) writeConfigs() error {
	filled := strings.NewReplacer("@FOLDER@", p.Folder, "@GROUP@", p.Group, "@ADDRESS@", Address,
		"@RANGE@", podRange, "@BRIDGE@", bridge, "@NODE@", NodeName, "@PAUSE@", pauseImage, "@DNS_READY@", dnsReady)
	entries, err := configs.ReadDir("config")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		text, err := configs.ReadFile("config/" + entry.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(p.config(entry.Name()), []byte(filled.Replace(string(text))), 0o600); err != nil {
			return err
		}
	}
	network := filepath.Join(p.Folder, "cni")
	return errors.Join(os.Mkdir(network, 0o755),
		os.Rename(p.config("pods.conflist"), filepath.Join(network, "pods.conflist")),
		p.addPlugins(filepath.Join(p.Folder, "cni-plugins")),
		os.WriteFile(p.config("resolv.conf"), nil, 0o644))
}

// addPlugins makes the folder of network plugins: the packages' and ours, which limits pods' links.
func (p *plan) addPlugins(folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	packaged, err := filepath.Glob("/usr/lib/cni/*")
	if err != nil {
		return err
	}
	for _, program := range packaged {
		if err := os.Symlink(program, filepath.Join(folder, filepath.Base(program))); err != nil {
			return err
		}
	}
	shape := filepath.Join(folder, "shape")
	return errors.Join(os.Rename(p.config("shape"), shape), os.Chmod(shape, 0o755))
}

// importPause waits for containerd by trying.
func (p *plan) importPause(ctx context.Context) error {
	image := filepath.Join(p.Folder, "pause.tar")
	if err := WriteImage(image, pauseImage, map[string]string{"pause": p.Pause}, "/pause"); err != nil {
		return err
	}
	var said []byte
	err := poll(ctx, func() (err error) {
		said, err = exec.CommandContext(ctx, "ctr", "--namespace", "k8s.io", "images", "import", image).CombinedOutput()
		return err
	})
	if err != nil {
		return fmt.Errorf("import the image of sandboxes: %w: %s", err, said)
	}
	return nil
}

func isReady(node *corev1.Node) bool {
	for _, each := range node.Status.Conditions {
		if each.Type == corev1.NodeReady {
			return each.Status == corev1.ConditionTrue
		}
	}
	return false
}

func awaitNode(ctx context.Context, cluster *lab.Cluster, holds func(node *corev1.Node) bool) error {
	only := fields.OneTermEqualSelector("metadata.name", NodeName)
	source := cache.NewListWatchFromClient(cluster.Client.CoreV1().RESTClient(), "nodes", metav1.NamespaceAll, only)
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.Node{}, nil, func(event watch.Event) (bool, error) {
		node, ok := event.Object.(*corev1.Node)
		return ok && holds(node), nil
	})
	if err != nil {
		return fmt.Errorf("wait for the node: %w", err)
	}
	return nil
}

func awaitDNS(ctx context.Context) error {
	err := poll(ctx, func() error {
		answer, err := http.Get("http://" + dnsReady + "/ready")
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("wait for the DNS server: %w", err)
	}
	return nil
}

// poll tries until it works, for what cannot be watched.
func poll(ctx context.Context, try func() error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticker.C:
		}
	}
}
