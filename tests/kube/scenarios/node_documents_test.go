package scenarios

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sumac.dev/tests/kube/lab"
	"sumac.dev/tests/kube/node"
)

// inDocuments is the registry that the documents name, of which nothing can be pulled.
const inDocuments = "registry.example.com/sumac"

// reader is a new user, who types what documents say into a shell, on a cluster of their own.
type reader struct {
	*testing.T
	machine     *node.Machine
	folder      string // where the shell is
	environment []string
}

// What a new user does, word for word. Steps that need a way out of this machine are not among them.
func TestNodesDoWhatTheDocumentsSay(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("makes a cluster of its own")
	r := s.newReader()
	r.installsFromTheWrongRegistry()
	r.does("docs/install.md", "Any cluster")
	r.does("docs/install.md", "A first job")
	r.does("docs/operations.md", "Upgrade")
	r.run("kubectl wait --for=condition=Succeeded tjob/lenet5-fashion-mini --timeout=10s")
	r.doesTutorial(s)
	r.run("helm uninstall sumac --namespace sumac-system --wait")

	r.doesReadme(s)

	// Without Helm, in a copy of the tree: the one line that users change.
	copied := t.TempDir()
	if err := os.CopyFS(filepath.Join(copied, "deploy"), os.DirFS(filepath.Join(*root, "deploy"))); err != nil {
		t.Fatal(err)
	}
	r.run("cd " + copied + "; sed -i s,__REGISTRY_IS_NOT_SET__," + inDocuments + ", deploy/operator/kustomization.yaml\n" + blocks(t, "docs/install.md", "Without Helm"))
	r.run("kubectl -n sumac-system rollout status deployment/sumac-operator --timeout=2m")
	r.run("kubectl delete tjob lenet5-fashion-mini")
	r.does("docs/install.md", "A first job")
}

// installsFromTheWrongRegistry says that then nothing stays but the CRD, and what there is to read.
func (r *reader) installsFromTheWrongRegistry() {
	r.Helper()
	wrong := strings.Replace(blocks(r.T, "helm/sumac/README.md", ""), inDocuments, "registry.example.com/typo", 1)
	install, _, found := strings.Cut(wrong, "    # Helm 3")
	if !found || !strings.Contains(install, "/typo --rollback-on-failure") {
		r.Fatalf("helm/sumac/README.md installs with\n%s", wrong)
	}
	r.run("if " + install + ` --timeout 30s > /tmp/said.$$ 2>&1; then exit 1; fi
cat /tmp/said.$$
grep -F "Deployment/sumac-system/sumac-operator not ready" /tmp/said.$$
rm /tmp/said.$$
left=$(kubectl get secrets -A -l owner=helm -o name)
left+=$(kubectl get deployments,serviceaccounts,configmaps,roles,rolebindings,clusterroles,clusterrolebindings -A -l app.kubernetes.io/name=sumac -o name)
[[ -z $left ]] || { echo "there remain $left"; exit 1; }
kubectl get events -n sumac-system | grep -F registry.example.com/typo/sumac-operator`)
}

// doesReadme runs the README's section. Pushing images needs a registry; its programs are found where
// the tests have theirs. A log that is followed ends with its job.
func (r *reader) doesReadme(s *scenario) {
	r.Helper()
	r.offerVolume(s, "sumac-runs")
	commands := watches.ReplaceAllString(blocks(r.T, "README.md", "On a cluster"), "")
	for _, absent := range []string{"make images-push REGISTRY=" + inDocuments, "export PATH=$PWD/build/release/bin:$PATH"} {
		if !strings.Contains(commands, absent) {
			r.Fatalf("README.md does not say any more: %s", absent)
		}
		commands = strings.Replace(commands, absent, "true", 1)
	}
	r.run(commands)
	r.run("kubectl wait --for=condition=Succeeded tjob/lenet5-cluster --timeout=2m")
	r.run("kubectl delete tjob lenet5-cluster; kubectl delete -f examples/cluster/claim.yaml")
	r.run("helm uninstall sumac --namespace sumac-system --wait")
}

