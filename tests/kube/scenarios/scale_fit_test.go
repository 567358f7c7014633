package scenarios

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"sumac.dev/tests/kube/kubelet"
)

// roomFor adds a node that has room for so many workers of narrowJob, and for nothing else.
func (s *scenario) roomFor(name string, workers int) {
	s.Helper()
	_, err := s.kubelet.AddNode(s.ctx, kubelet.NodeSpec{
		Name: name + "-" + s.namespace, CPU: fmt.Sprint(workers), Labels: map[string]string{"only": s.namespace},
		Taints: []corev1.Taint{{Key: "only", Effect: corev1.TaintEffectNoSchedule}}})
	if err != nil {
		s.Fatal(err)
	}
}

// narrowJob runs with two workers, and may have four; they run on the nodes of roomFor alone. Its pods
// end at once when they are deleted. With the strategy restarted another number creates all pods again.
func (s *scenario) narrowJob(strategy, runPolicy string) {
	s.Helper()
	s.create(job("job", strings.Replace(basics, "steps: 10,", "steps: 10, logicalWorkers: 4,", 1)+strategy+fmt.Sprintf(`
worker:
  replicas: 2
  minReplicas: 1
  maxReplicas: 4
  template:
    spec:
      terminationGracePeriodSeconds: 1
      nodeSelector: {only: %s}
      tolerations: [{key: only, operator: Exists}]
      containers: [{name: sumac, resources: {requests: {cpu: "1"}}}]
server: {template: {spec: {terminationGracePeriodSeconds: 1}}}
runPolicy: %s
`, s.namespace, runPolicy)))
	s.becomes("job", "Running")
}

func (s *scenario) scaleTo(workers int) {
	s.Helper()
	s.must("", "scale", "tjob/job", fmt.Sprintf("--replicas=%d", workers))
}

// runsWith waits until the job runs with so many workers, in an attempt of its own.
func (s *scenario) runsWith(workers, attempt int) *trainingJob {
	s.Helper()
	ready := fmt.Sprintf("%d/%d", workers, workers)
	return s.jobUntil("job", "to run with "+ready, func(job *trainingJob) bool {
		return job.is("Running") && job.Status.Workers == ready && job.Status.Attempt == attempt
	})
}

// No node has room for four: the job goes back to two, whatever its deadline for starting, says so, and
// remembers it when the operator is killed. A change of the spec makes it try again.
func TestAScaleThatNoNodeHasRoomForGoesBackToTheSizeThatRan(t *testing.T) {
	s := begin(t)
	s.roomFor("narrow", 2)
	operator := s.operator()
	s.narrowJob(restarted, "{scaleFitSeconds: 3600, scaleCoolDownSeconds: 0}")
	s.patch("job", `{"runPolicy": {"preRunningDeadlineSeconds": 10}}`)
	s.scaleTo(4)
	s.jobUntil("job", "to wait for room", func(job *trainingJob) bool {
		return job.condition("Running").Reason == "Unschedulable" &&
			strings.Contains(job.condition("Running").Message, "the job goes back to 2 workers")
	})
	s.patch("job", `{"runPolicy": {"scaleFitSeconds": 12}}`)
	s.eventUntil("job", "ScaleDoesNotFit")
	back := s.runsWith(2, 2)
	waits := back.condition("Running").Message
	if !strings.Contains(waits, "another number of workers waits: 4 from ") || !strings.Contains(waits, "Insufficient cpu") {
		t.Errorf("it runs as %s", shownJob(back))
	}
	if back.Status.Restarts != 0 || back.Status.Disruptions != 0 || back.Status.Recovery.Failures != 0 {
		t.Errorf("it counted as %s", shownJob(back))
	}
	operator.kill()
	operator.awaitDeath()
	operator.start(nil, "--leader-elect=false")
	// A pod that is deleted shows that the new operator knows the size that was refused.
	s.must("", "delete", "pod", "job-worker-0", "--wait=false")
	s.runsWith(2, 3)
	s.roomFor("wide", 2)
	s.patch("job", `{"runPolicy": {"preRunningDeadlineSeconds": 600}}`)
	s.runsWith(4, 4)
}

func TestAScaleRunsWhenANodeAppearsInTime(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.roomFor("narrow", 2)
	s.operator()
	s.narrowJob(restarted, "{scaleFitSeconds: 3600}")
	s.scaleTo(4)
	s.jobUntil("job", "to wait for room", func(job *trainingJob) bool {
		return job.condition("Running").Reason == "Unschedulable"
	})
	s.roomFor("wide", 2)
	s.runsWith(4, 1)
}

func TestAScaleThatAQuotaRejectsGoesBackToTheSizeThatRan(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.roomFor("wide", 4)
	s.must("{apiVersion: v1, kind: ResourceQuota, metadata: {name: few}, spec: {hard: {pods: 3}}}", "apply", "-f", "-")
	s.operator()
	s.narrowJob(restarted, "{scaleFitSeconds: 5}")
	s.scaleTo(4)
	s.eventUntil("job", "ScaleDoesNotFit")
	back := s.runsWith(2, 2)
	if waits := back.condition("Running").Message; !strings.Contains(waits, "exceeded quota") {
		t.Errorf("it runs as %s", shownJob(back))
	}
}
