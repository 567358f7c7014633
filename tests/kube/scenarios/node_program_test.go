package scenarios

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"sumac.dev/tests/kube/node"
)

// systemPython is the interpreter that Debian's package of NumPy is for.
const systemPython = "/usr/bin/python3"

// listPython prints the files that a program in NumPy may need: the interpreter, its library and NumPy.
const listPython = `
import numpy, os, pathlib, sys, sysconfig
print(os.path.realpath(sys.executable))
for folder in (sysconfig.get_path("stdlib"), os.path.dirname(numpy.__file__)):
    for file in sorted(pathlib.Path(folder).rglob("*")):
        parts = file.relative_to(folder).parts
        if file.is_file() and file.suffix in (".py", ".so") and not {"test", "tests", "__pycache__"} & set(parts):
            print(file)
`

// programImage is the image of examples/program/Dockerfile.numpy, of what this machine has: no registry
// is reached here. It has no sources: the job brings them along.
const programImage = "sumac.test/program-numpy:1"

// importProgramImage puts it into the node, or skips where this machine has no NumPy.
func (s *scenario) importProgramImage(machine *node.Machine) {
	s.Helper()
	listed, err := exec.CommandContext(s.ctx, systemPython, "-c", listPython).Output()
	if err != nil {
		s.Skip("Debian's Python with NumPy is not here: ", err)
	}
	files := map[string]string{}
	for _, file := range strings.Fields(string(listed)) {
		files[strings.TrimPrefix(file, "/")] = file
		if strings.HasSuffix(file, ".so") {
			s.addLibrariesOf(file, files)
		}
	}
	interpreter := strings.Fields(string(listed))[0]
	files["usr/bin/python3"] = interpreter
	s.addLibrariesOf(interpreter, files)
	s.addLibrary(files)
	s.addFolder("python/sumac", "usr/lib/python3/dist-packages/sumac", files)
	s.addFolder("examples/data/fashion-mnist-mini", "data", files)
	file := filepath.Join(s.TempDir(), "image.tar")
	err = node.WriteImage(file, programImage, files)
	if err == nil {
		err = machine.Import(s.ctx, file)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// addLibrary adds libsumac.so.1 and the kernels beside it, where the package looks for them.
func (s *scenario) addLibrary(files map[string]string) {
	s.Helper()
	for _, pattern := range []string{"../lib/libsumac.so.1", "../lib/sumac/*.so*"} {
		found, err := filepath.Glob(filepath.Join(*bin, pattern))
		if err != nil {
			s.Fatal(err)
		}
		for _, file := range found {
			files["usr/local/lib/sumac/"+filepath.Base(file)] = file
			s.addLibrariesOf(file, files)
		}
	}
	if files["usr/local/lib/sumac/libsumac.so.1"] == "" {
		s.Fatal("there is no libsumac.so.1 beside ", *bin, ": make builds it (target sumac_library)")
	}
}

func (s *scenario) addLibrariesOf(file string, files map[string]string) {
	s.Helper()
	needed, err := exec.CommandContext(s.ctx, "ldd", file).Output()
	if err != nil {
		s.Fatal(file, err)
	}
	for _, each := range library.FindAllStringSubmatch(string(needed), -1) {
		files[strings.TrimPrefix(each[1], "/")] = each[1]
	}
}

func (s *scenario) addFolder(from, to string, files map[string]string) {
	s.Helper()
	folder := filepath.Join(*root, from)
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && !strings.Contains(path, "__pycache__") {
			files[to+strings.TrimPrefix(path, folder)] = path
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
}

// programJob is examples/program/job.yaml for NumPy, in the image of this machine, so long that the
// test can change its members.
func (s *scenario) programJob() string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(*root, "examples", "program", "job.yaml"))
	if err != nil {
		s.Fatal(err)
	}
	document := string(text)
	for _, each := range [][2]string{
		{"[python3, train.py]", "[" + systemPython + ", train_numpy.py]"},
		{"epochs: 10 ", "epochs: 300"},
		{"REGISTRY/program:1", programImage},
		{"requests: {cpu: \"1\", memory: 1Gi}", "requests: {cpu: 50m, memory: 64Mi}"},
		{"claimName: sumac-runs", "claimName: checkpoints"},
	} {
		if !strings.Contains(document, each[0]) {
			s.Fatalf("the example does not say any more: %s", each[0])
		}
		document = strings.ReplaceAll(document, each[0], each[1])
	}
	return document
}

// programHere trains the job's program by `sumac run` on this machine with one worker: the bits that
// pods must reach. The job's file is without what pods need.
func (s *scenario) programHere(file string) string {
	s.Helper()
	folder := filepath.Join(s.TempDir(), "run")
	run := exec.CommandContext(s.ctx, filepath.Join(*bin, "sumac"), "run", file, "--workers", "1", "--output-dir", folder)
	run.Dir = filepath.Join(*root, "examples", "program")
	if said, err := run.CombinedOutput(); err != nil {
		s.Fatalf("sumac run: %v\n%s", err, said)
	}
	var result localRun
	text, err := os.ReadFile(filepath.Join(folder, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	if err != nil || len(result.ParametersSha256) != 64 {
		s.Fatalf("result of sumac run: %v\n%s", err, text)
	}
	return result.ParametersSha256
}

// A program of the user, whose sources come with the job, has in pods the bits that it has alone,
// whoever dies, comes and goes. Connections are encrypted, as they are by default.
func TestNodesRunAProgramWithItsSourcesAndTheBitsOfItAlone(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	machine := s.onOurNode("makes an image of this machine's Python")
	s.importProgramImage(machine)
	s.volume("checkpoints")
	file := filepath.Join(s.TempDir(), "job.yaml")
	s.write(file, s.programJob())
	want := s.programHere(file)

	s.says(s.sumac("submit", file, "--code", filepath.Join(*root, "examples", "program"), "--set", "metadata.name=job"), "created")
	s.jobUntil("job", "to show progress", hasProgress(0))
	first := s.getPod("job-worker-0").UID

	held := s.hold("job")
	second := s.getPod("job-worker-1").UID
	s.killInside(machine, "job-worker-1")
	s.becomesAnother("job-worker-1", second)
	held.release()
	s.withWorkers(2, 2)

	held = s.hold("job")
	s.says(s.sumac("scale", "job", "--workers", "3"), "job")
	s.podUntil("job-worker-2", "to run", func(pod *corev1.Pod) bool { return pod != nil && mainState(pod).Running != nil })
	held.release()
	s.withWorkers(3, 3)
	s.says(s.sumac("scale", "job", "--workers", "1"), "job")
	s.withWorkers(1, 1)

	done := s.becomes("job", "Succeeded")
	if done.Status.Result.ParametersSha256 != want {
		t.Errorf("the weights are %s, and %s of the program alone", done.Status.Result.ParametersSha256, want)
	}
	if done.Status.Attempt != 0 || done.Status.Replaced != 1 || done.Status.Membership.Changes < 3 {
		t.Errorf("it succeeded as %s, with members told as %+v", shownJob(done), done.Status.Membership)
	}
	if last := s.getPod("job-worker-0").UID; last != first {
		t.Errorf("worker 0 was started again: %v, not %v", last, first)
	}
	if !strings.Contains(s.must("", "get", "configmaps", "-o", "name"), "configmap/job-code-") {
		t.Error("the job has no ConfigMap with its sources")
	}
	s.says(s.sumac("delete", "job", "--wait"), "job")
	if !s.holdsSoon(func() bool { return s.objects() == "" }) {
		t.Errorf("there remain\n%s", s.objects())
	}
}

// A job whose sources did not come says so, and goes on when they do.
func TestNodesRunAProgramWhoseSourcesComeLate(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	machine := s.onOurNode("makes an image of this machine's Python")
	s.importProgramImage(machine)
	s.volume("checkpoints")
	folder := s.TempDir()
	file, code := filepath.Join(folder, "job.yaml"), filepath.Join(*root, "examples", "program")
	s.write(file, strings.NewReplacer("epochs: 300", "epochs: 2", "name: train", "name: job").Replace(s.programJob()))

	// As `sumac submit` leaves it that dies between the two.
	s.must(s.sumac("submit", file, "--code", code, "--dry-run", "client", "-o", "yaml").stdout, "apply", "-f", "-")
	s.jobUntil("job", "to miss its sources", func(job *trainingJob) bool {
		return job != nil && job.condition("Running").Reason == "CodeMissing"
	})
	s.says(s.sumac("describe", "job"), "--code")
	s.says(s.sumac("submit", file, "--code", code), "job")
	s.becomes("job", "Succeeded")
}
