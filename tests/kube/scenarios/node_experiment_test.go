package scenarios

import (
	"encoding/json"
	"os"
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

func TestNodesMeasureAnExperiment(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	folder := s.TempDir()
	s.write(folder+"/study.yaml", study)

	s.says(s.sumac("experiment", folder+"/study.yaml", "--cluster", "--parallel", "2",
		"--output-dir", folder+"/out"), "Means with their 95 % intervals")

	text, err := os.ReadFile(folder + "/out/results.json")
	if err != nil {
		t.Fatal(err)
	}
	var results struct {
		Complete bool
		Machine  struct{ Cluster, Namespace string }
		Cells    []struct {
			BatchesPerSecond struct{ Mean float64 }
			Nodes            []map[string]string
		}
	}
	if err := json.Unmarshal(text, &results); err != nil {
		t.Fatal(err)
	}
	if !results.Complete || results.Machine.Namespace != s.namespace || len(results.Cells) != 2 {
		t.Fatalf("%s", text)
	}
	for _, cell := range results.Cells {
		if cell.BatchesPerSecond.Mean <= 0 || len(cell.Nodes) != 1 || cell.Nodes[0]["worker-0"] == "" {
			t.Errorf("no figures: %s", text)
		}
	}
	if names := s.must("", "get", "tjob,pods,services,networkpolicies,secrets", "-o", "name"); names != "" {
		t.Errorf("there remain %s", names)
	}
}
