package scenarios

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"

	"sumac.dev/tests/kube/proc"
)

// hogName is what this program is called when it takes memory at a container's expense.
const hogName = "sumac-hog"

// runHog does not return where this process is one. It joins the group of processes of the file that
// it is given, and fills that group's memory until one of them is killed. That is not the hog, at
// first: what it takes is a file in memory, which counts for the group and not for who wrote it.
func runHog() {
	if filepath.Base(os.Args[0]) != hogName {
		return
	}
	if err := os.WriteFile(os.Args[1], []byte("0"), 0); err != nil {
		fmt.Fprintln(os.Stderr, "hog:", err)
		os.Exit(1)
	}
	file, err := unix.MemfdCreate("hog", 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, "hog:", err)
		os.Exit(1)
	}
	block := make([]byte, 1<<20)
	for range 1024 {
		_, _ = unix.Write(file, block)
	}
	select {}
}

// outOfMemory has a pod's container killed for lack of memory, and waits until its pod says so.
func (s *scenario) outOfMemory(pod *corev1.Pod) {
	s.Helper()
	file, err := s.onOurNode("fills the memory of a container from outside").JoinMemory(containerOf(pod))
	if err != nil {
		s.Fatal(err)
	}
	ended := s.lifeEnds(pod)
	hog, err := proc.Start(proc.Spec{Name: "hog", Path: "/proc/self/exe", Argv0: hogName, Args: []string{file}, Output: os.Stderr})
	if err != nil {
		s.Fatal(err)
	}
	defer hog.Stop(0)
	s.await(ended, "nobody was killed for lack of memory")
}
