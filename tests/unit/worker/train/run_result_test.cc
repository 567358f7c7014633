#include "worker/train/run_result.h"

#include <limits>

#include <boost/test/unit_test.hpp>

namespace sumac::worker {

BOOST_AUTO_TEST_SUITE(run_result)

BOOST_AUTO_TEST_CASE(fits_a_termination_message_with_the_longest_values) {
  RunResult result;
  result.steps = std::numeric_limits<Step>::max();
  result.epochs = std::numeric_limits<std::int64_t>::max();
  result.samples = std::numeric_limits<std::int64_t>::max();
  result.seconds = result.samples_per_second = result.steps_per_second = result.batches_per_second =
      result.data_wait_seconds = -1.23456789e-300;
  result.is_text = true;
  result.scores = {Score{0, 690.0}, Score{0, 690.0}};  // perplexities near 1e300
  result.train_loss = -1.23456789e-300;
  result.parameters_sha256 = std::string(64, 'f');
  result.logical_workers = result.workers = result.servers = std::numeric_limits<int>::max();
  result.numerics = "baseline/1";
  result.seed = std::numeric_limits<std::uint64_t>::max();

  BOOST_TEST(toJson(result).size() <= 1024U);
}

BOOST_AUTO_TEST_CASE(names_the_event_first) {
  BOOST_TEST(toJson(EvaluationReport{}).starts_with(R"({"event":"evaluation")"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker
