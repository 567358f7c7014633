package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/yaml"

	"sumac.dev/tests/kube/kubelet"
)

var trainingJobs = schema.GroupVersionResource{Group: "sumac.dev", Version: "v1alpha1", Resource: "trainingjobs"}

// trainingJob is what scenarios look at.
type trainingJob struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		State       string             `json:"state"`
		Workers     string             `json:"workers"`
		Attempt     int                `json:"attempt"`
		Restarts    int                `json:"restarts"`
		Disruptions int                `json:"disruptions"`
		Replaced    int                `json:"replaced"`
		Resizes     int                `json:"resizes"`
		Conditions  []metav1.Condition `json:"conditions"`
		LastFailure struct{ PodName, Reason, Message string }
		Membership  struct{ Term, Generation, Changes int }
		Autoscaling struct {
			WorkersWanted, WorkerSeconds int
			Reason                       string
			LastChangeTime               *metav1.Time
			Observations                 []struct{ Workers, Steps int }
		}
		Progress     struct{ Step, TotalSteps, Percentage int }
		Result       struct{ Loss, TestAccuracy, ParametersSha256, SamplesPerSecond string }
		StartTime    *metav1.Time `json:"startTime"`
		CompleteTime *metav1.Time `json:"completionTime"`
		Recovery     struct {
			Failures, HighestStep int
			HandledPodUIDs        []string
		}
	} `json:"status"`
}

// condition is one of a job; an empty one where it is absent.
func (j *trainingJob) condition(name string) metav1.Condition {
	for _, each := range j.Status.Conditions {
		if each.Type == name {
			return each
		}
	}
	return metav1.Condition{}
}

func (j *trainingJob) is(name string) bool {
	return j != nil && j.condition(name).Status == metav1.ConditionTrue
}

// jobs is a client of the scenario's TrainingJobs.
func (s *scenario) jobs() dynamic.ResourceInterface {
	s.Helper()
	client, err := dynamic.NewForConfig(s.Admin)
	if err != nil {
		s.Fatal(err)
	}
	return client.Resource(trainingJobs).Namespace(s.namespace)
}

// job is a document of which a test gives the fields below spec, as YAML.
func job(name, spec string) string {
	return fmt.Sprintf("apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: %s}\nspec:\n  %s\n",
		name, strings.ReplaceAll(strings.TrimSpace(spec), "\n", "\n  "))
}

// basics are what every job needs.
const basics = `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training: {batchSize: 64, steps: 10, optimizer: {learningRate: "0.1"}}
`

// restarted makes of a job one whose members may not change: the loss of a pod restarts all.
const restarted = "strategy: {codec: bf16}\n"

// minimal is a job that nobody manages: whether an operator runs makes no difference.
const minimal = basics + "managedBy: kueue.x-k8s.io/multikueue\n"

func (s *scenario) create(text string) *unstructured.Unstructured {
	s.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		s.Fatal(err)
	}
	made, err := s.jobs().Create(s.ctx, object, metav1.CreateOptions{FieldValidation: "Strict"})
	if err != nil {
		s.Fatalf("create:\n%s\n%v", text, err)
	}
	return made
}

func (s *scenario) patchSpec(ctx context.Context, name, spec string, options metav1.PatchOptions) error {
	s.Helper()
	var change map[string]any
	if err := yaml.Unmarshal([]byte(spec), &change); err != nil {
		s.Fatal(spec, err)
	}
	patch, err := json.Marshal(map[string]any{"spec": change})
	if err != nil {
		s.Fatal(err)
	}
	_, err = s.jobs().Patch(ctx, name, types.MergePatchType, patch, options)
	return err
}

// tryPatch says whether the API server would take a merge patch of a job's spec.
func (s *scenario) tryPatch(ctx context.Context, name, spec string) error {
	s.Helper()
	return s.patchSpec(ctx, name, spec, metav1.PatchOptions{DryRun: []string{"All"}, FieldValidation: "Strict"})
}

// patch changes a job's spec.
func (s *scenario) patch(name, spec string) {
	s.Helper()
	if err := s.patchSpec(s.ctx, name, spec, metav1.PatchOptions{FieldValidation: "Strict"}); err != nil {
		s.Fatalf("patch %s: %v", spec, err)
	}
}

// jobUntil waits, by a watch, until a job satisfies what; nil says that it is gone.
func (s *scenario) jobUntil(name, what string, holds func(job *trainingJob) bool) *trainingJob {
	s.Helper()
	jobs := s.jobs()
	only := fields.OneTermEqualSelector("metadata.name", name).String()
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = only
			return jobs.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = only
			return jobs.Watch(ctx, o)
		},
	}
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	var last *trainingJob
	absent := func(store cache.Store) (bool, error) { return len(store.List()) == 0 && holds(nil), nil }
	_, err := watchtools.UntilWithSync(ctx, source, &unstructured.Unstructured{}, absent, func(event watch.Event) (bool, error) {
		if event.Type == watch.Deleted {
			last = nil
			return holds(nil), nil
		}
		last = s.decode(event.Object)
		return holds(last), nil
	})
	if err != nil {
		s.Fatalf("job %s: waited in vain for: %s: %v\nlast seen: %s", name, what, err, shownJob(last))
	}
	return last
}

func (s *scenario) decode(object runtime.Object) *trainingJob {
	s.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		s.Fatal(err)
	}
	job := &trainingJob{}
	if err := json.Unmarshal(text, job); err != nil {
		s.Fatal(err)
	}
	return job
}

func shownJob(job *trainingJob) string {
	if job == nil {
		return "nothing"
	}
	text := fmt.Sprintf("%s, workers %s, attempt %d, restarts %d, disruptions %d, last failure %+v",
		job.Status.State, job.Status.Workers, job.Status.Attempt, job.Status.Restarts, job.Status.Disruptions, job.Status.LastFailure)
	for _, each := range job.Status.Conditions {
		text += fmt.Sprintf("\n  %s %s %s: %s", each.Type, each.Status, each.Reason, each.Message)
	}
	return text
}

// becomes waits until a condition of a job is True.
func (s *scenario) becomes(name, condition string) *trainingJob {
	s.Helper()
	return s.jobUntil(name, "to be "+condition, func(job *trainingJob) bool { return job.is(condition) })
}

// result is what a member writes when the job is complete.
const result = `{"state": "Succeeded", "steps": 10, "loss": 0.25, "testAccuracy": 0.9, "modelPath": "/output/model.safetensors", ` +
	`"parametersSha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}`

var done = kubelet.Exit{Message: result}

// pod is one that is played, in its newest life.
func (s *scenario) pod(name string) *kubelet.Pod {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	pod, err := s.kubelet.Pod(ctx, s.namespace, name)
	if err != nil {
		s.Fatal(err)
	}
	return pod
}

// complete lets all members of a running job end with the result, and waits for success.
func (s *scenario) complete(name string, pods ...string) *trainingJob {
	s.Helper()
	for _, each := range pods {
		s.pod(name + "-" + each).Exit(done)
	}
	return s.becomes(name, "Succeeded")
}

// nextLife waits until a pod of that name is another one, and ready.
func (s *scenario) nextLife(name string, before types.UID) *corev1.Pod {
	s.Helper()
	return s.podUntil(name, "to be made again", func(pod *corev1.Pod) bool {
		return pod != nil && pod.UID != before && isReady(pod)
	})
}
