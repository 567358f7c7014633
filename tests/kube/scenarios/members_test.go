package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"sumac.dev/tests/kube/kubelet"
)

// changing is a job of real programs whose number of workers may change while it trains.
func changing(strategy string) string {
	return strings.NewReplacer("steps: 4000", "steps: 12000",
		"worker: {replicas: 2}", "worker: {replicas: 2, minReplicas: 1, maxReplicas: 4}").Replace(trained) +
		strategy + "runPolicy: {scaleCoolDownSeconds: 0}\n"
}

// uids are those of these pods, in order.
func (s *scenario) uids(names ...string) (all []types.UID) {
	s.Helper()
	for _, name := range names {
		all = append(all, s.pod(name).UID)
	}
	return all
}

// withWorkers waits until the job has so many workers that run.
func (s *scenario) withWorkers(ready, desired int) *trainingJob {
	s.Helper()
	workers := fmt.Sprintf("%d/%d", ready, desired)
	return s.jobUntil("job", "to have workers "+workers, func(job *trainingJob) bool {
		return job.is("Running") && job.Status.Workers == workers
	})
}

func TestAJobChangesItsWorkersInPlaceAndHasTheSameBits(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.real()
	s.operator()
	file := t.TempDir() + "/job.yaml"
	s.write(file, job("here", changing("")))
	s.create(job("job", changing("")))
	s.jobUntil("job", "to show progress", hasProgress(0))
	before := s.uids("job-server-0", "job-worker-0", "job-worker-1")
	s.scaleTo(4)
	s.eventUntil("job", "Scaled")
	s.withWorkers(4, 4)
	if after := s.uids("job-server-0", "job-worker-0", "job-worker-1"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the pods are %v, not %v", after, before)
	}
	s.scaleTo(1)
	s.withWorkers(1, 1)
	for _, name := range []string{"job-worker-1", "job-worker-2", "job-worker-3"} {
		s.podUntil(name, "to be gone", isGone)
	}
	done := s.succeeds("job")
	if done.Status.Attempt != 0 || done.Status.Resizes != 2 || done.Status.Replaced != 0 || done.Status.Recovery.Failures != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
	if done.Status.Membership.Changes < 2 {
		t.Errorf("its members are told as %+v", done.Status.Membership)
	}
	if local := s.runHere(file); done.Status.Result.ParametersSha256 != local.ParametersSha256 {
		t.Errorf("the weights are %s, and those of sumac run %s", done.Status.Result.ParametersSha256, local.ParametersSha256)
	}
}

// mounts tells whether a pod has a claim among its volumes.
func (s *scenario) mounts(name string) bool {
	s.Helper()
	for _, volume := range s.getPod(name).Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			return true
		}
	}
	return false
}

func TestAClaimForOneNodeIsMountedByWorker0AloneWhichMayBeReplaced(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.real()
	s.operator()
	s.claimWithVolume("store", "hostPath: {path: /none}")
	spec := changing("") + `checkpoint: {path: /checkpoints, everySteps: 100, volume: {persistentVolumeClaim: {claimName: store}}}
output: {path: /output, volume: {persistentVolumeClaim: {claimName: store}, subPath: output}}
`
	file := t.TempDir() + "/job.yaml"
	s.write(file, job("here", changing("")))
	s.create(job("job", spec))
	s.jobUntil("job", "to show progress", hasProgress(0))
	if !s.mounts("job-worker-0") || s.mounts("job-worker-1") {
		t.Errorf("worker 0 mounts the claim: %t, worker 1: %t", s.mounts("job-worker-0"), s.mounts("job-worker-1"))
	}
	before := s.uids("job-worker-1", "job-server-0")
	s.must("", "delete", "pod", "job-worker-0", "--wait=false")
	s.eventUntil("job", "CheckpointSkipped") // while it is away
	s.jobUntil("job", "to have replaced worker 0", func(job *trainingJob) bool {
		return job.Status.Replaced == 1 && job.Status.Workers == "2/2"
	})
	done := s.succeeds("job")
	if after := s.uids("job-worker-1", "job-server-0"); fmt.Sprint(after) != fmt.Sprint(before) || done.Status.Attempt != 0 {
		t.Errorf("all began again: %s", shownJob(done))
	}
	if local := s.runHere(file); done.Status.Result.ParametersSha256 != local.ParametersSha256 {
		t.Errorf("the weights are %s, and those of sumac run %s", done.Status.Result.ParametersSha256, local.ParametersSha256)
	}
}

