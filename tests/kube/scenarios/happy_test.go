package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/kubelet"
)

func TestAJobIsMadeRunsAndSucceeds(t *testing.T) {
	s := begin(t)
	s.operator()
	s.create(job("happy", basics+"worker: {replicas: 2}\n"))

	running := s.becomes("happy", "Running")
	if running.Status.Workers != "2/2" || running.Status.State != "Running" || running.Status.StartTime == nil {
		t.Errorf("it runs as %s", shownJob(running))
	}
	for _, each := range []string{"service/happy", "configmap/happy", "networkpolicy/happy", "pod/happy-server-0", "pod/happy-worker-0", "pod/happy-worker-1"} {
		owner := s.must("", "get", each, "-o", "jsonpath={.metadata.ownerReferences[0].uid}")
		if owner != string(running.Metadata.UID) {
			t.Errorf("%s belongs to %q", each, owner)
		}
	}
	if count := len(running.Status.Conditions); count != 6 {
		t.Errorf("it has %d conditions, not all six: %s", count, shownJob(running))
	}

	succeeded := s.complete("happy", "worker-0", "worker-1", "server-0")
	if succeeded.Status.Result.TestAccuracy != "0.9" || succeeded.Status.CompleteTime == nil || succeeded.Status.Restarts != 0 {
		t.Errorf("it succeeded as %s, %+v", shownJob(succeeded), succeeded.Status.Result)
	}
}

// What users are told to do first, with our real programs in the pods: 64 steps of 64 images.
func TestARealJobTrainsAndShowsItsProgress(t *testing.T) {
	s := begin(t)
	s.real()
	s.operator()
	text, err := os.ReadFile(filepath.Join(*root, "examples", "lenet5-fashion-mini.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.must(string(text), "apply", "-f", "-")
	s.becomes("lenet5-fashion-mini", "Running")
	s.jobUntil("lenet5-fashion-mini", "to show progress", func(job *trainingJob) bool {
		return job != nil && job.Status.Progress.Step > 0 && job.Status.Progress.TotalSteps > 0
	})
	s.columnsAreFilled("lenet5-fashion-mini")
	succeeded := s.becomes("lenet5-fashion-mini", "Succeeded")
	result := succeeded.Status.Result
	if len(result.ParametersSha256) != 64 || !strings.HasPrefix(result.TestAccuracy, "0.") {
		t.Errorf("its result is %+v", result)
	}
	if succeeded.Status.Restarts != 0 {
		t.Errorf("it was restarted: %s", shownJob(succeeded))
	}
}

func (s *scenario) columnsAreFilled(name string) {
	s.Helper()
	line := s.must("", "get", "tjob", name, "--no-headers", "-o", "wide")
	if columns := strings.Fields(line); len(columns) < 9 || strings.Contains(line, "<none>") {
		s.Errorf("not every column is filled: %s", line)
	}
}

// The example that the installation's page names. Its images are ours here, in the place of the set
// that nobody may give away with a test.
func TestTheExampleOfTheDocumentsTrains(t *testing.T) {
	notCore(t)
	s := begin(t)
	if err := kubelet.CanPlayPrograms(); err != nil {
		t.Skip("pods cannot be processes here:", err)
	}
	images, err := filepath.Abs(filepath.Join(*root, "examples", "data", "fashion-mnist-mini"))
	if err != nil {
		t.Fatal(err)
	}
	s.kubelet.PlayPrograms(s.namespace, kubelet.Programs{Folder: *bin, Files: map[string]string{"/data/fashion-mnist": images}})
	s.operator()
	s.must("", "apply", "-f", filepath.Join(*root, "examples", "lenet5-fashion.yaml"))
	s.becomes("lenet5-fashion", "Succeeded")
	_, err = s.Client.CoreV1().Pods(s.namespace).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		t.Error(err)
	}
	s.podUntil("lenet5-fashion-worker-0", "to have succeeded", isPhase(corev1.PodSucceeded))
}
