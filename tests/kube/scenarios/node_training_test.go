package scenarios

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// localRun is what `sumac run` makes of a document on this machine.
type localRun struct {
	ParametersSha256 string
	SamplesPerSecond float64
	folder           string
}

// hereRun is a `sumac run` that goes on.
type hereRun struct {
	*scenario
	command *exec.Cmd
	folder  string // of its output
	said    bytes.Buffer
}

// startHere begins to train a document with processes on this machine.
func (s *scenario) startHere(file string) *hereRun {
	s.Helper()
	run := &hereRun{scenario: s, folder: s.TempDir()}
	run.command = exec.CommandContext(s.ctx, filepath.Join(*bin, "sumac"), "run", file, "--output-dir", run.folder)
	run.command.Stdout, run.command.Stderr = &run.said, &run.said
	if err := run.command.Start(); err != nil {
		s.Fatal(err)
	}
	return run
}

// finish waits for its end.
func (r *hereRun) finish() localRun {
	r.Helper()
	if err := r.command.Wait(); err != nil {
		r.Fatalf("sumac run: %v\n%s", err, r.said.String())
	}
	run := localRun{folder: r.folder}
	text, err := os.ReadFile(filepath.Join(r.folder, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &run)
	}
	if err != nil || len(run.ParametersSha256) != 64 {
		r.Fatalf("result of sumac run: %v\n%s", err, text)
	}
	return run
}

// runHere trains a document with processes on this machine.
func (s *scenario) runHere(file string) localRun {
	s.Helper()
	return s.startHere(file).finish()
}

// The first thing that users do, word for word.
func TestNodesTrainTheExampleWithTheBitsOfSumacRun(t *testing.T) {
	s := onNodes(t)
	example := filepath.Join(*root, "examples", "lenet5-fashion-mini.yaml")
	local := s.runHere(example)

	applied := time.Now()
	s.must("", "apply", "-f", example)
	s.jobUntil("lenet5-fashion-mini", "to show progress", hasProgress(0))
	first := time.Since(applied)
	done := s.becomes("lenet5-fashion-mini", "Succeeded")
	t.Logf("progress %.1f s, success %.1f s after apply", first.Seconds(), time.Since(applied).Seconds())

	if done.Status.Result.ParametersSha256 != local.ParametersSha256 {
		t.Errorf("its weights are %s, and those of sumac run %s", done.Status.Result.ParametersSha256, local.ParametersSha256)
	}
	if done.Status.Restarts != 0 || done.Status.Disruptions != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
}

// The example for clusters, whose model is on a volume afterwards.
func TestNodesLeaveTheModelOnAVolume(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("reads the model on the volume from outside")
	example := filepath.Join(*root, "examples", "lenet5-cluster.yaml")
	local := s.runHere(example)
	volume := s.volume("sumac-runs")

	s.must("", "apply", "-f", example)
	done := s.becomes("lenet5-cluster", "Succeeded")
	if done.Status.Result.ParametersSha256 != local.ParametersSha256 {
		t.Errorf("its weights are %s, and those of sumac run %s", done.Status.Result.ParametersSha256, local.ParametersSha256)
	}
	model, err := os.ReadFile(filepath.Join(volume, "lenet5-cluster", "output", "model.safetensors"))
	if err != nil {
		t.Fatal("the model:", err)
	}
	here, err := os.ReadFile(filepath.Join(local.folder, "model.safetensors"))
	if err != nil || !bytes.Equal(model, here) {
		t.Errorf("the model has %d bytes that differ from the %d of sumac run (%v)", len(model), len(here), err)
	}
}

// fetched are the files of Fashion-MNIST, and their sizes.
var fetched = map[string]int64{
	"train-images-idx3-ubyte.gz": 26421880, "train-labels-idx1-ubyte.gz": 29515,
	"t10k-images-idx3-ubyte.gz": 4422102, "t10k-labels-idx1-ubyte.gz": 5148,
}

// The example that downloads its data, as far as it goes without a way out of this machine: the init
// container finds files of the right sizes at a mirror, and other bytes in them.
func TestNodesRefuseToTrainOnFetchedDataThatAreNotTheKnownOnes(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("puts files on the volume from outside")
	s.volume("sumac-runs")
	mirror := s.volume("mirror")
	for name, size := range fetched {
		s.write(filepath.Join(mirror, name), "")
		if err := os.Truncate(filepath.Join(mirror, name), size); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(*root, "examples", "lenet5-fashion-fetch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	document := string(text)
	for _, each := range [][2]string{
		{"image: REGISTRY/", "image: " + s.nodes.registry + "/"},
		{"--output-dir, /data]", "--output-dir, /data, --mirror, 'file:///mirror']"},
		{"          - {name: data, mountPath: /data}\n", "          - {name: data, mountPath: /data}\n          - {name: mirror, mountPath: /mirror, readOnly: true}\n"},
		{"        - {name: data, emptyDir: {}}\n", "        - {name: data, emptyDir: {}}\n        - {name: mirror, persistentVolumeClaim: {claimName: mirror}}\n"},
		{`requests: {cpu: "1", memory: 1Gi}`, "requests: {cpu: 100m, memory: 64Mi}"},
	} {
		if !strings.Contains(document, each[0]) {
			t.Fatalf("the example does not say any more: %s", each[0])
		}
		document = strings.Replace(document, each[0], each[1], 1)
	}
	s.must(document, "apply", "-f", "-")
	s.jobUntil("lenet5-fashion-fetch", "to tell of the bytes", func(job *trainingJob) bool {
		return job != nil && strings.Contains(job.Status.LastFailure.Message, "it is not the known file")
	})
}
