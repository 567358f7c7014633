package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// documents are the files that the local reader's tests judge too, by folder.
func documents(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(*root, folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests in %s: %v", folder, err)
	}
	return files
}

// asUsersWriteIt takes out what only the API server sets: the local reader ignores that, so that the
// output of `kubectl get` runs, but nobody may create it.
func asUsersWriteIt(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(file, err)
	}
	delete(document, "status")
	if metadata, ok := document["metadata"].(map[string]any); ok {
		for _, name := range []string{"namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			delete(metadata, name)
		}
	}
	text, err = yaml.Marshal(document)
	if err != nil {
		t.Fatal(file, err)
	}
	return string(text)
}

func (s *scenario) judge(file, text string) output {
	s.Helper()
	return s.kubectl(text, "apply", "--dry-run=server", "--validate=strict", "-f", file)
}

func TestTheAPIServerAcceptsWhatTheLocalReaderAccepts(t *testing.T) {
	s := begin(t)
	for _, folder := range []string{"examples", "tests/data/job/good", "tests/golden/output/cli/init/manifests"} {
		for _, file := range documents(t, folder) {
			if got := s.judge("-", asUsersWriteIt(t, file)); got.err != nil {
				t.Errorf("%s is refused: %s", file, got.stderr)
			}
		}
	}
}

func TestTheAPIServerRefusesWhatTheLocalReaderRefuses(t *testing.T) {
	s := begin(t)
	for _, file := range documents(t, "tests/data/job/bad") {
		got := s.judge(file, "")
		if got.err == nil {
			t.Errorf("%s is accepted", file)
		}
		if strings.Contains(got.stderr, "refused") || strings.Contains(got.stderr, "nternal error") {
			t.Errorf("%s: that is no judgement: %s", file, got.stderr)
		}
	}
}

func TestTheAPIServerLeavesMeaningToTheOperator(t *testing.T) {
	s := begin(t)
	for _, file := range documents(t, "tests/data/job/bad_meaning") {
		if got := s.judge(file, ""); got.err != nil {
			t.Errorf("%s is refused: %s", file, got.stderr)
		}
	}
}
