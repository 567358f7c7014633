package scenarios

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const operatorsNamespace = "sumac-system"

// The whole of what the operator may do: docs/design/security.md#the-operators-rights.
var (
	operatorsRights = []string{
		"configmaps: create get",
		"events: create patch",
		"networkpolicies.networking.k8s.io: create get",
		"persistentvolumeclaims: get",
		"pods: create delete get list watch",
		"resourcequotas: list watch",
		"secrets: create",
		"services: create get",
		"trainingjobs.sumac.dev/finalizers: update",
		"trainingjobs.sumac.dev/status: update",
		"trainingjobs.sumac.dev: delete get list watch",
	}
	leaseRights = []string{
		"leases.coordination.k8s.io sumac-operator: get update",
		"leases.coordination.k8s.io: create",
	}
)

// rightsOf lists what a service account may do in a namespace beyond what everybody may.
func (s *scenario) rightsOf(namespace, account, in string) []string {
	s.Helper()
	config, err := s.Config("admin")
	if err != nil {
		s.Fatal(err)
	}
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + namespace + ":" + account,
		Groups:   []string{"system:serviceaccounts", "system:authenticated"},
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		s.Fatal(err)
	}
	review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: in}}
	review, err = client.AuthorizationV1().SelfSubjectRulesReviews().Create(s.ctx, review, metav1.CreateOptions{})
	if err != nil {
		s.Fatal(err)
	}
	var rights []string
	for _, rule := range review.Status.ResourceRules {
		for _, group := range rule.APIGroups {
			if group == "authorization.k8s.io" || group == "authentication.k8s.io" {
				continue // everybody may ask what they may do
			}
			for _, resource := range rule.Resources {
				rights = append(rights, right(group, resource, rule.ResourceNames, rule.Verbs))
			}
		}
	}
	slices.Sort(rights)
	return rights
}

func right(group, resource string, names, verbs []string) string {
	kind, sub, _ := strings.Cut(resource, "/")
	text := kind
	if group != "" {
		text += "." + group
	}
	if sub != "" {
		text += "/" + sub
	}
	if len(names) > 0 {
		text += " " + strings.Join(names, ",")
	}
	slices.Sort(verbs)
	return text + ": " + strings.Join(verbs, " ")
}

