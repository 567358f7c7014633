// Package kubelet plays the kubelet: pods that the real scheduler bound to its nodes come to life as
// a test says (scripted), or as real processes on this machine (programs). Nodes, leases, statuses,
// deletions, logs are those of Kubernetes; containers, images and networks are not.
package kubelet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Options say where a kubelet lives.
type Options struct {
	Config      *rest.Config // may do anything to nodes and pods
	Folder      string       // for what pods write and say
	Certificate tls.Certificate
	Clients     *x509.CertPool                   // who may read logs: the API server
	Complain    func(format string, args ...any) // of what should not happen; nil: to nobody
	// Seed makes the pods' addresses other than those of another kubelet on this machine.
	Seed uint16
}

// Kubelet is all nodes of one cluster. Its methods may be called from anywhere.
type Kubelet struct {
	client  kubernetes.Interface
	options Options
	ctx     context.Context // until Stop
	cancel  context.CancelFunc
	done    sync.WaitGroup
	server  *logServer
	names   *names

	mutex     sync.Mutex
	changed   chan struct{} // closed, and replaced, when a pod comes or goes
	nodes     map[string]*Node
	pods      map[types.UID]*Pod
	players   map[string]player // by namespace
	addresses *addresses
}

// player decides how the pods of a namespace are played.
type player func(pod *corev1.Pod) stage

// Start begins to watch pods. Nodes are added afterwards.
func Start(ctx context.Context, options Options) (*Kubelet, error) {
	client, err := kubernetes.NewForConfig(options.Config)
	if err != nil {
		return nil, err
	}
	k := &Kubelet{
		client:    client,
		options:   options,
		changed:   make(chan struct{}),
		nodes:     map[string]*Node{},
		pods:      map[types.UID]*Pod{},
		players:   map[string]player{},
		addresses: newAddresses(options.Seed),
		names:     newNames(options.Folder),
	}
	k.ctx, k.cancel = context.WithCancel(ctx)
	if k.server, err = startLogServer(k); err != nil {
		return nil, err
	}
	synced, err := k.watch()
	if err != nil {
		k.Stop()
		return nil, err
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced) {
		k.Stop()
		return nil, fmt.Errorf("the kubelet could not list the pods: %w", ctx.Err())
	}
	return k, nil
}

// Stop forgets all pods and kills their processes; nothing is written any more.
func (k *Kubelet) Stop() {
	k.cancel()
	if k.server != nil {
		k.server.stop()
	}
	k.done.Wait()
}

func (k *Kubelet) watch() (cache.InformerSynced, error) {
	source := cache.NewListWatchFromClient(k.client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll,
		fields.OneTermNotEqualSelector("spec.nodeName", ""))
	informer := cache.NewSharedInformer(source, &corev1.Pod{}, 0)
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { k.observe(object.(*corev1.Pod)) },
		UpdateFunc: func(_, object any) { k.observe(object.(*corev1.Pod)) },
		DeleteFunc: func(object any) {
			if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = unknown.Obj
			}
			k.forget(object.(*corev1.Pod))
		},
	})
	k.done.Go(func() { informer.RunWithContext(k.ctx) })
	return informer.HasSynced, err
}

// observe takes a pod's newest state, and begins to play it when it is new on a node of ours.
func (k *Kubelet) observe(object *corev1.Pod) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if pod := k.pods[object.UID]; pod != nil {
		pod.tell(object)
		return
	}
	node := k.nodes[object.Spec.NodeName]
	if node == nil {
		return
	}
	play := k.players[object.Namespace]
	if play == nil {
		play = k.players[""]
	}
	if play == nil {
		play = scriptedBy(nil)
	}
	pod := newPod(k, node, object, play(object))
	k.pods[object.UID] = pod
	k.done.Go(pod.live)
	k.announce()
}

func (k *Kubelet) forget(object *corev1.Pod) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	pod := k.pods[object.UID]
	if pod == nil {
		return
	}
	delete(k.pods, object.UID)
	k.announce()
	if pod.node.lost.Load() {
		pod.node.orphans = append(pod.node.orphans, pod) // the node has not heard of it
		return
	}
	pod.cancel()
}

// announce wakes whoever waits for pods. The mutex is held.
func (k *Kubelet) announce() {
	close(k.changed)
	k.changed = make(chan struct{})
}

// Pod waits until a pod of that name is on a node and not about to go, and returns it.
func (k *Kubelet) Pod(ctx context.Context, namespace, name string) (*Pod, error) {
	for {
		k.mutex.Lock()
		changed := k.changed
		pod := k.find(namespace, name)
		k.mutex.Unlock()
		if pod != nil {
			return pod, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("no pod %s/%s came to a node: %w", namespace, name, ctx.Err())
		}
	}
}

func (k *Kubelet) find(namespace, name string) *Pod {
	for _, pod := range k.pods {
		if pod.namespace == namespace && pod.name == name && !pod.leaving.Load() {
			return pod
		}
	}
	return nil
}

func (k *Kubelet) setPlayer(namespace string, play player) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.players[namespace] = play
}

func (k *Kubelet) complain(format string, args ...any) {
	if k.options.Complain != nil {
		k.options.Complain(format, args...)
	}
}
