package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"sumac.dev/tests/kube/lab"
	"sumac.dev/tests/kube/proc"
)

const (
	nodes       = 20
	podsPerNode = 110
)

// stage is where one measurement happens: a control plane, nodes that KWOK plays, a namespace.
type stage struct {
	*lab.Cluster
	namespace string
	dynamic   dynamic.Interface
	audit     string // path of the log of requests
	processes []*proc.Process
	logs      []*os.File
}

var stages atomic.Int32

// podAddresses are those of a stage's pods: others than of the stage beside it.
func podAddresses() string { return fmt.Sprintf("127.%d.0.0/12", 192+16*(stages.Add(1)%4)) }

// build brings a stage up; with kwok "", no node is there and nothing runs.
func build(ctx context.Context, o options, kwok string) (*stage, error) {
	folder, err := os.MkdirTemp("", "sumac-bench-operator-")
	if err != nil {
		return nil, err
	}
	s := &stage{namespace: "bench", audit: filepath.Join(folder, "audit.log")}
	policy := filepath.Join(folder, "audit.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, err
	}
	s.Cluster, err = lab.Start(ctx, o.kube, folder,
		"--audit-policy-file="+policy, "--audit-log-path="+s.audit, "--audit-log-mode=batch",
		"--max-requests-inflight=0", "--max-mutating-requests-inflight=0",
		"--enable-priority-and-fairness=false")
	if err != nil {
		return nil, err
	}
	if err := s.furnish(ctx, kwok); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

func (s *stage) furnish(ctx context.Context, kwok string) error {
	var err error
	if s.dynamic, err = dynamic.NewForConfig(s.Admin); err != nil {
		return err
	}
	if err := s.CreateNamespace(ctx, s.namespace, nil); err != nil || kwok == "" {
		return err
	}
	config, err := s.user(ctx, "kwok")
	if err != nil {
		return err
	}
	// Pods get loopback addresses: who asks them for progress is refused at once, on this machine.
	if _, err := s.start("kwok", kwok, nil, "--kubeconfig="+config,
		"--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake", "--cidr="+podAddresses(),
		"--node-ip=127.0.0.1", "--server-address=127.0.0.1:0", "--node-lease-duration-seconds=40", "-v=ERROR"); err != nil {
		return err
	}
	for i := range nodes {
		if _, err := s.Client.CoreV1().Nodes().Create(ctx, fakeNode(i), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func fakeNode(i int) *corev1.Node {
	size := corev1.ResourceList{
		"cpu": resource.MustParse("64"), "memory": resource.MustParse("256Gi"), "ephemeral-storage": resource.MustParse("4Ti"),
		"pods": *resource.NewQuantity(podsPerNode, resource.DecimalSI),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("fake-%d", i),
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
			Labels:      map[string]string{"kubernetes.io/hostname": fmt.Sprintf("fake-%d", i)},
		},
		Status: corev1.NodeStatus{Allocatable: size, Capacity: size},
	}
}

// start runs a program of this measurement; it ends with the stage at the latest.
func (s *stage) start(name, path string, env []string, args ...string) (*proc.Process, error) {
	log, err := os.Create(filepath.Join(s.Folder, "log", name+".log"))
	if err != nil {
		return nil, err
	}
	s.logs = append(s.logs, log)
	process, err := proc.Start(proc.Spec{
		Name: name, Path: path, Args: args, Env: append(os.Environ(), env...), Dir: s.Folder, Output: log,
	})
	if err == nil {
		s.processes = append(s.processes, process)
	}
	return process, err
}

// end stops all and removes what they wrote.
func (s *stage) end() {
	for _, process := range s.processes {
		process.Stop(0)
	}
	s.Stop(false)
	for _, log := range s.logs {
		log.Close()
	}
	_ = os.RemoveAll(filepath.Dir(s.audit))
}

// user makes a ServiceAccount that may do everything, so that its requests can be told from others',
// and returns a kubeconfig.
func (s *stage) user(ctx context.Context, name string) (string, error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	accounts := s.Client.CoreV1().ServiceAccounts(s.namespace)
	if _, err := accounts.Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "bench-" + name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: name, Namespace: s.namespace}},
	}
	if _, err := s.Client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	return s.ServiceAccountKubeconfig(ctx, s.namespace, name)
}

// actAs makes the bench's own requests those of another user, from now on.
func (s *stage) actAs(ctx context.Context, name string) error {
	path, err := s.user(ctx, name)
	if err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return err
	}
	config.QPS = -1
	s.dynamic, err = dynamic.NewForConfig(config)
	return err
}

func (s *stage) create(ctx context.Context, groupVersion, plural string, object map[string]any) error {
	version, err := schema.ParseGroupVersion(groupVersion)
	if err != nil {
		return err
	}
	_, err = s.dynamic.Resource(version.WithResource(plural)).Namespace(s.namespace).
		Create(ctx, &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	return err
}

func (s *stage) kubectl(ctx context.Context, input string, args ...string) error {
	tool, err := s.Tool("kubectl")
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, tool, append([]string{"--kubeconfig", s.Kubeconfig("admin")}, args...)...)
	command.Env = []string{"HOME=" + s.Folder, "PATH=/usr/bin:/bin"}
	command.Stdin = strings.NewReader(input)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		return errors.Join(fmt.Errorf("kubectl %s", strings.Join(args, " ")), err, errors.New(said.String()))
	}
	return nil
}

// freePort is one that nobody listens on now, for programs that cannot pick their own.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
