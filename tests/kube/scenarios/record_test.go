package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/kubelet"
)

// A job of fixed size without logicalWorkers has as many parts as it had workers at its start.
func TestAJobResumedWithMoreWorkersThanPartsRunsWithAsManyAsParts(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		t.Run(fmt.Sprintf("operator restarted %v", restarted), func(t *testing.T) {
			s := begin(t)
			s.grantRights()
			o := s.prepareOperator("operator")
			o.start(nil, "--leader-elect=false")
			s.runningJob("job", "")
			s.patch("job", "suspend: true")
			s.becomes("job", "Suspended")
			if restarted {
				o.kill()
				o.start(nil, "--leader-elect=false")
			}
			s.patch("job", "worker: {replicas: 4}")
			s.patch("job", "suspend: false")

			running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
			if running.Status.Workers != "2/2" || !strings.Contains(running.condition("Running").Message, "replicas is 4") {
				t.Errorf("it runs as %s", shownJob(running))
			}
			pod := s.podUntil("job-worker-1", "to be ready", isReady)
			if workers := variableOf(pod, "SUMAC_WORKERS"); workers != "2" {
				t.Errorf("a worker is told of %s workers", workers)
			}
			s.awaitEvent("WorkersLimited")
		})
	}
}

// variableOf is a variable of the main container.
func variableOf(pod *corev1.Pod, name string) string {
	for _, container := range pod.Spec.Containers {
		for _, variable := range container.Env {
			if container.Name == "sumac" && variable.Name == name {
				return variable.Value
			}
		}
	}
	return ""
}

func TestATemplateSpoiltWhileSuspendedWaitsForItsCorrection(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	s.patch("job", "suspend: true")
	s.becomes("job", "Suspended")
	s.patch("job", "worker: {template: {spec: {containers: [{name: sumac, env: [{value: a}]}]}}}")
	s.patch("job", "suspend: false")
	s.waitsFor("job", "InvalidTemplate", "spec.worker.template.spec.containers")
	s.awaitEvent("InvalidTemplate")
	s.patch("job", "{suspend: true, worker: {template: null}}")
	s.becomes("job", "Suspended")
	s.patch("job", "suspend: false")
	s.becomes("job", "Running")
}

// A CRD that is newer than the operator has fields with defaults that the operator does not know: it
// would not accept the document of any job.
func TestJobsLiveOnUnderACRDThatIsNewerThanTheOperator(t *testing.T) {
	s := alone(t) // all scenarios share the CRD
	s.grantRights()
	o := s.prepareOperator("operator")
	o.start(nil, "--leader-elect=false")
	s.runningJob("before", "")
	// A watch from before the change is served by the old definition for a while, without the new field.
	o.kill()
	s.changeDefinition(`{"op": "add", "path": "%s", "value": {"type": "string", "default": "steady"}}`)
	o.start(nil, "--leader-elect=false")
	restored := false
	restore := func() {
		if !restored {
			restored = true
			s.changeDefinition(`{"op": "remove", "path": "%s"}`)
		}
	}
	t.Cleanup(restore)

	s.create(job("after", basics))
	s.waitsFor("after", "NewerDocument", "spec.training.pace")
	o.kill()
	o.start(nil, "--leader-elect=false")
	crashed := s.pod("before-worker-1")
	crashed.Exit(kubelet.Exit{Code: 137, Signal: 9})
	s.jobUntil("before", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })

	// The upgrade: an operator and a CRD that know the same fields.
	o.kill()
	restore()
	o.start(nil, "--leader-elect=false")
	s.becomes("after", "Running")
}

// changeDefinition patches the field spec.training.pace of the CRD, and waits until the API server
// serves what came of it.
func (s *scenario) changeDefinition(change string) {
	s.Helper()
	path := "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/training/properties/pace"
	patch := "[" + fmt.Sprintf(change, path) + "]"
	if got := s.kubectl("", "patch", "crd", "trainingjobs.sumac.dev", "--type=json", "-p", patch); got.err != nil {
		s.Errorf("patch the CRD: %v: %s", got.err, got.stderr)
		return
	}
	adds := strings.Contains(change, "add")
	document := job("probe", strings.Replace(basics, "steps: 10,", "steps: 10, pace: steady,", 1))
	s.until("the API server to serve the CRD", func() bool {
		got := s.kubectl(document, "create", "--dry-run=server", "--validate=strict", "-f", "-")
		return (got.err == nil) == adds
	})
}

// until asks again and again, of what no watch tells.
func (s *scenario) until(what string, holds func() bool) {
	s.Helper()
	again := time.NewTicker(100 * time.Millisecond) // the API server and the job have the cores meanwhile
	defer again.Stop()
	for end := time.Now().Add(patience); !holds(); <-again.C {
		if time.Now().After(end) {
			s.Fatal("waited in vain for", what)
		}
	}
}

// The quota has room for what is there, and for nothing more.
func TestAFullQuotaDoesNotStopTheRestartOfAJobThatHasItsChildren(t *testing.T) {
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	hard := ""
	for _, kind := range []string{"services", "configmaps", "secrets", "networkpolicies.networking.k8s.io"} {
		names := strings.Fields(s.must("", "get", kind, "-o", "name"))
		hard += fmt.Sprintf(",count/%s=%d", kind, len(names))
	}
	s.must("", "create", "quota", "full", "--hard="+hard[1:])
	s.must("", "wait", "--for=jsonpath={.status.used.count/services}=1", "quota/full", "--timeout=60s")
	if got := s.kubectl("", "create", "service", "clusterip", "one-more", "--tcp=80"); got.err == nil {
		t.Fatal("the quota has room")
	}
	s.pod("job-worker-1").Exit(kubelet.Exit{Code: 137, Signal: 9})

	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if running.Status.Restarts != 1 {
		t.Errorf("it runs as %s", shownJob(running))
	}
	events, err := s.Client.CoreV1().Events(s.namespace).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range events.Items {
		if event.Reason == "QuotaExceeded" || event.Reason == "Forbidden" {
			t.Errorf("event %s: %s", event.Reason, event.Message)
		}
	}
}

// Whoever may create Secrets must not choose the keys of a job that has not begun.
func TestASecretOfAJobsNameThatItDidNotMakeIsNotUsed(t *testing.T) {
	s := begin(t)
	s.grantRights()
	made := s.create(job("job", basics))
	name := "job-keys-" + string(made.GetUID())[:8]
	s.must("", "create", "secret", "generic", name, "--from-literal=worker-0=known")
	o := s.prepareOperator("operator")
	o.start(nil, "--leader-elect=false")
	s.becomes("job", "Running")
	pod := s.podUntil("job-worker-0", "to be ready", isReady)
	for _, volume := range pod.Spec.Volumes {
		if volume.Name == "sumac-keys" && volume.Secret.SecretName != name+"-1" {
			t.Errorf("it mounts %s", volume.Secret.SecretName)
		}
	}
}
