package scenarios

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/version"

	"sumac.dev/tests/kube/kubelet"
	"sumac.dev/tests/kube/lab"
)

// aloneInItsCluster begins a scenario with a control plane of its own: without the CRD, and without an
// operator that serves every namespace.
func aloneInItsCluster(t *testing.T) *scenario {
	t.Helper()
	cluster, err := lab.Start(t.Context(), *program, "")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Cluster: cluster}
	t.Cleanup(func() {
		if w.kubelet != nil {
			w.kubelet.Stop()
		}
		cluster.Stop(t.Failed() || *keep)
		if t.Failed() {
			t.Log("kept, with all logs:", cluster.Folder)
		}
	})
	if err := w.addKubelet(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := &scenario{T: t, world: w, ctx: t.Context(), namespace: "team"}
	for _, namespace := range []string{"team", "sumac-system"} {
		if err := s.CreateNamespace(s.ctx, namespace, nil); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// helm runs Helm 4 as a user of the cluster: admin, or one whose kubeconfig is there.
func (s *scenario) helm(user string, args ...string) output {
	s.Helper()
	tool, err := s.Tool("helm")
	if err != nil {
		s.Fatal(err)
	}
	return s.helmIn(tool, user, args...)
}

func (s *scenario) helmIn(tool, user string, args ...string) output {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 2*patience)
	defer cancel()
	command := exec.CommandContext(ctx, tool, append([]string{"--kubeconfig", s.Kubeconfig(user)}, args...)...)
	command.Env = s.environment("/usr/bin:/bin")
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	return output{stdout.String(), stderr.String(), err}
}

func (s *scenario) mustHelm(args ...string) string {
	s.Helper()
	got := s.helm("admin", args...)
	if got.err != nil {
		s.Fatalf("helm %s: %v\n%s%s\n%s", strings.Join(args, " "), got.err, got.stdout, got.stderr,
			s.anywhere("", "get", "pods", "-A", "-o", "wide").stdout)
	}
	return got.stdout
}

// refuses says that helm fails with one clear message and leaves nothing behind.
func (s *scenario) refuses(user string, message string, args ...string) {
	s.Helper()
	before := s.installed()
	got := s.helm(user, args...)
	if got.err == nil {
		s.Errorf("helm %s succeeded", strings.Join(args, " "))
		return
	}
	if !strings.Contains(got.stderr, message) {
		s.Errorf("helm %s does not say %q but\n%s", strings.Join(args, " "), message, got.stderr)
	}
	if after := s.installed(); after != before {
		s.Errorf("helm %s left something behind:\n%s\nwhere there was\n%s", strings.Join(args, " "), after, before)
	}
}

// installed has what charts made, and Helm's records of them. Controllers and operators make other
// objects at any time.
func (s *scenario) installed() string {
	s.Helper()
	const kinds = "deployments,configmaps,secrets,serviceaccounts,roles,rolebindings,poddisruptionbudgets,networkpolicies"
	return s.expect(s.anywhere("", "get", kinds, "-A", "-l", "app.kubernetes.io/managed-by=Helm", "-o", "name")) +
		s.expect(s.anywhere("", "get", "secrets", "-A", "-l", "owner=helm", "-o", "name"))
}

// chart is a file of values for the operator as a process, which must listen on its pod's address.
func (s *scenario) chart() (chart, values string) {
	s.Helper()
	chart, err := filepath.Abs(filepath.Join(*root, "helm", "sumac"))
	if err != nil {
		s.Fatal(err)
	}
	values = filepath.Join(s.Folder, "values.yaml")
	text := "image: {registry: " + registry + `}
operator:
  extraEnv:
    - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: SUMAC_OPERATOR_HEALTH_LISTEN, value: "$(POD_IP):8081"}
`
	if err := os.WriteFile(values, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
	return chart, values
}

// oldestChart is the first chart that was frozen. Each release adds its own to tests/chart/frozen:
// helm package helm/sumac -d tests/chart/frozen
func (s *scenario) oldestChart() string {
	s.Helper()
	frozen, err := filepath.Glob(filepath.Join(*root, "tests", "chart", "frozen", "sumac-*.tgz"))
	if err != nil || len(frozen) == 0 {
		s.Fatal("no frozen chart:", err)
	}
	return slices.MinFunc(frozen, func(a, b string) int {
		order, err := version.MustParseGeneric(versionOf(a)).Compare(versionOf(b))
		if err != nil {
			s.Fatal(err)
		}
		return order
	})
}

func versionOf(archive string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(archive), "sumac-"), ".tgz")
}

