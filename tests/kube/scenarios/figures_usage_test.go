package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sumac.dev/tests/kube/node"
)

// Who uses the processors while a job trains; others go by the names of their programs.
const (
	members   = "members of the job"
	operators = "operator"
	measuring = "this measurement"
	host      = "all processes of the computer"
)

// who are the processes of a job, and of the operator.
type who struct {
	processes map[int]string // to one of the names above
	limited   []string       // containers that have a limit
}

// usage is what was used from one moment to another, or until a moment.
type usage struct {
	at        time.Time
	step      int
	cpu       map[string]node.CPU
	throttled time.Duration
}

// read takes what has been used until now. Fails where a process has ended.
func (w *who) read(machine *node.Machine, step int) (u usage, err error) {
	if u.cpu, err = machine.ProgramsCPU(); err != nil {
		return u, err
	}
	u.at, u.step = time.Now(), step
	for process, name := range w.processes {
		_, used, err := node.OwnCPU(process)
		if err != nil {
			return u, err
		}
		u.cpu[name] = u.cpu[name].Plus(used)
	}
	for _, each := range w.limited {
		throttled, err := machine.Throttled(each)
		if err != nil {
			return u, err
		}
		u.throttled += throttled
	}
	u.cpu[host], err = node.HostCPU()
	return u, err
}

// since is what was used from one moment to a later one.
func (u usage) since(begin usage) *spent {
	used := newSpent()
	used.seconds, used.steps = u.at.Sub(begin.at).Seconds(), u.step-begin.step
	used.throttled = u.throttled - begin.throttled
	for name, each := range u.cpu {
		// What has ended takes its time with it.
		if more := each.Minus(begin.cpu[name]); more.Total() > 0 {
			used.cpu[name] = more
		} else {
			used.cpu[name] = node.CPU{}
		}
	}
	return used
}

// spent is what was used while jobs trained.
type spent struct {
	seconds   float64
	steps     int
	cpu       map[string]node.CPU
	throttled time.Duration
}

func newSpent() *spent { return &spent{cpu: map[string]node.CPU{}} }

func (s *spent) add(other *spent) {
	s.seconds += other.seconds
	s.steps += other.steps
	s.throttled += other.throttled
	for name, each := range other.cpu {
		s.cpu[name] = s.cpu[name].Plus(each)
	}
}

// share is how much of one processor somebody used, in percent.
func (s *spent) share(used time.Duration) float64 { return 100 * used.Seconds() / s.seconds }

// microseconds for each step.
func (s *spent) perStep(used time.Duration) float64 {
	return float64(used.Microseconds()) / float64(max(s.steps, 1))
}

// others are what is used by what is neither of the job nor of the cluster.
func (s *spent) others() time.Duration {
	rest := s.cpu[host].Total()
	for name, each := range s.cpu {
		if name != host {
			rest -= each.Total()
		}
	}
	return rest
}

// ofRun are the members of a `sumac run`.
func (s *scenario) ofRun(sumac int) (*who, error) {
	w, err := s.aroundJobs()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, each := range files {
		process, _ := strconv.Atoi(filepath.Base(filepath.Dir(each)))
		if parent, err := node.Parent(process); err == nil && parent == sumac {
			w.processes[process] = members
		}
	}
	return w, err
}

// ofPods are the members of a job in pods.
func (s *scenario) ofPods(job string) (*who, error) {
	w, err := s.aroundJobs()
	if err != nil {
		return nil, err
	}
	if w.limited, err = s.findContainers(job); err != nil {
		return nil, err
	}
	if slices.Contains(w.limited, "") {
		return nil, errors.New("the containers of the job are not known yet")
	}
	for _, each := range w.limited {
		process, err := s.nodes.machine.Process(each)
		if err != nil {
			return nil, err
		}
		w.processes[process] = members
	}
	return w, nil
}

