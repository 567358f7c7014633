package kubelet

import (
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// container is what the pod's goroutine knows of one container.
type container struct {
	spec     *corev1.Container
	init     bool
	state    corev1.ContainerState
	last     corev1.ContainerState
	ready    bool
	restarts int32
	log      atomic.Pointer[logBuffer] // read by whoever asks for logs
	previous atomic.Pointer[logBuffer] // of the life before a restart
}

func newContainer(spec *corev1.Container, init bool) *container {
	c := &container{spec: spec, init: init}
	c.wait("ContainerCreating", "")
	c.log.Store(newLogBuffer())
	return c
}

// sidecar says whether an init container runs beside the others until they have ended.
func (c *container) sidecar() bool {
	return c.init && ptr.Deref(c.spec.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
}

func (c *container) run(ready bool) {
	c.state = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	c.ready = ready
}

func (c *container) wait(reason, message string) {
	c.state = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	c.ready = false
}

// Exit is how a container ends.
type Exit struct {
	Code    int32
	Signal  int32
	Reason  string // Completed or Error where it is empty
	Message string // the termination message
}

func (c *container) exit(exit Exit) {
	if exit.Reason == "" {
		exit.Reason = "Error"
		if exit.Code == 0 {
			exit.Reason = "Completed"
		}
	}
	ended := &corev1.ContainerStateTerminated{
		ExitCode: exit.Code, Signal: exit.Signal, Reason: exit.Reason, Message: exit.Message,
		FinishedAt: metav1.Now(),
	}
	if c.state.Running != nil {
		ended.StartedAt = c.state.Running.StartedAt
	}
	c.state, c.ready = corev1.ContainerState{Terminated: ended}, false
	c.log.Load().close()
}

// again is a restart: what ended is the last state.
func (c *container) again() {
	c.last = c.state
	c.previous.Store(c.log.Swap(newLogBuffer()))
	c.restarts++
}

func (c *container) status(pod *Pod) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name: c.spec.Name, Image: c.spec.Image, ImageID: "played://" + c.spec.Image,
		ContainerID: "played://" + string(pod.UID) + "." + c.spec.Name,
		State:       c.state, LastTerminationState: c.last,
		Ready: c.ready, RestartCount: c.restarts, Started: ptr.To(c.state.Running != nil),
	}
}

func (p *Pod) status() corev1.PodStatus {
	status := corev1.PodStatus{
		Phase: p.phase(), HostIP: "127.0.0.1", HostIPs: []corev1.HostIP{{IP: "127.0.0.1"}},
		PodIP: p.address, PodIPs: []corev1.PodIP{{IP: p.address}},
		StartTime: &p.started, QOSClass: p.object.Status.QOSClass,
	}
	if p.failure != nil {
		status.Reason, status.Message = p.failure.reason, p.failure.message
	}
	for _, container := range p.containers {
		if container.init {
			status.InitContainerStatuses = append(status.InitContainerStatuses, container.status(p))
		} else {
			status.ContainerStatuses = append(status.ContainerStatuses, container.status(p))
		}
	}
	status.Conditions = append(p.usualConditions(status.Phase), p.conditions...)
	return status
}

// phase follows Kubernetes: sidecars do not count, all main containers do, and a container that is
// started again has not ended.
func (p *Pod) phase() corev1.PodPhase {
	if p.failure != nil {
		return corev1.PodFailed
	}
	policy := p.object.Spec.RestartPolicy
	var running, waiting, failed int
	for _, container := range p.containers {
		switch {
		case container.init && (container.sidecar() || succeeded(container)):
		case container.state.Running != nil && !container.init:
			running++
		case container.state.Terminated != nil && !p.ending && startsAgain(policy, container):
			running++
		case container.state.Terminated == nil:
			waiting++
		case container.state.Terminated.ExitCode != 0:
			failed++
		}
	}
	switch {
	case failed > 0 && p.initFailed():
		return corev1.PodFailed
	case running > 0:
		return corev1.PodRunning
	case waiting > 0:
		return corev1.PodPending
	case failed > 0:
		return corev1.PodFailed
	}
	return corev1.PodSucceeded
}

func startsAgain(policy corev1.RestartPolicy, container *container) bool {
	return !container.init && (policy == corev1.RestartPolicyAlways ||
		policy == corev1.RestartPolicyOnFailure && !succeeded(container))
}

func succeeded(container *container) bool {
	return container.state.Terminated != nil && container.state.Terminated.ExitCode == 0
}

func (p *Pod) initFailed() bool {
	for _, container := range p.containers {
		if container.init && !container.sidecar() && container.state.Terminated != nil && !succeeded(container) {
			return true
		}
	}
	return false
}

func (p *Pod) usualConditions(phase corev1.PodPhase) []corev1.PodCondition {
	ready, reason := true, ""
	for _, container := range p.containers {
		if !container.init && !container.ready {
			ready, reason = false, "ContainersNotReady"
		}
	}
	if phase == corev1.PodSucceeded || phase == corev1.PodFailed {
		ready, reason = false, "PodCompleted"
	}
	return []corev1.PodCondition{
		p.condition(corev1.PodReadyToStartContainers, true, ""),
		p.condition(corev1.PodInitialized, phase != corev1.PodPending || p.initialized(), ""),
		p.condition(corev1.ContainersReady, ready, reason),
		p.condition(corev1.PodReady, ready, reason),
	}
}

func (p *Pod) initialized() bool {
	for _, container := range p.containers {
		if container.init && !container.sidecar() && !succeeded(container) {
			return false
		}
	}
	return true
}

// condition keeps the time at which it last turned.
func (p *Pod) condition(name corev1.PodConditionType, holds bool, reason string) corev1.PodCondition {
	status := corev1.ConditionFalse
	if holds {
		status = corev1.ConditionTrue
	}
	if p.published != nil {
		for _, before := range p.published.Conditions {
			if before.Type == name && before.Status == status && before.Reason == reason {
				return before
			}
		}
	}
	return corev1.PodCondition{Type: name, Status: status, Reason: reason,
		LastTransitionTime: metav1.NewTime(time.Now().Truncate(time.Second))}
}
