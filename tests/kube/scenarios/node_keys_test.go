package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"
)

// Who does not have the job's keys cannot take part, whatever it knows besides, and disturbs nobody.
func TestNodesKeepStrangersOutOfAJob(t *testing.T) {
	s := onNodes(t)
	longer := strings.Replace(steady, "steps: 800", "steps: 1600", 1) // it runs alone twice
	want := s.undisturbed(longer)
	s.create(job("other", basics+"worker: {replicas: 2}\n"))
	s.becomes("other", "Succeeded")
	s.volume("checkpoints")
	s.create(job("job", longer))
	held := s.holdAtCheckpoint("job")

	held = s.refusesStranger(held, "with-keys-of-another-job", func(spec *corev1.PodSpec) {
		for i := range spec.Volumes {
			if secret := spec.Volumes[i].Secret; secret != nil {
				secret.SecretName = s.secretOf("other")
			}
		}
	})
	held = s.refusesStranger(held, "in-plain-text", func(spec *corev1.PodSpec) {
		withoutKeys(spec)
		for i := range spec.Volumes {
			if config := spec.Volumes[i].ConfigMap; config != nil {
				config.Name = s.inPlainText(config.Name)
			}
		}
	})
	s.stranger("without-keys", withoutKeys)
	ended := s.podUntil("without-keys", "to have ended", func(pod *corev1.Pod) bool { return mainState(pod).Terminated != nil })
	if state := mainState(ended).Terminated; state.ExitCode != 78 || !strings.Contains(state.Message, "no keys were given") {
		t.Errorf("without-keys ended as %+v", state)
	}

	held.release()
	done := s.becomes("job", "Succeeded")
	if done.Status.Result.ParametersSha256 != want || done.Status.Attempt != 0 {
		t.Errorf("the job noticed: weights %s, not %s, %s", done.Status.Result.ParametersSha256, want, shownJob(done))
	}
}

// refusesStranger makes a stranger, and waits until the job's server has refused it. The job that is
// held runs in between alone, and is held again when this returns.
func (s *scenario) refusesStranger(job *held, name string, change func(spec *corev1.PodSpec)) *held {
	s.Helper()
	s.stranger(name, change)
	s.podUntil(name, "to run", func(pod *corev1.Pod) bool { return mainState(pod).Running != nil })
	job.release()
	s.logUntil(name, "no connection: do both have keys of this job")
	s.awaitRefused(1)
	job = s.hold("job")
	if state := mainState(s.getPod(name)); state.Terminated != nil && state.Terminated.ExitCode == 0 {
		s.Errorf("%s took part: %+v", name, state)
	}
	s.must("", "delete", "pod", name, "--grace-period=1")
	return job
}

// stranger makes a pod like the job's second worker, but for a change.
func (s *scenario) stranger(name string, change func(spec *corev1.PodSpec)) {
	s.Helper()
	spec := s.getPod("job-worker-1").Spec.DeepCopy()
	spec.NodeName, spec.Hostname, spec.Subdomain = "", "", ""
	change(spec)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: *spec}
	if _, err := s.Client.CoreV1().Pods(s.namespace).Create(s.ctx, pod, metav1.CreateOptions{}); err != nil {
		s.Fatal("make a stranger:", err)
	}
}

func withoutKeys(spec *corev1.PodSpec) {
	main := &spec.Containers[0]
	main.Env = slices.DeleteFunc(main.Env, func(v corev1.EnvVar) bool {
		return v.Name == "SUMAC_KEYS" || v.Name == "SUMAC_JOB_TOKEN_FILE"
	})
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool { return v.Secret != nil })
	main.VolumeMounts = slices.DeleteFunc(main.VolumeMounts, func(m corev1.VolumeMount) bool { return strings.Contains(m.MountPath, "keys") })
}

