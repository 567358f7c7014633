package scenarios

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"sumac.dev/tests/kube/kubelet"
	"sumac.dev/tests/kube/lab"
)

func TestPodsLiveOnWhenTheAPIServerIsKilledAndComesBack(t *testing.T) {
	s := alone(t)
	s.must(plainPod, "apply", "-f", "-")
	s.podUntil("plain", "to be ready", isReady)
	pod, err := s.kubelet.Pod(s.ctx, s.namespace, "plain")
	if err != nil {
		t.Fatal(err)
	}
	s.StopAPIServer()
	if _, err := s.Client.CoreV1().Pods(s.namespace).Get(s.ctx, "plain", metav1.GetOptions{}); err == nil {
		t.Error("the API server answers although it was killed")
	}
	pod.Exit(kubelet.Exit{Message: "while nobody listened"})
	if err := s.StartAPIServer(s.ctx); err != nil {
		t.Fatal(err)
	}
	ended := s.podUntil("plain", "to have succeeded", isPhase(corev1.PodSucceeded))
	if message := mainState(ended).Terminated.Message; message != "while nobody listened" {
		t.Errorf("its last words are %q", message)
	}
}

func TestAWatchFromBeforeACompactionIsRefusedWith410(t *testing.T) {
	s := alone(t)
	maps := s.Client.CoreV1().ConfigMaps(s.namespace)
	before, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.must("", "create", "configmap", "something")
	if err := s.Compact(s.ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.RestartAPIServer(s.ctx); err != nil { // it had kept the events in memory
		t.Fatal(err)
	}
	stream, err := maps.Watch(s.ctx, metav1.ListOptions{ResourceVersion: before.ResourceVersion})
	if err == nil {
		defer stream.Stop()
		if event := <-stream.ResultChan(); event.Type == watch.Error {
			err = apierrors.FromObject(event.Object)
		}
	}
	if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		t.Errorf("the watch from %s says: %v", before.ResourceVersion, err)
	}
}

func TestTwoControlPlanesStandSideBySide(t *testing.T) {
	notCore(t)
	other, err := lab.Start(t.Context(), *program, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { other.Stop(t.Failed()) }()
	if err := other.CreateNamespace(t.Context(), "only-there", nil); err != nil {
		t.Fatal(err)
	}
	_, err = shared.Client.CoreV1().Namespaces().Get(t.Context(), "only-there", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the first control plane says of the second's namespace: %v", err)
	}
}

func TestAServiceAccountMayDoWhatItIsBoundToAndNothingElse(t *testing.T) {
	s := begin(t)
	s.must("", "create", "serviceaccount", "reader")
	s.must("", "create", "role", "reads", "--verb=get,list", "--resource=configmaps")
	s.must("", "create", "rolebinding", "reads", "--role=reads", "--serviceaccount="+s.namespace+":reader")
	if _, err := s.ServiceAccountKubeconfig(s.ctx, s.namespace, "reader"); err != nil {
		t.Fatal(err)
	}
	config, err := s.Config(s.namespace + ".reader")
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().ConfigMaps(s.namespace).List(s.ctx, metav1.ListOptions{}); err != nil {
		t.Error("what it may do:", err)
	}
	if _, err := client.CoreV1().Secrets(s.namespace).List(s.ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Error("what it may not do:", err)
	}
}

func TestKWOKPlaysManyPods(t *testing.T) {
	notCore(t)
	s := begin(t)
	if *kwok == "" {
		t.Skip("-kwok is missing")
	}
	if err := s.StartKwok(s.ctx, *kwok, 2); err != nil {
		t.Fatal(err)
	}
	var pods []string
	for i := range 50 {
		pod := strings.Replace(plainPod, "{name: plain}", fmt.Sprintf("{name: plain-%d}", i), 1)
		pods = append(pods, strings.Replace(pod, "spec:", "spec:\n  nodeSelector: {type: kwok}\n"+
			"  tolerations: [{key: "+lab.KwokTaint+", operator: Exists}]", 1))
	}
	s.must(strings.Join(pods, "---"), "apply", "-f", "-")
	s.must("", "wait", "--for=condition=Ready", "pods", "--all", "--timeout=120s")
}
