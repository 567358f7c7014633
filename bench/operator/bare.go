package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"sumac.dev/tests/kube/proc"
)

// bare is the limit: the same pods, made by loops that do nothing else. A job is one loop, and as
// many run side by side as the bench submits jobs side by side.
func bare(o options) candidate {
	return candidate{
		name:     "bare",
		jobLabel: "sumac.dev/job-name",
		user:     "admin",
		prepare:  func(context.Context, *stage) (*proc.Process, error) { return nil, nil },
		submit: func(ctx context.Context, s *stage, i int) error {
			for k := range o.workers + o.servers {
				pod := barePod(jobName(i), k)
				if _, err := s.Client.CoreV1().Pods(s.namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// barePod is about as large as those that operators make.
func barePod(job string, k int) *corev1.Pod {
	no, yes := false, true
	id := int64(65532)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-worker-%d", job, k),
			Labels: map[string]string{
				"sumac.dev/job-name": job, "sumac.dev/role": "worker", "sumac.dev/attempt": "0",
				"sumac.dev/replica-index": fmt.Sprint(k), "app.kubernetes.io/name": "sumac",
			},
		},
		Spec: corev1.PodSpec{
			RestartPolicy:                corev1.RestartPolicyNever,
			Hostname:                     fmt.Sprintf("%s-worker-%d", job, k),
			Subdomain:                    job,
			AutomountServiceAccountToken: &no,
			Tolerations:                  []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			SecurityContext:              &corev1.PodSecurityContext{RunAsNonRoot: &yes, RunAsUser: &id},
			Containers: []corev1.Container{{
				Name: "sumac", Image: "docker.io/local/worker:1", Command: []string{"sumac-worker"},
				Env: []corev1.EnvVar{{Name: "SUMAC_INDEX", Value: fmt.Sprint(k)}, {Name: "SUMAC_ATTEMPT", Value: "0"}},
				Ports: []corev1.ContainerPort{
					{Name: "data", ContainerPort: 7070}, {Name: "status", ContainerPort: 7071},
				},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
					HTTPGet: &corev1.HTTPGetAction{Path: "/readyz", Port: intstr.FromInt32(7071)},
				}},
				VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
			}},
			Volumes: []corev1.Volume{{
				Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}},
			}},
		},
	}
}
