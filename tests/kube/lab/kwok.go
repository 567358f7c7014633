package lab

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KwokTaint keeps other pods off the nodes that KWOK plays: who wants these tolerates it.
const KwokTaint = "kwok.x-k8s.io/node"

const kwok = "kwok"

// StartKwok lets KWOK play so many nodes of 110 pods: pods there run, are ready and go at once, by
// the hundred a second. program is the file that `build.sh kwok` makes. Once a cluster.
func (c *Cluster) StartKwok(ctx context.Context, program string, nodes int) error {
	for i := range nodes {
		_, err := c.Client.CoreV1().Nodes().Create(ctx, kwokNode(i), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("make a node for KWOK: %w", err)
		}
	}
	return c.runProgram(kwok, program, []string{
		"--kubeconfig=" + c.Kubeconfig("admin"),
		"--manage-nodes-with-annotation-selector=" + KwokTaint + "=fake",
		"--cidr=127.192.0.0/12", "--node-ip=127.0.0.1", "--server-address=127.0.0.1:0", "-v=ERROR",
	})
}

func kwokNode(i int) *corev1.Node {
	size := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	name := fmt.Sprintf("kwok-%d", i)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{KwokTaint: "fake"},
			Labels:      map[string]string{"kubernetes.io/hostname": name, "type": kwok},
		},
		Spec: corev1.NodeSpec{
			Taints: []corev1.Taint{{Key: KwokTaint, Value: "fake", Effect: corev1.TaintEffectNoSchedule}},
		},
		Status: corev1.NodeStatus{Allocatable: size, Capacity: size},
	}
}
