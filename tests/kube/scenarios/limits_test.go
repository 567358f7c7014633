package scenarios

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/kubelet"
)

// A pod that uses more ephemeral storage than its own limit is evicted without DisruptionTarget, and
// would be again on any node.
func TestAPodOverItsOwnStorageLimitIsCountedAndEndsTheJob(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "runPolicy: {backoffLimit: 1}\n")
	first := s.pod("job-worker-0")
	first.Fail("Evicted", `Container sumac exceeded its local ephemeral storage limit "1Gi". `)
	s.nextLife("job-worker-0", first.UID)
	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if running.Status.Restarts != 1 || running.Status.Disruptions != 0 || running.Status.LastFailure.Reason != "Evicted" {
		t.Errorf("it runs as %s", shownJob(running))
	}
	s.pod("job-worker-0").Fail("Evicted", `Container sumac exceeded its local ephemeral storage limit "1Gi". `)
	failed := s.becomes("job", "Failed")
	why := failed.condition("Failed")
	if why.Reason != "BackoffLimitExceeded" || !strings.Contains(why.Message, "ephemeral storage limit") {
		t.Errorf("it failed as %s", shownJob(failed))
	}
}

// The operator may not remove finalizers: a pod with a foreign one would block every restart.
func TestATemplateWithAFinalizerIsInvalidAndMakesNothing(t *testing.T) {
	s := begin(t)
	s.operator()
	s.create(job("job", basics+`worker: {template: {metadata: {finalizers: ["example.com/hold"]}}}`))
	failed := s.becomes("job", "Failed")
	why := failed.condition("Failed")
	if why.Reason != "InvalidSpec" || !strings.Contains(why.Message, "spec.worker.template.metadata.finalizers") {
		t.Errorf("it failed as %s", shownJob(failed))
	}
	if _, err := s.Client.CoreV1().Pods(s.namespace).Get(s.ctx, "job-worker-0", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("its pod: %v", err)
	}
}

// A finalizer that somebody else adds to a pod delays the restart and is named.
func TestAFinalizerOfSomebodyElseDelaysTheRestartUntilItIsGone(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	first := s.pod("job-worker-0")
	s.must("", "patch", "pod", "job-worker-0", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	first.Exit(kubelet.Exit{Code: 137})
	s.podUntil("job-worker-0", "to be deleted", func(pod *corev1.Pod) bool { return pod != nil && pod.DeletionTimestamp != nil })
	s.jobUntil("job", "to restart", func(job *trainingJob) bool { return job.is("Restarting") })
	s.must("", "patch", "pod", "job-worker-0", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	s.nextLife("job-worker-0", first.UID)
	s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
}

// An autoscaler that flaps writes /scale every 15 s: the job is restarted once, and says what waits.
func TestAnAutoscalerThatFlapsDoesNotRestartTheJobEachTime(t *testing.T) {
	s := begin(t)
	s.operator()
	document := strings.Replace(basics, "steps: 10,", "steps: 10, logicalWorkers: 4,", 1)
	s.create(job("job", document+restarted+"worker: {replicas: 2, minReplicas: 1, maxReplicas: 4}\n"))
	s.becomes("job", "Running")
	scale := func(replicas string) { s.must("", "scale", "tjob/job", "--replicas="+replicas) }
	scale("3")
	s.jobUntil("job", "to run with three workers", func(job *trainingJob) bool {
		return job.is("Running") && job.Status.Workers == "3/3" && job.Status.Attempt == 1
	})
	for _, replicas := range []string{"4", "2", "4"} {
		scale(replicas)
		s.jobUntil("job", "to wait for "+replicas+" workers", func(job *trainingJob) bool {
			return job.is("Running") && strings.Contains(job.condition("Running").Message, "another number of workers waits: "+replicas+" from ")
		})
	}
	scale("3")
	settled := s.jobUntil("job", "to wait no more", func(job *trainingJob) bool {
		return job.is("Running") && !strings.Contains(job.condition("Running").Message, "waits")
	})
	if settled.Status.Attempt != 1 || settled.Status.Restarts != 0 {
		t.Errorf("it was restarted: %s", shownJob(settled))
	}
	s.eventUntil("job", "ScaleDelayed")
	s.eventUntil("job", "NoCheckpoint")
}

// A typo in managedBy would leave the job alone for ever.
func TestAManagerThatDoesNotExistIsRejected(t *testing.T) {
	s := begin(t)
	got := s.kubectl(job("job", basics+"managedBy: sumac.dev/operater\n"), "apply", "-f", "-")
	if got.err == nil || !strings.Contains(got.stderr, "managedBy") {
		t.Errorf("it was accepted: %s%s", got.stdout, got.stderr)
	}
}
