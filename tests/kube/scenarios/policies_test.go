package scenarios

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/kubelet"
)

// runningJob makes a job of two workers and a server, with more fields of spec, and waits for it.
func (s *scenario) runningJob(name, more string) *trainingJob {
	s.Helper()
	document := basics + more
	if !strings.Contains(more, "strategy:") {
		document += restarted
	}
	if !strings.Contains(more, "worker:") {
		document += "worker: {replicas: 2}\n"
	}
	s.create(job(name, document))
	return s.becomes(name, "Running")
}

func TestAPodThatFailsForGoodFailsTheJobWithItsWords(t *testing.T) {
	for _, each := range []struct {
		code   int32
		reason string
	}{{1, "FailedForGood"}, {2, "UsageError"}, {78, "BadConfiguration"}} {
		t.Run(each.reason, func(t *testing.T) {
			s := begin(t)
			s.operator()
			s.runningJob("job", "")
			s.pod("job-worker-1").Exit(kubelet.Exit{Code: each.code, Message: "the loss is not finite"})
			failed := s.becomes("job", "Failed")
			if failed.condition("Failed").Reason != each.reason || !strings.Contains(failed.condition("Failed").Message, "the loss is not finite") {
				t.Errorf("it failed as %s", shownJob(failed))
			}
			if failed.Status.Restarts != 0 || failed.Status.LastFailure.PodName != "job-worker-1" {
				t.Errorf("it failed as %s", shownJob(failed))
			}
		})
	}
}

func TestAPodThatCrashesRestartsTheJobInANewAttempt(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	before := s.pod("job-worker-0").UID
	s.pod("job-worker-1").Exit(kubelet.Exit{Code: 137, Signal: 9, Reason: "OOMKilled"})
	again := s.nextLife("job-worker-0", before)
	if attempt := again.Labels["sumac.dev/attempt"]; attempt != "1" {
		t.Errorf("the pod's attempt is %q", attempt)
	}
	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if running.Status.Restarts != 1 || running.Status.LastFailure.Reason != "OOMKilled" || running.Status.Disruptions != 0 {
		t.Errorf("it runs as %s", shownJob(running))
	}
	s.complete("job", "worker-0", "worker-1", "server-0")
}

func TestConsequencesOfAFailureAreNotCounted(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	// The peers' words come first: they must wait for their cause.
	s.pod("job-worker-0").Exit(kubelet.Exit{Code: 75, Message: "lost worker 1"})
	s.pod("job-server-0").Exit(kubelet.Exit{Code: 75, Message: "lost worker 1"})
	s.pod("job-worker-1").Exit(kubelet.Exit{Code: 139, Signal: 11})
	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if running.Status.Restarts != 1 || running.Status.Recovery.Failures != 1 || running.Status.LastFailure.PodName != "job-worker-1" {
		t.Errorf("it runs as %s, %+v", shownJob(running), running.Status.Recovery)
	}
}

func TestTheLimitOfFailuresFailsTheJob(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "runPolicy: {backoffLimit: 1}\n")
	first := s.pod("job-worker-0")
	first.Exit(kubelet.Exit{Code: 137})
	s.nextLife("job-worker-0", first.UID)
	// Its peers' words come first: it would wait for them.
	s.pod("job-worker-1").Exit(kubelet.Exit{Code: 75, Message: "lost worker 0"})
	s.pod("job-server-0").Exit(kubelet.Exit{Code: 75, Message: "lost worker 0"})
	s.pod("job-worker-0").Exit(kubelet.Exit{Code: 137})
	failed := s.becomes("job", "Failed")
	if failed.condition("Failed").Reason != "BackoffLimitExceeded" || failed.Status.Restarts != 1 {
		t.Errorf("it failed as %s", shownJob(failed))
	}
}

