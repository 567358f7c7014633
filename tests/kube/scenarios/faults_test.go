package scenarios

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sumac.dev/tests/kube/kubelet"
)

// Where a pass of the operator can be cut; the names are those of operator/control/failpoint.h.
var failpoints = []string{
	"pass-begin", "before-pod-delete", "after-pod-delete", "after-pod-deletes", "before-pod-create", "after-pod-create",
	"after-pod-creates", "before-status-write", "after-status-write", "before-child-create", "after-child-create",
}

// At each point of a restart the operator is killed and another starts: no pod is made twice, and the
// failure is counted once.
func TestAnOperatorKilledInARestartNeitherLosesNorRepeatsAnything(t *testing.T) {
	for _, point := range failpoints {
		t.Run(point, func(t *testing.T) {
			s := begin(t)
			s.grantRights()
			o := s.prepareOperator("operator")
			o.start(nil, "--leader-elect=false")
			if strings.Contains(point, "child") { // made when a job begins, not when it is restarted
				o.kill()
				s.create(job("job", basics+"worker: {replicas: 2}\n"))
			} else {
				s.runningJob("job", "")
				o.kill()
				s.pod("job-worker-1").Exit(kubelet.Exit{Code: 137, Signal: 9})
			}
			lives := s.watchLives()
			o.start([]string{"SUMAC_OPERATOR_FAILPOINT=" + point}, "--leader-elect=false")
			if signal := o.awaitDeath(); signal != syscall.SIGKILL {
				t.Fatalf("it was not killed at %s but ended by %v", point, signal)
			}
			o.start(nil, "--leader-elect=false")

			want := 1
			if strings.Contains(point, "child") {
				want = 0
			}
			running := s.jobUntil("job", "to run", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == want })
			if running.Status.Restarts != want || running.Status.Recovery.Failures != want || running.Status.Disruptions != 0 {
				t.Errorf("it runs as %s, %+v", shownJob(running), running.Status.Recovery)
			}
			s.complete("job", "worker-0", "worker-1", "server-0")
			lives(func(name string, attempts []string) {
				if sorted := slices.Compact(slices.Sorted(slices.Values(attempts))); len(sorted) != len(attempts) {
					t.Errorf("%s was made more than once in an attempt: %v", name, attempts)
				}
			})
		})
	}
}

// watchLives notes every pod that comes from now on; the function that it returns ends that, and
// calls back with the attempts of which each name had a pod.
func (s *scenario) watchLives() func(report func(name string, attempts []string)) {
	s.Helper()
	list, err := s.Client.CoreV1().Pods(s.namespace).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.Fatal(err)
	}
	stream, err := s.Client.CoreV1().Pods(s.namespace).Watch(s.ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		s.Fatal(err)
	}
	lives := map[string][]string{}
	seen := map[types.UID]bool{}
	note := func(pod *corev1.Pod) {
		if !seen[pod.UID] {
			seen[pod.UID] = true
			lives[pod.Name] = append(lives[pod.Name], pod.Labels["sumac.dev/attempt"])
		}
	}
	for i := range list.Items {
		note(&list.Items[i])
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for event := range stream.ResultChan() {
			if pod, ok := event.Object.(*corev1.Pod); ok {
				note(pod)
			}
		}
	}()
	return func(report func(name string, attempts []string)) {
		stream.Stop()
		<-ended
		for name, attempts := range lives {
			report(name, attempts)
		}
	}
}

func TestAJobGoesOnWhenTheAPIServerIsKilledInItsMiddle(t *testing.T) {
	s := alone(t)
	o := s.operator()
	s.runningJob("job", "")
	crashed := s.pod("job-worker-1")
	s.StopAPIServer()
	crashed.Exit(kubelet.Exit{Code: 137, Signal: 9})
	if err := s.StartAPIServer(s.ctx); err != nil {
		t.Fatal(err)
	}
	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if running.Status.Restarts != 1 {
		t.Errorf("it runs as %s", shownJob(running))
	}
	s.complete("job", "worker-0", "worker-1", "server-0")
	select {
	case <-o.process.Done():
		t.Error("the operator ended when the API server was away")
	default:
	}
}

func TestAJobGoesOnWhenItsHistoryIsCompactedUnderTheWatches(t *testing.T) {
	s := alone(t)
	s.operator()
	s.runningJob("job", "")
	crashed := s.pod("job-worker-0")
	s.StopAPIServer()
	crashed.Exit(kubelet.Exit{Code: 137, Signal: 9})
	if err := s.StartAPIServer(s.ctx); err != nil {
		t.Fatal(err)
	}
	s.must("", "create", "configmap", "something-newer")
	if err := s.Compact(s.ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.RestartAPIServer(s.ctx); err != nil {
		t.Fatal(err)
	}
	s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	s.complete("job", "worker-0", "worker-1", "server-0")
}

func TestAnotherOperatorTakesOverWhenTheLeaderIsKilled(t *testing.T) {
	s := begin(t)
	s.grantRights()
	lease := []string{"--lease-duration", "3", "--lease-renew-deadline", "2", "--lease-retry-period", "1"}
	first, second := s.prepareOperator("first"), s.prepareOperator("second")
	first.start(nil, lease...)
	s.runningJob("before", "")
	holder := s.leaseHolder()
	second.start(nil, lease...)
	crashed := s.pod("before-worker-1")
	first.kill()
	crashed.Exit(kubelet.Exit{Code: 137, Signal: 9})
	s.create(job("after", basics))

	s.becomes("after", "Running")
	again := s.jobUntil("before", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if again.Status.Restarts != 1 {
		t.Errorf("it runs as %s", shownJob(again))
	}
	if s.leaseHolder() == holder {
		t.Errorf("the Lease still belongs to %s", holder)
	}
}

func (s *scenario) leaseHolder() string {
	s.Helper()
	return s.must("", "get", "lease", "sumac-operator", "-o", "jsonpath={.spec.holderIdentity}")
}

func TestALeaderThatIsAskedToStopGivesTheLeaseAway(t *testing.T) {
	s := begin(t)
	s.grantRights()
	first, second := s.prepareOperator("first"), s.prepareOperator("second")
	first.start(nil) // a Lease of 15 s
	s.runningJob("before", "")
	second.start(nil)
	first.finish()
	s.create(job("after", basics))
	s.becomes("after", "Running")
}
