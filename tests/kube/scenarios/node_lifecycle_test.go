package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// What has been computed is not computed again, and the number of workers changes no bit.
func TestNodesResumeASuspendedJobWithAnotherNumberOfWorkers(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	want := s.undisturbed(steady)
	s.volume("checkpoints")
	s.create(job("job", steady))
	held := s.holdAtCheckpoint("job")
	s.patch("job", "suspend: true")
	held.releaseWhenAsked()
	suspended := s.becomes("job", "Suspended")
	s.podUntil("job-worker-0", "to be gone", isGone)
	s.patch("job", "{suspend: false, worker: {replicas: 1}}")
	done := s.becomes("job", "Succeeded")
	if done.Status.Result.ParametersSha256 != want {
		t.Errorf("the weights are %s, and %s without a break", done.Status.Result.ParametersSha256, want)
	}
	if done.Status.Restarts != 0 || done.Status.Disruptions != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
	var from int
	log := s.must("", "logs", "job-worker-0")
	for line := range strings.Lines(log) {
		if _, rest, found := strings.Cut(line, `"resum`); found {
			if _, step, found := strings.Cut(rest, `"step":`); found {
				_, _ = fmt.Sscan(step, &from)
			}
		}
	}
	if from == 0 || from < suspended.Status.Progress.Step {
		t.Errorf("it resumed at step %d, and had told of step %d:\n%s", from, suspended.Status.Progress.Step, log)
	}
}

func TestNodesAreEmptyAfterAJobIsDeleted(t *testing.T) {
	s := onNodes(t)
	s.volume("checkpoints")
	s.create(job("job", endless))
	s.becomes("job", "Running")
	began := time.Now()
	s.must("", "delete", "tjob", "job")
	for _, name := range []string{"job-worker-0", "job-worker-1", "job-server-0"} {
		s.podUntil(name, "to be gone", isGone)
	}
	if !s.holdsSoon(func() bool { return s.kubectl("", "get", s.children(), "-o", "name").stdout == "" }) {
		t.Errorf("there remain %s", s.must("", "get", s.children(), "-o", "name"))
	}
	t.Logf("nothing was left %.1f s after the deletion", time.Since(began).Seconds())
}

// children are the kinds of what a job makes. Namespaces have objects of these of their own, which
// have no owner.
func (s *scenario) children() string { return "pods,services,secrets,networkpolicies,tjob" }

func TestNodesDoNotRetryWhatWouldFailAgain(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	for name, each := range map[string]struct {
		spec, reason string
		code         int
	}{
		"diverges": {`
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 200, optimizer: {learningRate: "1000000"}}
`, "FailedForGood", 1},
		"no-data": {`
model: {name: lenet5}
data: {format: idx, path: /nowhere}
training: {batchSize: 64, steps: 10, optimizer: {learningRate: "0.1"}}
`, "BadConfiguration", 78},
	} {
		s.create(job(name, each.spec))
		failed := s.becomes(name, "Failed")
		if failed.Status.LastFailure.Reason != each.reason || failed.Status.Restarts != 0 {
			t.Errorf("%s failed as %s", name, shownJob(failed))
		}
		state := mainState(s.getPod(failed.Status.LastFailure.PodName)).Terminated
		if state == nil || int(state.ExitCode) != each.code {
			t.Errorf("%s ended as %+v", name, state)
		}
	}
}

func TestNodesKeepDeadlines(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.volume("checkpoints")
	s.create(job("job", endless+"runPolicy: {activeDeadlineSeconds: 3}\n"))
	s.failsFor("job", "DeadlineExceeded")
	s.create(job("waits", basics+"worker: {template: {spec: {containers: [{name: sumac, image: '"+s.nodes.registry+"/absent:1'}]}}}\n"+
		"runPolicy: {preRunningDeadlineSeconds: 3}\n"))
	s.failsFor("waits", "PreRunningDeadlineExceeded")
	for _, name := range []string{"job-worker-0", "waits-worker-0"} {
		s.podUntil(name, "to be gone or ended", func(pod *corev1.Pod) bool {
			return pod == nil || mainState(pod).Terminated != nil
		})
	}
	s.create(job("short", basics+"runPolicy: {ttlSecondsAfterFinished: 1}\n"))
	s.jobUntil("short", "to have succeeded", func(job *trainingJob) bool { return job == nil || job.is("Succeeded") })
	s.jobUntil("short", "to be gone", func(job *trainingJob) bool { return job == nil })
}

func (s *scenario) failsFor(name, reason string) *trainingJob {
	s.Helper()
	failed := s.becomes(name, "Failed")
	if failed.condition("Failed").Reason != reason {
		s.Errorf("%s failed as %s", name, shownJob(failed))
	}
	return failed
}

// Its checkpoints go with its pods: the second attempt is killed before it comes as far as the first.
func TestNodesEndAJobThatFailsTooOften(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	machine := s.onOurNode("kills processes inside containers")
	s.create(job("job", strings.Replace(basics, "steps: 10,", "steps: 1000000000,", 1)+`
checkpoint: {path: /checkpoints, everySteps: 100}
runPolicy: {backoffLimit: 1}
`))
	s.logUntil("job-worker-0", "checkpoint written")
	first := s.getPod("job-worker-0").UID
	s.killInside(machine, "job-worker-0")
	s.podUntil("job-worker-0", "to run again", func(pod *corev1.Pod) bool {
		return pod != nil && pod.UID != first && mainState(pod).Running != nil
	})
	s.killInside(machine, "job-worker-0")
	failed := s.failsFor("job", "BackoffLimitExceeded")
	if failed.Status.Restarts != 1 || failed.Status.LastFailure.Reason != "KilledBySignal" {
		t.Errorf("it failed as %s", shownJob(failed))
	}
}

// The second network, with two servers and data from a volume.
func TestNodesTrainALanguageModelFromAVolumeWithTwoServers(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("puts data on the volume from outside")
	volume := s.volume("data")
	for _, part := range []string{"train", "valid", "test"} {
		s.write(filepath.Join(volume, "ptb."+part+".txt"), sentences(120))
	}
	text, err := os.ReadFile(filepath.Join(*root, "examples", "ptb-lstm-small.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	here := s.TempDir() + "/ptb.yaml"
	short := strings.NewReplacer("epochs: 13", "epochs: 1", "holdEpochs: 4", "holdEpochs: 1", "  server:\n    replicas: 1", "  server:\n    replicas: 2")
	document := short.Replace(string(text))
	s.write(here, strings.ReplaceAll(document, "path: data/ptb", "path: "+volume))
	local := s.runHere(here)
	s.must(strings.ReplaceAll(document, "path: data/ptb", "path: /data\n    volume: {persistentVolumeClaim: {claimName: data}}"), "apply", "-f", "-")
	done := s.becomes("ptb-lstm-small", "Succeeded")
	if done.Status.Result.ParametersSha256 != local.ParametersSha256 {
		t.Errorf("its weights are %s, and those of sumac run %s", done.Status.Result.ParametersSha256, local.ParametersSha256)
	}
	s.getPod("ptb-lstm-small-server-1")
}

// sentences are text that a small vocabulary covers.
func sentences(count int) string {
	words := strings.Fields("the cat saw a dog that chased one bird over some old stone walls and rested")
	var text strings.Builder
	for i := range count {
		for j := range 12 {
			text.WriteString(" " + words[(i*7+j*j+i*j)%len(words)])
		}
		text.WriteString(" \n")
	}
	return text.String()
}