// uidsOf has the pods of a job; they stay the same while nothing happens to it.
func (s *scenario) uidsOf(job string) map[string]types.UID {
	s.Helper()
	pods, err := s.Client.CoreV1().Pods(s.namespace).List(s.ctx, metav1.ListOptions{LabelSelector: "sumac.dev/job-name=" + job})
	if err != nil {
		s.Fatal(err)
	}
	uids := map[string]types.UID{}
	for _, pod := range pods.Items {
		uids[pod.Name] = pod.UID
	}
	return uids
}

// expectUndisturbed says that a job runs in the pods that it had.
func (s *scenario) expectUndisturbed(when, job string, before map[string]types.UID) {
	s.Helper()
	after := s.uidsOf(job)
	for name, uid := range before {
		if after[name] != uid {
			s.Errorf("%s: pod %s is another one: %q, not %q", when, name, after[name], uid)
		}
	}
	now := s.jobUntil(job, "to run", func(job *trainingJob) bool { return job != nil })
	if !now.is("Running") || now.Status.Restarts != 0 || now.Status.Attempt > 1 {
		s.Errorf("%s: it is %s", when, shownJob(now))
	}
}

// What an administrator does with the chart in the life of a cluster, with a job that runs all along.
func TestTheChartIsInstalledUpgradedRolledBackRemovedAndInstalledAgainUnderARunningJob(t *testing.T) {
	notCore(t)
	if err := kubelet.CanPlayPrograms(); err != nil {
		t.Skip("pods cannot be processes here:", err)
	}
	t.Parallel()
	s := aloneInItsCluster(t)
	for _, namespace := range []string{"sumac-system", "again"} {
		s.kubelet.PlayPrograms(namespace, kubelet.Programs{Folder: *bin})
	}
	chart, values := s.chart()
	install := []string{"install", "sumac", chart, "--namespace", "sumac-system"}
	with := func(more ...string) []string { return append(append([]string{}, install...), more...) }

	s.refuses("admin", "image.registry is not set", install...)
	s.refuses("admin", "additional properties 'replica' not allowed", with("-f", values, "--set", "operator.replica=3")...)
	s.refuses("admin", "does not know the kind TrainingJob", with("-f", values, "--set", "crds.install=false")...)
	s.refuses("admin", `watchNamespaces names "nowhere", which does not exist`, with("-f", values, "--set", "watchNamespaces={nowhere}")...)
	s.refuses("admin", "does not know the kind ServiceMonitor", with("-f", values, "--set", "metrics.serviceMonitor.enabled=true")...)
	s.refusesWithoutRights(with("-f", values))

	// The oldest chart that users may have; it is upgraded to the newest below.
	told := s.mustHelm("install", "sumac", s.oldestChart(), "--namespace", "sumac-system", "-f", values, "--wait")
	if !strings.Contains(told, "serves every namespace") || !strings.Contains(told, "helm test sumac -n sumac-system") {
		t.Errorf("the notes are\n%s", told)
	}
	s.must("", "wait", "--for=condition=Established", "crd/trainingjobs.sumac.dev", "--timeout=60s")
	s.create(job("long", basics+"worker: {replicas: 2}\n"))
	s.becomes("long", "Running")
	pods := s.uidsOf("long")
	s.expectDefaultResources("long-worker-0")

	twice := `Deployment sumac-operator in namespace sumac-system (Helm release "sumac"), which serves every namespace`
	s.refuses("admin", twice, "install", "other", chart, "-f", values, "--namespace", "team")
	s.refuses("admin", twice, "install", "other", chart, "-f", values, "--namespace", "team", "--set", "watchNamespaces={team}")

	upgrade := []string{"upgrade", "sumac", chart, "-f", values, "--namespace", "sumac-system", "--wait",
		"--set", "operator.logLevel=debug", "--set-json", `defaults.worker.template={"spec":{"priorityClassName":"system-node-critical"}}`}
	if told = s.mustHelm(upgrade...); !strings.Contains(told, "The cluster pulls "+registry+"/sumac-operator:") {
		t.Errorf("the notes of the upgrade are\n%s", told)
	}
	s.expectUndisturbed("after an upgrade", "long", pods)
	s.mustHelm("rollback", "sumac", "1", "--namespace", "sumac-system", "--wait")
	s.expectUndisturbed("after a rollback", "long", pods)
	s.mustHelm(upgrade...)
	s.expectUndisturbed("after another upgrade", "long", pods)

	s.mustHelm("uninstall", "sumac", "--namespace", "sumac-system", "--wait")
	s.expectUndisturbed("without an operator", "long", pods)
	if left := s.installed(); left != "" {
		t.Errorf("uninstalling leaves\n%s", left)
	}

	s.mustHelm("install", "second", chart, "-f", values, "--namespace", "again", "--create-namespace", "--wait")
	s.complete("long", "worker-0", "worker-1", "server-0")
	s.mustHelm("test", "second", "--namespace", "again")
	s.expectTheTestTrained("again")
	s.expectMembersOnNodesOfTheirOwn(chart, values)
}

