package scenarios

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sizes are those of eight parts that differ in speed.
var sizes = []int{1, 2, 3, 4, 8}

// partSeconds is what a worker computes for one of them, in a step.
const partSeconds = 0.1

// linked is a job of eight parts on links of 100 Mbit/s, which carry a worker's gradients in 20 ms. Its
// computing is emulated, so that many such jobs run beside each other on two cores.
const linked = `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 128, steps: 400, seed: 1, logicalWorkers: 8, optimizer: {learningRate: "0.01", momentum: "0.9"}}
server: {replicas: 1, template: LINK}
worker:
  WORKERS
  template: LINK
`

const link = `{metadata: {annotations: {kubernetes.io/ingress-bandwidth: 100M, kubernetes.io/egress-bandwidth: 100M}},
    spec: {volumes: [{name: times, configMap: {name: times}}],
      containers: [{name: sumac, resources: {requests: {cpu: 10m, memory: 64Mi}, limits: {cpu: "1", memory: 512Mi}},
      volumeMounts: [{name: times, mountPath: /times}],
      env: [{name: SUMAC_EMULATE_PROFILE, value: /times/profile.json}]}]}}`

func linkedJob(name, workers, more string) string {
	return job(name, strings.NewReplacer("WORKERS", workers, "LINK", link).Replace(linked)+more)
}

// emulate puts a profile in which a part takes partSeconds where the job's pods read it.
func (s *scenario) emulate() {
	s.Helper()
	document := job("linked", strings.NewReplacer("WORKERS", "replicas: 1", "LINK", "{}").Replace(linked))
	s.emulateBatch(document, 128, 8*partSeconds)
}

// emulateBatch puts a profile of the job where its pods read it, by which computing a batch takes so long.
func (s *scenario) emulateBatch(document string, size int, seconds float64) {
	s.Helper()
	folder := s.TempDir()
	name, file := filepath.Join(folder, "job.yaml"), filepath.Join(folder, "profile.json")
	s.write(name, document)
	said, err := exec.CommandContext(s.ctx, filepath.Join(*bin, "sumac"), "profile", name, "--batch-sizes", strconv.Itoa(size), "--threads", "1", "--output", file).CombinedOutput()
	if err != nil {
		s.Fatalf("sumac profile: %v\n%s", err, said)
	}
	text, err := os.ReadFile(file)
	var profile map[string]any
	if err == nil {
		err = json.Unmarshal(text, &profile)
	}
	if err != nil {
		s.Fatal(err)
	}
	batch := profile["batches"].([]any)[0].(map[string]any)
	for pass, share := range map[string]float64{"forwardSeconds": 1. / 3, "backwardSeconds": 2. / 3} {
		taken := seconds * share
		batch[pass] = map[string]float64{"median": taken, "lower": taken, "upper": taken}
	}
	if text, err = json.Marshal(profile); err != nil {
		s.Fatal(err)
	}
	s.write(file, string(text))
	s.must("", "create", "configmap", "times", "--from-file="+file)
}

// sizedRun is one job from its start to its end.
type sizedRun struct {
	workers       int // at its end
	seconds       float64
	stepSeconds   float64 // fixed sizes
	workerSeconds float64
	changes       int
	reason        string
}

// startLinked starts such a job, and returns when all that it begins with trains.
func (s *scenario) startLinked(name, workers, more string) {
	s.Helper()
	s.create(linkedJob(name, workers, more))
	s.becomes(name, "Running")
}

// endLinked waits until it has ended.
func (s *scenario) endLinked(name string) sizedRun {
	s.Helper()
	ended := s.jobUntil(name, "to end", func(job *trainingJob) bool { return job.is("Succeeded") || job.is("Failed") })
	if !ended.is("Succeeded") || ended.Status.Attempt != 0 {
		s.Fatalf("it ended as %s", shownJob(ended))
	}
	run := sizedRun{
		seconds:       ended.Status.CompleteTime.Sub(ended.Status.StartTime.Time).Seconds(),
		workerSeconds: float64(ended.Status.Autoscaling.WorkerSeconds),
		changes:       ended.Status.Resizes, workers: ended.Status.Autoscaling.WorkersWanted,
		reason: ended.Status.Autoscaling.Reason,
	}
	if speed, err := strconv.ParseFloat(ended.Status.Result.SamplesPerSecond, 64); err == nil && speed > 0 {
		run.stepSeconds = 128 / speed
	}
	fmt.Print(s.must("", "get", "events", "--field-selector=involvedObject.name="+name+",reason=Scaled", "--sort-by=.firstTimestamp",
		"--output=jsonpath={range .items[*]}{.firstTimestamp} {.involvedObject.name}: {.message}{'\\n'}{end}"))
	return run
}