// aroundJobs are the operator, and this test. It is called beside the test's own goroutine, which alone
// may end it.
func (s *scenario) aroundJobs() (*who, error) {
	w := &who{processes: map[int]string{os.Getpid(): measuring}}
	pods, err := s.Client.CoreV1().Pods(operatorsNamespace).List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range pods.Items {
		if process, err := s.nodes.machine.Process(containerOf(&pods.Items[i])); err == nil {
			w.processes[process] = operators
		}
	}
	return w, nil
}

// watched is what was seen of a job while it trained.
type watched struct {
	first, last time.Time // when its first step and its last step were in its progress
	*spent                // between both
}

// between two looks at a job's progress, and at what was used.
const (
	betweenLooks    = 10 * time.Millisecond
	betweenReadings = 250 * time.Millisecond
)

// watchSteps reads a job's progress as it is written, and meanwhile what is used by whom.
func (s *scenario) watchSteps(file string, find func() (*who, error)) (w watched) {
	var begin, end usage
	var processes *who
	lines := &growing{file: file}
	ticker := time.NewTicker(betweenLooks)
	defer ticker.Stop()
	for deadline := time.Now().Add(2 * patience); time.Now().Before(deadline); <-ticker.C {
		step, total := lines.next()
		if step == 0 {
			continue
		}
		if w.first.IsZero() {
			w.first = time.Now()
		}
		if processes == nil {
			// A program may write before the kubelet has written which container it runs in.
			if found, err := find(); err == nil {
				processes = found
				begin, _ = processes.read(s.nodes.machine, step)
				end = begin
			}
		}
		if step == total {
			w.last = time.Now()
			w.spent = end.since(begin)
			return w
		}
		if processes != nil {
			// Its processes may end at any time: then the last reading counts.
			if now, err := processes.reading(s.nodes.machine, step, end); err == nil {
				end = now
			}
		}
	}
	s.Errorf("%s tells of no last step", file)
	return w
}

// reading is read, where the last one is long enough ago.
func (w *who) reading(machine *node.Machine, step int, last usage) (usage, error) {
	if time.Since(last.at) < betweenReadings {
		return last, nil
	}
	return w.read(machine, step)
}

// growing is a file of progress, which is read as it grows.
type growing struct {
	file        string
	read        int64
	step, total int
}

// next is the newest step, and how many there will be; 0 where there is none yet.
func (g *growing) next() (step, total int) {
	file, err := os.Open(g.file)
	if err != nil {
		return 0, 0
	}
	defer file.Close()
	const most = 1 << 16
	text := make([]byte, most)
	count, _ := file.ReadAt(text, g.read)
	for line := range strings.Lines(string(text[:count])) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		g.read += int64(len(line))
		var progress struct{ Step, TotalSteps int }
		if json.Unmarshal([]byte(line), &progress) == nil && progress.Step > 0 && progress.TotalSteps > 0 {
			g.step, g.total = progress.Step, progress.TotalSteps
		}
	}
	return g.step, g.total
}

// printSpent prints who used the processors: a column for each kind of run.
func printSpent(columns []string, all map[string]*spent) {
	names := map[string]bool{}
	for _, column := range columns {
		for name := range all[column].cpu {
			names[name] = true
		}
	}
	delete(names, host)
	row := func(what, format string, value func(s *spent) float64) {
		fmt.Printf("| %s |", what)
		for _, column := range columns {
			fmt.Printf(" "+format+" |", value(all[column]))
		}
		fmt.Println()
	}
	fmt.Printf("\nWho used the processors from the first step to the last, %% of one core:\n\n| | %s |\n|%s\n",
		strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)+1))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		row(name, "%.1f", func(s *spent) float64 { return s.share(s.cpu[name].Total()) })
	}
	row("other processes of the computer", "%.1f", func(s *spent) float64 { return s.share(s.others()) })
	row("time for which limits kept members from running", "%.1f", func(s *spent) float64 { return s.share(s.throttled) })
	row("members, microseconds a step in programs", "%.0f", func(s *spent) float64 { return s.perStep(s.cpu[members].User) })
	row("members, microseconds a step in the kernel", "%.0f", func(s *spent) float64 { return s.perStep(s.cpu[members].System) })
}
