#include "cli/document/document.h"

#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/exit_code.h"
#include "tests/support/golden.h"
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

Run validateText(const std::string& text, const job::Overrides& overrides = {},
                 const AskMemory& ask = {}) {
  std::istringstream in(text);
  std::ostringstream out;
  std::ostringstream err;
  const int status = validate("-", overrides, in, out, err, ask);
  return {status, out.str(), err.str()};
}

/// A worker of so many bytes.
AskMemory answer(std::uint64_t bytes) {
  return [bytes](const std::vector<std::string>&, const std::string&) {
    return Result<WorkerMemory>(WorkerMemory{.bytes = bytes, .samples = 64, .kernels = "avx2"});
  };
}

std::string headOf(const std::string& kind) {
  return "apiVersion: sumac.dev/v1alpha1\nkind: " + kind + "\nmetadata: {name: ours}\nspec: ";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(document)

BOOST_AUTO_TEST_CASE(a_document_is_summed_up_or_its_problems_are_listed) {
  const std::string convolution =
      "source: a library, date: 2026-11-23, workspaceBytes: 1, layers: [";
  const std::tuple<const char*, std::string, std::vector<std::string>, ExitCode> cases[] = {
      {"as it is", kJob, {}, ExitCode::kDone},
      {"V given", kJob, {"training.logicalWorkers=4"}, ExitCode::kDone},
      {"V where elastic", kJob, {"worker.minReplicas=1", "worker.maxReplicas=4"}, ExitCode::kDone},
      {"sizes that are as fast",
       kJob,
       {"training.logicalWorkers=8", "training.batchSize=128",
        "worker={replicas: 4, minReplicas: 1, maxReplicas: 8}"},
       ExitCode::kDone},
      {"autoscaling",
       kJob,
       {"training.logicalWorkers=8", "training.batchSize=128",
        "worker={replicas: 4, minReplicas: 1, maxReplicas: 8}", "autoscaling={policy: efficiency}"},
       ExitCode::kDone},
      {"autoscaling by restarts",
       kJob,
       {"worker={minReplicas: 1, maxReplicas: 4}", "autoscaling={policy: throughput}",
        "strategy={codec: bf16}"},
       ExitCode::kDone},
      {"V of no field", kJob, {"worker.replicas=null"}, ExitCode::kDone},
      {"decentralized", kJob, {"strategy.topology=decentralized"}, ExitCode::kDone},
      {"all-reduce", kJob, {"strategy.exchange=allReduce"}, ExitCode::kDone},
      {"a bad number", kJob, {"training.batchSize=0"}, ExitCode::kBadConfiguration},
      {"a bad pod template",
       kJob,
       {"worker.template.spec.containers={}"},
       ExitCode::kBadConfiguration},
      {"a codec of later",
       kJob,
       {"strategy={exchange: allReduce, codec: int8}"},
       ExitCode::kBadConfiguration},
      {"a consistency of later",
       kJob,
       {"strategy.consistency=asynchronous"},
       ExitCode::kBadConfiguration},
      {"machines", headOf("MachineTypes") + "{types: [{name: big}]}\n", {}, ExitCode::kDone},
      {"no machines", headOf("MachineTypes") + "{types: []}\n", {}, ExitCode::kBadConfiguration},
      {"convolutions",
       headOf("ConvolutionCosts") + "{" + convolution +
           "{name: conv1, algorithms: [{name: a, seconds: \"1\", workspaceBytes: 0}]}]}\n",
       {},
       ExitCode::kDone},
      {"no convolutions",
       headOf("ConvolutionCosts") + "{" + convolution + "]}\n",
       {},
       ExitCode::kBadConfiguration}};
  test::Transcript said;
  for (const auto& [name, text, sets, code] : cases) {
    job::Overrides overrides;
    overrides.sets = sets;
    const Run run = validateText(text, overrides);
    BOOST_TEST(run.status == toInt(code), name);
    BOOST_TEST((code == ExitCode::kDone ? run.err : run.out).empty(), name);
    said.add(name, run.out + run.err);
  }
  test::checkGolden("cli/document/validate.txt", said.text());
}

BOOST_AUTO_TEST_CASE(the_memory_of_a_worker_is_printed_where_it_is_known) {
  std::string asked;
  const AskMemory ask = [&](const std::vector<std::string>& arguments, std::string input) {
    asked = input;
    return answer(std::uint64_t{5} << 19U)(arguments, std::move(input));
  };
  BOOST_TEST(validateText(kJob, {}, ask).out.find("about 2.5 MiB") != std::string::npos);
  BOOST_TEST(asked.find("\"logicalWorkers\"") != std::string::npos);  // the resolved document

  const Run without =
      validateText(kJob, {}, [](const std::vector<std::string>&, const std::string&) {
        return Result<WorkerMemory>(Error{ErrorCode::kNotFound, "no sumac-worker"});
      });
  BOOST_TEST(without.status == toInt(ExitCode::kDone));
  BOOST_TEST(without.out.find("Memory") == std::string::npos);
  BOOST_TEST(without.err == "");
}

BOOST_AUTO_TEST_CASE(says_from_which_number_of_workers_on_a_memory_limit_fits) {
  std::vector<std::string> asked;
  const AskMemory ask = [&](const std::vector<std::string>& arguments, const std::string&) {
    asked = arguments;
    return WorkerMemory{
        .bytes = 100, .samples = 1, .kernels = "", .beyond = {{1, 3U << 20U}, {2, 2U << 20U}}};
  };
  const std::string limited = std::string(kJob) +
                              "    template: {spec: {containers: [{name: sumac, resources: "
                              "{limits: {memory: 16Mi}}}]}}\n";
  const auto templated = [&](const std::string& text) {
    const auto at = text.find("  worker: {replicas: 2}\n");
    return std::string(text).replace(at, 24, "  worker:\n    replicas: 2\n");
  };
  const Run run = validateText(templated(limited), {}, ask);
  BOOST_TEST(asked == std::vector<std::string>({"--limit", "16777216"}),
             boost::test_tools::per_element());
  BOOST_TEST(run.out.find("3 workers") != std::string::npos, run.out + run.err);

  job::Overrides fixed;
  fixed.sets = {"spec.strategy.codec=bf16"};
  validateText(templated(limited), fixed, ask);
  BOOST_TEST(asked.empty());
  validateText(kJob, {}, ask);
  BOOST_TEST(asked.empty());
}

BOOST_AUTO_TEST_CASE(warns_about_a_worker_that_this_machine_has_no_memory_for) {
  const Run run = validateText(kJob, {}, answer(std::uint64_t{1} << 60U));

  BOOST_TEST(run.status == toInt(ExitCode::kDone));
  BOOST_TEST(run.err.find("1024.0 PiB") != std::string::npos, run.err);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_read_is_a_usage_error) {
  const TemporaryFolder folder;
  std::ofstream(folder / "long.yaml") << std::string((1U << 20U) + 1, ' ');
  test::Transcript said;
  for (const char* name : {"missing.yaml", "long.yaml"}) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    BOOST_TEST(validate(folder / name, {}, in, out, err) == toInt(ExitCode::kUsage));
    said.add(name, test::replaced(err.str(), folder.path().string(), "FOLDER"));
  }
  test::checkGolden("cli/document/unreadable.txt", said.text());
}

BOOST_AUTO_TEST_CASE(explains_known_paths_and_refuses_others) {
  test::Transcript said;
  for (const char* path : {"spec.worker", "spec.", "experiment.spec.link", "machines",
                           "machines.spec.types.price", "convolutions.spec.layers"}) {
    std::ostringstream out;
    std::ostringstream err;
    BOOST_TEST(explain(path, out, err) == toInt(ExitCode::kDone), path);
    said.add(path, out.str());
  }
  for (const char* path : {"spec.wroker", "Machines.spec.typs"}) {
    std::ostringstream out;
    std::ostringstream err;
    BOOST_TEST(explain(path, out, err) == toInt(ExitCode::kUsage), path);
    said.add(path, err.str());
  }
  test::checkGolden("cli/document/explain.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::document_test
