package scenarios

import (
	"strings"
	"testing"
)

// change is a merge patch of spec, and what the API server must say of it; "" means that it is taken.
type change struct{ what, patch, refusal string }

func (s *scenario) judgeChanges(name string, changes []change) {
	s.Helper()
	for _, each := range changes {
		err := s.tryPatch(s.ctx, name, each.patch)
		switch {
		case each.refusal == "" && err != nil:
			s.Errorf("%s: %s is refused: %v", name, each.what, err)
		case each.refusal != "" && err == nil:
			s.Errorf("%s: %s is taken, but it should be refused: %s", name, each.what, each.refusal)
		case each.refusal != "" && !strings.Contains(err.Error(), each.refusal):
			s.Errorf("%s: %s is refused for another reason than %q: %v", name, each.what, each.refusal, err)
		}
	}
}

const everything = `
model: {name: lenet5}
data: {name: fashion-mnist-mini}
training:
  batchSize: 64
  steps: 10
  logicalWorkers: 8
  optimizer: {learningRate: "0.1", momentum: "0.9"}
  clip: {globalNorm: "5"}
strategy: {exchange: parameterServer}
worker: {replicas: 2, template: {metadata: {labels: {a: x}}, spec: {nodeSelector: {a: x}}}}
server: {replicas: 2, template: {spec: {nodeSelector: {a: x}}}}
checkpoint: {path: /checkpoints, keep: 2, volume: {emptyDir: {}}}
output: {path: /output, volume: {emptyDir: {}}}
runPolicy: {backoffLimit: 2}
security: {transport: none}
managedBy: kueue.x-k8s.io/multikueue
`

// What never changes, whether the job is suspended or not.
var never = []change{
	{"another model", "model: {name: cifar10-quick}", "model is immutable"},
	{"layers in place of a name", "model: {name: null, input: [1], layers: [{type: softmaxCrossEntropy}]}", "model is immutable"},
	{"other data", "data: {name: null, format: idx, path: /data}", "data is immutable"},
	{"another batch size", "training: {batchSize: 65}", "training is immutable"},
	{"another learning rate", `training: {optimizer: {learningRate: "0.2"}}`, "training is immutable"},
	{"epochs in place of steps", "training: {steps: null, epochs: 10}", "training is immutable"},
	{"one kind of clipping in place of another", `training: {clip: {globalNorm: null, value: "5"}}`, "training is immutable"},
	{"no momentum", "training: {optimizer: {momentum: null}}", "training is immutable"},
	{"weight decay in place of momentum", `training: {optimizer: {momentum: null, weightDecay: "0.9"}}`, "training is immutable"},
	{"a seed", "training: {seed: 4}", "training is immutable"},
	{"another exchange", "{strategy: {exchange: allReduce}, server: null}", "strategy is immutable"},
	{"another mode", "strategy: {consistency: boundedStaleness, staleness: 1}", "strategy is immutable"},
	{"another number of servers", "server: {replicas: 3}", "server.replicas is immutable"},
	{"no number of servers", "server: {replicas: null}", "server.replicas is immutable"},
	{"no servers", "server: null", "server.replicas is immutable"},
	{"other checkpoints", "checkpoint: {keep: 3}", "checkpoint is immutable"},
	{"a field of checkpoints in place of another", "checkpoint: {keep: null, everySteps: 2}", "checkpoint is immutable"},
	{"another volume of checkpoints", "checkpoint: {volume: {emptyDir: null, hostPath: {path: /x}}}", "checkpoint is immutable"},
	{"no checkpoints", "checkpoint: null", "checkpoint is immutable"},
	{"another output", "output: {path: /elsewhere}", "output is immutable"},
	{"no volume of the output", "output: {volume: null}", "output is immutable"},
	{"no output", "output: null", "output is immutable"},
	{"encryption", "security: {transport: curve}", "security is immutable"},
	{"no word about security", "security: null", "security is immutable"},
	{"another manager", "managedBy: sumac.dev/operator", "managedBy is immutable"},
	{"no manager", "managedBy: null", "managedBy is immutable"},
	{"a job of fixed size made elastic", "worker: {minReplicas: 1, maxReplicas: 4}", "worker.minReplicas is immutable"},
}

