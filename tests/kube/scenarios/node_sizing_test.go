package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rooms compares one way of sizing a job, to which events happen. Computing is emulated, and slow: four
// workers are fastest. Requests are small, so that all pods fit the node.
const rooms = `apiVersion: sumac.dev/v1alpha1
kind: Experiment
metadata: {name: %s}
spec:
  job:
    apiVersion: sumac.dev/v1alpha1
    kind: TrainingJob
    metadata: {name: lenet5}
    spec:
      model: {name: lenet5}
      data: {name: fashion-mnist-mini}
      training: {batchSize: 64, logicalWorkers: 4, optimizer: {learningRate: "0.01"}}
      server: {template: {spec: {containers: [{name: sumac, resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {cpu: "1", memory: 512Mi}}}]}}}
      worker:
        minReplicas: 1
        maxReplicas: 4
        template:
          spec:
            terminationGracePeriodSeconds: 5
            containers:
              - name: sumac
                resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {cpu: "1", memory: 512Mi}}
  autoscaling: %s
  events: [%s]
  compute: emulated
  slowdown: "100"
  steps: %d
  warmupSteps: 5
  repetitions: 1
`

// timed is such a document in which a step of one worker takes 0.2 s, whatever else this machine does: the
// events come at times that the steps have to reach.
func (s *scenario) timed(name, sizing, events string, steps int) string {
	s.Helper()
	s.emulateBatch(job("times", `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 1, logicalWorkers: 4, optimizer: {learningRate: "0.01"}}
`), 64, 0.2)
	const container = "              - name: sumac\n"
	return strings.NewReplacer("  compute: emulated\n", "", "  slowdown: \"100\"\n", "",
		container, "              - name: sumac\n                env: [{name: SUMAC_EMULATE_PROFILE, value: /times/profile.json}]\n"+
			"                volumeMounts: [{name: times, mountPath: /times}]\n",
		"            containers:\n", "            volumes: [{name: times, configMap: {name: times}}]\n            containers:\n").
		Replace(fmt.Sprintf(rooms, name, sizing, events, steps))
}

// experimentRun is what a run in a comparison of sizes did, as results.json has it.
type experimentRun struct {
	Seconds float64
	Changes []struct {
		To     int
		Reason string
	}
	Phases []struct {
		Seconds float64
		Workers int
	}
}

// quotasOfExperiments are their names.
func (s *scenario) quotasOfExperiments(namespace string) []string {
	s.Helper()
	all, err := s.Client.CoreV1().ResourceQuotas(namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "sumac.dev/experiment-folder"})
	if err != nil {
		s.Fatal(err)
	}
	var names []string
	for _, each := range all.Items {
		names = append(names, each.Name)
	}
	return names
}

// sizedExperiment is the one run of a document that was measured; nothing of it may remain.
func (s *scenario) sizedExperiment(file string) (experimentRun, output) {
	s.Helper()
	out := filepath.Join(filepath.Dir(file), "out")
	said := s.sumac("experiment", file, "--cluster", "--output-dir", out)
	s.says(said, "report.html has the pictures")
	s.Log(said.stdout)
	text, err := os.ReadFile(filepath.Join(out, "results.json"))
	if err != nil {
		s.Fatal(err)
	}
	var found struct {
		Complete bool
		Cells    []struct{ Runs []experimentRun }
	}
	if err := json.Unmarshal(text, &found); err != nil {
		s.Fatal(err)
	}
	if !found.Complete || len(found.Cells) != 1 || len(found.Cells[0].Runs) != 1 || len(found.Cells[0].Runs[0].Phases) == 0 {
		s.Fatalf("%s", text)
	}
	if left := s.quotasOfExperiments(s.namespace); len(left) != 0 {
		s.Errorf("there remain %s", left)
	}
	if names := s.must("", "get", "tjob,pods", "-o", "name"); names != "" {
		s.Errorf("there remain %s", names)
	}
	return found.Cells[0].Runs[0], said
}

// fits expects that at most `room` workers trained from a while after one moment until another, and so
// many at its end.
func (s *scenario) fits(run experimentRun, from, until float64, room int) {
	s.Helper()
	at := func(second float64) int {
		workers := 0
		for _, phase := range run.Phases {
			if phase.Seconds <= second {
				workers = phase.Workers
			}
		}
		return workers
	}
	for second := from; second < until; second++ {
		if at(second) > room {
			s.Errorf("%d workers trained after %.0f s, where there is room for %d: %+v", at(second), second, room, run)
			return
		}
	}
	if at(until-1) != room {
		s.Errorf("%d workers trained after %.0f s, where there is room for %d: %+v", at(until-1), until-1, room, run)
	}
}

// The job that sizes itself has lost two workers to the experiment's quota by 15 s after the event, trains
// with what fits, and has four again when the quota is gone.
func TestNodesSizeAnExperimentByEvents(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	file := s.TempDir() + "/rooms.yaml"
	s.write(file, s.timed("by-events", `{policy: deadline, deadlineSeconds: 1, stabilizationSeconds: 4}`,
		"{at: 20s, room: 2}, {at: 40s, room: 4}", 700))
	run, _ := s.sizedExperiment(file)
	s.fits(run, 35, 40, 2)
	if last := run.Phases[len(run.Phases)-1]; last.Workers != 4 {
		t.Errorf("at its end it trained with %d workers: %+v", last.Workers, run)
	}
	reasons := map[string]bool{}
	for _, change := range run.Changes {
		reasons[change.Reason] = true
	}
	if !reasons["Room"] {
		t.Errorf("no change says that there was no room: %+v", run.Changes)
	}
}

