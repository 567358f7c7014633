package scenarios

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	chaosSeed    = 1
	betweenKills = 5 * time.Second
	chaosLasts   = 2 * time.Minute
	jobsLast     = 3 * time.Minute // that all jobs take together
	fewestSteps  = 3000
	probedSteps  = 4000
)

// chaotic are jobs of real programs, by their exchanges. A member that is lost again and again is taken in at once.
var chaotic = []struct{ name, strategy string }{
	{"servers", "server: {replicas: 2, " + withoutFlapping + "}\n"},
	{"decentralized", decentralized},
	{"scatter", allReduce},
	{"direct", "strategy: {exchange: allReduce, algorithm: direct}\n"},
	{"halving", "strategy: {exchange: allReduce, algorithm: halvingDoubling}\n"},
}

const withoutFlapping = `template: {spec: {containers: [{name: sumac, env: [{name: SUMAC_FLAPPING_SECONDS, value: "0"}]}]}}`

func chaoticSpec(steps int, strategy string) string {
	return strings.NewReplacer("steps: 4000", fmt.Sprintf("steps: %d", steps), "{replicas: 2}", "{replicas: 3, "+withoutFlapping+"}").Replace(trained) +
		strategy + "runPolicy: {backoffLimit: 1000}\n"
}

// chaoticSteps are so many that all jobs together take as long as they have to on this machine, undisturbed.
func (s *scenario) chaoticSteps() int {
	s.Helper()
	begun := time.Now()
	s.undisturbed(chaoticSpec(probedSteps, ""))
	of := float64(jobsLast) / float64(len(chaotic)) / float64(time.Since(begun))
	return max(fewestSteps, int(of*probedSteps))
}

// A pod of each job is killed every five seconds, for two minutes, as a seeded random number says; one worker lives.
func TestJobsOfAllExchangesLoseAPodEveryFiveSecondsAndHaveTheSameBits(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.real()
	s.operator()
	steps := s.chaoticSteps()
	want := s.undisturbed(chaoticSpec(steps, ""))
	for _, each := range chaotic {
		s.create(job(each.name, chaoticSpec(steps, each.strategy)))
	}
	for _, each := range chaotic {
		s.jobUntil(each.name, "to show progress", hasProgress(0))
	}
	lost := s.chaos(rand.New(rand.NewSource(chaosSeed)))
	for _, each := range chaotic {
		name := each.name
		done := s.succeeds(name)
		t.Logf("%s lost %d pods in %d steps; %d were replaced in %d changes of its members",
			name, lost[name], steps, done.Status.Replaced, done.Status.Membership.Changes)
		if lost[name] < 10 || done.Status.Replaced < lost[name] || done.Status.Attempt != 0 {
			t.Errorf("%s lost %d pods and succeeded as %s", name, lost[name], shownJob(done))
		}
		if done.Status.Result.ParametersSha256 != want {
			t.Errorf("the weights of %s are %s, not %s", name, done.Status.Result.ParametersSha256, want)
		}
	}
}

// chaos kills a pod of each job that still trains, time and again, and returns how many.
func (s *scenario) chaos(random *rand.Rand) map[string]int {
	s.Helper()
	lost := map[string]int{}
	ticker := time.NewTicker(betweenKills)
	defer ticker.Stop()
	for begun := time.Now(); time.Since(begun) < chaosLasts; <-ticker.C {
		for _, each := range chaotic {
			if victims := s.victims(each.name); len(victims) > 0 {
				s.pod(victims[random.Intn(len(victims))]).Kill()
				lost[each.name]++
			}
		}
	}
	return lost
}

// victims are pods of a job that are ready; where one worker alone is, it is spared.
func (s *scenario) victims(job string) []string {
	s.Helper()
	pods, err := s.Client.CoreV1().Pods(s.namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "sumac.dev/job-name=" + job})
	if err != nil {
		s.Fatal(err)
	}
	var workers, servers []string
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch {
		case pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning || !isReady(pod):
		case strings.Contains(pod.Name, "-worker-"):
			workers = append(workers, pod.Name)
		default:
			servers = append(servers, pod.Name)
		}
	}
	switch len(workers) {
	case 0:
		return nil
	case 1:
		return servers
	}
	return append(workers, servers...)
}

// succeeds waits for success for as long as there is progress.
func (s *scenario) succeeds(name string) *trainingJob {
	s.Helper()
	for step := 0; ; {
		job := s.jobUntil(name, fmt.Sprintf("to get beyond step %d, or to end", step), func(job *trainingJob) bool {
			return job.is("Succeeded") || job.is("Failed") || hasProgress(step)(job)
		})
		if job.is("Succeeded") {
			return job
		}
		if job.is("Failed") {
			s.Fatalf("it failed: %s", shownJob(job))
		}
		step = job.Status.Progress.Step
	}
}
