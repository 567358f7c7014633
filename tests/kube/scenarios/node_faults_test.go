package scenarios

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sumac.dev/tests/kube/node"
)

// undisturbed are the bits of the job, from processes on this machine.
func (s *scenario) undisturbed(spec string) string {
	s.Helper()
	file := s.TempDir() + "/job.yaml"
	s.write(file, job("undisturbed", spec))
	return s.runHere(file).ParametersSha256
}

// disturb runs the job, whose members may not change, lets a fault happen while it is held after its second checkpoint, and waits for
// success, from the newest checkpoint. The fault releases the job. Returns the job as it was when its second attempt was counted.
func (s *scenario) disturb(fault func(held *held)) *trainingJob {
	s.Helper()
	want := s.undisturbed(steady + restarted)
	s.volume("checkpoints")
	s.create(job("job", steady+restarted))
	held := s.holdAtCheckpoint("job")
	newest := s.lastCheckpointOf("job-worker-0")
	fault(held)
	again := s.jobUntil("job", "to begin again", func(job *trainingJob) bool { return job != nil && job.Status.Attempt >= 1 })
	done := s.becomes("job", "Succeeded")
	if done.Status.Result.ParametersSha256 != want {
		s.Errorf("the weights are %s, and %s undisturbed", done.Status.Result.ParametersSha256, want)
	}
	if done.Status.Attempt != 1 {
		s.Errorf("it took %d attempts: %s", done.Status.Attempt+1, shownJob(done))
	}
	s.expectResumedAt(newest())
	return again
}

// lifeEnds is closed when a pod's main container has ended, or the pod is gone.
func (s *scenario) lifeEnds(pod *corev1.Pod) <-chan struct{} {
	ended := make(chan struct{})
	stream, err := s.Client.CoreV1().Pods(pod.Namespace).Watch(s.ctx, metav1.ListOptions{
		FieldSelector: "metadata.name=" + pod.Name, ResourceVersion: pod.ResourceVersion,
	})
	if err != nil {
		s.Fatal(err)
	}
	go func() {
		defer close(ended)
		defer stream.Stop()
		for event := range stream.ResultChan() {
			now, ok := event.Object.(*corev1.Pod)
			if ok && (now.UID != pod.UID || mainState(now).Terminated != nil) || event.Type == "DELETED" {
				return
			}
		}
	}()
	return ended
}

// killInside sends SIGKILL to a pod's container, and waits until the pod says that it has ended.
func (s *scenario) killInside(machine *node.Machine, name string) {
	s.Helper()
	pod := s.getPod(name)
	ended := s.lifeEnds(pod)
	if err := machine.KillContainer(containerOf(pod)); err != nil {
		s.Fatal(err)
	}
	s.await(ended, name+" was killed and did not end")
}

// await ends the test where a channel is not closed.
func (s *scenario) await(closed <-chan struct{}, failure string) {
	s.Helper()
	select {
	case <-closed:
	case <-time.After(patience):
		s.Fatal(failure)
	}
}

func (s *scenario) becomesAnother(name string, before types.UID) {
	s.Helper()
	s.podUntil(name, "to be another", func(pod *corev1.Pod) bool { return pod != nil && pod.UID != before })
}

func TestNodesRestartAJobOfWhichAWorkerPodIsDeleted(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.deleteAPod("job-worker-1")
}

func TestNodesRestartAJobOfWhichAServerPodIsDeleted(t *testing.T) {
	s := onNodes(t)
	s.deleteAPod("job-server-0")
}

func (s *scenario) deleteAPod(name string) {
	s.Helper()
	again := s.disturb(func(held *held) {
		before := s.getPod(name).UID
		s.must("", "delete", "pod", name, "--wait=false")
		held.releaseWhenAsked()
		s.becomesAnother(name, before)
	})
	if again.Status.Disruptions != 1 || again.Status.Restarts != 0 {
		s.Errorf("that is no disruption: %s", shownJob(again))
	}
}

func TestNodesRestartAJobOfWhichAWorkerIsKilledInside(t *testing.T) {
	s := onNodes(t)
	s.killAMember("job-worker-1")
}

func TestNodesRestartAJobOfWhichAServerIsKilledInside(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.killAMember("job-server-0")
}

func (s *scenario) killAMember(name string) {
	s.Helper()
	machine := s.onOurNode("kills a process inside its container")
	again := s.disturb(func(held *held) {
		s.killInside(machine, name)
		held.release()
	})
	if again.Status.Restarts != 1 || again.Status.LastFailure.PodName != name || again.Status.LastFailure.Reason != "KilledBySignal" {
		s.Errorf("it runs as %s", shownJob(again))
	}
}

func TestNodesRestartAJobOfWhichAWorkerIsOutOfMemory(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.starveAMember("job-worker-1")
}

func TestNodesRestartAJobOfWhichAServerIsOutOfMemory(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.starveAMember("job-server-0")
}

func (s *scenario) starveAMember(name string) {
	s.Helper()
	s.onOurNode("fills the memory of a container from outside")
	again := s.disturb(func(held *held) {
		s.outOfMemory(s.getPod(name))
		held.release()
	})
	failure := again.Status.LastFailure
	if failure.PodName != name || failure.Reason != "OOMKilled" || !strings.Contains(failure.Message, "memory") {
		s.Errorf("it runs as %s", shownJob(again))
	}
}