// A fixed size, too, trains with what fits; one that is killed comes back.
func TestNodesLeaveAFixedSizeWhatFits(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	file := s.TempDir() + "/rooms.yaml"
	s.write(file, s.timed("fixed", "{fixed: 4}", "{at: 5s, room: 2}, {at: 25s, room: 4}, {at: 45s, kill: worker 1}", 700))
	run, _ := s.sizedExperiment(file)
	s.fits(run, 20, 25, 2)
	if last := run.Phases[len(run.Phases)-1]; last.Workers != 4 {
		t.Errorf("at its end it trained with %d workers: %+v", last.Workers, run)
	}
}

// A quota would limit the pods of others. A namespace that is named is made.
func TestNodesRefuseRoomWhereOthersHavePods(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.volume("checkpoints")
	s.create(job("job", endless))
	s.withWorkers(2, 2)
	file := s.TempDir() + "/rooms.yaml"
	s.write(file, fmt.Sprintf(rooms, "refused", "{fixed: 2}", "{at: 1s, room: 1}", 60))
	out := filepath.Join(filepath.Dir(file), "out")

	got := s.sumac("experiment", file, "--cluster", "--output-dir", out)
	if exit, ok := got.err.(*exec.ExitError); !ok || exit.ExitCode() != 1 || !strings.Contains(got.stderr, "job-server-0, job-worker-0") {
		t.Fatalf("%v: %s%s", got.err, got.stdout, got.stderr)
	}
	if all := s.must("", "get", "resourcequotas", "-o", "name"); all != "" {
		t.Errorf("there are %s", all)
	}

	named := s.namespace + "-rooms"
	t.Cleanup(func() { s.anywhere("", "delete", "namespace", named, "--wait=false") })
	got = s.sumac("experiment", file, "--cluster", "--output-dir", out, "--namespace", named)
	s.says(got, "made the namespace "+named)
	s.says(got, "report.html has the pictures")
	if left := s.quotasOfExperiments(named); len(left) != 0 {
		t.Errorf("there remain %s", left)
	}
}

// What a killed experiment left, the next one removes and tells; while its job goes on, others are told to
// leave it alone.
func TestNodesRemoveWhatAKilledExperimentLeft(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	folder := s.TempDir()
	file, other := folder+"/rooms.yaml", folder+"/other.yaml"
	s.write(file, fmt.Sprintf(rooms, "killed", "{fixed: 2}", "{at: 1s, room: 1}", 150))
	s.write(other, fmt.Sprintf(rooms, "other", "{fixed: 1}", "{at: 1s, kill: worker 0}", 20))

	kubectl, err := s.Tool("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	killed := exec.CommandContext(s.ctx, filepath.Join(*bin, "sumac"), "experiment", file, "--cluster", "--output-dir", filepath.Join(folder, "out"))
	killed.Env = append(s.environment(filepath.Dir(kubectl)+":/usr/bin:/bin"), "KUBECONFIG="+s.inNamespace())
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	s.until("the quota is in force", func() bool {
		all, err := s.Client.CoreV1().ResourceQuotas(s.namespace).List(s.ctx, metav1.ListOptions{})
		if err != nil || len(all.Items) != 1 {
			return false
		}
		hard := all.Items[0].Status.Hard[corev1.ResourcePods]
		return hard.Value() == 2
	})
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()

	got := s.sumac("experiment", other, "--cluster", "--output-dir", filepath.Join(folder, "other"))
	if exit, ok := got.err.(*exec.ExitError); !ok || exit.ExitCode() != 1 || !strings.Contains(got.stderr, "`sumac delete killed-") {
		t.Fatalf("%v: %s%s", got.err, got.stdout, got.stderr)
	}
	_, said := s.sizedExperiment(file)
	for _, text := range []string{"deleted the ResourceQuota", "deleted the job killed-"} {
		s.says(said, text)
	}
}

// Kubernetes' own autoscaler, which the experiment makes and removes.
func TestNodesSizeAnExperimentByKubernetesAutoscaler(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.startMetricsServer(s.onOurNode("runs metrics-server beside the API server"))
	file := s.TempDir() + "/hpa.yaml"
	computing := strings.NewReplacer("  compute: emulated\n", "", "  slowdown: \"100\"\n", "").Replace(rooms)
	s.write(file, fmt.Sprintf(computing, "by-use", "{hpa: {targetUtilization: 50, cpuRequest: 0.2}}", "", 9000))
	run, _ := s.sizedExperiment(file)
	if len(run.Changes) == 0 || run.Phases[0].Workers != 1 || run.Phases[len(run.Phases)-1].Workers < 2 {
		t.Errorf("the autoscaler changed nothing: %+v", run)
	}
	s.until("its autoscaler is gone", func() bool {
		return s.must("", "get", "hpa", "-o", "name") == ""
	})
}
