package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"sumac.dev/tests/kube/proc"
)

var trainingJobs = schema.GroupVersionResource{Group: "sumac.dev", Version: "v1alpha1", Resource: "trainingjobs"}

// ours is Sumac's operator; perSecond 0: without a limit of its own, so that the API server decides.
func ours(name string, o options, perSecond int) candidate {
	return candidate{
		name:     name,
		jobLabel: "sumac.dev/job-name",
		user:     "ours",
		prepare: func(ctx context.Context, s *stage) (*proc.Process, error) {
			if err := s.applyOurCRD(ctx, o); err != nil {
				return nil, err
			}
			return s.startOurs(ctx, o, perSecond)
		},
		submit: func(ctx context.Context, s *stage, i int) error {
			return s.create(ctx, "sumac.dev/v1alpha1", "trainingjobs", trainingJob(o, i))
		},
	}
}

func (s *stage) applyOurCRD(ctx context.Context, o options) error {
	crd, err := exec.CommandContext(ctx, filepath.Join(o.bin, "sumac"), "crd").Output()
	if err != nil {
		return fmt.Errorf("sumac crd: %w", err)
	}
	if err := s.kubectl(ctx, string(crd), "apply", "-f", "-"); err != nil {
		return err
	}
	return s.kubectl(ctx, "", "wait", "--for=condition=Established", "crd/trainingjobs.sumac.dev", "--timeout=60s")
}

// unlimited is more than any API server takes.
const unlimited = 100000

func (s *stage) startOurs(ctx context.Context, o options, perSecond int) (*proc.Process, error) {
	config, err := s.user(ctx, "ours")
	if err != nil {
		return nil, err
	}
	return s.start("sumac-operator", filepath.Join(o.bin, "sumac-operator"), nil, s.ourArgs(config, perSecond)...)
}

func (s *stage) ourArgs(config string, perSecond int) []string {
	rate, burst := perSecond, 30 // the peer's burst
	if perSecond == 0 {
		rate, burst = unlimited, unlimited
	}
	return []string{
		"--kubeconfig=" + config, "--health-listen=127.0.0.1:0", "--lease-namespace=" + s.namespace,
		"--worker-image=docker.io/local/worker:1", "--server-image=docker.io/local/server:1",
		fmt.Sprintf("--qps=%d", rate), fmt.Sprintf("--burst=%d", burst),
	}
}

func trainingJob(o options, i int) map[string]any {
	template := map[string]any{"spec": map[string]any{
		"tolerations": []any{map[string]any{"operator": "Exists"}},
	}}
	return map[string]any{
		"apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob",
		"metadata": map[string]any{"name": jobName(i)},
		"spec": map[string]any{
			"model": map[string]any{"name": "lenet5"},
			"data":  map[string]any{"name": "fashion-mnist-mini"},
			"training": map[string]any{
				"batchSize": 128, "epochs": 5,
				"optimizer": map[string]any{"name": "sgd", "learningRate": "0.1"},
			},
			"worker": map[string]any{"replicas": o.workers, "template": template},
			"server": map[string]any{"replicas": o.servers, "template": template},
		},
	}
}
