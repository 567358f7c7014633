package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// installDefinition applies what `sumac crd` prints, client-side, as a user would.
func (w *world) installDefinition(ctx context.Context) error {
	text, err := exec.CommandContext(ctx, filepath.Join(*bin, "sumac"), "crd").Output()
	if err != nil {
		return fmt.Errorf("sumac crd: %w", err)
	}
	kubectl, err := w.Tool("kubectl")
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"apply", "-f", "-"},
		// Of a definition that is new kubectl cannot read the conditions: they are null.
		{"wait", "--for=jsonpath={.status.acceptedNames.kind}=TrainingJob", "crd/trainingjobs.sumac.dev", "--timeout=60s"},
		{"wait", "--for=condition=Established", "crd/trainingjobs.sumac.dev", "--timeout=60s"},
	} {
		command := exec.CommandContext(ctx, kubectl, append([]string{"--kubeconfig", w.Kubeconfig("admin")}, args...)...)
		command.Stdin = strings.NewReader(string(text))
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl %s: %w: %s", args[0], err, output)
		}
	}
	return nil
}

const midway = `{"status": {
  "state": "Running", "workers": "2/2", "restarts": 1, "workerSelector": "sumac.dev/job-name=shown,sumac.dev/role=worker",
  "replicaStatuses": {"worker": {"desired": 2, "active": 2, "ready": 2, "succeeded": 0, "failed": 0}},
  "progress": {"step": 50, "totalSteps": 200, "percentage": 25, "loss": "0.51", "samplesPerSecond": "1234.5"},
  "conditions": [
    {"type": "Running", "status": "True", "reason": "AllReady", "message": "all pods are ready", "lastTransitionTime": "2026-01-01T00:00:00Z"},
    {"type": "Failed", "status": "False", "reason": "NotFailed", "message": "nothing failed", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`

func TestColumnsAndWaitShowTheStatus(t *testing.T) {
	s := begin(t)
	s.create(job("shown", minimal))
	if _, err := s.jobs().Patch(s.ctx, "shown", types.MergePatchType, []byte(midway), metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}

	plain := strings.Fields(s.must("", "get", "tjob", "shown", "--no-headers"))
	if got := strings.Join(plain[:5], " "); got != "shown Running 2/2 25 1" {
		t.Errorf("the columns are %v", plain)
	}
	wide := s.must("", "get", "tjob", "-o", "wide")
	for _, title := range []string{"STATE", "WORKERS", "PROGRESS", "RESTARTS", "AGE", "STEP", "LOSS", "SPEED", "MESSAGE"} {
		if !strings.Contains(wide, title) {
			t.Errorf("no column %s in:\n%s", title, wide)
		}
	}
	if !strings.Contains(wide, "0.51") || !strings.Contains(wide, "1234.5") {
		t.Errorf("the wide columns are:\n%s", wide)
	}
	s.must("", "wait", "--for=condition=Running", "tjob/shown", "--timeout=10s")
	if all := s.must("", "get", "all"); !strings.Contains(all, "trainingjob.sumac.dev/shown") {
		t.Errorf("`get all` does not list the job:\n%s", all)
	}
	if text := s.must("", "explain", "tjob.spec.training.batchSize"); !strings.Contains(text, "<integer>") {
		t.Errorf("explain says:\n%s", text)
	}
}

func TestScaleFollowsTheRulesOfReplicas(t *testing.T) {
	s := begin(t)
	s.create(job("elastic", minimal+"worker: {replicas: 2, minReplicas: 1, maxReplicas: 4}\n"))
	s.create(job("fixed", minimal+"worker: {replicas: 2}\n"))
	s.must("", "scale", "tjob/elastic", "--replicas=4")
	if got := s.kubectl("", "scale", "tjob/elastic", "--replicas=5"); !strings.Contains(got.stderr, "worker.replicas must be <= worker.maxReplicas") {
		t.Errorf("beyond the most: %v %s", got.err, got.stderr)
	}
	if got := s.kubectl("", "scale", "tjob/fixed", "--replicas=3"); !strings.Contains(got.stderr, whileSuspended) {
		t.Errorf("a job of fixed size: %v %s", got.err, got.stderr)
	}
	s.create(job("autoscaled", minimal+"worker: {replicas: 2, minReplicas: 1, maxReplicas: 4}\nautoscaling: {policy: throughput}\n"))
	if got := s.kubectl("", "scale", "tjob/autoscaled", "--replicas=3"); !strings.Contains(got.stderr, "take spec.autoscaling out first") {
		t.Errorf("a job that chooses itself: %v %s", got.err, got.stderr)
	}
	if _, err := s.jobs().Patch(s.ctx, "elastic", types.MergePatchType, []byte(midway), metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	path := "/apis/sumac.dev/v1alpha1/namespaces/" + s.namespace + "/trainingjobs/elastic/scale"
	var scale struct {
		Spec   struct{ Replicas int }
		Status struct {
			Replicas int
			Selector string
		}
	}
	if err := json.Unmarshal([]byte(s.must("", "get", "--raw", path)), &scale); err != nil {
		t.Fatal(err)
	}
	if scale.Spec.Replicas != 4 || scale.Status.Replicas != 2 || !strings.Contains(scale.Status.Selector, "role=worker") {
		t.Errorf("the scale is %+v", scale)
	}
}

// Defaults are those of every job, and metadata of pods is kept as it is.
func TestTheAPIServerSetsOnlyTheDefaultsOfEveryJob(t *testing.T) {
	s := begin(t)
	s.create(job("plain", minimal+"worker: {template: {metadata: {labels: {a: x}, finalizers: [kept]}, spec: {anything: {goes: 1}}}}\n"))
	got := s.must("", "get", "tjob", "plain", "-o",
		"jsonpath={.spec.worker} {.spec.runPolicy} {.spec.suspend} {.spec.strategy} {.spec.server}")
	want := `{"replicas":1,"template":{"metadata":{"finalizers":["kept"],"labels":{"a":"x"}},"spec":{"anything":{"goes":1}}}}` +
		` {"backoffLimit":3,"cleanPodPolicy":"Running"} false {"consistency":"synchronous","exchange":"parameterServer"} `
	if got != want {
		t.Errorf("the spec has\n%s\nnot\n%s", got, want)
	}
}
