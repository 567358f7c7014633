package scenarios

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	corev1 "k8s.io/api/core/v1"
)

// patience is how long any one condition is waited for; nothing is measured by it.
var patience = 2 * time.Minute

func init() { flag.DurationVar(&patience, "patience", patience, "how long to wait for a condition") }

// scenario is one test's place: a namespace, and a context that ends with the test.
type scenario struct {
	*testing.T
	*world
	ctx       context.Context
	namespace string
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// alone begins a scenario while no other runs, as one must that disturbs the control plane.
func alone(t *testing.T) *scenario {
	t.Helper()
	if shared.kubelet == nil {
		t.Skip("needs played pods")
	}
	return place(t, nil)
}

// place makes a scenario's namespace.
func place(t *testing.T, labels map[string]string) *scenario {
	t.Helper()
	s := &scenario{T: t, world: shared, ctx: t.Context()}
	s.namespace = namespaceOf(t.Name())
	if err := s.CreateNamespace(s.ctx, s.namespace, labels); err != nil {
		t.Fatal("make the namespace:", err)
	}
	return s
}

// namespaceOf shortens a test's name, without making two the same.
func namespaceOf(test string) string {
	name := notInNames.ReplaceAllString(strings.ToLower(strings.TrimPrefix(test, "Test")), "-")
	if len(name) > 40 {
		name = fmt.Sprintf("%s-%08x", name[:40], crc32.ChecksumIEEE([]byte(test)))
	}
	return strings.Trim(name, "-")
}

// begin begins a scenario that runs beside others.
func begin(t *testing.T) *scenario {
	t.Helper()
	if shared.kubelet != nil {
		t.Parallel()
	}
	return alone(t)
}

// notCore keeps a scenario out of the core set.
func notCore(t *testing.T) {
	t.Helper()
	if *set == "core" {
		t.Skip("not in the core set")
	}
}

// output is what a command wrote, and how it ended.
type output struct {
	stdout, stderr string
	err            error
}

// kubectl runs kubectl in the scenario's namespace, with text as its standard input.
func (s *scenario) kubectl(text string, args ...string) output {
	s.Helper()
	return s.anywhere(text, append([]string{"--namespace", s.namespace}, args...)...)
}

// anywhere runs kubectl without a namespace.
func (s *scenario) anywhere(text string, args ...string) output {
	s.Helper()
	tool, err := s.Tool("kubectl")
	if err != nil {
		s.Fatal(err)
	}
	args = append([]string{"--kubeconfig", s.Kubeconfig("admin")}, args...)
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	command := exec.CommandContext(ctx, tool, args...)
	command.Stdin = strings.NewReader(text)
	command.Env = s.environment("/usr/bin:/bin")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err = command.Run()
	return output{stdout.String(), stderr.String(), err}
}

// environment is that of tools: nothing of ours, but on somebody else's cluster, where logging in may
// take a program and its settings.
func (w *world) environment(path string) []string {
	if w.nodes != nil && w.nodes.machine == nil {
		return append(os.Environ(), "PATH="+path+":"+os.Getenv("PATH"))
	}
	return []string{"HOME=" + w.Folder, "PATH=" + path}
}

// must is kubectl where a failure ends the test; it returns what was printed.
func (s *scenario) must(text string, args ...string) string {
	s.Helper()
	got := s.kubectl(text, args...)
	if got.err != nil {
		s.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), got.err, got.stderr)
	}
	return got.stdout
}

// podUntil waits, by a watch, until a pod satisfies what; nil says that it is gone.
func (s *scenario) podUntil(name, what string, holds func(pod *corev1.Pod) bool) *corev1.Pod {
	s.Helper()
	only := fields.OneTermEqualSelector("metadata.name", name)
	source := cache.NewListWatchFromClient(s.Client.CoreV1().RESTClient(), "pods", s.namespace, only)
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	var last *corev1.Pod
	absent := func(store cache.Store) (bool, error) { return len(store.List()) == 0 && holds(nil), nil }
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.Pod{}, absent, func(event watch.Event) (bool, error) {
		last, _ = event.Object.(*corev1.Pod)
		if event.Type == watch.Deleted {
			return holds(nil), nil
		}
		return holds(last), nil
	})
	if err != nil {
		s.Fatalf("pod %s: waited in vain for: %s: %v\nlast seen: %s", name, what, err, shown(last))
	}
	return last
}

func shown(pod *corev1.Pod) string {
	if pod == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s %+v", pod.Status.Phase, pod.Status.ContainerStatuses)
}

func isReady(pod *corev1.Pod) bool {
	if pod == nil {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func isGone(pod *corev1.Pod) bool { return pod == nil }

func isPhase(phase corev1.PodPhase) func(pod *corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == phase }
}

// mainState is the state of the first container.
func mainState(pod *corev1.Pod) corev1.ContainerState {
	if pod == nil || len(pod.Status.ContainerStatuses) == 0 {
		return corev1.ContainerState{}
	}
	return pod.Status.ContainerStatuses[0].State
}

// logUntil follows a pod's log until a line has the text.
func (s *scenario) logUntil(pod, text string) {
	s.Helper()
	s.logUntilLines(pod, text, 1)
}

// logUntilLines follows a pod's log until so many lines have the text.
func (s *scenario) logUntilLines(pod, text string, count int) {
	s.Helper()
	s.podUntil(pod, "to begin", func(pod *corev1.Pod) bool {
		return mainState(pod).Running != nil || mainState(pod).Terminated != nil
	})
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	stream, err := s.Client.CoreV1().Pods(s.namespace).GetLogs(pod, &corev1.PodLogOptions{Follow: true}).Stream(ctx)
	if err != nil {
		s.Fatal("follow the log of", pod, err)
	}
	defer stream.Close()
	lines := bufio.NewScanner(stream)
	var seen []string
	for lines.Scan() {
		seen = append(seen, lines.Text())
		if strings.Contains(lines.Text(), text) {
			if count--; count == 0 {
				return
			}
		}
	}
	s.Fatalf("the log of %s ended without %q:\n%s", pod, text, strings.Join(seen, "\n"))
}
