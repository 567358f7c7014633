package scenarios

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func TestAWebhookThatDoesNotAnswerIsNamed(t *testing.T) {
	notCore(t) // it waits for half a minute
	s := begin(t)
	s.operator()
	nobody := "https://127.0.0.1:1/"
	fail, none := admissionv1.Fail, admissionv1.SideEffectClassNone
	hooks := s.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	hook := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "broken-" + s.namespace},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "broken.tests.sumac.dev",
			ClientConfig:            admissionv1.WebhookClientConfig{URL: &nobody},
			FailurePolicy:           &fail,
			SideEffects:             &none,
			AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": s.namespace}},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Create},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}},
		}},
	}
	if _, err := hooks.Create(s.ctx, hook, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// The API server takes a while to ask a new webhook.
	s.until("the API server to ask it", func() bool {
		return s.kubectl(barePod, "create", "--dry-run=server", "-f", "-").err != nil
	})
	s.create(job("job", basics))
	s.waitsFor("job", "RequestFailing", "failed calling webhook")
	s.awaitEvent("RequestFailing")
	if err := hooks.Delete(s.ctx, hook.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.becomes("job", "Running")
}

func TestALimitRangeBelowTheOperatorsRequestsIsNamed(t *testing.T) {
	s := begin(t)
	s.operator()
	s.must(`{"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small"},
		"spec": {"limits": [{"type": "Container", "default": {"cpu": "200m"}, "defaultRequest": {"cpu": "100m"}}]}}`,
		"create", "-f", "-")
	s.create(job("job", basics))
	s.waitsFor("job", "PodRefused", "a LimitRange of the namespace")
}

const barePod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare"}, "spec": {"containers": [{"name": "main", "image": "some/image"}]}}`

// standstill passes everything to the API server, and can hold back what the watches of pods that
// are open say from then on, as a broken connection does that nobody has noticed.
type standstill struct {
	*httptest.Server
	mutex    sync.Mutex
	released *sync.Cond
	holds    bool
	opened   chan struct{} // by the first watch of pods
	once     sync.Once
}

func newStandstill(t *testing.T, s *scenario) *standstill {
	t.Helper()
	upstream, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	config, err := rest.TLSConfigFor(s.Admin)
	if err != nil {
		t.Fatal(err)
	}
	p := &standstill{opened: make(chan struct{})}
	p.released = sync.NewCond(&p.mutex)
	proxy := httputil.NewSingleHostReverseProxy(upstream)
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{TLSClientConfig: config}
	proxy.ModifyResponse = func(answer *http.Response) error {
		request := answer.Request.URL
		if strings.HasSuffix(request.Path, "/pods") && request.Query().Has("watch") {
			answer.Body = &heldBody{answer.Body, p}
			p.once.Do(func() { close(p.opened) })
		}
		return nil
	}
	p.Server = httptest.NewTLSServer(proxy)
	t.Cleanup(func() {
		p.hold(false)
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

func (p *standstill) hold(holds bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.holds = holds
	p.released.Broadcast()
}

// kubeconfig is another one whose way to the API server leads through this.
func (p *standstill) kubeconfig(t *testing.T, original string) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(original)
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range config.Clusters {
		cluster.Server = p.URL
		cluster.CertificateAuthorityData = pemOf(p.Certificate())
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		t.Fatal(err)
	}
	return file
}

func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}

type heldBody struct {
	io.ReadCloser
	p *standstill
}

func (b *heldBody) Read(into []byte) (int, error) {
	count, err := b.ReadCloser.Read(into)
	b.p.mutex.Lock()
	defer b.p.mutex.Unlock()
	for b.p.holds {
		b.p.released.Wait()
	}
	return count, err
}

// A standby whose watch of pods broke unnoticed takes over: it sees a job that runs and none of its
// pods.
func TestAStandbyThatDoesNotSeeThePodsOfAJobLeavesItAlone(t *testing.T) {
	s := begin(t)
	s.grantRights()
	lease := []string{"--lease-duration", "3", "--lease-renew-deadline", "2", "--lease-retry-period", "1"}
	first, second := s.prepareOperator("first"), s.prepareOperator("second")
	first.start(nil, lease...)
	s.runningJob("warm-up", "") // the first leads
	p := newStandstill(t, s)
	second.kubeconfig = p.kubeconfig(t, second.kubeconfig)
	second.start(nil, lease...)
	<-p.opened
	p.hold(true)
	s.runningJob("job", "")
	before := s.podUntil("job-worker-1", "to be ready", isReady)
	holder := s.leaseHolder()

	first.kill()
	s.patch("job", "runPolicy: {backoffLimit: 9}")
	seen := s.jobUntil("job", "to be looked at by the other operator", func(job *trainingJob) bool {
		return job.condition("Running").ObservedGeneration == job.Metadata.Generation || job.Status.Attempt > 0
	})
	if s.leaseHolder() == holder {
		t.Error("the Lease still belongs to the first")
	}
	if !seen.is("Running") || seen.Status.Attempt != 0 || seen.Status.Disruptions != 0 {
		t.Errorf("it is %s", shownJob(seen))
	}
	if after := s.podUntil("job-worker-1", "to be ready", isReady); after.UID != before.UID {
		t.Error("the pod was made again")
	}
	p.hold(false)
	s.complete("job", "worker-0", "worker-1", "server-0")
}