// expectMembersOnNodesOfTheirOwn installs the values for GKE in the place of the others: a job's members are on
// different nodes, its workers on Spot nodes and its server not, and the claim of a bucket is bound.
func (s *scenario) expectMembersOnNodesOfTheirOwn(chart, values string) {
	s.Helper()
	spot := map[string]string{"cloud.google.com/gke-spot": "true"}
	for _, name := range []string{"spot-a", "spot-b"} {
		taint := corev1.Taint{Key: "cloud.google.com/gke-spot", Value: "true", Effect: corev1.TaintEffectNoSchedule}
		if _, err := s.kubelet.AddNode(s.ctx, kubelet.NodeSpec{Name: name, Labels: spot, Taints: []corev1.Taint{taint}}); err != nil {
			s.Fatal(err)
		}
	}
	s.mustHelm("upgrade", "second", chart, "-f", filepath.Join(chart, "values-gke.yaml"), "-f", values, "--namespace", "again", "--wait",
		"--set", "gcs.bucket=runs-of-team,gcs.namespaces={team}")
	s.must("", "wait", "--for=jsonpath={.status.phase}=Bound", "pvc/sumac-runs", "--timeout=60s")

	s.create(job("apart", strings.Replace(basics, "steps: 10,", "steps: 10, logicalWorkers: 4,", 1)+"worker: {replicas: 2, minReplicas: 1, maxReplicas: 3}\n"))
	s.becomes("apart", "Running")
	on := map[string]string{}
	for _, name := range []string{"apart-worker-0", "apart-worker-1", "apart-server-0"} {
		node := s.podUntil(name, "to be ready", isReady).Spec.NodeName
		if other, taken := on[node]; taken {
			s.Errorf("%s and %s are both on %s", other, name, node)
		}
		on[node] = name
	}
	if on["node-a"] != "apart-server-0" {
		s.Errorf("the members are on %v", on)
	}
	// There is no third Spot node: a third worker waits for one, and no member shares.
	s.patch("apart", "worker: {replicas: 3}")
	waiting := s.jobUntil("apart", "to wait for a node", func(job *trainingJob) bool {
		return job != nil && job.condition("Running").Reason == "Unschedulable"
	})
	if message := waiting.condition("Running").Message; !strings.Contains(message, "topology spread") {
		s.Errorf("it waits because of %s", message)
	}
}

// refusesWithoutRights: the admin of one namespace cannot install for the cluster, and is told so.
func (s *scenario) refusesWithoutRights(install []string) {
	s.Helper()
	s.must("", "create", "serviceaccount", "admin")
	s.must("", "create", "rolebinding", "admin", "--clusterrole=admin", "--serviceaccount=team:admin")
	if _, err := s.ServiceAccountKubeconfig(s.ctx, "team", "admin"); err != nil {
		s.Fatal(err)
	}
	args := append([]string{}, install...)
	for i, each := range args {
		if each == "sumac-system" {
			args[i] = "team"
		}
	}
	s.refuses("team.admin", "is forbidden", args...)

	// Who sees the whole cluster gets further: Helm finds out while it installs, and takes back what it made. It does
	// not give up its record, since it may not delete what it could not make either.
	s.must("", "create", "clusterrole", "sees-all", "--verb=get,list,watch", "--resource=*.*")
	s.must("", "create", "clusterrolebinding", "sees-all", "--clusterrole=sees-all", "--serviceaccount=team:admin")
	got := s.helm("team.admin", append(args, "--rollback-on-failure", "--timeout", "20s")...)
	if got.err == nil || !strings.Contains(got.stderr, `"trainingjobs.sumac.dev" is forbidden`) {
		s.Errorf("without the right to make a CRD: %v\n%s%s", got.err, got.stdout, got.stderr)
	}
	if left := s.installed(); left != "secret/sh.helm.release.v1.sumac.v1\n" {
		s.Errorf("there remain\n%s", left)
	}
	s.must("", "delete", "secret", "--selector", "owner=helm,name=sumac")
}

