package scenarios

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// study compares a server with workers that sum, in so few steps that starting pods takes longest.
const study = `apiVersion: sumac.dev/v1alpha1
kind: Experiment
metadata: {name: study}
spec:
  job:
    apiVersion: sumac.dev/v1alpha1
    kind: TrainingJob
    metadata: {name: lenet5}
    spec:
      model: {name: lenet5}
      data: {name: fashion-mnist-mini}
      training: {batchSize: 64, logicalWorkers: 2, optimizer: {learningRate: "0.1"}}
  axes:
    - {field: strategy.topology, values: [centralized, decentralized]}
  steps: 30
  warmupSteps: 5
  repetitions: 1
`

// scaled is a job of which the script changes the size twice. Its volume outlives its pods.
const scaled = `model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 6000, logicalWorkers: 2, optimizer: {learningRate: "0.05"}}
checkpoint: {path: /checkpoints, volume: {persistentVolumeClaim: {claimName: checkpoints}}}
`

const script = `apiVersion: sumac.dev/v1alpha1
kind: Experiment
metadata: {name: grows}
spec:
  jobPath: job.yaml
  scale: [{at: 0s, workers: 1}, {at: 1s, workers: 2}, {at: 2s, workers: 1}]
  steps: 5990
  warmupSteps: 10
  repetitions: 1
`

// results are what an experiment leaves, as far as scenarios look at it.
type results struct {
	Complete bool
	Machine  struct {
		Cluster, Namespace string
		Nodes              []struct{ Name, Cpus, Kernel string }
	}
	Cells []struct {
		Emulated         bool
		Failure          string
		BatchesPerSecond struct{ Mean float64 }
		StepPhases       struct{ GradientSeconds float64 }
		LeftOnVolume     []string
		Nodes            []map[string]string
		Scale            struct {
			Runs []struct {
				ParametersSha256 string
				Phases           []struct{ Workers int }
				Changes          []struct{ CostSeconds float64 }
				Restarts         int
				Times            []struct{ Workers int }
			}
		}
	}
}

// experiment runs a document in the cluster, and expects that nothing of it remains there.
func (s *scenario) experiment(file string, args ...string) results {
	s.Helper()
	out := filepath.Join(filepath.Dir(file), "out")
	said := s.sumac(append([]string{"experiment", file, "--cluster", "--output-dir", out}, args...)...)
	s.says(said, "report.html has the pictures")
	s.Log(said.stdout)
	text, err := os.ReadFile(filepath.Join(out, "results.json"))
	if err != nil {
		s.Fatal(err)
	}
	var found results
	if err := json.Unmarshal(text, &found); err != nil {
		s.Fatal(err)
	}
	if !found.Complete || found.Machine.Namespace != s.namespace {
		s.Fatalf("%s", text)
	}
	nodes := found.Machine.Nodes
	if len(nodes) == 0 || nodes[0].Name == "" || nodes[0].Cpus == "" || nodes[0].Kernel == "" {
		s.Errorf("what the nodes are: %+v", nodes)
	}
	for _, cell := range found.Cells {
		if cell.BatchesPerSecond.Mean <= 0 || len(cell.Nodes) != 1 || cell.Nodes[0]["worker-0"] == "" {
			s.Errorf("no figures: %s", text)
		}
		if cell.StepPhases.GradientSeconds <= 0 {
			s.Errorf("nothing says where the time of a step went: %s", text)
		}
	}
	if names := s.must("", "get", "tjob,pods,services,networkpolicies,secrets", "-o", "name"); names != "" {
		s.Errorf("there remain %s", names)
	}
	return found
}

func TestNodesMeasureAnExperiment(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	file := s.TempDir() + "/study.yaml"
	s.write(file, study)
	if got := s.experiment(file, "--parallel", "2"); len(got.Cells) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestNodesScaleAnExperiment(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.volume("checkpoints")
	folder := s.TempDir()
	s.write(folder+"/job.yaml", job("fixed", scaled))
	s.write(folder+"/script.yaml", script)

	got := s.experiment(folder + "/script.yaml")
	if len(got.Cells) != 1 || len(got.Cells[0].Scale.Runs) != 1 {
		t.Fatalf("%+v", got)
	}
	if left := got.Cells[0].LeftOnVolume; len(left) != 1 || left[0] == "" {
		t.Errorf("what stays on the volume: %q", left)
	}
	run := got.Cells[0].Scale.Runs[0]
	if len(run.Times) != 3 || run.Times[2].Workers != 1 {
		t.Errorf("where the time of each number of workers went: %+v", run.Times)
	}
	if len(run.Phases) != 3 || run.Phases[1].Workers != 2 || len(run.Changes) != 2 || run.Changes[0].CostSeconds <= 0 || run.Restarts != 0 {
		t.Errorf("%+v", run)
	}
	if fixed := s.runHere(folder + "/job.yaml"); fixed.ParametersSha256 != run.ParametersSha256 {
		t.Errorf("its weights are %s, and those of a run of fixed size %s", run.ParametersSha256, fixed.ParametersSha256)
	}
}

// The question of Jaeger et al. with two sizes and one network: workers emulate, links have a rate.
func TestNodesMeasureTheStudyOfCentralAndDecentral(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("needs the bandwidth plugin")
	text, err := os.ReadFile(filepath.Join(*root, "examples/experiments/jaeger-2018.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	study := string(text)
	first, last := strings.Index(study, "        - name: lenet5, 1 Gbit/s"), strings.Index(study, "    - name: topology")
	study = study[:first] + study[last:]
	for _, size := range []string{"4", "8"} {
		line := `        - {name: "` + size + `", set: {worker.replicas: ` + size + `, training.logicalWorkers: ` + size + "}}\n"
		study = strings.Replace(study, line, "", 1)
	}
	file := s.TempDir() + "/jaeger.yaml"
	s.write(file, strings.Replace(study, "repetitions: 3", "repetitions: 1", 1))

	got := s.experiment(file)
	if len(got.Cells) != 4 {
		t.Fatalf("%+v", got)
	}
	for _, cell := range got.Cells {
		if !cell.Emulated {
			t.Errorf("%+v", cell)
		}
	}
	// 2 x 61,706 floats take 39 ms at 100 Mbit/s, less what the buckets let through at once.
	if speed := got.Cells[1].BatchesPerSecond.Mean; speed > 100 {
		t.Errorf("links of 100 Mbit/s carried two workers' gradients %.0f times a second", speed)
	}
}
