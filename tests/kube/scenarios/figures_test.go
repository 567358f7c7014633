package scenarios

import (
	"encoding/json"
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
	for round := range rounds + 1 {
		for _, transport := range []string{"none", "curve"} {
			name := fmt.Sprintf("%s-%d", transport, round)
			here := s.timeHere(name, transport)
			run := s.timeInPods(name, transport, volume)
			if round == 0 {
				continue // it warms caches
			}
			speeds["`sumac run`"+transport].add(here)
			speeds["pods"+transport].add(run.samplesPerSecond)
			speeds[transport].add(100 * (1 - run.samplesPerSecond/here))
			first.add(run.toFirstStep.Seconds())
			last.add(run.fromLastStep.Seconds())
		}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("\n%d rounds in turn; %s; load at the end %s\n\n", rounds, processor(), strings.Fields(string(load) + " ?")[0])
	fmt.Println("| | median (lowest to highest) | aim: at most |\n| --- | --- | --- |")
	for _, each := range rows {
		fmt.Println(each.row())
	}
	fmt.Println()
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

// timeHere is the speed of `sumac run`, in samples per second.
func (s *scenario) timeHere(name, transport string) float64 {
	s.Helper()
	file := s.TempDir() + "/job.yaml"
	s.write(file, timedJob(name, transport))
	return s.runHere(file).SamplesPerSecond
}

// podRun is what is measured of one job in pods.
type podRun struct {
	toFirstStep, fromLastStep time.Duration
	samplesPerSecond          float64
}

func (s *scenario) timeInPods(name, transport, volume string) podRun {
	s.Helper()
	applied := time.Now()
	s.must(timedJob(name, transport), "apply", "-f", "-")
	steps := make(chan [2]time.Time, 1)
	go func() { steps <- s.watchSteps(filepath.Join(volume, name, "metrics.jsonl")) }()
	done := s.becomes(name, "Succeeded")
	succeeded := time.Now()
	times := <-steps
	speed, err := strconv.ParseFloat(done.Status.Result.SamplesPerSecond, 64)
	if err != nil {
		s.Fatal(err)
	}
	s.must("", "delete", "tjob", name)
	return podRun{times[0].Sub(applied), succeeded.Sub(times[1]), speed}
}

// watchSteps reads a job's progress as it is written, and returns when its first step and its last
// step were in it.
func (s *scenario) watchSteps(file string) (times [2]time.Time) {
	var read int64
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(2 * patience); time.Now().Before(deadline); <-ticker.C {
		text, err := os.ReadFile(file)
		if err != nil || int64(len(text)) == read {
			continue
		}
		for line := range strings.Lines(string(text[read:])) {
			var progress struct{ Step, TotalSteps int }
			if !strings.HasSuffix(line, "\n") || json.Unmarshal([]byte(line), &progress) != nil {
				break
			}
			read += int64(len(line))
			if times[0].IsZero() && progress.Step > 0 {
				times[0] = time.Now()
			}
			if progress.Step > 0 && progress.Step == progress.TotalSteps {
				times[1] = time.Now()
				return times
			}
		}
	}
	s.Errorf("%s tells of no last step", file)
	return times
}
