package kubelet

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Script says how a pod behaves until a test says otherwise. The zero value is a pod whose
// containers run and are ready at once, and end with 143 when it is deleted.
type Script struct {
	Waiting  *Waiting // the main container does not start
	NotReady bool     // it runs, but is not ready
	Exit     *Exit    // it ends as soon as it has started
	OnDelete *Exit    // how it ends when the pod is deleted
	Stuck    bool     // a deletion is not obeyed
}

// Waiting is why a container does not start: ImagePullBackOff, CreateContainerConfigError ...
type Waiting struct{ Reason, Message string }

// PlayScripted makes script decide about each pod of the namespace that comes from now on. nil: all
// run and are ready, as in namespaces of which nothing was said.
func (k *Kubelet) PlayScripted(namespace string, script func(pod *corev1.Pod) Script) {
	k.setPlayer(namespace, scriptedBy(script))
}

func scriptedBy(script func(pod *corev1.Pod) Script) player {
	return func(pod *corev1.Pod) stage {
		if script == nil {
			return &scripted{}
		}
		return &scripted{script(pod)}
	}
}

type scripted struct{ script Script }

func (s *scripted) begin(p *Pod) {
	for _, container := range p.containers {
		switch {
		case container.init && !container.sidecar():
			container.run(true)
			container.exit(Exit{})
		case container != p.main() || s.script.Waiting == nil:
			container.run(true)
		}
	}
	main := p.main()
	switch {
	case s.script.Waiting != nil:
		main.wait(s.script.Waiting.Reason, s.script.Waiting.Message)
	case s.script.Exit != nil:
		main.exit(*s.script.Exit)
	case s.script.NotReady:
		main.ready = false
	}
	p.kubelet.names.add(p.object, p.address)
}

func (s *scripted) end(p *Pod, _ time.Duration) {
	p.stuck = s.script.Stuck && !p.released
	if p.stuck {
		return
	}
	exit := Exit{Code: 143}
	if s.script.OnDelete != nil {
		exit = *s.script.OnDelete
	}
	for _, container := range p.containers {
		if container.state.Running != nil {
			container.exit(exit)
		}
	}
}

func (s *scripted) idle() bool { return true }

func (s *scripted) abandon() {}

// main is the container that a job is about: that of the name sumac, else the first.
func (p *Pod) main() *container {
	var first *container
	for _, container := range p.containers {
		if container.spec.Name == "sumac" {
			return container
		}
		if first == nil && !container.init {
			first = container
		}
	}
	return first
}

func (p *Pod) container(name string) *container {
	for _, container := range p.containers {
		if container.spec.Name == name {
			return container
		}
	}
	return p.main()
}

// What follows are a test's orders to one pod. Each returns at once; the API server shows it soon.

// Run starts the main container of a pod that waited, or makes it ready.
func (p *Pod) Run(ready bool) { p.do(func() { p.main().run(ready) }) }

// Wait puts the main container back to waiting.
func (p *Pod) Wait(waiting Waiting) { p.do(func() { p.main().wait(waiting.Reason, waiting.Message) }) }

// Exit ends the main container.
func (p *Pod) Exit(exit Exit) { p.do(func() { p.main().exit(exit) }) }

// ExitOf ends another container.
func (p *Pod) ExitOf(name string, exit Exit) { p.do(func() { p.container(name).exit(exit) }) }

// Restart ends a container and starts it again, as its sidecar's policy may say.
func (p *Pod) Restart(name string, exit Exit) {
	p.do(func() {
		container := p.container(name)
		container.exit(exit)
		container.again()
		container.run(true)
	})
}

// Fail fails the whole pod with a reason of Kubernetes', such as Evicted; its containers are killed.
func (p *Pod) Fail(reason, message string) {
	p.do(func() {
		p.failure = &podFailure{reason, message}
		for _, container := range p.containers {
			if container.state.Running != nil {
				container.exit(Exit{Code: 137})
			}
		}
	})
}

// Disrupt adds the condition by which Kubernetes says that it is about to end the pod.
func (p *Pod) Disrupt(reason, message string) {
	p.do(func() {
		p.conditions = append(p.conditions, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: message,
			LastTransitionTime: metav1.Now(),
		})
	})
}

// Release lets a pod go that was stuck. A test may have seen its deletion before the kubelet has: then
// the pod obeys as soon as the kubelet sees it.
func (p *Pod) Release() {
	p.do(func() {
		p.released = true
		if p.ending {
			(&scripted{}).end(p, 0)
		}
	})
}

// Print adds a line to the log of the main container.
func (p *Pod) Print(line string) { p.do(func() { p.main().log.Load().print(line) }) }

// Address is the pod's own, of this machine's loopback device.
func (p *Pod) Address(ctx context.Context) (string, error) {
	answer := make(chan string, 1)
	p.do(func() { answer <- p.address })
	select {
	case address := <-answer:
		return address, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Name is the pod's.
func (p *Pod) Name() string { return p.name }
