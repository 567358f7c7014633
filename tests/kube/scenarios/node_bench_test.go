package scenarios

import (
	"encoding/json"
	"testing"
)

// As docs/cli.md says it, word for word, except for a smaller vector.
func TestNodesMeasureTheExchangeBetweenPods(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	printed := s.sumac("bench", "exchange", "--sizes", "1MB", "--algorithms", "direct", "--transport", "curve",
		"--steps", "20", "--print-job")
	s.says(printed, "kind: TrainingJob")
	file := s.TempDir() + "/bench.yaml"
	s.write(file, printed.stdout)

	s.says(s.sumac("submit", file, "--wait"), "Succeeded")

	text := s.must("", "get", "pod", "bench-exchange-worker-0", "-o",
		"jsonpath={.status.containerStatuses[0].state.terminated.message}")
	var figures struct{ P50, Least, Most float64 }
	if err := json.Unmarshal([]byte(text), &figures); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	t.Logf("1 MB between two pods, encrypted: %s", text)
	if figures.Least <= 0 || figures.P50 < figures.Least || figures.Most < figures.P50 {
		t.Errorf("no times: %s", text)
	}
	s.says(s.sumac("delete", "bench-exchange", "--wait"), "bench-exchange")
}