// offerVolume makes a volume for a claim of the documents, as the storage class of a cluster would.
func (r *reader) offerVolume(s *scenario, claim string) {
	r.Helper()
	folder, err := os.MkdirTemp(s.nodes.scratch, "reader-")
	if err == nil {
		err = os.Chmod(folder, 0o777)
	}
	if err != nil {
		r.Fatal(err)
	}
	r.run("kubectl apply -f - <<END\n" + fmt.Sprintf(`apiVersion: v1
kind: PersistentVolume
metadata: {name: %[1]s}
spec:
  capacity: {storage: 10Gi}
  accessModes: [ReadWriteMany]
  claimRef: {namespace: default, name: %[1]s}
  hostPath: {path: %[2]s}
END`, claim, folder))
}

// newReader starts a machine whose node has our images under the names of the documents.
func (s *scenario) newReader() *reader {
	s.Helper()
	settings := node.Settings{Program: *program, Pause: *pause, Folder: *machines, Name: filepath.Base(s.nodes.scratch) + "-reader"}
	machine, err := node.Start(s.ctx, settings)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := machine.Stop(); err != nil {
			s.Error(err)
		}
	})
	if err := importImages(s.ctx, machine); err != nil {
		s.Fatal(err)
	}
	names, err := machine.Inside(s.ctx, "ctr", "-n", "k8s.io", "images", "list", "-q").Output()
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSpace(name)
		if rest, ours := strings.CutPrefix(name, s.nodes.registry+"/"); ours && err == nil {
			err = machine.Inside(s.ctx, "ctr", "-n", "k8s.io", "images", "tag", name, inDocuments+"/"+rest).Run()
		}
	}
	if err != nil {
		s.Fatal("name the images:", err)
	}
	folder := s.TempDir()
	cluster, err := lab.Attach(*program, machine.Kubeconfig(), folder)
	if err != nil {
		s.Fatal(err)
	}
	var kubectl string
	for _, tool := range []string{"kubectl", "helm"} {
		if kubectl, err = cluster.Tool(tool); err != nil {
			s.Fatal(err)
		}
	}
	return &reader{s.T, machine, *root, []string{
		"KUBECONFIG=" + machine.Kubeconfig(), "HOME=" + folder,
		"PATH=" + filepath.Dir(kubectl) + ":" + *bin + ":/usr/local/bin:/usr/bin:/bin",
	}}
}

// watches are commands that go on until they are interrupted.
var watches = regexp.MustCompile(`(?m)^.* (-w|--watch)\b.*$`)

// does runs the commands below a heading of a document.
func (r *reader) does(document, heading string) {
	r.Helper()
	r.run(watches.ReplaceAllString(blocks(r.T, document, heading), ""))
}

func (r *reader) run(script string) {
	r.Helper()
	command := exec.CommandContext(r.Context(), "timeout", fmt.Sprint(3*patience.Seconds()), "bash", "-euo", "pipefail", "-c", script)
	command.Dir, command.Env = r.folder, r.environment
	said, err := command.CombinedOutput()
	r.Logf("%s\n%s", strings.TrimSpace(script), said)
	if err != nil {
		pods, _ := r.machine.Inside(r.Context(), "env", "KUBECONFIG="+r.machine.Kubeconfig(),
			filepath.Join(r.machine.Folder, "bin", "kubectl"), "get", "pods,tjob,events", "-A").CombinedOutput()
		r.Fatalf("%v\n%s", err, pods)
	}
}

// blocks are the commands between a heading of a document and the next.
func blocks(t *testing.T, document, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(*root, document))
	if err != nil {
		t.Fatal(err)
	}
	section, found := string(text), true // "" is what stands before the first heading
	if heading != "" {
		_, section, found = strings.Cut(section, "\n## "+heading+"\n")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var commands []string
	for {
		var block string
		_, section, _ = strings.Cut(section, "\n```sh\n")
		if section == "" {
			break
		}
		block, section, _ = strings.Cut(section, "\n```")
		commands = append(commands, block)
	}
	if !found || len(commands) == 0 {
		t.Fatalf("%s has no commands below %q", document, heading)
	}
	return strings.Join(commands, "\n")
}
