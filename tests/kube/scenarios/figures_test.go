package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// timed is the job of the figures: LeNet-5 with the resources that the chart gives to members.
const timed = `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 3000, seed: 1, logicalWorkers: 2, optimizer: {learningRate: "0.01", momentum: "0.9"}}
worker: {replicas: 2}
server: {replicas: 1}
security: {transport: TRANSPORT}
output: {path: /output, volume: {persistentVolumeClaim: {claimName: output}, subPath: NAME}}
`

// figure is what is measured again and again.
type figure struct {
	what   string
	format string // of a value
	aim    string
	values []float64
}

func (f *figure) add(value float64) { f.values = append(f.values, value) }

func (f *figure) median() float64 {
	sorted := slices.Sorted(slices.Values(f.values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func (f *figure) row() string {
	show := func(value float64) string { return fmt.Sprintf(f.format, value) }
	return fmt.Sprintf("| %s | %s (%s to %s) | %s |", f.what, show(f.median()), show(slices.Min(f.values)), show(slices.Max(f.values)), f.aim)
}

// Not a test: it measures what docs/performance.md says of jobs in pods, and prints the table.
func TestFigures(t *testing.T) {
	if *set != "figures" {
		t.Skip("measures: tests/kube/run.sh figures")
	}
	s := onNodes(t)
	s.onOurNode("reads what processes on the node use")
	volume := s.volume("output")
	first := &figure{what: "`kubectl apply` to the first step, images present", format: "%.1f s", aim: "5 s"}
	last := &figure{what: "last step to `Succeeded`", format: "%.1f s", aim: "2 s"}
	rows := []*figure{first, last}
	speeds := map[string]*figure{}
	for _, transport := range []string{"none", "curve"} {
		for _, where := range []string{"`sumac run`", "pods"} {
			speeds[where+transport] = &figure{what: "images/s of " + where + ", transport " + transport, format: "%.0f"}
			rows = append(rows, speeds[where+transport])
		}
		speeds[transport] = &figure{what: "slower in pods, transport " + transport, format: "%.1f %%", aim: "5 %"}
		rows = append(rows, speeds[transport])
	}
	rounds := 5
	if text, ok := os.LookupEnv("SUMAC_ROUNDS"); ok {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil || rounds < 1 {
			t.Fatalf("SUMAC_ROUNDS=%s is no number of rounds", text)
		}
	}
	used := map[string]*spent{}
	var columns []string
	for round := range rounds + 1 {
		for _, transport := range []string{"none", "curve"} {
			name := fmt.Sprintf("%s-%d", transport, round)
			here, pods := s.timeBoth(name, transport, volume, round%2 == 0)
			if round == 0 {
				columns = append(columns, "`sumac run`, "+transport, "pods, "+transport)
				used["`sumac run`, "+transport], used["pods, "+transport] = newSpent(), newSpent()
				continue // it warms caches
			}
			speeds["`sumac run`"+transport].add(here.samplesPerSecond)
			speeds["pods"+transport].add(pods.samplesPerSecond)
			speeds[transport].add(100 * (1 - pods.samplesPerSecond/here.samplesPerSecond))
			first.add(pods.toFirstStep.Seconds())
			last.add(pods.fromLastStep.Seconds())
			used["`sumac run`, "+transport].add(here.spent)
			used["pods, "+transport].add(pods.spent)
		}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("\n%d rounds in turn; %s; load at the end %s\n\n", rounds, processor(), strings.Fields(string(load) + " ?")[0])
	fmt.Println("| | median (lowest to highest) | aim: at most |\n| --- | --- | --- |")
	for _, each := range rows {
		fmt.Println(each.row())
	}
	printSpent(columns, used)
	fmt.Println()
}

// timeBoth measures both, either first: what comes later may find a warmer or a busier computer.
func (s *scenario) timeBoth(name, transport, volume string, podsFirst bool) (here, pods timedRun) {
	s.Helper()
	if podsFirst {
		pods = s.timeInPods(name, transport, volume)
		return s.timeHere(name, transport), pods
	}
	here = s.timeHere(name, transport)
	return here, s.timeInPods(name, transport, volume)
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, name, _ := strings.Cut(string(text), "model name\t: ")
	name, _, _ = strings.Cut(name, "\n")
	return fmt.Sprintf("%d threads of %s", strings.Count(string(text), "processor\t:"), name)
}

func timedJob(name, transport string) string {
	return job(name, strings.NewReplacer("TRANSPORT", transport, "NAME", name).Replace(timed))
}

// timedRun is what is measured of one job.
type timedRun struct {
	toFirstStep, fromLastStep time.Duration // in pods
	samplesPerSecond          float64
	*spent
}

func (s *scenario) timeHere(name, transport string) timedRun {
	s.Helper()
	file := s.TempDir() + "/job.yaml"
	s.write(file, timedJob(name, transport))
	run := s.startHere(file)
	seen := make(chan watched, 1)
	go func() {
		seen <- s.watchSteps(filepath.Join(run.folder, "metrics.jsonl"), func() (*who, error) { return s.ofRun(run.command.Process.Pid) })
	}()
	done := run.finish()
	return timedRun{samplesPerSecond: done.SamplesPerSecond, spent: (<-seen).spent}
}

func (s *scenario) timeInPods(name, transport, volume string) timedRun {
	s.Helper()
	applied := time.Now()
	s.must(timedJob(name, transport), "apply", "-f", "-")
	seen := make(chan watched, 1)
	go func() {
		seen <- s.watchSteps(filepath.Join(volume, name, "metrics.jsonl"), func() (*who, error) { return s.ofPods(name) })
	}()
	done := s.becomes(name, "Succeeded")
	succeeded := time.Now()
	times := <-seen
	speed, err := strconv.ParseFloat(done.Status.Result.SamplesPerSecond, 64)
	if err != nil || times.spent == nil {
		s.Fatal("what was measured of the pods: ", err)
	}
	s.must("", "delete", "tjob", name)
	return timedRun{times.first.Sub(applied), succeeded.Sub(times.last), speed, times.spent}
}