// Not a test: it measures jobs that size themselves beside fixed sizes, on links of 100 Mbit/s, and
// prints tables. All fixed sizes run beside each other, then those that size themselves: their pods sleep
// for most of the time.
func TestSizingFigures(t *testing.T) {
	if *set != "sizing" {
		t.Skip("measures: tests/kube/run.sh sizing")
	}
	patience = 20 * time.Minute
	s := onNodes(t)
	s.onOurNode("needs the bandwidth plugin")
	s.emulate()
	fixed := map[int]sizedRun{}
	for _, size := range sizes {
		s.startLinked(fixedName(size), fmt.Sprintf("replicas: %d", size), "")
	}
	s.endFixed(fixed, sizes[1:])
	deadlines := s.startChosen(fixed)
	s.endFixed(fixed, sizes[:1]) // by far the last
	fmt.Printf("\n%s\n", processor())
	printFixed(fixed)
	s.printChosen(fixed, deadlines)
}

func fixedName(size int) string { return fmt.Sprintf("fixed-%d", size) }

func (s *scenario) endFixed(fixed map[int]sizedRun, sizes []int) {
	s.Helper()
	for _, size := range sizes {
		run := s.endLinked(fixedName(size))
		run.workerSeconds = run.seconds * float64(size)
		fixed[size] = run
	}
}

func printFixed(fixed map[int]sizedRun) {
	fmt.Printf("\n| workers | run | step | efficiency | worker-seconds |\n| ---: | ---: | ---: | ---: | ---: |\n")
	for _, size := range sizes {
		run := fixed[size]
		fmt.Printf("| %d | %.0f s | %.3f s | %.2f | %.0f |\n", size, run.seconds, run.stepSeconds,
			fixed[1].stepSeconds/(float64(size)*run.stepSeconds), run.workerSeconds)
	}
}

// target of the policy efficiency: 4 of 8 workers have more, 8 less.
const target = 0.5

// factors of the fastest run's time: deadlines.
var factors = []float64{1.05, 1.3, 1.7, 2.2, 3}

func deadlineName(factor float64) string { return fmt.Sprintf("deadline-%.0f", 100*factor) }

// startChosen starts the jobs that size themselves: one by efficiency, and some by deadlines, which it
// returns by their factors.
func (s *scenario) startChosen(fixed map[int]sizedRun) map[float64]float64 {
	s.Helper()
	fastest := math.Inf(1)
	for _, run := range fixed {
		fastest = math.Min(fastest, run.seconds)
	}
	const bounds = "minReplicas: 1\n  maxReplicas: 8"
	policy := func(name, text string) {
		s.startLinked(name, bounds, "autoscaling: {stabilizationSeconds: 3, policy: "+text+"}\n")
	}
	deadlines := map[float64]float64{}
	policy("efficiency", fmt.Sprintf("efficiency, targetEfficiency: '%.2f'", target))
	for _, factor := range factors {
		deadlines[factor] = math.Ceil(factor * fastest)
		policy(deadlineName(factor), fmt.Sprintf("deadline, deadlineSeconds: %.0f, cost: {workerHour: '1'}", deadlines[factor]))
	}
	return deadlines
}

// printChosen waits for these jobs, and prints what became of them.
func (s *scenario) printChosen(fixed map[int]sizedRun, deadlines map[float64]float64) {
	s.Helper()
	run := s.endLinked("efficiency")
	fmt.Printf("\nefficiency of %.2f: %d workers after %d changes (%s), the best fixed size is %d; %.0f s\n",
		target, run.workers, run.changes, run.reason, bestByEfficiency(fixed), run.seconds)
	fmt.Printf("\n| deadline | run | kept | changes | workers at the end | worker-seconds | cheapest fixed size that keeps it | ratio |\n" +
		"| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, factor := range factors {
		run, deadline := s.endLinked(deadlineName(factor)), deadlines[factor]
		cheapest := cheapestWithin(fixed, deadline)
		fmt.Printf("| %.0f s (%.2f) | %.0f s | %t | %d | %d | %.0f | %d: %.0f | %.2f |\n", deadline, factor, run.seconds, run.seconds <= deadline,
			run.changes, run.workers, run.workerSeconds, cheapest, fixed[cheapest].workerSeconds, run.workerSeconds/fixed[cheapest].workerSeconds)
	}
	fmt.Println()
}

// The best fixed size is the largest that is faster than all smaller ones and has the target.
func bestByEfficiency(fixed map[int]sizedRun) int {
	best, fastest := 1, math.Inf(1)
	for _, size := range sizes {
		seconds := fixed[size].stepSeconds
		if seconds < fastest && fixed[1].stepSeconds/(float64(size)*seconds) >= target {
			best = size
		}
		fastest = math.Min(fastest, seconds)
	}
	return best
}

// cheapestWithin is the fixed size that ends in time and uses the fewest worker-seconds.
func cheapestWithin(fixed map[int]sizedRun, deadline float64) (cheapest int) {
	for _, size := range sizes {
		if fixed[size].seconds <= deadline && (cheapest == 0 || fixed[size].workerSeconds < fixed[cheapest].workerSeconds) {
			cheapest = size
		}
	}
	return cheapest
}
