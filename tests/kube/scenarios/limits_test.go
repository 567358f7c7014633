package scenarios

import (
	"strings"
	"testing"
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
