package kubelet

import (
	"context"
	"encoding/json"
	"reflect"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// stage is how one pod is played. Its methods run on the pod's goroutine.
type stage interface {
	begin(pod *Pod)
	// end is told once that the pod is to go within grace; the stage lets every container end.
	end(pod *Pod, grace time.Duration)
	// idle says whether nothing runs; abandon makes it so at once. Any goroutine may call them.
	idle() bool
	abandon()
}

// Pod is one pod on a node. All its state belongs to one goroutine, which runs what others send.
type Pod struct {
	UID             types.UID
	namespace, name string
	kubelet         *Kubelet
	node            *Node
	stage           stage
	ctx             context.Context // until the pod is gone
	cancel          context.CancelFunc
	work            chan func()
	leaving         atomic.Bool

	object     *corev1.Pod // as last seen
	address    string
	containers []*container
	started    metav1.Time
	failure    *podFailure
	conditions []corev1.PodCondition // beside the usual ones
	published  *corev1.PodStatus     // what the API server has
	ending     bool
	stuck      bool // obeys no deletion
	released   bool // obeys the next, where it was not to
}

// podFailure is why the whole pod has failed, as after an eviction.
type podFailure struct{ reason, message string }

func newPod(k *Kubelet, node *Node, object *corev1.Pod, stage stage) *Pod {
	p := &Pod{
		UID: object.UID, namespace: object.Namespace, name: object.Name,
		kubelet: k, node: node, stage: stage, object: object,
		work: make(chan func(), 64),
	}
	p.ctx, p.cancel = context.WithCancel(k.ctx)
	p.leaving.Store(object.DeletionTimestamp != nil)
	for i := range object.Spec.InitContainers {
		p.containers = append(p.containers, newContainer(&object.Spec.InitContainers[i], true))
	}
	for i := range object.Spec.Containers {
		p.containers = append(p.containers, newContainer(&object.Spec.Containers[i], false))
	}
	return p
}

// do runs something on the pod's goroutine, later; never when the pod is gone.
func (p *Pod) do(work func()) {
	select {
	case p.work <- work:
	case <-p.ctx.Done():
	}
}

// tell brings the pod's newest state. It must not wait, as the watch would.
func (p *Pod) tell(object *corev1.Pod) {
	if object.DeletionTimestamp != nil {
		p.leaving.Store(true)
	}
	p.kubelet.done.Go(func() {
		p.do(func() {
			if newer(object, p.object) {
				p.object = object
			}
		})
	})
}

// newer: deletion is never taken back, and that is all that a pod's life depends on.
func newer(object, than *corev1.Pod) bool {
	return object.DeletionTimestamp != nil || than.DeletionTimestamp == nil
}

const defaultGrace = 30 * time.Second

const retryAfter = 200 * time.Millisecond

// live is the pod's goroutine.
func (p *Pod) live() {
	defer p.bury()
	_, listens := p.stage.(*programStage)
	p.address = p.kubelet.addresses.take(listens)
	p.started = metav1.Now()
	if p.object.DeletionTimestamp == nil {
		p.stage.begin(p)
	}
	for {
		var retry <-chan time.Time
		if !p.advance() {
			retry = time.After(retryAfter)
		}
		select {
		case work := <-p.work:
			work()
		case <-retry:
		case <-p.ctx.Done():
			return
		}
	}
}

func (p *Pod) bury() {
	p.cancel()
	p.stage.abandon()
	for _, container := range p.containers {
		container.log.Load().close()
	}
	p.kubelet.names.remove(p.namespace, p.UID)
	p.kubelet.addresses.give(p.address)
}

// advance brings the API server to the pod's state; false: it has to be tried again.
func (p *Pod) advance() bool {
	if p.node.lost.Load() {
		return true // woken when the node is back
	}
	if p.object.DeletionTimestamp != nil && !p.ending {
		p.ending = true
		p.stage.end(p, p.grace())
	}
	if !p.publish() {
		return false
	}
	if !p.ending || p.stuck || !p.over() {
		return true
	}
	err := p.kubelet.client.CoreV1().Pods(p.namespace).Delete(p.ctx, p.name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64), Preconditions: &metav1.Preconditions{UID: &p.UID}})
	return err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err)
}

func (p *Pod) grace() time.Duration {
	if seconds := p.object.DeletionGracePeriodSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return defaultGrace
}

// over says whether nothing of the pod runs.
func (p *Pod) over() bool {
	for _, container := range p.containers {
		if container.state.Running != nil {
			return false
		}
	}
	return p.stage.idle()
}

// publish writes the status if it is another than the API server's; false: try again.
func (p *Pod) publish() bool {
	status := p.status()
	if p.published != nil && reflect.DeepEqual(*p.published, status) {
		return true
	}
	_, err := p.kubelet.client.CoreV1().Pods(p.namespace).Patch(p.ctx, p.name, types.StrategicMergePatchType,
		patchOf(map[string]any{"metadata": map[string]any{"uid": p.UID}, "status": status}),
		metav1.PatchOptions{}, "status")
	if apierrors.IsInvalid(err) {
		p.kubelet.complain("status of %s/%s refused: %v", p.namespace, p.name, err)
	} else if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return false
	}
	p.published = &status
	return true
}

// patchOf is a patch's text; values of ours always have one.
func patchOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