// expectDefaultResources says that a pod has what values.yaml gives to jobs that ask for nothing.
func (s *scenario) expectDefaultResources(name string) {
	s.Helper()
	pod := s.podUntil(name, "to be there", func(pod *corev1.Pod) bool { return pod != nil })
	have := pod.Spec.Containers[0].Resources
	for _, each := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		request, limit := have.Requests[each], have.Limits[each]
		if request.IsZero() || limit.IsZero() {
			s.Errorf("pod %s has no %s in %+v", name, each, have)
		}
	}
	if !strings.HasPrefix(pod.Spec.Containers[0].Image, registry+"/sumac-worker:") {
		s.Errorf("pod %s has the image %s", name, pod.Spec.Containers[0].Image)
	}
}

// expectTheTestTrained looks at the job of `helm test`, and that what it needed is gone.
func (s *scenario) expectTheTestTrained(namespace string) {
	s.Helper()
	state := s.anywhere("", "-n", namespace, "get", "tjob", "sumac-test", "-o", "jsonpath={.status.state} {.status.progress.totalSteps}").stdout
	if state != "Succeeded 50" {
		s.Errorf("the test's job is %q", state)
	}
	if _, err := s.Client.CoreV1().Pods(namespace).Get(s.ctx, "sumac-helm-test", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		s.Errorf("the pod of the test is still there: %v", err)
	}
}

// One release for some namespaces, and another for others, in one cluster.
func TestTwoReleasesOfTheChartServeNamespacesOfTheirOwn(t *testing.T) {
	notCore(t)
	if err := kubelet.CanPlayPrograms(); err != nil {
		t.Skip("pods cannot be processes here:", err)
	}
	t.Parallel()
	s := aloneInItsCluster(t)
	for _, namespace := range []string{"sumac-system", "elsewhere"} {
		s.kubelet.PlayPrograms(namespace, kubelet.Programs{Folder: *bin})
	}
	for _, namespace := range []string{"a", "b"} {
		if err := s.CreateNamespace(s.ctx, namespace, nil); err != nil {
			t.Fatal(err)
		}
	}
	chart, values := s.chart()
	s.mustHelm("install", "first", chart, "-f", values, "-n", "sumac-system", "--wait", "--set", "watchNamespaces={team,a}")
	s.refuses("admin", "This release's Deployment sumac-operator-a serves namespace a", "upgrade", "first", chart, "-f", values, "-n", "sumac-system")
	s.refuses("admin", "which serves namespace a", "install", "second", chart, "-f", values, "-n", "b", "--set", "watchNamespaces={a,b}")
	s.refuses("admin", "which serves namespace", "install", "second", chart, "-f", values, "-n", "b")
	s.mustHelm("install", "second", chart, "-f", values, "-n", "elsewhere", "--create-namespace", "--wait", "--set", "watchNamespaces={b}")

	for _, namespace := range []string{"team", "a", "b"} {
		s.namespace = namespace
		s.create(job("here", basics))
		s.becomes("here", "Running")
		s.complete("here", "worker-0", "server-0")
	}
	s.expectRightsOf("sumac-system", "a", operatorsRights)
	s.expectRightsOf("sumac-system", "b", nil)
	s.expectRightsOf("elsewhere", "b", operatorsRights)

	// The CRD and the roles for people do not go with the first release.
	s.mustHelm("uninstall", "first", "-n", "sumac-system", "--wait")
	s.mustHelm("upgrade", "second", chart, "-f", values, "-n", "elsewhere", "--wait", "--set", "watchNamespaces={a,b}")
	s.namespace = "a"
	s.create(job("again", basics))
	s.becomes("again", "Running")
}