func TestDisruptionsRestartWithoutBeingCountedAsFailures(t *testing.T) {
	disruptions := map[string]func(s *scenario){
		"evicted": func(s *scenario) {
			p := s.pod("job-worker-1")
			p.Disrupt("TerminationByKubelet", "x")
			p.Fail("Evicted", "the node was low on memory")
		},
		"not admitted": func(s *scenario) {
			s.pod("job-worker-1").Fail("NodeShutdown", "the node is shutting down")
		},
		"preempted": func(s *scenario) {
			p := s.pod("job-worker-1")
			p.Disrupt("PreemptionByScheduler", "x")
			p.Exit(kubelet.Exit{Code: 143})
		},
		"deleted": func(s *scenario) { s.must("", "delete", "pod", "job-worker-1", "--wait=false") },
	}
	for name, disrupt := range disruptions {
		t.Run(name, func(t *testing.T) {
			s := begin(t)
			s.operator()
			s.runningJob("job", "runPolicy: {backoffLimit: 0}\n")
			before := s.pod("job-worker-1").UID
			disrupt(s)
			s.nextLife("job-worker-1", before)
			running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
			if running.Status.Disruptions != 1 || running.Status.Restarts != 0 || running.Status.Recovery.Failures != 0 {
				t.Errorf("it runs as %s", shownJob(running))
			}
		})
	}
}

func TestSuspensionDeletesPodsSlot0LastAndResumingMakesThemAgain(t *testing.T) {
	s := begin(t)
	s.operator()
	s.kubelet.PlayScripted(s.namespace, func(pod *corev1.Pod) kubelet.Script { return kubelet.Script{Stuck: true} })
	s.create(job("job", strings.Replace(basics, "steps: 10,", "steps: 10, logicalWorkers: 4,", 1)+"worker: {replicas: 2}\n"))
	s.becomes("job", "Running")
	server := s.pod("job-server-0")
	workers := []*kubelet.Pod{s.pod("job-worker-0"), s.pod("job-worker-1")}
	s.patch("job", "suspend: true")
	for _, each := range workers {
		s.podUntil(each.Name(), "to be deleted", func(pod *corev1.Pod) bool { return pod != nil && pod.DeletionTimestamp != nil })
	}
	if pod, err := s.Client.CoreV1().Pods(s.namespace).Get(s.ctx, "job-server-0", metav1.GetOptions{}); err != nil || pod.DeletionTimestamp != nil {
		t.Errorf("slot 0 goes before the others are gone: %v", err)
	}
	for _, each := range workers {
		each.Release()
	}
	s.podUntil("job-server-0", "to be deleted", func(pod *corev1.Pod) bool { return pod != nil && pod.DeletionTimestamp != nil })
	server.Release()
	suspended := s.jobUntil("job", "to be suspended", func(job *trainingJob) bool {
		return job.is("Suspended") && job.Status.State == "Suspended"
	})
	if suspended.is("Running") {
		t.Errorf("it is suspended as %s", shownJob(suspended))
	}
	s.patch("job", "{suspend: false, worker: {replicas: 3}}")
	resumed := s.jobUntil("job", "to run with three workers", func(job *trainingJob) bool { return job.is("Running") && job.Status.Workers == "3/3" })
	if resumed.Status.Recovery.Failures != 0 {
		t.Errorf("it was resumed as %s", shownJob(resumed))
	}
}

// What a queue such as Kueue does with a job, by spec.suspend alone: admission, eviction, admission again.
func TestAQueueHoldsAJobAdmitsItAndTakesItsPlaceAway(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.operator()
	s.create(job("job", basics+"suspend: true\nworker: {replicas: 2}\n"))
	for _, admitted := range []string{"", "again"} {
		s.becomes("job", "Suspended")
		s.must("", "wait", "--for=delete", "--timeout=120s", "pod", "-l", "sumac.dev/job-name=job")
		s.patch("job", "suspend: false")
		s.jobUntil("job", "to run "+admitted, func(job *trainingJob) bool { return job.is("Running") && !job.is("Suspended") })
		if admitted == "" {
			s.patch("job", "suspend: true")
		}
	}
	s.complete("job", "worker-0", "worker-1", "server-0")
	done := s.becomes("job", "Succeeded")
	if done.Status.Restarts != 0 || done.Status.Disruptions != 0 || done.Status.Recovery.Failures != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
}

func TestCleanPodPolicyDecidesWhichPodsStay(t *testing.T) {
	for policy, stay := range map[string]bool{"All": false, "None": true, "Running": true} {
		t.Run(policy, func(t *testing.T) {
			s := begin(t)
			s.operator()
			s.runningJob("job", fmt.Sprintf("runPolicy: {cleanPodPolicy: %s}\n", policy))
			s.complete("job", "worker-0") // the others still run
			if policy != "None" {
				s.podUntil("job-server-0", "to be gone", isGone)
			}
			if policy == "All" {
				s.podUntil("job-worker-0", "to be gone", isGone)
				return
			}
			_, err := s.Client.CoreV1().Pods(s.namespace).Get(s.ctx, "job-worker-0", metav1.GetOptions{})
			if (err == nil) != stay {
				t.Errorf("the pod that ended: %v", err)
			}
		})
	}
}

