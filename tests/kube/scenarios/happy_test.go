package scenarios

import (
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

// trained is a real job, long enough to be watched on its way.
const trained = `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 4000, logicalWorkers: 4, optimizer: {learningRate: "0.01", momentum: "0.9"}}
worker: {replicas: 2}
`

// hasProgress says whether a job has told of more steps than so many.
func hasProgress(steps int) func(job *trainingJob) bool {
	return func(job *trainingJob) bool {
		return job != nil && job.Status.Progress.Step > steps && job.Status.Progress.TotalSteps > steps
	}
}

// All that a user can see of a job of our real programs; and the promise: another, of which a worker
// is killed on the way, has the same weights in the end, to the bit.
func TestARealJobShowsItsProgressAndAKilledWorkerChangesNoBitOfIt(t *testing.T) {
	s := begin(t)
	s.real()
	s.operator()
	s.create(job("whole", trained))
	s.jobUntil("whole", "to show progress", hasProgress(0))
	s.columnsAreFilled("whole")
	whole := s.succeeds("whole")
	if len(whole.Status.Result.ParametersSha256) != 64 || !strings.HasPrefix(whole.Status.Result.TestAccuracy, "0.") {
		t.Errorf("its result is %+v", whole.Status.Result)
	}
	if whole.Status.Restarts != 0 {
		t.Errorf("it was restarted: %s", shownJob(whole))
	}

	checkpoints := t.TempDir()
	s.create(job("broken", trained+"checkpoint: {path: /checkpoints, everySteps: 100, volume: {hostPath: {path: "+checkpoints+"}}}\n"))
	s.becomes("broken", "Running")
	s.logUntil("broken-worker-0", "checkpoint written")
	s.pod("broken-worker-1").Kill()
	broken := s.succeeds("broken")
	if broken.Status.Replaced != 1 || broken.Status.Attempt != 0 || broken.Status.LastFailure.PodName != "broken-worker-1" {
		t.Errorf("it succeeded as %s", shownJob(broken))
	}
	if broken.Status.Result.ParametersSha256 != whole.Status.Result.ParametersSha256 {
		t.Errorf("the weights are %s, not %s", broken.Status.Result.ParametersSha256, whole.Status.Result.ParametersSha256)
	}
}

func TestARealJobIsSuspendedAndGoesOnFromWhereItWas(t *testing.T) {
	s := begin(t)
	notCore(t)
	s.real()
	s.operator()
	s.create(job("job", trained+"checkpoint: {path: /checkpoints, everySteps: 100000, volume: {hostPath: {path: "+t.TempDir()+"}}}\n"))
	s.jobUntil("job", "to show progress", hasProgress(0))
	s.patch("job", "suspend: true")
	s.becomes("job", "Suspended")
	s.patch("job", "{suspend: false, worker: {replicas: 1}}")
	s.succeeds("job")
	s.logUntil("job-worker-0", "resum")
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
