package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sized is a job of real programs that chooses its number of workers. Its computing is emulated, and
// slow: four workers are fastest, whatever else this machine does, and the job outlives its test.
// The deadline is past from the start, so the number is the one that is expected to be fastest.
const sized = `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 1000000, logicalWorkers: 4, optimizer: {learningRate: "0.01", momentum: "0.9"}}
worker:
  minReplicas: 1
  maxReplicas: 4
  template:
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{name: sumac, env: [{name: SUMAC_EMULATE_COMPUTE, value: /tmp/step-times}, {name: SUMAC_SLOWDOWN, value: "200"}]}]
autoscaling: {policy: deadline, deadlineSeconds: 1, stabilizationSeconds: 4}
`

// quota lets the scenario's namespace have so many pods, and waits until the API server knows.
func (s *scenario) quota(pods int) {
	s.Helper()
	s.must(fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: few}, spec: {hard: {pods: %d}}}", pods), "apply", "-f", "-")
	s.until("the quota stands", func() bool {
		few, err := s.Client.CoreV1().ResourceQuotas(s.namespace).Get(s.ctx, "few", metav1.GetOptions{})
		hard := few.Status.Hard[corev1.ResourcePods]
		_, counted := few.Status.Used[corev1.ResourcePods]
		return err == nil && counted && hard.Value() == int64(pods)
	})
}

// evict asks for the eviction of a pod, as a drain does.
func (s *scenario) evict(name string) {
	s.Helper()
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace}}
	if err := s.Client.PolicyV1().Evictions(s.namespace).Evict(s.ctx, eviction); err != nil {
		s.Fatal(err)
	}
}

var listeningAt = regexp.MustCompile(`listening.*address"?[=:] ?"?(127\.0\.0\.1:[0-9]+)`)

// refused is how many pods the API server has refused to make for this operator, as its metrics say.
func (o *operator) refused() int {
	o.Helper()
	log, err := os.ReadFile(o.log.Name())
	if err != nil {
		o.Fatal(err)
	}
	at := listeningAt.FindSubmatch(log)
	if at == nil {
		o.Fatalf("its log does not say where it listens: %s", o.log.Name())
	}
	answer, err := http.Get("http://" + string(at[1]) + "/metrics")
	if err != nil {
		o.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		o.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "sumac_operator_requests_total{") && strings.Contains(line, `code="403"`) && strings.Contains(line, `verb="create"`) {
			count, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndex(line, " "):]), 64)
			if err != nil {
				o.Fatal(line, err)
			}
			return int(count)
		}
	}
	return 0
}

// stepOf is what slot 0 says of the job's progress; -1: it says nothing.
func (s *scenario) stepOf(pod string) int {
	s.Helper()
	answer, err := http.Get("http://" + s.getPod(pod).Status.PodIP + ":7071/progress")
	if err != nil {
		return -1
	}
	defer answer.Body.Close()
	progress := struct{ Step int }{-1}
	if err := json.NewDecoder(answer.Body).Decode(&progress); err != nil {
		return -1
	}
	return progress.Step
}

// trainsOn watches a job train, for some steps and for at least so long.
func (s *scenario) trainsOn(name string, least time.Duration) {
	s.Helper()
	begun, step := time.Now(), s.stepOf(name+"-server-0")
	s.until("steps of "+name, func() bool {
		return s.stepOf(name+"-server-0") >= step+3 && time.Since(begun) >= least
	})
}

