package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sumac.dev/tests/kube/node"
)

var tokenLine = regexp.MustCompile(`(?m)^ +token: .*\n`)

// metricsPort is where metrics-server listens on the node.
const metricsPort = 4443

// metricsAPI makes the API server pass metrics.k8s.io on to metrics-server, which runs beside it.
const metricsAPI = `
apiVersion: v1
kind: Service
metadata: {name: metrics-server, namespace: kube-system}
spec: {ports: [{port: 443, targetPort: %[1]d}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: metrics-server, namespace: kube-system, labels: {kubernetes.io/service-name: metrics-server}}
addressType: IPv4
endpoints: [{addresses: [%[2]s], conditions: {ready: true}}]
ports: [{name: "", port: %[1]d, protocol: TCP}]
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: metrics-server, namespace: kube-system}
`

// startMetricsServer runs Kubernetes' own on our node, until that ends. The kubelet knows it by a
// certificate.
func (s *scenario) startMetricsServer(machine *node.Machine) {
	s.Helper()
	if *metrics == "" {
		s.Skip("-metrics-server is missing")
	}
	inside, err := os.ReadFile(filepath.Join(machine.Folder, "config", "admin.kubeconfig"))
	if err != nil {
		s.Fatal(err)
	}
	keys := filepath.Join(machine.Folder, "keys", "kubelet-client")
	config := filepath.Join(machine.Folder, "config", "metrics-server.kubeconfig")
	token := tokenLine.FindString(string(inside))
	s.write(config, strings.Replace(string(inside), token, fmt.Sprintf("    client-certificate: %[1]s.crt\n    client-key: %[1]s.key\n", keys), 1))
	log, err := os.Create(filepath.Join(machine.Folder, "log", "metrics-server.log"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { log.Close() })
	command := machine.Inside(s.ctx, *metrics, "--kubeconfig="+config, "--authentication-kubeconfig="+config, "--authorization-kubeconfig="+config,
		fmt.Sprintf("--secure-port=%d", metricsPort), "--cert-dir="+filepath.Join(machine.Folder, "keys"),
		"--kubelet-insecure-tls", "--kubelet-preferred-address-types=InternalIP", "--metric-resolution=10s", "--kubelet-request-timeout=5s")
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		s.Fatal(err)
	}
	go func() { _ = command.Wait() }()
	s.expect(s.anywhere(fmt.Sprintf(metricsAPI, metricsPort, node.Address), "apply", "-f", "-"))
	s.expect(s.anywhere("", "wait", "--for=condition=Available", "apiservice/v1beta1.metrics.k8s.io", "--timeout="+patience.String()))
}

// Kubernetes' own autoscaler, on processor time, sets the replicas of a job that does not size itself.
func TestNodesAnAutoscalerOfKubernetesChangesARunningJob(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.startMetricsServer(s.onOurNode("runs metrics-server beside the API server"))
	s.volume("checkpoints")
	s.create(job("job", strings.Replace(endless, "replicas: 2", "replicas: 1\n  minReplicas: 1\n  maxReplicas: 2", 1)))
	s.withWorkers(1, 1)
	s.must(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: job}
spec:
  scaleTargetRef: {apiVersion: sumac.dev/v1alpha1, kind: TrainingJob, name: job}
  minReplicas: 1
  maxReplicas: 2
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 100}}}]
`, "apply", "-f", "-")
	two := s.withWorkers(2, 2)
	t.Log(s.must("", "describe", "hpa", "job"))
	if two.Status.Resizes != 1 || two.Status.Attempt != 0 {
		t.Errorf("it changed as %s", shownJob(two))
	}
}
