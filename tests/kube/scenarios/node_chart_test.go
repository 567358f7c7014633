package scenarios

import (
	"maps"
	"testing"
)

// An upgrade, a rollback and what administrators try the chart with, on real nodes; all else about the
// chart is tested on played ones (helm_test.go).
func TestNodesTrainOnWhileTheChartIsUpgraded(t *testing.T) {
	s := onNodes(t)
	notInNodesCore(t)
	s.onOurNode("stops the job (SIGSTOP) until the chart is upgraded")
	want := s.undisturbed(steady)
	s.volume("checkpoints")
	s.create(job("job", steady))
	held := s.holdAtCheckpoint("job")
	pods, operator := s.uidsOf("job"), s.operatorPods()
	defer func() {
		if t.Failed() {
			s.helm("admin", s.chartOnNodes()...) // as the other scenarios expect it
		}
	}()

	s.mustHelm(append(s.chartOnNodes(), "--set", "operator.logLevel=debug",
		"--set-json", `defaults.worker.template={"metadata":{"annotations":{"example.com/newer":"true"}}}`)...)
	held.release()
	done := s.becomes("job", "Succeeded")
	if s.operatorPods() == operator {
		t.Error("the operator is the one before the upgrade")
	}
	if !maps.Equal(s.uidsOf("job"), pods) || done.Status.Attempt != 0 || done.Status.Result.ParametersSha256 != want {
		t.Errorf("the job noticed: %v, not %v, weights %s, not %s, %s", s.uidsOf("job"), pods,
			done.Status.Result.ParametersSha256, want, shownJob(done))
	}

	s.mustHelm("rollback", "sumac", "--namespace", operatorsNamespace, "--wait", "--timeout", patience.String())
	s.mustHelm("test", "sumac", "--namespace", operatorsNamespace)
	s.expectTheTestTrained(operatorsNamespace)
}
