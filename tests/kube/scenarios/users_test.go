package scenarios

import (
	"context"
	"net"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"sumac.dev/tests/kube/kubelet"
)

func TestKubectlScaleWaitDescribeAndDiffWorkOnAJob(t *testing.T) {
	s := begin(t)
	s.operator()
	document := job("job", strings.Replace(basics, "steps: 10,", "steps: 10, logicalWorkers: 4,", 1)+"worker: {replicas: 2, minReplicas: 1, maxReplicas: 4}\n")
	s.must(document, "apply", "-f", "-")
	s.must("", "wait", "--for=condition=Running", "tjob/job", "--timeout=120s")

	if got := s.kubectl(document, "diff", "-f", "-"); got.err != nil || got.stdout != "" {
		t.Errorf("what was applied differs from what is there: %v\n%s%s", got.err, got.stdout, got.stderr)
	}
	s.must("", "scale", "tjob/job", "--replicas=3")
	scaled := s.jobUntil("job", "to run with three workers", func(job *trainingJob) bool { return job.is("Running") && job.Status.Workers == "3/3" })
	if scaled.Status.Recovery.Failures != 0 {
		t.Errorf("it was scaled as %s", shownJob(scaled))
	}
	before := s.pod("job-worker-2").UID
	s.pod("job-worker-2").Exit(kubelet.Exit{Code: 139, Signal: 11, Message: "a bad pointer"})
	s.nextLife("job-worker-2", before)
	s.complete("job", "worker-0")
	s.awaitEvent("Completed")
	s.must("", "wait", "--for=condition=Succeeded", "tjob/job", "--timeout=120s")

	text := s.must("", "describe", "tjob", "job")
	_, events, _ := strings.Cut(text, "Events:")
	for _, words := range []string{"Scaled", "from 2 to 3 workers", "pod job-worker-2 was killed by signal 11 (SIGSEGV): a bad pointer; it is created again",
		"Completed"} {
		if !strings.Contains(events, words) {
			t.Errorf("no event says %q:\n%s", words, text)
		}
	}
}

// awaitEvent waits until something has been told: that comes after the status that it is about.
func (s *scenario) awaitEvent(reason string) {
	s.Helper()
	s.awaitSelected(fields.Set{"reason": reason})
}

// eventUntil waits for an event about a job.
func (s *scenario) eventUntil(job, reason string) {
	s.Helper()
	s.awaitSelected(fields.Set{"involvedObject.name": job, "reason": reason})
}

// awaitSelected waits, by a watch, for an event with these fields.
func (s *scenario) awaitSelected(only fields.Set) {
	s.Helper()
	source := cache.NewListWatchFromClient(s.Client.CoreV1().RESTClient(), "events", s.namespace, only.AsSelector())
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.Event{}, nil, func(event watch.Event) (bool, error) {
		return event.Type != watch.Deleted, nil
	})
	if err != nil {
		s.Fatalf("no event %s: %v", only, err)
	}
}

func TestAnotherManagersServerSideApplyDoesNotDisturbTheJob(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	s.must("apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: job, labels: {team: vision}}\nspec:\n  runPolicy: {backoffLimit: 9}\n",
		"apply", "--server-side", "--force-conflicts", "--field-manager=gitops", "-f", "-")
	succeeded := s.complete("job", "worker-0", "worker-1", "server-0")
	if succeeded.Metadata.Labels["team"] != "vision" || succeeded.Status.Restarts != 0 {
		t.Errorf("it succeeded as %s with labels %v", shownJob(succeeded), succeeded.Metadata.Labels)
	}
	if got := s.must("", "get", "tjob", "job", "-o", "jsonpath={.spec.runPolicy.backoffLimit}"); got != "9" {
		t.Errorf("backoffLimit is %s", got)
	}
}

func TestAnUpgradeOfTheOperatorChangesNothingOfAJobInItsMiddle(t *testing.T) {
	s := begin(t)
	s.grantRights()
	o := s.prepareOperator("operator")
	o.start(nil, "--leader-elect=false")
	s.runningJob("job", "")
	before := s.podUntil("job-worker-1", "to be ready", isReady)
	o.finish()

	upgraded := s.prepareOperator("upgraded")
	upgraded.start(nil, "--leader-elect=false", "--worker-image", "sumac/sumac-worker:next", "--server-image", "sumac/sumac-server:next")
	s.create(job("fresh", basics))
	s.becomes("fresh", "Running")
	fresh := s.podUntil("fresh-worker-0", "to be ready", isReady)
	if image := fresh.Spec.Containers[0].Image; image != "sumac/sumac-worker:next" {
		t.Errorf("a new job has the image %s", image)
	}
	unchanged := s.podUntil("job-worker-1", "to be ready", isReady)
	if unchanged.UID != before.UID {
		t.Error("the upgrade made a pod of the old job again")
	}
	s.pod("job-worker-1").Exit(kubelet.Exit{Code: 137, Signal: 9})
	again := s.nextLife("job-worker-1", before.UID)
	if image := again.Spec.Containers[0].Image; image != before.Spec.Containers[0].Image {
		t.Errorf("the old job's pod has the image %s, not %s", image, before.Spec.Containers[0].Image)
	}
}

// Pods share this machine's network: the operator must not listen on all addresses.
const onItsOwnAddress = `
patches:
- target: {kind: Deployment, name: sumac-operator}
  patch: |
    - op: add
      path: /spec/template/spec/containers/0/env/0
      value: {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - op: add
      path: /spec/template/spec/containers/0/env/1
      value: {name: SUMAC_OPERATOR_HEALTH_LISTEN, value: "$(POD_IP):8081"}
`

// What the documents tell to install, as a Deployment of a real process with the token of its own
// ServiceAccount, serving every namespace.
func TestTheOperatorInstalledByKustomizeRunsJobs(t *testing.T) {
	s := alone(t) // it would meddle with the jobs of others
	if err := kubelet.CanPlayPrograms(); err != nil {
		t.Skip("pods cannot be processes here:", err)
	}
	s.kubelet.PlayPrograms("sumac-system", kubelet.Programs{Folder: *bin})
	socket, err := net.Listen("tcp", "127.0.0.1:0") // somebody may have 8081, on all addresses
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(socket.Addr().String())
	socket.Close()
	installed := strings.ReplaceAll(s.overlaid("deploy", onItsOwnAddress), "8081", port)
	if got := s.anywhere(installed, "apply", "-f", "-"); got.err != nil {
		t.Fatal(got.err, got.stderr)
	}
	defer s.anywhere("", "-n", "sumac-system", "delete", "deployment", "sumac-operator", "--cascade=foreground", "--timeout=60s")
	if got := s.anywhere("", "-n", "sumac-system", "rollout", "status", "deployment/sumac-operator", "--timeout=120s"); got.err != nil {
		t.Fatal(got.err, got.stdout, got.stderr)
	}
	s.runningJob("job", "")
	s.complete("job", "worker-0", "worker-1", "server-0")
}
