package scenarios

import (
	"strings"
	"testing"
)

// How fast this machine is does not matter: the deadline is past, and the job takes the number of
// workers that it expects to be the fastest.
func TestAJobThatSizesItselfChangesInPlaceAndSaysWhy(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.real()
	s.operator()
	fixed := strings.Replace(changing(""), "steps: 12000", "steps: 40000", 1)
	file := t.TempDir() + "/job.yaml"
	s.write(file, job("here", fixed))
	s.create(job("job", strings.Replace(fixed, "replicas: 2, ", "", 1)+
		"autoscaling: {policy: deadline, deadlineSeconds: 1, stabilizationSeconds: 4}\n"))
	s.withWorkers(1, 1)
	s.eventUntil("job", "Scaled")
	s.jobUntil("job", "to have changed its size", func(job *trainingJob) bool {
		return job.Status.Resizes > 0 && job.Status.Autoscaling.LastChangeTime != nil && len(job.Status.Autoscaling.Observations) > 0
	})
	if got := s.kubectl("", "scale", "tjob/job", "--replicas=3"); !strings.Contains(got.stderr, "take spec.autoscaling out first") {
		t.Errorf("kubectl scale: %v %s", got.err, got.stderr)
	}
	done := s.succeeds("job")
	if done.Status.Attempt != 0 || done.Status.Resizes > 5 || done.Status.Autoscaling.WorkerSeconds == 0 {
		t.Errorf("it succeeded as %s, autoscaling %+v", shownJob(done), done.Status.Autoscaling)
	}
	if local := s.runHere(file); done.Status.Result.ParametersSha256 != local.ParametersSha256 {
		t.Errorf("the weights are %s, and those of sumac run %s", done.Status.Result.ParametersSha256, local.ParametersSha256)
	}
}
