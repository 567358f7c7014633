#include <functional>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/plan/job_plan.h"
#include "exchange/plan/plan_text.h"

namespace sumac::program_plan_test {
namespace {

job::TrainingJob ofProgram() {
  job::TrainingJob job;
  job.name = "mine";
  job.program =
      job::ProgramSpec{.command = {"python", "train.py"}, .threads = 1, .verify = 100, .code = {}};
  job.training.batch_size = 64;
  job.training.steps = 100;
  job.training.logical_workers = 8;
  job.worker.replicas = 2;
  return job;
}

using Change = std::function<void(job::TrainingJob&)>;

}  // namespace

BOOST_AUTO_TEST_SUITE(program_plan)

BOOST_AUTO_TEST_CASE(cuts_the_vector_that_workers_state_and_one_loss) {
  const auto plan = makeJobPlan(ofProgram(), 10'000);
  BOOST_TEST_REQUIRE(plan.has_value());
  BOOST_TEST(plan->exchange.parts == 8);
  BOOST_TEST(plan->exchange.parameters == 10'000);
  BOOST_TEST(plan->exchange.values == 10'001);
  BOOST_TEST(plan->exchange.ranges.size() > 1U);
}

BOOST_AUTO_TEST_CASE(refuses_vectors_without_values_and_too_long_ones) {
  BOOST_TEST(makeJobPlan(ofProgram(), 1).has_value());
  BOOST_TEST(!makeJobPlan(ofProgram(), 0).has_value());
  BOOST_TEST(!makeJobPlan(ofProgram(), -1).has_value());
  BOOST_TEST(makeJobPlan(ofProgram(), kLargestVector).has_value());
  BOOST_TEST(!makeJobPlan(ofProgram(), kLargestVector + 1).has_value());
}

BOOST_AUTO_TEST_CASE(each_field_that_fixes_the_bits_changes_its_text) {
  const std::vector<Change> changes = {
      [](auto& job) { job.name = "other"; },
      [](auto& job) { job.program->command = {"python train.py"}; },
      [](auto& job) {
        job.program->command = {"python", "train.py", "a"};
      },
      [](auto& job) { job.program->threads = 2; },
      [](auto& job) { job.training.batch_size = 65; },
      [](auto& job) { job.training.logical_workers = 4; },
      [](auto& job) { job.training.seed = 7; },
      [](auto& job) { job.strategy.method = ExchangeMethod::kRing; },
      [](auto& job) { job.strategy.codec = Codec::kBf16; }};
  std::set<std::string> texts{bitsText(ofProgram(), {})};
  for (const Change& change : changes) {
    job::TrainingJob job = ofProgram();
    change(job);
    texts.insert(bitsText(job, {}));
  }
  BOOST_TEST(texts.size() == changes.size() + 1);
}

BOOST_AUTO_TEST_CASE(neither_the_length_nor_who_verifies_is_in_its_bits) {
  job::TrainingJob other = ofProgram();
  other.training.steps = 7;
  other.program->verify = 7;
  other.worker.replicas = 3;
  BOOST_TEST(bitsText(other, {}) == bitsText(ofProgram(), {}));
  BOOST_TEST(planText(other, {}, {}) != planText(ofProgram(), {}, {}));
}

BOOST_AUTO_TEST_CASE(a_long_command_is_one_short_line) {
  job::TrainingJob job = ofProgram();
  job.program->command.assign(200, std::string(1000, 'a') + "\n");
  const std::string text = bitsText(job, {});
  BOOST_TEST(text.size() < 1000U);
  job.program->command.back() += "b";
  BOOST_TEST(bitsText(job, {}) != text);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::program_plan_test
