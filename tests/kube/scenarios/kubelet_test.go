package scenarios

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"sumac.dev/tests/kube/kubelet"
)

const plainPod = `
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  containers: [{name: main, image: some/image}]
`

func TestScriptedPodRunsIsReadyAndEndsAsTold(t *testing.T) {
	s := begin(t)
	s.must(plainPod, "apply", "-f", "-")

	s.podUntil("plain", "to be ready", isReady)
	pod, err := s.kubelet.Pod(s.ctx, s.namespace, "plain")
	if err != nil {
		t.Fatal(err)
	}
	pod.Exit(kubelet.Exit{Code: 75, Message: "lost its peers"})
	ended := s.podUntil("plain", "to fail", isPhase(corev1.PodFailed))

	if state := mainState(ended).Terminated; state.ExitCode != 75 || state.Message != "lost its peers" || state.Reason != "Error" {
		t.Errorf("it ended as %+v", state)
	}
	s.must("", "delete", "pod", "plain", "--wait=false")
	s.podUntil("plain", "to be gone", isGone)
}

func TestScriptedPodWaitsForItsImage(t *testing.T) {
	s := begin(t)
	s.kubelet.PlayScripted(s.namespace, func(*corev1.Pod) kubelet.Script {
		return kubelet.Script{Waiting: &kubelet.Waiting{Reason: "ImagePullBackOff", Message: "no such image"}}
	})
	s.must(plainPod, "apply", "-f", "-")

	waiting := s.podUntil("plain", "to wait for its image", func(pod *corev1.Pod) bool {
		state := mainState(pod).Waiting
		return state != nil && state.Reason == "ImagePullBackOff"
	})
	if waiting.Status.Phase != corev1.PodPending {
		t.Errorf("its phase is %s", waiting.Status.Phase)
	}
	pod, err := s.kubelet.Pod(s.ctx, s.namespace, "plain")
	if err != nil {
		t.Fatal(err)
	}
	pod.Run(true)
	s.podUntil("plain", "to be ready", isReady)
}

func TestScriptedPodThatIsStuckStaysUntilReleased(t *testing.T) {
	s := begin(t)
	s.kubelet.PlayScripted(s.namespace, func(*corev1.Pod) kubelet.Script { return kubelet.Script{Stuck: true} })
	s.must(plainPod, "apply", "-f", "-")
	s.podUntil("plain", "to be ready", isReady)
	pod, err := s.kubelet.Pod(s.ctx, s.namespace, "plain")
	if err != nil {
		t.Fatal(err)
	}
	s.must("", "delete", "pod", "plain", "--wait=false")
	s.podUntil("plain", "to be terminating", func(pod *corev1.Pod) bool {
		return pod != nil && pod.DeletionTimestamp != nil
	})
	pod.Release()
	s.podUntil("plain", "to be gone", isGone)
}

// The kubelet may see a deletion later than the test, whose order it must not forget.
func TestScriptedPodThatIsReleasedBeforeItsDeletionIsSeenGoes(t *testing.T) {
	s := begin(t)
	s.kubelet.PlayScripted(s.namespace, func(*corev1.Pod) kubelet.Script { return kubelet.Script{Stuck: true} })
	s.must(plainPod, "apply", "-f", "-")
	pod, err := s.kubelet.Pod(s.ctx, s.namespace, "plain")
	if err != nil {
		t.Fatal(err)
	}
	s.podUntil("plain", "to be ready", isReady)
	pod.Release()
	s.must("", "delete", "pod", "plain", "--wait=false")
	s.podUntil("plain", "to be gone", isGone)
}

func TestLogsOfAPodAreFollowedByKubectl(t *testing.T) {
	s := begin(t)
	s.must(plainPod, "apply", "-f", "-")
	pod, err := s.kubelet.Pod(s.ctx, s.namespace, "plain")
	if err != nil {
		t.Fatal(err)
	}
	pod.Print("one")
	pod.Print("two")
	s.podUntil("plain", "to be ready", isReady)
	if got := s.must("", "logs", "plain"); got != "one\ntwo\n" {
		t.Errorf("the log is %q", got)
	}
	if got := s.must("", "logs", "plain", "--tail=1"); got != "two\n" {
		t.Errorf("the log's tail is %q", got)
	}
	done := make(chan string)
	go func() { done <- s.kubectl("", "logs", "-f", "plain").stdout }()
	pod.Print("three")
	pod.Exit(kubelet.Exit{})
	if got := <-done; got != "one\ntwo\nthree\n" {
		t.Errorf("the followed log is %q", got)
	}
}

func TestPodsOfALostNodeAreDeletedAndStayUntilItIsBack(t *testing.T) {
	s := begin(t)
	node, err := s.kubelet.AddNode(s.ctx, kubelet.NodeSpec{Name: "node-lost", Labels: map[string]string{"lost": "yes"},
		Taints: []corev1.Taint{{Key: "lost", Effect: corev1.TaintEffectNoSchedule}}})
	if err != nil {
		t.Fatal(err)
	}
	s.must(strings.Replace(plainPod, "  restartPolicy", `  nodeSelector: {lost: "yes"}
  tolerations:
  - {key: lost, operator: Exists}
  - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 0}
  restartPolicy`, 1), "apply", "-f", "-")
	s.podUntil("plain", "to be ready", isReady)

	if err := node.Lose(s.ctx); err != nil {
		t.Fatal(err)
	}
	lost := s.podUntil("plain", "to be deleted by the controller manager", func(pod *corev1.Pod) bool {
		return pod != nil && pod.DeletionTimestamp != nil
	})
	if lost.Status.Phase != corev1.PodRunning {
		t.Errorf("its phase is %s", lost.Status.Phase)
	}
	if err := node.Recover(s.ctx); err != nil {
		t.Fatal(err)
	}
	s.podUntil("plain", "to be gone", isGone)
}
