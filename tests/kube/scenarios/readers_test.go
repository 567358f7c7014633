package scenarios

import (
	"slices"
	"strings"
	"testing"
)

// readersPolicies are the NetworkPolicies of those who read port 7071, as kubectl names them.
func (s *scenario) readersPolicies(job string) []string {
	s.Helper()
	policies := strings.Fields(s.must("", "get", "networkpolicies", "-o", "name"))
	return slices.DeleteFunc(policies, func(name string) bool { return !strings.Contains(name, "/"+job+"-readers-") })
}

func TestReadersThatMoveAreLetInToJobsThatRun(t *testing.T) {
	notCore(t)
	s := begin(t)
	o := s.operator()
	s.runningJob("job", "")
	first := s.readersPolicies("job")
	if len(first) != 1 {
		t.Fatalf("it has the policies %v", first)
	}
	o.kill()
	o.start(nil, "--leader-elect=false", "--metrics-namespace", "monitoring")
	if !s.holdsSoon(func() bool { return len(s.readersPolicies("job")) == 2 }) {
		t.Fatalf("it has the policies %v", s.readersPolicies("job"))
	}
	added := slices.DeleteFunc(s.readersPolicies("job"), func(name string) bool { return name == first[0] })[0]
	rules := s.must("", "get", added, "-o", "jsonpath={range .spec.ingress[*]}{.ports[*].port} {.from}{end}")
	if !strings.HasPrefix(rules, "7071 ") || !strings.Contains(rules, `"kubernetes.io/metadata.name":"monitoring"`) {
		t.Errorf("it lets in %s", rules)
	}
	running := s.jobUntil("job", "to run", func(job *trainingJob) bool { return job.is("Running") })
	if running.Status.Attempt != 0 || running.Status.Restarts != 0 {
		t.Errorf("it runs as %s", shownJob(running))
	}
	s.must("", "delete", "tjob", "job")
	s.must("", "wait", "--for=delete", "--timeout=120s", first[0], added)
}