func TestAFinishedJobGoesAfterItsTimeToLiveWithAllThatItHad(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "runPolicy: {ttlSecondsAfterFinished: 0}\n")
	for _, each := range []string{"worker-0", "worker-1", "server-0"} {
		s.pod("job-" + each).Exit(done)
	}
	s.jobUntil("job", "to be gone", func(job *trainingJob) bool { return job == nil })
	s.allChildrenGo("job")
}

func TestDeletingAJobCollectsAllThatItHad(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	s.must("", "delete", "tjob", "job")
	s.allChildrenGo("job")
}

// allChildrenGo waits for the garbage collector.
func (s *scenario) allChildrenGo(name string) {
	s.Helper()
	s.must("", "wait", "--for=delete", "--timeout=120s", "pod", "-l", "sumac.dev/job-name="+name)
	for _, each := range []string{"service/" + name, "configmap/" + name, "networkpolicy/" + name} {
		s.must("", "wait", "--for=delete", "--timeout=120s", each)
	}
	if left := s.must("", "get", "secrets", "-o", "name"); strings.Contains(left, name+"-keys-") {
		s.must("", "wait", "--for=delete", "--timeout=120s", strings.TrimSpace(left))
	}
}

func TestDeadlinesFailTheJob(t *testing.T) {
	t.Run("active", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.create(job("job", basics+"runPolicy: {activeDeadlineSeconds: 2}\n"))
		if failed := s.becomes("job", "Failed"); failed.condition("Failed").Reason != "DeadlineExceeded" {
			t.Errorf("it failed as %s", shownJob(failed))
		}
		s.podUntil("job-server-0", "to be gone", isGone)
	})
	t.Run("before it runs", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.kubelet.PlayScripted(s.namespace, func(*corev1.Pod) kubelet.Script { return kubelet.Script{NotReady: true} })
		s.create(job("job", basics+"runPolicy: {preRunningDeadlineSeconds: 2}\n"))
		if failed := s.becomes("job", "Failed"); failed.condition("Failed").Reason != "PreRunningDeadlineExceeded" {
			t.Errorf("it failed as %s", shownJob(failed))
		}
	})
}

func TestAJobThatNobodyCanTrainIsInvalidAndMakesNothing(t *testing.T) {
	s := begin(t)
	s.operator()
	s.create(job("job", strings.Replace(basics, "lenet5}", "ptb-lstm-small}", 1)))
	failed := s.becomes("job", "Failed")
	if failed.condition("Failed").Reason != "InvalidSpec" || !strings.Contains(failed.condition("Failed").Message, "takes text") {
		t.Errorf("it failed as %s", shownJob(failed))
	}
	if _, err := s.Client.CoreV1().Services(s.namespace).Get(s.ctx, "job", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("its Service: %v", err)
	}
}

func TestAJobOfAnotherManagerIsLeftAlone(t *testing.T) {
	s := begin(t)
	s.operator()
	s.create(job("other", minimal))
	s.create(job("ours", basics))
	s.becomes("ours", "Running")
	if other := s.jobUntil("other", "to be seen", func(job *trainingJob) bool { return job != nil }); len(other.Status.Conditions) != 0 {
		t.Errorf("it has %s", shownJob(other))
	}
}

// waitsFor waits until a job says why it does not run.
func (s *scenario) waitsFor(name, reason, words string) {
	s.Helper()
	s.jobUntil(name, "to wait for "+reason, func(job *trainingJob) bool {
		return job != nil && job.condition("Running").Reason == reason && strings.Contains(job.condition("Running").Message, words)
	})
}

