package scenarios

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Jobs whose workers sum the gradients: they have no servers, and worker 0 coordinates them.

const (
	decentralized = "strategy: {topology: decentralized}\n"
	allReduce     = "strategy: {exchange: allReduce, algorithm: scatterGather}\n"
)

// podsOf are the names of a job's pods, in order.
func (s *scenario) podsOf(job string) []string {
	s.Helper()
	names := strings.Fields(s.must("", "get", "pods", "--selector", "sumac.dev/job-name="+job, "-o", "jsonpath={.items[*].metadata.name}"))
	slices.Sort(names)
	return names
}

// hasNoServers checks what the cluster has of a job of three workers.
func (s *scenario) hasNoServers(name string) {
	s.Helper()
	want := []string{name + "-worker-0", name + "-worker-1", name + "-worker-2"}
	if pods := s.podsOf(name); !slices.Equal(pods, want) {
		s.Errorf("its pods are %s", pods)
	}
	if roles := s.must("", "get", "tjob", name, "-o", "jsonpath={.status.replicaStatuses.server}"); roles != "" {
		s.Errorf("its status tells of servers: %s", roles)
	}
	coordinator := s.must("", "get", "tjob", name, "-o", "jsonpath={.status.coordinator}")
	if coordinator != name+"-worker-0" {
		s.Errorf("its coordinator is %q", coordinator)
	}
	const value = `jsonpath={.spec.containers[?(@.name=="sumac")].env[?(@.name=="SUMAC_COORDINATOR")].value}`
	if address := s.must("", "get", "pod", name+"-worker-0", "-o", value); address != "" {
		s.Errorf("worker 0 is told of a coordinator: %s", address)
	}
	if address := s.must("", "get", "pod", name+"-worker-2", "-o", value); !strings.HasPrefix(address, "tcp://"+name+"-worker-0.") {
		s.Errorf("worker 2 is told that the coordinator is %q", address)
	}
}

func TestAJobWithoutServersHasWorkersAloneAndSucceeds(t *testing.T) {
	s := begin(t)
	s.operator()
	for name, strategy := range map[string]string{"job": decentralized, "reduce": allReduce} {
		s.create(job(name, basics+strategy+"worker: {replicas: 3}\n"))
		s.becomes(name, "Running")
		s.hasNoServers(name)
		s.complete(name, "worker-0", "worker-1", "worker-2")
	}
}

func TestAJobWithoutServersKeepsItsTokenThroughASuspension(t *testing.T) {
	s := begin(t)
	s.operator()
	s.create(job("job", basics+decentralized+"worker: {replicas: 3}\n"))
	running := s.becomes("job", "Running")
	token := s.tokenOf("job")
	s.patch("job", "suspend: true")
	s.becomes("job", "Suspended")
	s.patch("job", "suspend: false")
	s.jobUntil("job", "to run again", func(job *trainingJob) bool { return job.is("Running") && job.Status.Attempt > running.Status.Attempt })
	s.hasNoServers("job")
	if again := s.tokenOf("job"); len(token) == 0 || again != token {
		s.Errorf("the job token changed from %q to %q", token, again)
	}
	s.complete("job", "worker-0", "worker-1", "worker-2")
}

// tokenOf is a job's token as its Secret has it.
func (s *scenario) tokenOf(job string) string {
	s.Helper()
	return s.must("", "get", "secret", s.secretOf(job), "-o", "jsonpath={.data.token}")
}

// Real programs: the loss of worker 0, which coordinates, changes no bit of the weights, and they are
// those that a server gives.
func TestARealJobWithoutServersSurvivesTheLossOfWorker0(t *testing.T) {
	s := begin(t)
	notCore(t)
	s.real()
	s.operator()
	s.create(job("central", trained))
	central := s.succeeds("central")

	s.create(job("alone", trained+decentralized+
		"checkpoint: {path: /checkpoints, everySteps: 100, volume: {hostPath: {path: "+t.TempDir()+"}}}\n"))
	s.becomes("alone", "Running")
	s.logUntil("alone-worker-0", "checkpoint written")
	s.pod("alone-worker-0").Kill()
	alone := s.succeeds("alone")
	if alone.Status.Replaced != 1 || alone.Status.Attempt != 0 || alone.Status.LastFailure.PodName != "alone-worker-0" {
		t.Errorf("it succeeded as %s", shownJob(alone))
	}
	if alone.Status.Result.ParametersSha256 != central.Status.Result.ParametersSha256 {
		t.Errorf("the weights are %s, and with a server %s", alone.Status.Result.ParametersSha256, central.Status.Result.ParametersSha256)
	}
}

// The promise of the example's first lines: the same bits, in pods and with `sumac run`, as with a server.
func TestNodesTrainWithoutServersWithTheBitsOfSumacRun(t *testing.T) {
	s := onNodes(t)
	example := filepath.Join(*root, "examples", "lenet5-decentralized.yaml")
	local := s.runHere(example)
	central := s.runHere(filepath.Join(*root, "examples", "lenet5-fashion-mini.yaml"))

	s.must("", "apply", "-f", example)
	s.jobUntil("lenet5-decentralized", "to show progress", hasProgress(0))
	if pods := s.podsOf("lenet5-decentralized"); !slices.Equal(pods, []string{"lenet5-decentralized-worker-0", "lenet5-decentralized-worker-1"}) {
		t.Errorf("its pods are %s", pods)
	}
	done := s.becomes("lenet5-decentralized", "Succeeded")

	if done.Status.Result.ParametersSha256 != local.ParametersSha256 || local.ParametersSha256 != central.ParametersSha256 {
		t.Errorf("its weights are %s, those of sumac run %s, and those of servers %s",
			done.Status.Result.ParametersSha256, local.ParametersSha256, central.ParametersSha256)
	}
	if done.Status.Restarts != 0 || done.Status.Disruptions != 0 {
		t.Errorf("it succeeded as %s", shownJob(done))
	}
}

// Pods that send each other contributions by every other way, in the clear: the bits of `sumac run`. Where
// the way is left open, worker 0 says what was measured between pods, and what was chosen.
func TestNodesTrainAllReduceInTheClearWithTheBitsOfSumacRun(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	example, err := os.ReadFile(filepath.Join(*root, "examples", "lenet5-decentralized.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	bits := map[string]string{}
	for algorithm, codec := range map[string]string{"direct": "", "halvingDoubling": "", "ring": ", codec: fp16", "auto": ""} {
		name := "all-reduce-" + strings.ToLower(algorithm)
		text := strings.NewReplacer(
			"name: lenet5-decentralized", "name: "+name,
			"epochs: 30", "epochs: 2",
			"topology: decentralized", "{exchange: allReduce, algorithm: "+algorithm+codec+"}\n  security: {transport: none}",
		).Replace(string(example))
		text = strings.Replace(text, "strategy:\n    {", "strategy: {", 1)
		file := filepath.Join(t.TempDir(), name+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		local := s.runHere(file)
		s.must("", "apply", "-f", file)
		done := s.becomes(name, "Succeeded")
		if algorithm == "auto" {
			s.logUntil(name+"-worker-0", "predicted ")
		}
		bits[algorithm] = done.Status.Result.ParametersSha256
		if bits[algorithm] != local.ParametersSha256 {
			t.Errorf("the weights of %s are %s, and those of sumac run %s", algorithm, bits[algorithm], local.ParametersSha256)
		}
	}
	if bits["halvingDoubling"] != bits["direct"] || bits["auto"] != bits["direct"] {
		t.Errorf("the canonical ways differ: %v", bits)
	}
}
