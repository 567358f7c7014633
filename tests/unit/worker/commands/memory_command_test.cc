#include "worker/commands/memory_command.h"

#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/worker/commands/command_run.h"

namespace sumac::worker::memory_command_test {
namespace {

struct Fixture : CommandRun {
  int run(std::vector<std::string> words, const std::string& document = "") {
    words.insert(words.begin(), "memory");
    return CommandRun::run(memoryCommand, std::move(words), document);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(memory_command, Fixture)

BOOST_AUTO_TEST_CASE(sizes_a_network_of_the_zoo) {
  BOOST_TEST(run({"--model", "lenet5", "--samples", "8", "--kernels", "baseline"}) == 0);

  const auto json = nlohmann::json::parse(out);
  BOOST_TEST(json["bytes"] > 0);
  BOOST_TEST(json["samples"] == 16);  // of an evaluation
  BOOST_TEST(json["kernels"] == "baseline");
}

// Of two workers with three parts the second has two, which it contributes one by one.
BOOST_AUTO_TEST_CASE(is_of_the_worker_that_needs_most) {
  const auto bytes = [&](const std::string& workers) -> std::int64_t {
    const std::string job =
        "apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: job}\n"
        "spec:\n  model: {name: lenet5}\n  data: {name: fashion-mnist-mini}\n"
        "  training: {batchSize: 768, steps: 1, logicalWorkers: 3, "
        "optimizer: {learningRate: \"0.1\"}}\n  worker: {replicas: " +
        workers + "}\n";
    BOOST_TEST_REQUIRE(run({"--kernels", "baseline"}, job) == 0, err);
    return nlohmann::json::parse(out)["bytes"].get<std::int64_t>();
  };
  BOOST_TEST(bytes("2") > bytes("3"));
}

BOOST_AUTO_TEST_CASE(tells_with_which_numbers_of_workers_one_needs_more_than_a_limit) {
  const std::string job =
      "apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: job}\n"
      "spec:\n  model: {name: lenet5}\n  data: {name: fashion-mnist-mini}\n"
      "  training: {batchSize: 768, steps: 1, logicalWorkers: 3, "
      "optimizer: {learningRate: \"0.1\"}}\n  worker: {replicas: 3}\n";
  const auto beyond = [&](std::uint64_t limit) {
    BOOST_TEST_REQUIRE(run({"--kernels", "baseline", "--limit", std::to_string(limit)}, job) == 0);
    return nlohmann::json::parse(out)["beyond"];
  };
  const auto all = beyond(1);
  BOOST_TEST_REQUIRE(all.size() == 3U);
  const auto of_three = all[2][1].get<std::uint64_t>();
  BOOST_TEST(all[2][0] == 3);
  BOOST_TEST(beyond(of_three).size() == 2U);
  BOOST_TEST(beyond(of_three - 1).size() == 3U);
  BOOST_TEST(beyond(std::uint64_t{1} << 40U).empty());
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_job) {
  BOOST_TEST(run({}, "kind: TrainingJob\n") == toInt(ExitCode::kBadConfiguration));
  BOOST_TEST(err.starts_with("error: "), err);
  BOOST_TEST(out.empty());
}

BOOST_AUTO_TEST_CASE(rejects_options_out_of_range) {
  BOOST_TEST(run({"--model", "lenet5", "--samples", "0"}) == toInt(ExitCode::kUsage));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::memory_command_test