// What a job may always change.
var always = []change{
	{"another limit of failures", "runPolicy: {backoffLimit: 7}", ""},
	{"deadlines", "runPolicy: {activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 1}", ""},
	{"no policy", "runPolicy: null", ""},
	{"suspension", "suspend: true", ""},
	{"no suspension", "suspend: false", ""},
	{"no strategy, which leaves the default", "strategy: null", ""},
	{"nothing", "{}", ""},
}

const whileSuspended = "changes only while suspended"

// What changes while the job is suspended, or by the same stroke that suspends or resumes it.
var paused = []change{
	{"more workers", "worker: {replicas: 3}", whileSuspended},
	{"the default number of workers", "worker: {replicas: null}", whileSuspended},
	{"another label", "worker: {template: {metadata: {labels: {a: z}}}}", whileSuspended},
	{"a label in place of another", "worker: {template: {metadata: {labels: {a: null, b: x}}}}", whileSuspended},
	{"annotations in place of labels", "worker: {template: {metadata: {labels: null, annotations: {a: x}}}}", whileSuspended},
	{"another template", "worker: {template: {spec: {nodeSelector: {a: z}}}}", whileSuspended},
	{"a selector in place of another", "worker: {template: {spec: {nodeSelector: {a: null, b: x}}}}", whileSuspended},
	{"no template", "worker: {template: null}", whileSuspended},
	{"another template of servers", "server: {template: {spec: {nodeSelector: {a: z}}}}", whileSuspended},
	{"no template of servers", "server: {template: null}", whileSuspended},
}

func TestARunningJobRefusesChangesOfWhatItIs(t *testing.T) {
	s := begin(t)
	s.create(job("running", everything))
	s.judgeChanges("running", never)
	s.judgeChanges("running", always)
	s.judgeChanges("running", paused)
	for _, each := range paused {
		s.judgeChanges("running", []change{{each.what + " while suspending", with(each.patch, "suspend: true"), ""}})
	}
}

func TestASuspendedJobTakesOtherTemplatesAndSizesOnly(t *testing.T) {
	s := begin(t)
	s.create(job("suspended", everything+"suspend: true\n"))
	s.judgeChanges("suspended", never)
	s.judgeChanges("suspended", always)
	for _, each := range paused {
		s.judgeChanges("suspended", []change{
			{each.what, each.patch, ""},
			{each.what + " while resuming", with(each.patch, "suspend: false"), ""},
		})
	}
}

// CEL calls two untyped maps equal that have as many keys, where one of them lacks a key of the other.
// So the operator compares the hash of the template too; when this fails, it need not any more.
func TestCELMissesAFieldOfThePodInPlaceOfAnother(t *testing.T) {
	s := begin(t)
	s.create(job("running", everything))
	s.judgeChanges("running", []change{{"priorityClassName in place of nodeSelector",
		"worker: {template: {spec: {nodeSelector: null, priorityClassName: x}}}", ""}})
}

// with adds a line of flow style to a patch.
func with(patch, line string) string { return patch + "\n" + line }

