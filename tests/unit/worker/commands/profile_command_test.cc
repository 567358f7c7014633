#include "worker/commands/profile_command.h"

#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "job/profile/profile_json.h"
#include "tests/unit/worker/commands/command_run.h"

namespace sumac::worker::profile_command_test {
namespace {

constexpr const char* kJob =
    "apiVersion: sumac.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: job}\n"
    "spec:\n  model: {name: lenet5}\n  data: {name: fashion-mnist-mini}\n"
    "  training: {batchSize: 64, steps: 1, optimizer: {learningRate: \"0.1\"}}\n"
    "  worker: {replicas: 2}\n";

struct ProfileFixture : CommandRun {
  int run(std::vector<std::string> words, const std::string& document = kJob) {
    words.insert(words.begin(), "profile");
    return CommandRun::run(profileCommand, std::move(words), document);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(profile_command, ProfileFixture)

BOOST_AUTO_TEST_CASE(measures_the_share_of_a_worker_its_half_its_double_and_all) {
  BOOST_TEST_REQUIRE(run({"--time", "0", "--threads", "1", "--kernels", "baseline"}) == 0, err);

  const auto profile = profileFromJson(out);
  BOOST_TEST_REQUIRE(profile.has_value());
  BOOST_TEST(profile->machine.kernels == "baseline");
  BOOST_TEST(profile->subject.network == "lenet5");
  BOOST_TEST_REQUIRE(profile->batches.size() == 4);
  BOOST_TEST(profile->batches[0].samples == 16);
  BOOST_TEST(profile->batches[1].samples == 32);
  BOOST_TEST(profile->batches[2].samples == 64);
  BOOST_TEST(profile->batches[2].parts == 1);
  BOOST_TEST(profile->batches[3].samples == 64);  // as a worker alone has them
  BOOST_TEST(profile->batches[3].parts == 2);
  BOOST_TEST(profile->sum_bytes_per_second > 0);
  BOOST_TEST(err.find("1/4  16 samples in 1 part, 1 thread\n") != std::string::npos, err);
}

BOOST_AUTO_TEST_CASE(a_dry_run_says_what_would_be_measured) {
  BOOST_TEST_REQUIRE(run({"--dry-run"}) == 0, err);

  const auto profile = profileFromJson(out);
  BOOST_TEST_REQUIRE(profile.has_value());
  BOOST_TEST(profile->batches.empty());
  BOOST_TEST(profile->machine.cores >= 1);
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong) {
  BOOST_TEST(run({"--batch-sizes", "0"}) == 2);
  BOOST_TEST(run({}, "kind: Pod\n") == 78);
  BOOST_TEST(err.starts_with("error: "), err);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::profile_command_test
