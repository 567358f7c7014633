package scenarios

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/node"
)

// steady is a job with checkpoints on a volume. Faults come when its first checkpoint is written, and
// find it with more than 700 steps to go. What takes long to happen finds it held: see hold.
// On other nodes than ours it cannot be held: there the limit of a quarter of a processor for each
// worker gives the fault some seconds.
const steady = `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 800, seed: 1, logicalWorkers: 4, optimizer: {learningRate: "0.01", momentum: "0.9"}}
worker:
  replicas: 2
  template: {spec: {containers: [{name: sumac, resources: {requests: {cpu: 50m, memory: 64Mi}, limits: {cpu: 250m, memory: 512Mi}}}]}}
checkpoint:
  path: /checkpoints
  everySteps: 50
  volume: {persistentVolumeClaim: {claimName: checkpoints}}
`

// endless is steady, but for its end, which no test waits for. Its status shows no progress: that is
// written for each hundredth of the steps.
var endless = strings.Replace(steady, "steps: 800", "steps: 1000000000", 1)

// held are the members of a job that stand still, all of them: none misses another, and the job cannot
// end. On other nodes than ours they run on.
type held struct {
	*scenario
	paused *node.Paused // nil: not on our node
}

// hold stops the members of a job that runs.
func (s *scenario) hold(job string) *held {
	s.Helper()
	h := &held{scenario: s}
	if s.nodes.machine == nil {
		return h
	}
	// A program may write before the kubelet has written which container it runs in.
	var containers []string
	s.until("the containers of the job are known", func() bool {
		containers = s.containersOf(job)
		return !slices.Contains(containers, "")
	})
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	var err error
	if h.paused, err = s.nodes.machine.Pause(ctx, containers...); err != nil {
		s.Fatal("hold the job: ", err)
	}
	s.Cleanup(h.release)
	return h
}

// containersOf are those that the pods of a job run in, "" where that is not known yet.
func (s *scenario) containersOf(job string) []string {
	s.Helper()
	containers, err := s.findContainers(job)
	if err != nil {
		s.Fatal(err)
	}
	return containers
}

// findContainers is containersOf, for other goroutines than the test's own.
func (s *scenario) findContainers(job string) ([]string, error) {
	pods, err := s.Client.CoreV1().Pods(s.namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "sumac.dev/job-name=" + job})
	if err != nil {
		return nil, err
	}
	var containers []string
	for i := range pods.Items {
		containers = append(containers, containerOf(&pods.Items[i]))
	}
	return containers, nil
}

// holdAtCheckpoint waits until a job has written its first checkpoint, and holds it.
func (s *scenario) holdAtCheckpoint(job string) *held {
	s.Helper()
	s.logUntil(job+"-worker-0", "checkpoint written")
	return s.hold(job)
}

// release lets the members run on. A second time it does nothing.
func (h *held) release() {
	h.Helper()
	if h.paused == nil {
		return
	}
	if err := h.paused.Resume(); err != nil {
		h.Error("release the job: ", err)
	}
}

// releaseWhenAsked lets the members run on when one of them has been asked to end. They find that
// before anything else.
func (h *held) releaseWhenAsked() {
	h.Helper()
	if h.paused == nil {
		return
	}
	ctx, cancel := context.WithTimeout(h.ctx, patience)
	defer cancel()
	if err := h.paused.AwaitAsked(ctx); err != nil {
		h.Fatal(err)
	}
	h.release()
}

// containerOf is the container of a pod that trains.
func containerOf(pod *corev1.Pod) string {
	if len(pod.Status.ContainerStatuses) == 0 {
		return ""
	}
	return pod.Status.ContainerStatuses[0].ContainerID
}