func TestWhatAJobWasMadeWithoutIsNotAddedLater(t *testing.T) {
	s := begin(t)
	for _, name := range []string{"plain", "plain-suspended"} {
		document := job(name, minimal)
		if name == "plain-suspended" {
			document += "  suspend: true\n"
		}
		s.create(document)
		s.judgeChanges(name, []change{
			{"a number of servers", "server: {replicas: 1}", "server.replicas is immutable"},
			{"checkpoints", "checkpoint: {path: /c}", "checkpoint is immutable"},
			{"an output", "output: {path: /o}", "output is immutable"},
			{"security", "security: {transport: curve}", "security is immutable"},
			{"a strategy", "strategy: {topology: decentralized}", "strategy is immutable"},
			{"both bounds", "worker: {minReplicas: 1, maxReplicas: 2}", "worker.minReplicas is immutable"},
			{"one bound", "worker: {maxReplicas: 2}", "worker.maxReplicas is immutable"},
		})
	}
	s.judgeChanges("plain", []change{
		{"a template", "worker: {template: {spec: {nodeSelector: {a: x}}}}", whileSuspended},
		{"a template of servers", "server: {template: {spec: {nodeSelector: {a: x}}}}", whileSuspended},
		{"workers", "worker: {replicas: 2}", whileSuspended},
	})
	s.judgeChanges("plain-suspended", []change{
		{"a template", "worker: {template: {spec: {nodeSelector: {a: x}}}}", ""},
		{"a template of servers", "server: {template: {spec: {nodeSelector: {a: x}}}}", ""},
		{"workers", "worker: {replicas: 2}", ""},
	})
}

func TestAnElasticJobTakesSizesWithinItsBoundsAtAnyTime(t *testing.T) {
	s := begin(t)
	s.create(job("elastic", strings.Replace(everything, "{replicas: 2, template", "{replicas: 2, minReplicas: 1, maxReplicas: 4, template", 1)))
	s.judgeChanges("elastic", never[:len(never)-1])
	s.judgeChanges("elastic", []change{
		{"the least", "worker: {replicas: 1}", ""},
		{"the most", "worker: {replicas: 4}", ""},
		{"more than the most", "worker: {replicas: 5}", "worker.replicas must be <= worker.maxReplicas"},
		{"none", "worker: {replicas: 0}", "spec.worker.replicas"},
		{"another bound", "worker: {maxReplicas: 3}", "worker.maxReplicas is immutable"},
		{"no bounds", "worker: {minReplicas: null, maxReplicas: null}", "worker.minReplicas is immutable"},
		{"bounds away and another size", "worker: {replicas: 3, minReplicas: null, maxReplicas: null}", "worker.minReplicas is immutable"},
		{"another template", "worker: {template: {spec: {nodeSelector: {a: z}}}}", whileSuspended},
		{"no workers at all", "worker: null", "worker.minReplicas is immutable"},
	})
}

func TestAnAutoscaledJobChangesItsPolicyAndNotItsReplicas(t *testing.T) {
	s := begin(t)
	autoscaled := "{minReplicas: 2, maxReplicas: 4, template"
	s.create(job("autoscaled", strings.Replace(everything, "{replicas: 2, template", autoscaled, 1)+"autoscaling: {policy: throughput}\n"))
	s.judgeChanges("autoscaled", []change{
		{"a number of workers", "worker: {replicas: 3}", "does not change while spec.autoscaling"},
		{"a policy", "autoscaling: {policy: efficiency, targetEfficiency: \"0.5\"}", ""},
		{"a field of another policy", "autoscaling: {deadlineSeconds: 60}", "deadlineSeconds"},
		{"a policy without its field", "autoscaling: {policy: cost}", "policy cost needs"},
		{"no policy, and too few workers", "autoscaling: null", "worker.replicas must be >= worker.minReplicas"},
		{"no policy, and a number of workers", "autoscaling: null\nworker: {replicas: 3}", ""},
	})
}

// A field that goes in one update and comes back in the next would get by a rule that looks at one
// side only.
func TestRemovingAndAddingAgainDoesNotSlipThrough(t *testing.T) {
	s := begin(t)
	s.create(job("steady", everything))
	for _, each := range []string{"output: null", "checkpoint: null", "security: null", "managedBy: null", "server: null"} {
		s.judgeChanges("steady", []change{{"the first half of a swap: " + each, each, "is immutable"}})
	}
}