func TestNodesRestartAJobWhoseNodeIsDrained(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	again := s.disturb(func(held *held) {
		pod := s.getPod("job-worker-0")
		name := pod.Spec.NodeName
		s.Cleanup(func() { s.anywhere("", "uncordon", name) })
		// Pods of others are left alone: there may be no other node for them.
		drained := make(chan output, 1)
		go func() {
			drained <- s.anywhere("", "drain", name, "--pod-selector", "sumac.dev/job-name=job", "--force",
				"--delete-emptydir-data", "--ignore-daemonsets", "--timeout=120s")
		}()
		held.releaseWhenAsked()
		s.expect(<-drained)
		s.becomesAnother("job-worker-0", pod.UID)
		s.expect(s.anywhere("", "uncordon", name))
	})
	if again.Status.Disruptions != 1 || again.Status.Restarts != 0 || again.Status.LastFailure.Reason != "EvictionByEvictionAPI" {
		t.Errorf("it runs as %s", shownJob(again))
	}
}

// In place: slot 0 goes with its node, then a worker; then a worker is preempted with 15 s, as on a Spot node.
func TestNodesTrainOnWhereMembersAreDrainedAndPreempted(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	spec := strings.NewReplacer("steps: 800", "steps: 6000", "everySteps: 50", "everySteps: 1000").Replace(steady)
	want := s.undisturbed(spec)
	s.volume("checkpoints")
	s.create(job("job", spec))
	for _, name := range []string{"job-server-0", "job-worker-1"} {
		s.jobUntil("job", "to show progress", hasProgress(0))
		s.drained(name)
	}
	before := s.getPod("job-worker-0").UID
	s.must("", "delete", "pod", "job-worker-0", "--grace-period=15")
	s.nextLife("job-worker-0", before)
	done := s.succeeds("job")
	if done.Status.Attempt != 0 || done.Status.Replaced != 3 || done.Status.Result.ParametersSha256 != want {
		t.Errorf("it succeeded as %s, with the weights %s, and %s undisturbed", shownJob(done), done.Status.Result.ParametersSha256, want)
	}
}

// drained drains a pod's node of this pod alone: there may be no other node for the others.
func (s *scenario) drained(name string) {
	s.Helper()
	pod := s.getPod(name)
	s.must("", "label", "pod", name, "drained=true")
	s.Cleanup(func() { s.anywhere("", "uncordon", pod.Spec.NodeName) })
	s.expect(s.anywhere("", "drain", pod.Spec.NodeName, "--pod-selector", "drained=true", "--force",
		"--delete-emptydir-data", "--ignore-daemonsets", "--timeout=120s"))
	s.expect(s.anywhere("", "uncordon", pod.Spec.NodeName))
	s.nextLife(name, pod.UID)
}

func TestNodesTellThatAnImageIsMissing(t *testing.T) {
	s := onNodes(t)
	s.create(job("job", basics+"worker: {template: {spec: {containers: [{name: sumac, image: '"+s.nodes.registry+"/absent:1'}]}}}\n"))
	waits := s.jobUntil("job", "to tell of the image", func(job *trainingJob) bool {
		return job != nil && strings.Contains(job.condition("Running").Reason, "Image")
	})
	condition := waits.condition("Running")
	if condition.Status != metav1.ConditionFalse || !strings.Contains(condition.Message, "/absent:1") {
		t.Errorf("it waits as %s", shownJob(waits))
	}
	s.must("", "delete", "tjob", "job")
	s.podUntil("job-worker-0", "to be gone", isGone)
}

func TestNodesTellThatAQuotaIsExceeded(t *testing.T) {
	s := onNodes(t)
	s.must("{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: 1}}}", "apply", "-f", "-")
	s.create(job("job", basics))
	waits := s.jobUntil("job", "to tell of the quota", func(job *trainingJob) bool {
		return job != nil && job.condition("Running").Reason == "QuotaExceeded"
	})
	if message := waits.condition("Running").Message; !strings.Contains(message, "quota") {
		t.Errorf("it waits as %s", shownJob(waits))
	}
	s.must("", "patch", "resourcequota", "quota", "--type=merge", "-p", `{"spec": {"hard": {"pods": "3"}}}`)
	s.becomes("job", "Succeeded")
}

func TestNodesTrainOnWhileTheOperatorIsKilled(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	want := s.undisturbed(steady)
	s.volume("checkpoints")
	s.create(job("job", steady))
	held := s.holdAtCheckpoint("job")
	life := s.getPod("job-worker-0").UID
	before := s.operatorPods()
	s.expect(s.anywhere("", "--namespace", operatorsNamespace, "delete", "pods", "--force", "--grace-period=0",
		"--selector", "app.kubernetes.io/component=operator"))
	held.release()
	done := s.becomes("job", "Succeeded")
	if s.operatorPods() == before {
		t.Error("the operator was not killed")
	}
	if done.Status.Attempt != 0 || s.getPod("job-worker-0").UID != life || done.Status.Result.ParametersSha256 != want {
		t.Errorf("the job noticed: %s", shownJob(done))
	}
}

func (s *scenario) operatorPods() string {
	s.Helper()
	return s.expect(s.anywhere("", "--namespace", operatorsNamespace, "get", "pods", "--selector",
		"app.kubernetes.io/component=operator", "-o", "jsonpath={.items[*].metadata.uid}"))
}
