package main

import (
	"context"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"sumac.dev/tests/kube/proc"
)

const (
	peerNamespace    = "kubeflow"
	peerCertificates = "/tmp/k8s-webhook-server/serving-certs" // no flag moves it
)

// peer is Kubeflow's training-operator: TFJobs with as many parameter servers and workers. It sends
// at most 20 requests a second, which no flag raises, and makes a Service for each replica.
func peer(o options) candidate {
	return candidate{
		name:     "training-operator",
		jobLabel: "training.kubeflow.org/job-name",
		user:     "peer",
		prepare: func(ctx context.Context, s *stage) (*proc.Process, error) {
			if err := s.kubectl(ctx, "", "apply", "--server-side", "-k", o.crds); err != nil {
				return nil, err
			}
			if err := s.CreateNamespace(ctx, peerNamespace, nil); err != nil {
				return nil, err
			}
			return startPeer(ctx, s, o)
		},
		submit: func(ctx context.Context, s *stage, i int) error {
			return s.create(ctx, "kubeflow.org/v1", "tfjobs", tfJob(o, i))
		},
	}
}

// startPeer gives it the objects that its certificate rotation waits for, and the certificate that it
// then makes. Its webhook is registered without rules: no call is ever made to it.
func startPeer(ctx context.Context, s *stage, o options) (*proc.Process, error) {
	const secret = "training-operator-webhook-cert"
	secrets := s.Client.CoreV1().Secrets(peerNamespace)
	empty := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secret}}
	if _, err := secrets.Create(ctx, empty, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	webhook := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "validator.training-operator.kubeflow.org"},
	}
	if _, err := s.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().
		Create(ctx, webhook, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(peerCertificates); err != nil {
		return nil, err
	}
	config, err := s.user(ctx, "peer")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	process, err := s.start("training-operator", o.peer, []string{"KUBECONFIG=" + config},
		"--enable-scheme=tfjob", "--metrics-bind-address=0", "--health-probe-bind-address=127.0.0.1:0",
		"--pytorch-init-container-template-file=/dev/null", fmt.Sprintf("--webhook-server-port=%d", port))
	if err != nil {
		return nil, err
	}
	return process, copyCertificate(ctx, s, secret)
}

func copyCertificate(ctx context.Context, s *stage, name string) error {
	changes, err := s.Client.CoreV1().Secrets(peerNamespace).Watch(ctx,
		metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return err
	}
	defer changes.Stop()
	for event := range changes.ResultChan() {
		secret, isSecret := event.Object.(*corev1.Secret)
		if event.Type == watch.Error || !isSecret {
			return fmt.Errorf("watch of the certificate of training-operator ended: %v", event.Object)
		}
		if block, _ := pem.Decode(secret.Data["tls.crt"]); block == nil {
			continue
		}
		if err := os.MkdirAll(peerCertificates, 0o700); err != nil {
			return err
		}
		for _, file := range []string{"ca.crt", "tls.crt", "tls.key"} {
			if err := os.WriteFile(filepath.Join(peerCertificates, file), secret.Data[file], 0o600); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("training-operator made no certificate")
}

func tfJob(o options, i int) map[string]any {
	template := map[string]any{"spec": map[string]any{
		"tolerations": []any{map[string]any{"operator": "Exists"}},
		"containers": []any{map[string]any{
			"name": "tensorflow", "image": "docker.io/local/worker:1", "command": []any{"sumac-worker"},
		}},
	}}
	replicas := func(n int) map[string]any {
		return map[string]any{"replicas": n, "restartPolicy": "Never", "template": template}
	}
	return map[string]any{
		"apiVersion": "kubeflow.org/v1", "kind": "TFJob",
		"metadata": map[string]any{"name": jobName(i)},
		"spec": map[string]any{"tfReplicaSpecs": map[string]any{
			"PS": replicas(o.servers), "Worker": replicas(o.workers),
		}},
	}
}
