package scenarios

import (
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"sumac.dev/tests/kube/kubelet"
)

// real makes the scenario's pods processes, where this machine lets us.
func (s *scenario) real() {
	s.Helper()
	if err := kubelet.CanPlayPrograms(); err != nil {
		s.Skip("pods cannot be processes here:", err)
	}
	s.kubelet.PlayPrograms(s.namespace, kubelet.Programs{Folder: *bin})
}

const shellPod = `
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {greeting: hello}
---
apiVersion: v1
kind: Pod
metadata: {name: shell}
spec:
  restartPolicy: Never
  hostname: shell
  subdomain: service
  terminationGracePeriodSeconds: 20
  volumes:
  - {name: config, configMap: {name: config}}
  - {name: scratch, emptyDir: {}}
  containers:
  - name: main
    image: some/image
    command: [sh, -c]
    args:
    - |
      trap 'echo asked to stop; printf "$(cat /etc/sumac/job/greeting) from $IP" > /dev/termination-log; exit 3' TERM
      echo "$(cat /etc/sumac/job/greeting) $(POD) at $IP, $(getent hosts shell.service.$SPACE.svc)"
      touch /tmp/file && touch /file 2> /dev/null || echo only volumes can be written
      ls /tmp /var/run/secrets/kubernetes.io/serviceaccount
      getent hosts stranger.service || echo no stranger
      while true; do sleep 0.05; done
    env:
    - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: SPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
    - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    volumeMounts:
    - {name: config, mountPath: /etc/sumac/job}
    - {name: scratch, mountPath: /tmp}
`

func TestAPodOfProgramsHasVolumesNamesAndLastWords(t *testing.T) {
	s := begin(t)
	s.real()
	s.must(shellPod, "apply", "-f", "-")
	running := s.podUntil("shell", "to be ready", isReady)
	s.logUntil("shell", "no stranger")
	// Open before the end: what is written on the way out comes too.
	stream, err := s.Client.CoreV1().Pods(s.namespace).
		GetLogs("shell", &corev1.PodLogOptions{Follow: true}).Stream(s.ctx)
	if err != nil {
		s.Fatal("follow the log:", err)
	}
	defer stream.Close()
	s.must("", "delete", "pod", "shell", "--wait=false")
	ended := s.podUntil("shell", "to have ended", func(pod *corev1.Pod) bool { return mainState(pod).Terminated != nil })

	ip := running.Status.PodIP
	state := mainState(ended).Terminated
	if state.ExitCode != 3 || state.Message != "hello from "+ip {
		t.Errorf("it ended as %+v", state)
	}
	log, err := io.ReadAll(stream)
	if err != nil {
		t.Error("read the log to its end:", err)
	}
	for _, line := range []string{"hello shell at " + ip + ", " + ip, "only volumes can be written", "file", "token", "no stranger", "asked to stop"} {
		if !strings.Contains(string(log), line) {
			t.Errorf("no %q in the log:\n%s", line, log)
		}
	}
	s.podUntil("shell", "to be gone", isGone)
}

func TestAProgramThatIgnoresSIGTERMIsKilledAfterItsGrace(t *testing.T) {
	s := begin(t)
	s.real()
	s.must(strings.ReplaceAll(strings.Replace(shellPod, "PeriodSeconds: 20", "PeriodSeconds: 1", 1),
		"exit 3' TERM", "' TERM"), "apply", "-f", "-")
	s.logUntil("shell", "no stranger")
	s.must("", "delete", "pod", "shell", "--wait=false")
	ended := s.podUntil("shell", "to have ended", func(pod *corev1.Pod) bool { return mainState(pod).Terminated != nil })
	if state := mainState(ended).Terminated; state.ExitCode != 137 {
		t.Errorf("it ended as %+v", state)
	}
}