// Who has rights in one namespace only, and there those of the operator, installs an operator for it.
const installer = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: installer}
rules:
- {apiGroups: [sumac.dev], resources: ["*"], verbs: ["*"]}
- {apiGroups: [""], resources: [events], verbs: [create, patch]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: ["*"]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles, rolebindings], verbs: ["*"]}
`

func TestTheChartIsInstalledForOneNamespaceWithRightsThereAlone(t *testing.T) {
	notCore(t)
	t.Parallel()
	s := aloneInItsCluster(t)
	if err := s.installDefinition(s.ctx); err != nil {
		t.Fatal(err)
	}
	chart, values := s.chart()
	s.must(installer, "apply", "-f", "-")
	s.must("", "create", "serviceaccount", "admin")
	s.must("", "create", "rolebinding", "admin", "--clusterrole=admin", "--serviceaccount=team:admin")
	s.must("", "create", "rolebinding", "installer", "--role=installer", "--serviceaccount=team:admin")
	if _, err := s.ServiceAccountKubeconfig(s.ctx, "team", "admin"); err != nil {
		t.Fatal(err)
	}
	install := []string{"install", "sumac", chart, "-f", values, "-n", "team", "--wait", "--set", "watchNamespaces={team},crds.install=false,rbac.userRoles=false"}
	if !s.holdsSoon(func() bool { return s.helm("team.admin", append(install, "--dry-run=server")...).err == nil }) {
		t.Fatal(s.helm("team.admin", append(install, "--dry-run=server")...).stderr)
	}
	if got := s.helm("team.admin", install...); got.err != nil {
		t.Fatal(got.err, got.stderr)
	}
	s.expectRights("team", "team", slices.Concat(operatorsRights, leaseRights)...)
	s.expectRights("team", corev1.NamespaceDefault)
}

func (s *scenario) expectRightsOf(namespace, in string, want []string) {
	s.Helper()
	s.expectRights(namespace, in, append([]string{}, want...)...)
}

// A CRD that this chart did not make is taken over by hand only.
func TestTheChartAsksBeforeItTakesOverAnotherDefinition(t *testing.T) {
	notCore(t)
	t.Parallel()
	s := aloneInItsCluster(t)
	if err := s.installDefinition(s.ctx); err != nil {
		t.Fatal(err)
	}
	s.kubelet.PlayScripted("sumac-system", nil)
	chart, values := s.chart()
	install := []string{"upgrade", "--install", "sumac", chart, "-f", values, "-n", "sumac-system", "--wait"}
	s.must("", "patch", "crd", "trainingjobs.sumac.dev", "--type=json",
		"-p", `[{"op": "replace", "path": "/spec/versions/0/additionalPrinterColumns/0/name", "value": "Old"}]`)
	s.refuses("admin", "was not installed by Helm", install...)
	s.refuses("admin", "Helm 4 also needs --force-conflicts", install...)
	got := s.helm("admin", install...)
	for _, line := range strings.Split(got.stderr, "\n") {
		if command, found := strings.CutPrefix(strings.TrimSpace(line), "kubectl "); found {
			s.anywhere("", strings.Fields(command)...)
		}
	}
	s.mustHelm(append(install, "--force-conflicts")...)
	column := s.must("", "get", "crd", "trainingjobs.sumac.dev", "-o", "jsonpath={.spec.versions[0].additionalPrinterColumns[0].name}")
	if column != "State" {
		t.Errorf("its first column is %q", column)
	}
}

// What Helm 3 makes of the chart, rendered, is compared by tests/chart.
func TestHelm3InstallsUpgradesAndRemovesTheChart(t *testing.T) {
	notCore(t)
	if err := kubelet.CanPlayPrograms(); err != nil {
		t.Skip("pods cannot be processes here:", err)
	}
	if *helm3 == "" {
		t.Skip("-helm3 is missing")
	}
	t.Parallel()
	s := aloneInItsCluster(t)
	s.kubelet.PlayPrograms("sumac-system", kubelet.Programs{Folder: *bin})
	chart, values := s.chart()
	run := func(args ...string) output { return s.helmIn(*helm3, "admin", append(args, "-n", "sumac-system")...) }
	s.says(run("version", "--short"), "v3.")
	if got := run("install", "sumac", chart); got.err == nil || !strings.Contains(got.stderr, "image.registry is not set") {
		t.Errorf("without a registry: %v\n%s%s", got.err, got.stdout, got.stderr)
	}
	s.says(run("install", "sumac", chart, "-f", values, "--wait", "--atomic"), "serves every namespace")
	s.create(job("job", basics))
	s.becomes("job", "Running")
	s.says(run("upgrade", "sumac", chart, "-f", values, "--wait", "--atomic", "--set", "operator.logLevel=debug"), "has been upgraded")
	s.complete("job", "worker-0", "server-0")
	s.says(run("uninstall", "sumac", "--wait"), "uninstalled")
	if left := s.installed(); left != "" {
		t.Errorf("uninstalling leaves\n%s", left)
	}
}
