package kubelet

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/utils/ptr"
)

// NodeSpec is what the scheduler knows of a node.
type NodeSpec struct {
	Name        string
	CPU, Memory string // room for the pods of all scenarios where they are empty
	Labels      map[string]string
	Taints      []corev1.Taint
}

// Node is one node that the kubelet plays.
type Node struct {
	Name    string
	kubelet *Kubelet
	lost    atomic.Bool
	orphans []*Pod // deleted while the node was lost, but alive; under the kubelet's mutex
}

const (
	leaseSeconds = 40
	leaseRenewal = 10 * time.Second
)

// AddNode registers a node, keeps its lease, and returns when pods can be bound to it.
func (k *Kubelet) AddNode(ctx context.Context, spec NodeSpec) (*Node, error) {
	node := &Node{Name: spec.Name, kubelet: k}
	k.mutex.Lock()
	k.nodes[spec.Name] = node
	k.mutex.Unlock()
	nodes := k.client.CoreV1().Nodes()
	if _, err := nodes.Create(ctx, nodeObject(spec), metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("make node %s: %w", spec.Name, err)
	}
	status := patchOf(map[string]any{"status": k.nodeStatus(spec)})
	if _, err := nodes.PatchStatus(ctx, spec.Name, status); err != nil {
		return nil, fmt.Errorf("report node %s: %w", spec.Name, err)
	}
	if err := node.renew(ctx); err != nil {
		return nil, err
	}
	k.done.Go(node.keepLease)
	return node, node.await(ctx, len(spec.Taints))
}

func nodeObject(spec NodeSpec) *corev1.Node {
	labels := map[string]string{
		"kubernetes.io/hostname": spec.Name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
	}
	for name, value := range spec.Labels {
		labels[name] = value
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: spec.Name, Labels: labels},
		Spec:       corev1.NodeSpec{Taints: spec.Taints},
	}
}

func quantity(text, otherwise string) resource.Quantity {
	if text == "" {
		text = otherwise
	}
	return resource.MustParse(text)
}

func (k *Kubelet) nodeStatus(spec NodeSpec) corev1.NodeStatus {
	// The pods of a scenario stay until the cluster ends.
	resources := corev1.ResourceList{
		corev1.ResourceCPU:              quantity(spec.CPU, "1000"),
		corev1.ResourceMemory:           quantity(spec.Memory, "4Ti"),
		corev1.ResourceEphemeralStorage: quantity("", "1Ti"),
		corev1.ResourcePods:             quantity("", "1000"),
	}
	return corev1.NodeStatus{
		Capacity: resources, Allocatable: resources,
		Conditions: []corev1.NodeCondition{readiness(corev1.ConditionTrue, "KubeletReady", "it is played")},
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: "127.0.0.1"},
			{Type: corev1.NodeHostName, Address: spec.Name},
		},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{
			KubeletEndpoint: corev1.DaemonEndpoint{Port: k.server.port()},
		},
		NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.35.4", OperatingSystem: "linux", Architecture: "amd64"},
	}
}

func readiness(status corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
	now := metav1.Now()
	return corev1.NodeCondition{Type: corev1.NodeReady, Status: status, Reason: reason, Message: message,
		LastHeartbeatTime: now, LastTransitionTime: now}
}

// await waits until the controller manager has taken off its own taints.
func (n *Node) await(ctx context.Context, taints int) error {
	only := fields.OneTermEqualSelector("metadata.name", n.Name)
	source := cache.NewListWatchFromClient(n.kubelet.client.CoreV1().RESTClient(), "nodes", metav1.NamespaceAll, only)
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.Node{}, nil, func(event watch.Event) (bool, error) {
		node, ok := event.Object.(*corev1.Node)
		return ok && len(node.Spec.Taints) == taints, nil
	})
	if err != nil {
		return fmt.Errorf("node %s has not become ready: %w", n.Name, err)
	}
	return nil
}

func (n *Node) renew(ctx context.Context) error {
	leases := n.kubelet.client.CoordinationV1().Leases("kube-node-lease")
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       &n.Name,
			LeaseDurationSeconds: ptr.To(int32(leaseSeconds)),
			RenewTime:            &metav1.MicroTime{Time: time.Now()},
		},
	}
	_, err := leases.Create(ctx, lease, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = leases.Patch(ctx, n.Name, types.MergePatchType, patchOf(map[string]any{"spec": lease.Spec}),
			metav1.PatchOptions{})
	}
	return err
}

func (n *Node) keepLease() {
	ticker := time.NewTicker(leaseRenewal)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if !n.lost.Load() {
				if err := n.renew(n.kubelet.ctx); err != nil && n.kubelet.ctx.Err() == nil {
					n.kubelet.complain("lease of %s: %v", n.Name, err) // the API server may be away
				}
			}
		case <-n.kubelet.ctx.Done():
			return
		}
	}
}

// Lose cuts the node off: it reports nothing and obeys nothing. What its pods run goes on. The
// controller manager notices at once, and not after the lease, since it is told.
func (n *Node) Lose(ctx context.Context) error {
	n.lost.Store(true)
	return n.report(ctx, readiness(corev1.ConditionUnknown, "NodeStatusUnknown", "Kubelet stopped posting node status."))
}

// Recover brings the node back.
func (n *Node) Recover(ctx context.Context) error {
	n.lost.Store(false)
	if err := n.renew(ctx); err != nil {
		return err
	}
	n.kubelet.wakeAll()
	n.buryOrphans()
	return n.report(ctx, readiness(corev1.ConditionTrue, "KubeletReady", "it is played"))
}

func (n *Node) report(ctx context.Context, condition corev1.NodeCondition) error {
	_, err := n.kubelet.client.CoreV1().Nodes().PatchStatus(ctx, n.Name,
		patchOf(map[string]any{"status": map[string]any{"conditions": []any{condition}}}))
	return err
}

func (k *Kubelet) wakeAll() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for _, pod := range k.pods {
		pod.do(func() {})
	}
}

func (n *Node) buryOrphans() {
	n.kubelet.mutex.Lock()
	defer n.kubelet.mutex.Unlock()
	for _, pod := range n.orphans {
		pod.cancel()
	}
	n.orphans = nil
}