func TestAJobSaysWhatItWaitsFor(t *testing.T) {
	waiting := func(reason, message string) func(*corev1.Pod) kubelet.Script {
		return func(*corev1.Pod) kubelet.Script {
			return kubelet.Script{Waiting: &kubelet.Waiting{Reason: reason, Message: message}}
		}
	}
	t.Run("an image", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.kubelet.PlayScripted(s.namespace, waiting("ImagePullBackOff", "no such image"))
		s.create(job("job", basics))
		s.waitsFor("job", "ImagePullBackOff", "no such image")
	})
	t.Run("a configuration", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.kubelet.PlayScripted(s.namespace, waiting("CreateContainerConfigError", `secret "x" not found`))
		s.create(job("job", basics))
		s.waitsFor("job", "CreateContainerConfigError", `secret "x" not found`)
	})
	t.Run("a node", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.create(job("job", basics+"worker: {template: {spec: {nodeSelector: {no: such}}}}\n"))
		s.waitsFor("job", "Unschedulable", "node")
	})
	t.Run("a gate", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.create(job("job", basics+"worker: {template: {spec: {schedulingGates: [{name: queue.example/held}]}}}\n"))
		s.waitsFor("job", "SchedulingGated", "")
	})
	t.Run("a quota", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.must("", "create", "quota", "few", "--hard=pods=1")
		s.must("", "wait", "--for=jsonpath={.status.hard.pods}=1", "quota/few", "--timeout=60s")
		s.create(job("job", basics))
		s.waitsFor("job", "QuotaExceeded", "few")
		s.must("", "delete", "quota", "few")
		s.becomes("job", "Running")
	})
	t.Run("a pod that is refused", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.create(job("job", basics+"worker: {template: {spec: {priority: many}}}\n"))
		s.jobUntil("job", "to say that its pod is refused", func(job *trainingJob) bool {
			reason := job.condition("Running").Reason
			return reason == "PodRefused" || reason == "Refused" || job.condition("Failed").Reason == "InvalidSpec"
		})
	})
	t.Run("a taken name", func(t *testing.T) {
		s := begin(t)
		s.operator()
		s.must("", "create", "service", "clusterip", "job", "--tcp=80")
		s.create(job("job", basics))
		s.waitsFor("job", "NameTaken", "job")
		s.must("", "delete", "service", "job")
		s.becomes("job", "Running")
	})
}

// Whoever may create jobs gets no pod that Pod Security forbids in the namespace, whatever the template says.
func TestATemplateThatPodSecurityForbidsMakesNoPod(t *testing.T) {
	s := begin(t)
	s.must("", "label", "namespace", s.namespace, "pod-security.kubernetes.io/enforce=restricted")
	s.operator()
	s.create(job("job", basics+"worker: {template: {spec: {hostNetwork: true}}}\n"))
	s.waitsFor("job", "Forbidden", "violates PodSecurity")
	pods, err := s.Client.CoreV1().Pods(s.namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "sumac.dev/role=worker"})
	if err != nil || len(pods.Items) != 0 {
		t.Errorf("there are workers: %v, %v", pods.Items, err)
	}
}

func TestASuccessorOfTheSameNameTakesNothingFromTheOneBefore(t *testing.T) {
	s := begin(t)
	s.operator()
	first := s.runningJob("job", "")
	s.must("", "delete", "tjob", "job", "--wait=true", "--cascade=background")
	second := s.runningJob("job", "")
	if first.Metadata.UID == second.Metadata.UID {
		t.Fatal("it is the same job")
	}
	for _, each := range []string{"job-worker-0", "job-worker-1", "job-server-0"} {
		pod := s.podUntil(each, "to be ready", isReady)
		if owner := pod.OwnerReferences[0].UID; owner != second.Metadata.UID {
			t.Errorf("%s belongs to %s", each, owner)
		}
	}
}

// A node that is gone does not answer: after 30 s of tolerance and 30 s overdue the pod is forgotten.
func TestAPodOfALostNodeIsDeletedByForceAndTheJobGoesOn(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.operator()
	node, err := s.kubelet.AddNode(s.ctx, kubelet.NodeSpec{Name: "node-" + s.namespace, Labels: map[string]string{"only": s.namespace},
		Taints: []corev1.Taint{{Key: "only", Effect: corev1.TaintEffectNoSchedule}}})
	if err != nil {
		t.Fatal(err)
	}
	s.runningJob("job", fmt.Sprintf(`worker:
  replicas: 1
  template: {spec: {terminationGracePeriodSeconds: 1, affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: only, operator: In, values: [%s]}]}}]}}, tolerations: [{key: only, operator: Exists}]}}
`, s.namespace))
	before := s.pod("job-worker-0").UID
	if err := node.Lose(s.ctx); err != nil {
		t.Fatal(err)
	}
	s.nextLife("job-worker-0", before)
	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if running.Status.Disruptions != 1 {
		t.Errorf("it runs as %s", shownJob(running))
	}
}