// The job loses two workers to a quota, trains on without, asks for none while the quota stands, and has
// them again when it is back.
func TestAJobThatSizesItselfFollowsAQuota(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.real()
	s.quota(5) // a server, and four workers
	o := s.operator()
	s.create(job("job", sized))
	before := s.withWorkers(4, 4)
	s.quota(3)
	cut := time.Now()
	s.evict("job-worker-3")
	s.evict("job-worker-2")
	small := s.withWorkers(2, 2)
	t.Logf("it trains with 2 workers %.1f s after the quota was cut", time.Since(cut).Seconds())
	if small.Status.Autoscaling.Reason != "Room" || small.Status.Attempt != 0 {
		t.Errorf("it has two workers as %s, %+v", shownJob(small), small.Status.Autoscaling)
	}
	asked := o.refused()
	if asked == 0 {
		t.Error("no pod was refused")
	}
	s.trainsOn("job", 25*time.Second) // a pod that is refused is asked for again after 10 s
	if again := o.refused(); again != asked {
		t.Errorf("it asked %d times for more while the quota stood", again-asked)
	}
	back := time.Now()
	s.quota(5)
	whole := s.withWorkers(4, 4)
	t.Logf("it has 4 again %.1f s after the quota is back", time.Since(back).Seconds())
	if whole.Status.Resizes > before.Status.Resizes+3 || whole.Status.Attempt != 0 || o.refused() != asked {
		t.Errorf("it has four workers as %s after %d refusals, of which %d when the quota was cut", shownJob(whole), o.refused(), asked)
	}
	s.trainsOn("job", 0)
}

// The pods of new workers wait for a node, for less than the five minutes that the job gives them.
func TestAJobThatSizesItselfGrowsWhenANodeAppears(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.real()
	s.roomFor("narrow", 2)
	s.operator()
	s.create(job("job", strings.Replace(sized, "      containers: [{name: sumac, ", fmt.Sprintf(`      nodeSelector: {only: %s}
      tolerations: [{key: only, operator: Exists}]
      containers: [{name: sumac, resources: {requests: {cpu: "1"}}, `, s.namespace), 1)))
	waiting := s.withWorkers(2, 4)
	for since := s.getPod("job-worker-3").CreationTimestamp.Time; ; {
		s.trainsOn("job", 0)
		if waited := time.Since(since); waited >= *late {
			t.Logf("a node appears after %.0f s", waited.Seconds())
			break
		}
	}
	s.roomFor("wide", 2)
	whole := s.withWorkers(4, 4)
	if whole.Status.Resizes != waiting.Status.Resizes || whole.Status.Attempt != 0 || whole.Status.Replaced != 0 {
		t.Errorf("it has four workers as %s, and had two as %s", shownJob(whole), shownJob(waiting))
	}
	s.trainsOn("job", 0)
}

// Without the right to read quotas everything else works, and the operator says so once.
func TestAnOperatorThatMayNotReadQuotasSaysSoOnce(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.grantRights()
	role, err := s.Client.RbacV1().Roles(s.namespace).Get(s.ctx, "sumac-operator", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rules := role.Rules[:0]
	for _, each := range role.Rules {
		if each.Resources[0] != "resourcequotas" {
			rules = append(rules, each)
		}
	}
	role.Rules = rules
	if _, err := s.Client.RbacV1().Roles(s.namespace).Update(s.ctx, role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	o := s.prepareOperator("operator")
	o.start(nil, "--leader-elect=false")
	s.quota(2)
	s.create(job("job", basics+"worker: {replicas: 2}\n"))
	s.waitsFor("job", "QuotaExceeded", "exceeded quota: few")
	s.quota(3)
	s.becomes("job", "Running")
	log, err := os.ReadFile(o.log.Name())
	if err != nil {
		t.Fatal(err)
	}
	if count := strings.Count(string(log), "quotas cannot be read"); count != 1 {
		t.Errorf("it said %d times that it cannot read quotas", count)
	}
}

// A job of any kind that waits for a quota begins when it has room.
func TestAPodThatAQuotaRefusedIsMadeWhenThereIsRoom(t *testing.T) {
	notCore(t)
	s := begin(t)
	o := s.operator()
	s.quota(2)
	s.create(job("job", basics+"worker: {replicas: 2}\n"))
	s.waitsFor("job", "QuotaExceeded", "exceeded quota: few")
	s.quota(3)
	s.becomes("job", "Running")
	t.Logf("%d pods were refused", o.refused())
}
