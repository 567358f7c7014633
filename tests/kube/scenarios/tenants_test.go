package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"sumac.dev/tests/kube/kubelet"
)

// forge makes what looks like a member of a job, in another namespace, and lets it end. What it
// returns lets the pod go.
func (s *scenario) forge(namespace, attempt string, owner types.UID, end kubelet.Exit) (release func()) {
	s.Helper()
	if err := s.CreateNamespace(s.ctx, namespace, nil); err != nil {
		s.Fatal(err)
	}
	controls := true
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "job-worker-1",
			Labels: map[string]string{"sumac.dev/job-name": "job", "sumac.dev/role": "worker",
				"sumac.dev/replica-index": "1", "sumac.dev/attempt": attempt},
			Finalizers: []string{"example.com/hold"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "sumac.dev/v1alpha1", Kind: "TrainingJob", Name: "job",
				UID: owner, Controller: &controls}},
		},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "sumac", Image: "some/image"}}},
	}
	if _, err := s.Client.CoreV1().Pods(namespace).Create(s.ctx, pod, metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
	played, err := s.kubelet.Pod(s.ctx, namespace, pod.Name)
	if err != nil {
		s.Fatal(err)
	}
	played.Exit(end)
	return func() {
		s.anywhere("", "-n", namespace, "patch", "pod", pod.Name, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	}
}

// Whoever may look at a job knows its uid, and may write it into a pod of a namespace of his.
func TestPodsOfOtherNamespacesThatNameAJobAsTheirOwnerDoNothingToIt(t *testing.T) {
	s := alone(t)
	s.operatorOfAll()
	uid := s.runningJob("job", "").Metadata.UID
	defer s.forge("a-stranger", "0", uid, kubelet.Exit{Code: 1, Message: "forged"})()
	defer s.forge("zz-stranger", "1000000000", uid, done)()

	before := s.podUntil("job-worker-1", "to be ready", isReady)
	s.pod("job-worker-1").Exit(kubelet.Exit{Code: 137, Signal: 9})
	s.nextLife("job-worker-1", before.UID)
	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt == 1 })
	if running.Status.LastFailure.PodName != "job-worker-1" || strings.Contains(running.Status.LastFailure.Message, "forged") {
		t.Errorf("it runs as %s", shownJob(running))
	}
	s.complete("job", "worker-0", "worker-1", "server-0")
}

// Whoever may patch pods can do that. The job had no such attempt, which its status would say.
func TestAnAttemptEditedIntoALabelMakesTheMemberAgainAndNoSuchAttempt(t *testing.T) {
	notCore(t)
	s := begin(t)
	s.operator()
	s.runningJob("job", "")
	before := s.podUntil("job-worker-1", "to be ready", isReady)
	s.must("", "label", "pod", "job-worker-1", "--overwrite", "sumac.dev/attempt=999999999")
	s.nextLife("job-worker-1", before.UID)
	running := s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt > 0 })
	if running.Status.Attempt != 1 || running.Status.Recovery.Failures != 0 {
		t.Errorf("it runs as %s", shownJob(running))
	}
	s.complete("job", "worker-0", "worker-1", "server-0")
}

var listening = regexp.MustCompile(`listening.*?(127\.0\.0\.1:\d+)`)

// awaitReady waits until the operator says that it is ready.
func (o *operator) awaitReady() {
	o.Helper()
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	o.until("the operator to be ready", func() bool {
		<-ticks.C
		text, _ := os.ReadFile(o.log.Name())
		found := listening.FindSubmatch(text)
		if found == nil {
			return false
		}
		answer, err := http.Get("http://" + string(found[1]) + "/readyz")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

// mostResident is the most memory that the process has had, in MiB.
func (o *operator) mostResident() float64 {
	o.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.process.ID()))
	if err != nil {
		o.Fatal(err)
	}
	var kib float64
	for _, line := range strings.Split(string(text), "\n") {
		if rest, is := strings.CutPrefix(line, "VmHWM:"); is {
			fmt.Sscanf(strings.TrimSpace(rest), "%f", &kib)
		}
	}
	return kib / 1024
}

// side does something many times, a few at a time.
func (s *scenario) side(times int, do func(i int) error) {
	s.Helper()
	work := make(chan int)
	failed := make(chan error, times)
	var hands sync.WaitGroup
	for range 4 {
		hands.Go(func() {
			for i := range work {
				failed <- do(i)
			}
		})
	}
	for i := range times {
		work <- i
	}
	close(work)
	hands.Wait()
	for range times {
		if err := <-failed; err != nil {
			s.Fatal(err)
		}
	}
}

func TestTheOperatorStaysSmallWhateverATenantStores(t *testing.T) {
	notCore(t) // it writes half a gigabyte
	const jobs, pods, mostMiB = 300, 400, 128
	s := alone(t)
	note := strings.Repeat("x", 262_000)
	notes := "" // the schema takes 65,536 bytes each
	for i := range 16 {
		notes += fmt.Sprintf("note-%d: %s, ", i, note[:62_500])
	}
	large := &unstructured.Unstructured{}
	text := job("large", basics+"suspend: true\nworker: {template: {metadata: {annotations: {"+notes+"}}}}\n")
	if err := yaml.Unmarshal([]byte(text), &large.Object); err != nil {
		t.Fatal(err)
	}
	client := s.jobs()
	defer func() { // they would be in the way of whatever runs next
		s.kubectl("", "delete", "trainingjobs", "--all", "--wait=false")
		s.kubectl("", "delete", "pods", "--all", "--wait=false", "--grace-period=0")
	}()
	s.side(jobs, func(i int) error {
		each := large.DeepCopy()
		each.SetName(fmt.Sprintf("job-%d", i))
		_, err := client.Create(s.ctx, each, metav1.CreateOptions{FieldValidation: "Strict"})
		return err
	})
	s.side(pods, func(i int) error {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name:        fmt.Sprintf("pod-%d", i),
				Labels:      map[string]string{"sumac.dev/job-name": "job"},
				Annotations: map[string]string{"sumac.dev/note": note},
			},
			Spec: corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "some/image"}}},
		}
		_, err := s.Client.CoreV1().Pods(s.namespace).Create(s.ctx, pod, metav1.CreateOptions{})
		return err
	})

	begin := time.Now()
	o := s.operatorOfAll()
	o.awaitReady()
	readyAfter := time.Since(begin)
	t.Logf("ready after %.1f s, with at most %.1f MiB resident", readyAfter.Seconds(), o.mostResident())
	if readyAfter > time.Minute {
		t.Errorf("the operator was ready after %.1f s, not within a minute", readyAfter.Seconds())
	}
	for i := 0; i < jobs; i += 20 {
		failed := s.becomes(fmt.Sprintf("job-%d", i), "Failed").condition("Failed")
		if failed.Reason != "InvalidSpec" || failed.Message != "spec: larger than 262144 bytes" {
			t.Fatalf("job-%d failed for %s: %s", i, failed.Reason, failed.Message)
		}
	}
	s.side(pods, func(i int) error { // as events
		change := fmt.Sprintf(`{"metadata":{"labels":{"sumac.dev/job-name":"job-%d"}}}`, i)
		_, err := s.Client.CoreV1().Pods(s.namespace).Patch(s.ctx, fmt.Sprintf("pod-%d", i), types.MergePatchType, []byte(change), metav1.PatchOptions{})
		return err
	})
	s.runningJob("last", "") // its pods come after those events
	most := o.mostResident()
	t.Logf("at most %.1f MiB resident", most)
	if most >= mostMiB {
		t.Errorf("the operator took %.1f MiB, not less than %d", most, mostMiB)
	}
}

