package scenarios

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/node"
)

// steady is a job with checkpoints on a volume. Faults come when its second checkpoint is written, so
// that there is an older one which must not be taken, and find it with about 700 steps to go. What
// takes long to happen finds it held: see hold.
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

// secondCheckpoint is the step of the checkpoint of `steady` at which faults come.
const secondCheckpoint = 100

// holdAtCheckpoint waits until a job has written its second checkpoint, and holds it.
func (s *scenario) holdAtCheckpoint(job string) *held {
	s.Helper()
	s.logUntilLines(job+"-worker-0", "checkpoint written", 2)
	return s.hold(job)
}

// lastStepIn is the step in the last line of a log that has the message; 0: there is none.
func lastStepIn(log, message string) (last int) {
	for line := range strings.Lines(log) {
		if _, rest, found := strings.Cut(line, `"`+message+`"`); found {
			if _, step, found := strings.Cut(rest, `"step":`); found {
				_, _ = fmt.Sscan(step, &last)
			}
		}
	}
	return last
}

// lastCheckpointOf reads the log of a pod that runs, to its end and beside the test: the pod may be
// deleted. What it returns waits for that end, and has the step of the last checkpoint.
func (s *scenario) lastCheckpointOf(pod string) func() int {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 2*patience)
	stream, err := s.Client.CoreV1().Pods(s.namespace).GetLogs(pod, &corev1.PodLogOptions{Follow: true}).Stream(ctx)
	if err != nil {
		cancel()
		s.Fatal("follow the log of", pod, err)
	}
	var log []byte
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		defer stream.Close()
		var err error
		log, err = io.ReadAll(stream)
		ended <- err
	}()
	return func() int {
		s.Helper()
		if err := <-ended; err != nil {
			s.Fatalf("the log of %s: %v", pod, err)
		}
		return lastStepIn(string(log), "checkpoint written")
	}
}

// expectResumedAt says that the job's second life began at a step, of which the volume had the checkpoint.
func (s *scenario) expectResumedAt(newest int) {
	s.Helper()
	log := s.must("", "logs", "job-worker-0")
	if from := lastStepIn(log, "resuming"); from < newest || newest < secondCheckpoint {
		s.Errorf("it resumed at step %d, and the newest checkpoint was of step %d:\n%s", from, newest, log)
	}
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