// Slot 0 as well, and a pod that somebody deletes; played.
func TestAMemberThatEndsIsReplacedAlone(t *testing.T) {
	s := begin(t)
	s.operator()
	s.create(job("job", basics+"worker: {replicas: 3}\nrunPolicy: {backoffLimit: 10}\n"))
	s.becomes("job", "Running")
	ends := []struct {
		name string
		end  func(name string)
	}{
		{"job-worker-1", func(name string) { s.pod(name).Exit(kubelet.Exit{Code: 137, Signal: 9}) }},
		{"job-server-0", func(name string) { s.pod(name).Exit(kubelet.Exit{Code: 75, Message: "lost"}) }},
		{"job-worker-0", func(name string) { s.must("", "delete", "pod", name, "--wait=false") }},
	}
	for i, each := range ends {
		other := s.uids("job-worker-2")
		before := s.pod(each.name).UID
		each.end(each.name)
		s.nextLife(each.name, before)
		s.jobUntil("job", "to have replaced "+each.name, func(job *trainingJob) bool {
			return job.is("Running") && job.Status.Replaced == i+1 && job.Status.Workers == "3/3"
		})
		if after := s.uids("job-worker-2"); after[0] != other[0] {
			t.Errorf("worker 2 was made again when %s ended", each.name)
		}
	}
	done := s.complete("job", "worker-0", "worker-1", "worker-2", "server-0")
	if done.Status.Attempt != 0 || done.Status.Restarts != 0 || done.Status.Disruptions != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
}

// movable is a job of real programs of which each pod has a node of its own.
func (s *scenario) movable() string {
	template := "template: {spec: {nodeSelector: {only: " + s.namespace + "}, tolerations: [{key: only, operator: Exists}], " +
		"containers: [{name: sumac, resources: {requests: {cpu: '1'}}}]}}"
	return strings.NewReplacer("steps: 4000", "steps: 12000", "{replicas: 2}", "{replicas: 2, "+template+"}").Replace(trained) +
		"server: {" + template + "}\n"
}

// The node of slot 0 is drained, then that of a worker; then a worker is preempted with 15 s, as a Spot node's are.
func TestAJobGoesOnInPlaceWhereNodesAreDrainedAndAPodIsPreempted(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.real()
	s.operator()
	for _, each := range []string{"one", "two", "three", "spare"} {
		s.roomFor(each, 1)
	}
	want := s.undisturbed(s.movable())
	s.create(job("job", s.movable()))
	for _, each := range []string{"job-server-0", "job-worker-1"} {
		s.jobUntil("job", "to show progress", hasProgress(0))
		pod := s.pod(each)
		node := s.getPod(each).Spec.NodeName
		s.expect(s.anywhere("", "drain", node, "--force", "--delete-emptydir-data", "--timeout="+patience.String()))
		if again := s.nextLife(each, pod.UID); again.Spec.NodeName == node {
			t.Errorf("%s came back to its node, which is drained", each)
		}
		s.expect(s.anywhere("", "uncordon", node))
	}
	before := s.uids("job-worker-0")
	s.must("", "delete", "pod", "job-worker-0", "--grace-period=15")
	s.nextLife("job-worker-0", before[0])
	done := s.succeeds("job")
	if done.Status.Attempt != 0 || done.Status.Replaced != 3 || done.Status.Recovery.Failures != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
	if done.Status.Result.ParametersSha256 != want {
		t.Errorf("the weights are %s, and %s undisturbed", done.Status.Result.ParametersSha256, want)
	}
}

func TestNewWorkersWithoutRoomWaitWhileTheOthersTrainOn(t *testing.T) {
	s := begin(t)
	s.roomFor("narrow", 2)
	s.operator()
	s.narrowJob("", "{preRunningDeadlineSeconds: 60, scaleFitSeconds: 1}")
	s.scaleTo(3)
	waits := s.jobUntil("job", "to wait for room", func(job *trainingJob) bool {
		return job.condition("Running").Reason == "Unschedulable"
	})
	if !waits.is("Running") || !strings.HasPrefix(waits.condition("Running").Message, "2 of 3 workers run; ") {
		t.Errorf("it runs as %s", shownJob(waits))
	}
	s.roomFor("wide", 1)
	s.runsWith(3, 0)
}
