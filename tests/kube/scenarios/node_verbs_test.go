package scenarios

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sumac runs a verb for clusters in the scenario's namespace.
func (s *scenario) sumac(args ...string) output {
	s.Helper()
	return s.runTool(filepath.Join(*bin, "sumac"), args...)
}

func (s *scenario) runTool(path string, args ...string) output {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	kubectl, err := s.Tool("kubectl")
	if err != nil {
		s.Fatal(err)
	}
	command.Env = append(s.environment(filepath.Dir(kubectl)+":"+*bin+":/usr/bin:/bin"), "KUBECONFIG="+s.inNamespace())
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err = command.Run()
	return output{stdout.String(), stderr.String(), err}
}

// inNamespace is a kubeconfig whose namespace is the scenario's.
func (s *scenario) inNamespace() string {
	s.Helper()
	file := filepath.Join(s.Folder, "config", s.namespace+".kubeconfig")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	text, err := os.ReadFile(s.Kubeconfig("admin"))
	if err != nil {
		s.Fatal(err)
	}
	s.write(file, string(text))
	tool, err := s.Tool("kubectl")
	if err != nil {
		s.Fatal(err)
	}
	set := exec.CommandContext(s.ctx, tool, "--kubeconfig", file, "config", "set-context", "--current", "--namespace="+s.namespace)
	if said, err := set.CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, said)
	}
	return file
}

// says expects a command to succeed and its output to have a text.
func (s *scenario) says(got output, text string) {
	s.Helper()
	if got.err != nil || !strings.Contains(got.stdout+got.stderr, text) {
		s.Fatalf("%v, and no %q in\n%s%s", got.err, text, got.stdout, got.stderr)
	}
}

// What it asks about runs until it is told to end: 100,000 steps are hours, and a hundredth of them,
// after which the status shows progress, are seconds.
func TestNodesServeEveryVerbOfSumac(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.volume("checkpoints")
	file, short := s.TempDir()+"/job.yaml", s.TempDir()+"/short.yaml"
	s.write(file, job("job", strings.NewReplacer("steps: 800,", "steps: 100000,",
		"replicas: 2", "replicas: 1\n  minReplicas: 1\n  maxReplicas: 2").Replace(steady)))
	s.write(short, job("short", basics))

	s.says(s.sumac("submit", file, "--dry-run", "server"), "job")
	s.says(s.sumac("submit", file), "job")
	s.jobUntil("job", "to show progress", hasProgress(0))
	s.says(s.sumac("get"), "Running")
	s.says(s.sumac("get", "job", "-o", "yaml"), "kind: TrainingJob")
	s.says(s.sumac("describe", "job"), "job-worker-0")
	s.says(s.sumac("logs", "job", "worker-0"), "checkpoint written")
	s.says(s.sumac("top", "job", "--once"), "job")
	s.says(s.sumac("scale", "job", "--workers", "2"), "job")
	s.jobUntil("job", "to have two workers", func(job *trainingJob) bool { return job.is("Running") && job.Status.Workers == "2/2" })
	s.says(s.sumac("suspend", "job"), "job")
	s.becomes("job", "Suspended")
	s.says(s.sumac("resume", "job"), "job")
	s.becomes("job", "Running")
	s.says(s.sumac("submit", short, "--set", "spec.training.steps=5", "--wait"), "short")
	s.says(s.sumac("get", "short"), "Succeeded")
	s.says(s.sumac("delete", "job", "short", "--wait"), "job")
	if names := s.must("", "get", "tjob", "-o", "name"); names != "" {
		t.Errorf("there remain %s", names)
	}
}

func TestNodesServeKubectlAndSumacAsItsPlugin(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.volume("checkpoints")
	file := s.TempDir() + "/job.yaml"
	s.write(file, job("job", strings.Replace(endless, "replicas: 2", "replicas: 1\n  minReplicas: 1\n  maxReplicas: 2", 1)))
	s.says(s.kubectl("", "explain", "tjob.spec.worker.replicas"), "replicas")
	if got := s.kubectl("", "diff", "-f", file); !strings.Contains(got.stdout, "+  name: job") {
		t.Errorf("diff: %v\n%s%s", got.err, got.stdout, got.stderr)
	}
	s.says(s.kubectl("", "apply", "--server-side", "-f", file), "serverside-applied")
	s.says(s.kubectl("", "wait", "--for=condition=Running", "tjob/job", "--timeout=120s"), "condition met")
	s.says(s.kubectl("", "scale", "tjob/job", "--replicas=2"), "scaled")
	s.jobUntil("job", "to have two workers", func(job *trainingJob) bool { return job.Status.Workers == "2/2" })
	s.logUntil("job-worker-0", "checkpoint written")
	s.says(s.kubectl(job("short", basics), "apply", "-f", "-"), "created")
	s.says(s.kubectl("", "wait", "--for=condition=Succeeded", "tjob/short", "--timeout=120s"), "condition met")
	kubectl, err := s.Tool("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	plugin := func(verb string, args ...string) output {
		return s.runTool(kubectl, append([]string{"sumac", verb}, args...)...)
	}
	s.says(plugin("get"), "Succeeded")
	s.says(plugin("describe", "short"), "short-worker-0")
	s.says(plugin("submit", file, "--dry-run", "server", "--set", "metadata.name=another"), "another")
	s.says(plugin("logs", "job", "worker-0"), "checkpoint written")
	s.says(plugin("top", "job", "--once"), "job")
	s.says(plugin("suspend", "job"), "job")
	s.becomes("job", "Suspended")
	s.says(plugin("scale", "job", "--workers", "1"), "job") // while it runs, once in five minutes
	s.says(plugin("resume", "job"), "job")
	s.jobUntil("job", "to have one worker", func(job *trainingJob) bool { return job.is("Running") && job.Status.Workers == "1/1" })
	s.says(plugin("delete", "job", "short", "--wait"), "job")
	if names := s.must("", "get", "tjob", "-o", "name"); names != "" {
		t.Errorf("there remain %s", names)
	}
}