// inPlainText makes a ConfigMap like a job's, of a job that does not encrypt, and returns its name.
func (s *scenario) inPlainText(name string) string {
	s.Helper()
	maps := s.Client.CoreV1().ConfigMaps(s.namespace)
	config, err := maps.Get(s.ctx, name, metav1.GetOptions{})
	if err != nil {
		s.Fatal(err)
	}
	const document = "job.json"
	var object map[string]any
	if err := yaml.Unmarshal([]byte(config.Data[document]), &object); err != nil {
		s.Fatal(err)
	}
	object["spec"].(map[string]any)["security"] = map[string]any{"transport": "none"}
	text, err := json.Marshal(object)
	if err != nil {
		s.Fatal(err)
	}
	plain := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "plain"}, Data: map[string]string{document: string(text)}}
	if _, err := maps.Create(s.ctx, plain, metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
	return plain.Name
}

func (s *scenario) secretOf(job string) string {
	s.Helper()
	for _, name := range strings.Fields(s.must("", "get", "secrets", "-o", "jsonpath={.items[*].metadata.name}")) {
		if strings.HasPrefix(name, job+"-keys-") {
			return name
		}
	}
	s.Fatal("there is no Secret of", job)
	return ""
}

// awaitRefused waits until the job's server has refused so many connections.
func (s *scenario) awaitRefused(count float64) {
	s.Helper()
	const name = "sumac_server_refused_connections_total"
	var last string
	err := wait.PollUntilContextTimeout(s.ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		text, err := s.Client.CoreV1().RESTClient().Get().Namespace(s.namespace).Resource("pods").
			Name("job-server-0:7071").SubResource("proxy").Suffix("metrics").DoRaw(ctx)
		if err != nil {
			return false, nil
		}
		for line := range strings.Lines(string(text)) {
			if value, found := strings.CutPrefix(strings.TrimSpace(line), name+" "); found {
				var seen float64
				_, _ = fmt.Sscan(value, &seen)
				last = line
				return seen >= count, nil
			}
		}
		last = "no such metric"
		return false, nil
	})
	if err != nil {
		s.Fatalf("the server did not refuse %g connections: %s", count, last)
	}
}

// A member is no root, and its keys are root's: it reads them as one of their group.
func TestNodesLetMembersReadTheirKeysThroughTheGroup(t *testing.T) {
	s := onNodes(t)
	machine := s.onOurNode("reads the keys of a container from outside")
	s.volume("checkpoints")
	s.create(job("job", endless))
	s.becomes("job", "Running")
	for _, name := range []string{"job-worker-0", "job-server-0"} {
		process, err := machine.Process(containerOf(s.getPod(name)))
		if err != nil {
			t.Fatal(err)
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
		if err != nil || !strings.Contains(string(status), "\nUid:\t65532\t65532\t65532\t65532\n") || !strings.Contains(string(status), "\nCapEff:\t0000000000000000\n") {
			t.Errorf("%s runs as\n%s (%v)", name, status, err)
		}
		key, err := os.Stat(fmt.Sprintf("/proc/%d/root/etc/sumac/keys/private", process))
		if err != nil {
			t.Fatal(err)
		}
		if mode, owner := key.Mode().Perm(), ownerOf(key); mode != 0o440 || owner != "0:65532" {
			t.Errorf("the key of %s has mode %o and belongs to %s", name, mode, owner)
		}
	}
	policy := s.must("", "get", "networkpolicy", "job", "-o", "jsonpath={.spec.podSelector} {.spec.policyTypes}{range .spec.ingress[*]} {.ports[*].port} {.from}{end}")
	members := `{"matchLabels":{"sumac.dev/job-name":"job"}}`
	operators := `{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"` + operatorsNamespace +
		`"}},"podSelector":{"matchLabels":{"app.kubernetes.io/component":"operator","app.kubernetes.io/name":"sumac"}}}`
	if want := members + ` ["Ingress"] 7070 [{"podSelector":` + members + `}]`; policy != want {
		t.Errorf("the NetworkPolicy is\n%s, not\n%s", policy, want)
	}
	readers := s.must("", "get", s.readersPolicies("job")[0], "-o", "jsonpath={.spec.podSelector} {.spec.policyTypes}{range .spec.ingress[*]} {.ports[*].port} {.from}{end}")
	if want := members + ` ["Ingress"] 7071 [` + operators + `]`; readers != want {
		t.Errorf("the NetworkPolicy of readers is\n%s, not\n%s", readers, want)
	}
}
