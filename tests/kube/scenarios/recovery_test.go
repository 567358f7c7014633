package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"sumac.dev/tests/kube/kubelet"
)

// failTogether ends a member, and the others as its consequence, whose words come first.
func (s *scenario) failTogether(exit kubelet.Exit, words string) {
	s.Helper()
	s.pod("job-worker-0").Exit(kubelet.Exit{Code: 75, Message: words})
	s.pod("job-server-0").Exit(kubelet.Exit{Code: 75, Message: words})
	s.pod("job-worker-1").Exit(exit)
}

func TestStorageThatFailsIsTriedAgainAfterAPauseAndEndsTheJobAtTheLimit(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.operator()
	s.runningJob("job", "runPolicy: {backoffLimit: 1}\n")
	stale := kubelet.Exit{Code: 74, Message: "checkpoint file /checkpoints/step-10-0/model.safetensors cannot be read: Stale file handle"}
	before := s.pod("job-worker-1").UID
	s.failTogether(stale, "lost worker 1")
	pausing := s.jobUntil("job", "to pause", func(job *trainingJob) bool { return job.is("Restarting") })
	restarting := pausing.condition("Restarting")
	if restarting.Reason != "ResourceFailed" || !strings.Contains(restarting.Message, "/checkpoints/step-10-0") || !strings.Contains(restarting.Message, "pods are created at") {
		t.Errorf("it restarts as %s", shownJob(pausing))
	}
	s.nextLife("job-worker-1", before)
	s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	s.failTogether(stale, "lost worker 1")
	failed := s.becomes("job", "Failed")
	if failed.condition("Failed").Reason != "BackoffLimitExceeded" || failed.Status.LastFailure.Reason != "ResourceFailed" || failed.Status.Restarts != 1 {
		t.Errorf("it failed as %s", shownJob(failed))
	}
}

// Nobody answers at port 7071 of pods that are played, as where a policy or a mesh is in between.
func TestAJobThatGoesOnIsNotEndedByFailuresThoughNobodyCanPollIt(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.operator()
	s.runningJob("job", "runPolicy: {backoffLimit: 3}\n")
	for attempt := 1; attempt <= 5; attempt++ {
		before := s.pod("job-worker-1").UID
		s.failTogether(kubelet.Exit{Code: 139, Signal: 11}, fmt.Sprintf("lost worker 1\n{\"schemaVersion\":1,\"step\":%d}", 100*attempt))
		s.nextLife("job-worker-1", before)
		running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == attempt })
		if running.Status.Restarts != attempt {
			t.Errorf("it runs as %s, %+v", shownJob(running), running.Status.Recovery)
		}
	}
}
