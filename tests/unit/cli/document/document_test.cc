#include "cli/document/document.h"

#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::document_test {

namespace {

constexpr const char* kJob = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: small}
spec:
  model: {name: lenet5}
  data: {name: fashion-mnist-mini}
  training:
    batchSize: 64
    steps: 10
    optimizer: {name: sgd, learningRate: "0.1"}
  worker: {replicas: 2}
)";

struct Run {
  int status = 0;
  std::string out;
  std::string err;
};

Run validateText(const std::string& text, const job::Overrides& overrides = {}) {
  std::istringstream in(text);
  std::ostringstream out;
  std::ostringstream err;
  const int status = validate("-", overrides, in, out, err);
  return {status, out.str(), err.str()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(document)

BOOST_AUTO_TEST_CASE(a_valid_document_is_summed_up_in_one_line) {
  const Run run = validateText(kJob);

  BOOST_TEST(run.status == toInt(ExitCode::kDone));
  BOOST_TEST(run.out.starts_with(
      "<stdin> is valid: TrainingJob small, 2 workers, 1 server, V = 2\nnote: V = 2 comes from "
      "spec.worker.replicas"));
  BOOST_TEST(run.err == "");
}

BOOST_AUTO_TEST_CASE(a_job_whose_workers_sum_is_said_to_have_no_servers) {
  for (const char* const set : {"strategy.topology=decentralized", "strategy.exchange=allReduce"}) {
    job::Overrides overrides;
    overrides.sets = {set};

    const Run run = validateText(kJob, overrides);

    BOOST_TEST(run.status == toInt(ExitCode::kDone), run.err);
    BOOST_TEST(
        run.out.starts_with("<stdin> is valid: TrainingJob small, 2 workers, no servers, V = 2\n"),
        run.out);
  }
}

BOOST_AUTO_TEST_CASE(the_memory_of_a_worker_is_printed_where_it_is_known) {
  std::string asked;
  const AskMemory ask = [&](const std::vector<std::string>& /*arguments*/, std::string input) {
    asked = std::move(input);
    return Result<WorkerMemory>(
        WorkerMemory{.bytes = std::uint64_t{5} << 19U, .samples = 64, .kernels = "avx2"});
  };
  std::istringstream in(kJob);
  std::ostringstream out;
  std::ostringstream err;
  validate("-", {}, in, out, err, ask);
  BOOST_TEST(out.str().ends_with(
      "\nMemory of a worker: about 2.5 MiB and its data (64 samples at once, avx2 kernels)\n"));
  BOOST_TEST(asked.find("\"logicalWorkers\"") != std::string::npos);  // the resolved document

  const AskMemory fail = [](const std::vector<std::string>&, const std::string&) {
    return Result<WorkerMemory>(Error{ErrorCode::kNotFound, "no sumac-worker"});
  };
  std::istringstream again(kJob);
  std::ostringstream without;
  BOOST_TEST(validate("-", {}, again, without, err, fail) == toInt(ExitCode::kDone));
  BOOST_TEST(without.str().find("Memory") == std::string::npos);
  BOOST_TEST(err.str() == "");
}

BOOST_AUTO_TEST_CASE(says_where_v_comes_from_unless_the_document_gives_it) {
  job::Overrides elastic;
  elastic.sets = {"worker.minReplicas=1", "worker.maxReplicas=4"};
  job::Overrides given;
  given.sets = {"training.logicalWorkers=4"};

  BOOST_TEST(validateText(kJob, elastic).out.find("V = 4 comes from spec.worker.maxReplicas") !=
             std::string::npos);
  BOOST_TEST(validateText(kJob, given).out ==
             "<stdin> is valid: TrainingJob small, 2 workers, 1 server, V = 4\n");
}

BOOST_AUTO_TEST_CASE(problems_go_to_the_error_stream_with_their_number) {
  job::Overrides overrides;
  overrides.sets = {"training.batchSize=0"};

  const Run run = validateText(kJob, overrides);

  BOOST_TEST(run.status == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(run.out == "");
  BOOST_TEST(run.err.find("spec.training.batchSize: found 0, must be >= 1\n") != std::string::npos);
  BOOST_TEST(run.err.ends_with("in <stdin>\n"));
}

BOOST_AUTO_TEST_CASE(pod_templates_are_checked_as_the_operator_does) {
  job::Overrides overrides;
  overrides.sets = {"worker.template.spec.containers={}"};

  const Run run = validateText(kJob, overrides);

  BOOST_TEST(run.status == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(run.err ==
             "<stdin> spec.worker.template.spec.containers: must be a list\n1 problem in "
             "<stdin>\n");
}

BOOST_AUTO_TEST_CASE(what_this_version_cannot_run_fails) {
  for (const char* const set :
       {"strategy={exchange: allReduce, codec: int8}", "strategy.consistency=asynchronous"}) {
    job::Overrides overrides;
    overrides.sets = {set};

    const Run run = validateText(kJob, overrides);

    BOOST_TEST(run.status == toInt(ExitCode::kBadConfiguration), set);
    BOOST_TEST(run.out == "");
    BOOST_TEST(run.err.find("is not available yet\n") != std::string::npos, run.err);
    BOOST_TEST(run.err.ends_with("this version of Sumac cannot run <stdin> yet\n"), run.err);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_a_usage_error) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;

  BOOST_TEST(validate("/no/such/job.yaml", {}, in, out, err) == toInt(ExitCode::kUsage));
  BOOST_TEST(err.str().find("/no/such/job.yaml") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_too_long_is_told_the_true_limit) {
  const TemporaryFolder folder;
  std::ofstream(folder / "job.yaml") << std::string((1U << 20U) + 1, ' ');
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;

  BOOST_TEST(validate(folder / "job.yaml", {}, in, out, err) == toInt(ExitCode::kUsage));
  BOOST_TEST(err.str().find("at most 1048576 are allowed") != std::string::npos, err.str());
}

BOOST_AUTO_TEST_CASE(a_default_number_of_workers_is_not_called_a_field_of_the_document) {
  job::Overrides overrides;
  overrides.sets = {"worker.replicas=null"};

  const Run run = validateText(kJob, overrides);

  BOOST_TEST(run.out.find("note: V = 1 is the default. The bits of the result depend on V: to keep "
                          "them with more workers, set spec.training.logicalWorkers to the most "
                          "workers you want, for example 4\n") != std::string::npos,
             run.out);
}

BOOST_AUTO_TEST_CASE(explains_known_paths_and_refuses_others) {
  std::ostringstream out;
  std::ostringstream err;

  BOOST_TEST(explain("spec.worker", out, err) == toInt(ExitCode::kDone));
  BOOST_TEST(out.str().find("minReplicas") != std::string::npos);
  out.str("");
  BOOST_TEST(explain("spec.", out, err) == toInt(ExitCode::kDone));
  BOOST_TEST(out.str().find("FIELD: spec <Object>") != std::string::npos, out.str());
  BOOST_TEST(explain("spec.wroker", out, err) == toInt(ExitCode::kUsage));
  BOOST_TEST(err.str() == "error: spec has no field `wroker`; did you mean `worker`?\n");
}

BOOST_AUTO_TEST_CASE(explains_other_documents_by_their_name) {
  std::ostringstream out;
  std::ostringstream err;

  BOOST_TEST(explain("experiment.spec.link", out, err) == toInt(ExitCode::kDone));
  BOOST_TEST(explain("machines.spec.types.price", out, err) == toInt(ExitCode::kDone));
  BOOST_TEST(out.str().find("perHour") != std::string::npos, out.str());
  BOOST_TEST(explain("machines", out, err) == toInt(ExitCode::kDone));
  BOOST_TEST(out.str().find("KIND:       MachineTypes") != std::string::npos, out.str());
  BOOST_TEST(explain("convolutions.spec.layers", out, err) == toInt(ExitCode::kDone));
  BOOST_TEST(out.str().find("algorithms") != std::string::npos, out.str());
  BOOST_TEST(explain("Machines.spec.typs", out, err) == toInt(ExitCode::kUsage));
  BOOST_TEST(err.str() == "error: spec has no field `typs`; did you mean `types`?\n");
}

BOOST_AUTO_TEST_CASE(machine_types_are_validated_as_what_they_are) {
  const std::string head =
      "apiVersion: sumac.dev/v1alpha1\nkind: MachineTypes\nmetadata: {name: ours}\nspec:\n";
  const Run good = validateText(head + "  types: [{name: big}]\n");
  const Run bad = validateText(head + "  types: []\n");

  BOOST_TEST(good.status == toInt(ExitCode::kDone), good.err);
  BOOST_TEST(good.out == "<stdin> is valid: MachineTypes big, for sumac plan --machines\n");
  BOOST_TEST(bad.status == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(bad.err.find("needs at least one type\n1 problem in <stdin>\n") != std::string::npos,
             bad.err);
}

BOOST_AUTO_TEST_CASE(costs_of_convolutions_are_validated_as_what_they_are) {
  const std::string head =
      "apiVersion: sumac.dev/v1alpha1\nkind: ConvolutionCosts\nmetadata: {name: ours}\n"
      "spec: {source: a library, date: 2026-11-23, workspaceBytes: 1, layers: ";
  const Run good = validateText(
      head + "[{name: conv1, algorithms: [{name: a, seconds: \"1\", workspaceBytes: 0}]}]}\n");
  const Run bad = validateText(head + "[]}\n");

  BOOST_TEST(good.status == toInt(ExitCode::kDone), good.err);
  BOOST_TEST(good.out ==
             "<stdin> is valid: ConvolutionCosts 1 convolution, for sumac plan --convolutions\n");
  BOOST_TEST(bad.status == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(bad.err.find("spec.layers: needs at least one item") != std::string::npos, bad.err);
}

BOOST_AUTO_TEST_CASE(warns_about_a_worker_that_this_machine_has_no_memory_for) {
  const AskMemory ask = [](const std::vector<std::string>&, const std::string&) {
    return Result<WorkerMemory>(
        WorkerMemory{.bytes = std::uint64_t{1} << 60U, .samples = 64, .kernels = "avx2"});
  };
  std::istringstream in(kJob);
  std::ostringstream out;
  std::ostringstream err;

  BOOST_TEST(validate("-", {}, in, out, err, ask) == toInt(ExitCode::kDone));
  BOOST_TEST(err.str().starts_with("warning: a worker needs about 1024.0 PiB, this machine has "),
             err.str());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::document_test