// slowWebhook admits every pod after a while, and notes how many jobs it holds up at a time.
type slowWebhook struct {
	*httptest.Server
	mutex sync.Mutex
	held  map[string]int // requests, by job
	most  int            // jobs at a time
	holds chan struct{}  // an element for each request
}

func newSlowWebhook(t *testing.T, sleep time.Duration) *slowWebhook {
	t.Helper()
	w := &slowWebhook{held: map[string]int{}, holds: make(chan struct{}, 10_000)}
	over := make(chan struct{})
	w.Server = httptest.NewTLSServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		var review struct {
			Request struct {
				UID    string
				Object struct{ Metadata metav1.ObjectMeta }
			}
		}
		text, _ := io.ReadAll(request.Body)
		_ = json.Unmarshal(text, &review)
		job := review.Request.Object.Metadata.Labels["sumac.dev/job-name"]
		w.count(job, 1)
		w.holds <- struct{}{}
		select {
		case <-time.After(sleep):
		case <-over:
		}
		w.count(job, -1)
		fmt.Fprintf(answer, `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": {"uid": %q, "allowed": true}}`,
			review.Request.UID)
	}))
	t.Cleanup(func() {
		close(over)
		w.Close()
	})
	return w
}

func (w *slowWebhook) count(job string, by int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.held[job] += by; w.held[job] == 0 {
		delete(w.held, job)
	}
	w.most = max(w.most, len(w.held))
}

func (w *slowWebhook) mostJobs() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.most
}

func TestASlowWebhookOfOneNamespaceDoesNotHoldUpTheJobsOfAnother(t *testing.T) {
	notCore(t)
	s := alone(t)
	s.operatorOfAll("--max-concurrent-reconciles", "4")
	s.runningJob("job", "")
	slow := &scenario{T: t, world: s.world, ctx: s.ctx, namespace: s.namespace + "-slow"}
	if err := s.CreateNamespace(s.ctx, slow.namespace, nil); err != nil {
		t.Fatal(err)
	}
	w := newSlowWebhook(t, 10*time.Second)
	fail, none, patient := admissionv1.Fail, admissionv1.SideEffectClassNone, int32(30)
	hooks := s.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	hook := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: slow.namespace},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "slow.tests.sumac.dev",
			ClientConfig:            admissionv1.WebhookClientConfig{URL: &w.URL, CABundle: pemOf(w.Certificate())},
			FailurePolicy:           &fail,
			SideEffects:             &none,
			TimeoutSeconds:          &patient,
			AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": slow.namespace}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}},
		}},
	}
	if _, err := hooks.Create(s.ctx, hook, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hooks.Delete(s.ctx, hook.Name, metav1.DeleteOptions{}) }()
	// The API server takes a while to ask a new webhook.
	s.until("the API server to ask it", func() bool {
		_ = slow.kubectl(barePod, "create", "--dry-run=server", "-f", "-")
		return len(w.holds) > 0
	})
	<-w.holds
	for i := range 50 {
		slow.create(job(fmt.Sprintf("slow-%d", i), basics))
	}
	for range 4 { // the pods of two jobs
		<-w.holds
	}

	before := s.podUntil("job-worker-1", "to be ready", isReady)
	begin := time.Now()
	s.pod("job-worker-1").Exit(kubelet.Exit{Code: 137, Signal: 9})
	s.nextLife("job-worker-1", before.UID)
	t.Logf("the pod was made again after %.1f s", time.Since(begin).Seconds())
	if most := w.mostJobs(); most > 2 {
		t.Errorf("%d jobs of one namespace were worked on at a time, of 4", most)
	}
}