func (s *scenario) expectRights(namespace, in string, want ...string) {
	s.Helper()
	slices.Sort(want)
	var got []string
	if !s.holdsSoon(func() bool {
		got = s.rightsOf(namespace, "sumac-operator", in)
		return slices.Equal(got, want)
	}) {
		s.Errorf("in %s the operator may\n%s\nnot\n%s", in, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var installOnce sync.Once

// inRegistry is an overlay's answer to where images come from.
const (
	registry   = "registry.example/team"
	inRegistry = `
configMapGenerator:
- {name: sumac-images, behavior: merge, literals: [registry=` + registry + `]}
components: [FOLDER/registry]
`
)

// installOperator applies deploy/ for all scenarios; two at once would get in each other's way.
func (s *scenario) installOperator() {
	s.Helper()
	installOnce.Do(func() {
		// It must only seem to run: one that works would take the jobs of all scenarios.
		s.kubelet.PlayScripted(operatorsNamespace, nil)
		s.must(s.overlaid("deploy", inRegistry), "--namespace", operatorsNamespace, "apply", "-f", "-")
	})
}

// holdsSoon asks again for a while: authorisers see roles, and a controller aggregates them, a
// moment after they are there.
func (s *scenario) holdsSoon(condition func() bool) bool {
	s.Helper()
	ask := func(context.Context) (bool, error) { return condition(), nil }
	return wait.PollUntilContextTimeout(s.ctx, 20*time.Millisecond, 20*time.Second, true, ask) == nil
}

func TestDeployGivesTheOperatorItsRightsAndNoOthers(t *testing.T) {
	s := begin(t)
	s.installOperator()

	s.expectRights(operatorsNamespace, s.namespace, operatorsRights...)
	s.expectRights(operatorsNamespace, operatorsNamespace, slices.Concat(operatorsRights, leaseRights)...)
}

// The namespace refuses pods that are not restricted, so one that is there is.
func TestDeployStartsARestrictedOperator(t *testing.T) {
	s := begin(t)
	s.installOperator()
	s.must("", "--namespace", operatorsNamespace, "rollout", "status", "deployment/sumac-operator", "--timeout=60s")

	pods, err := s.Client.CoreV1().Pods(operatorsNamespace).List(s.ctx,
		metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=sumac,app.kubernetes.io/component=operator"})
	if err != nil || len(pods.Items) == 0 {
		t.Fatalf("pods with the labels that NetworkPolicies of jobs let in: %v, %v", pods, err)
	}
	main := pods.Items[0].Spec.Containers[0]
	if !strings.HasPrefix(main.Image, registry+"/sumac-operator:") || *main.SecurityContext.ReadOnlyRootFilesystem != true {
		t.Errorf("the container is %+v", main)
	}
	for _, role := range []string{"worker", "server"} {
		variable := "SUMAC_OPERATOR_" + strings.ToUpper(role) + "_IMAGE"
		at := slices.IndexFunc(main.Env, func(each corev1.EnvVar) bool { return each.Name == variable })
		if at < 0 || !strings.HasPrefix(main.Env[at].Value, registry+"/sumac-"+role+":") {
			t.Errorf("no %s of that registry in %+v", variable, main.Env)
		}
	}
}

// Nobody must be given images of a stranger.
func TestDeployHasNoImagesUntilARegistryIsSet(t *testing.T) {
	s := begin(t)
	for _, folder := range []string{"deploy", "deploy/namespaced"} {
		text := s.must("", "kustomize", filepath.Join(*root, folder))
		if count := strings.Count(text, ": __REGISTRY_IS_NOT_SET__/sumac-"); count != 3 {
			t.Errorf("%s has %d images without a registry, not three", folder, count)
		}
	}
}

func TestDeployForOneNamespaceGivesRightsThereAlone(t *testing.T) {
	s := begin(t)
	text := s.must("", "kustomize", filepath.Join(*root, "deploy", "namespaced"))
	s.must(strings.ReplaceAll(text, "namespace: sumac\n", "namespace: "+s.namespace+"\n"), "apply", "-f", "-")

	s.expectRights(s.namespace, s.namespace, slices.Concat(operatorsRights, leaseRights)...)
	s.expectRights(s.namespace, corev1.NamespaceDefault)
	name := s.must("", "get", "deployment/sumac-operator", "-o",
		`jsonpath={.spec.template.spec.containers[0].env[?(@.name=="SUMAC_OPERATOR_NAMESPACE")].valueFrom.fieldRef.fieldPath}`)
	if name != "metadata.namespace" {
		t.Errorf("the operator watches %q", name)
	}
}

// Kubernetes' own roles hold for TrainingJobs as for everything else in a namespace.
func TestDeployLetsEditorsChangeJobsAndViewersReadThem(t *testing.T) {
	s := begin(t)
	s.installOperator()
	for _, role := range []string{"admin", "edit", "view"} {
		s.must("", "create", "serviceaccount", role)
		s.must("", "create", "rolebinding", role, "--clusterrole="+role, "--serviceaccount="+s.namespace+":"+role)
	}
	change := []string{"create", "delete", "patch", "update"}
	for _, role := range []string{"admin", "edit", "view"} {
		for _, verb := range append([]string{"get", "list", "watch"}, change...) {
			s.expectRight(role, verb, "", role != "view" || !slices.Contains(change, verb))
			s.expectRight(role, verb, "status", verb == "get")
		}
		s.expectRight(role, "update", "scale", role != "view")
	}
}

func (s *scenario) expectRight(account, verb, sub string, want bool) {
	s.Helper()
	review := authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "system:serviceaccount:" + s.namespace + ":" + account,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: s.namespace, Verb: verb, Group: "sumac.dev", Resource: "trainingjobs", Subresource: sub,
		},
	}}
	if !s.holdsSoon(func() bool {
		got, err := s.Client.AuthorizationV1().SubjectAccessReviews().Create(s.ctx, &review, metav1.CreateOptions{})
		return err == nil && got.Status.Allowed == want
	}) {
		s.Errorf("%s may %s trainingjobs/%s: %v", account, verb, sub, !want)
	}
}
