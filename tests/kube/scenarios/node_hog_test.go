package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"

	"sumac.dev/tests/kube/proc"
)

// hogName is what this program is called when it takes memory at a container's expense.
const hogName = "sumac-hog"

// runHog does not return where this process is one. It fills the memory of the group of processes in
// whose file it writes itself, until somebody in it is killed for that: not itself, since the
// kubelet has the kernel prefer pods' processes.
func runHog() {
	if filepath.Base(os.Args[0]) != hogName {
		return
	}
	if err := os.WriteFile(os.Args[1], []byte("0"), 0); err != nil {
		fmt.Fprintln(os.Stderr, "hog:", err)
		os.Exit(1)
	}
	var taken [][]byte
	for len(taken) < 1024 {
		block := make([]byte, 1<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		taken = append(taken, block)
	}
	select {}
}

// outOfMemory has a pod's container killed for lack of memory, and waits until its pod says so.
func (s *scenario) outOfMemory(pod *corev1.Pod) {
	s.Helper()
	file, err := s.onOurNode().JoinMemory(pod.Status.ContainerStatuses[0].ContainerID)
	if err != nil {
		s.Fatal(err)
	}
	hog, err := proc.Start(proc.Spec{Name: "hog", Path: "/proc/self/exe", Argv0: hogName, Args: []string{file}, Output: os.Stderr})
	if err != nil {
		s.Fatal(err)
	}
	select {
	case <-hog.Done():
		s.Fatal("the memory was not filled: who did that was killed")
	case <-s.lifeEnds(pod):
	case <-time.After(patience):
		s.Fatal("nobody was killed for lack of memory")
	}
	hog.Stop(0)
}
