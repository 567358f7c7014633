package scenarios

import (
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
	volume := s.volume("checkpoints")
	s.create(job("job", steady+"output: {path: /output, volume: {persistentVolumeClaim: {claimName: checkpoints}, subPath: output}}\n"))
	held := s.holdAtCheckpoint("job")
	newest := s.lastCheckpointOf("job-worker-0")
	s.patch("job", "suspend: true")
	held.releaseWhenAsked()
	suspended := s.becomes("job", "Suspended")
	s.podUntil("job-worker-0", "to be gone", isGone)
	reached := max(newest(), suspended.Status.Progress.Step, s.lastStepOn(volume))
	s.patch("job", "{suspend: false, worker: {replicas: 1}}")
	done := s.becomes("job", "Succeeded")
	if done.Status.Result.ParametersSha256 != want {
		t.Errorf("the weights are %s, and %s without a break", done.Status.Result.ParametersSha256, want)
	}
	if done.Status.Restarts != 0 || done.Status.Disruptions != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
	s.expectResumedAt(reached)
}

// lastStepOn is the step that the last line of progress in the job's output has; 0 where the volume is
// somebody else's.
func (s *scenario) lastStepOn(volume string) (last int) {
	s.Helper()
	if volume == "" {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(volume, "output", "metrics.jsonl"))
	if err != nil {
		s.Fatal(err)
	}
	if last = lastStepIn(string(text), "progress"); last == 0 {
		s.Fatalf("there is no progress in\n%s", text)
	}
	return last
}

func TestNodesAreEmptyAfterAJobIsDeleted(t *testing.T) {
	s := onNodes(t)
	s.volume("checkpoints")
	s.create(job("job", endless))
	s.becomes("job", "Running")
	there := s.objects()
	for _, kind := range []string{"pod/", "service/", "secret/", "configmap/", "networkpolicy.", "trainingjob."} {
		if !strings.Contains(there, kind) {
			t.Errorf("there is no %s to be deleted among\n%s", kind, there)
		}
	}
	began := time.Now()
	s.must("", "delete", "tjob", "job", "--wait=false")
	for _, name := range []string{"job-worker-0", "job-worker-1", "job-server-0"} {
		s.podUntil(name, "to be gone", isGone)
	}
	if !s.holdsSoon(func() bool { return s.objects() == "" }) {
		t.Errorf("there remain\n%s", s.objects())
	}
	// What docs/operations.md promises; it is no time-out of the test.
	if took := time.Since(began); took > deletionLimit {
		t.Errorf("nothing was left after %.1f s only", took.Seconds())
	} else {
		t.Logf("nothing was left %.1f s after the deletion", took.Seconds())
	}
}

// deletionLimit is how long a deleted job may leave something behind.
const deletionLimit = 20 * time.Second

// objects are all of the kinds that a job makes, and the job. Each namespace has one ConfigMap anyway,
// with the certificate of the API server.
func (s *scenario) objects() string {
	s.Helper()
	names := s.must("", "get", "pods,services,secrets,configmaps,networkpolicies,tjob", "-o", "name")
	return strings.Replace(names, "configmap/kube-root-ca.crt\n", "", 1)
}

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
	s.create(job("job", strings.Replace(basics, "steps: 10,", "steps: 1000000000,", 1)+restarted+`
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
