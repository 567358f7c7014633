#include "worker/train/evaluator.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::worker::evaluator_test {
namespace {

constexpr std::int64_t kStreams = 2;
constexpr int kUnroll = 3;

/// Its loss of a word is how many words of the stream came before this piece, of an image a value
/// that no two sums in different orders agree on; it is right about labels of the statistics'
/// value.
class RememberingEngine final : public Engine {
 public:
  std::uint64_t bytes() const override { return 0; }

  void setWeights(std::span<const float> /*weights*/, WeightsGate* /*gate*/) override {}

  int maxParts() const override { return 1; }
  void gradients(std::span<PartGradient> /*parts*/, float /*scale*/) override {}

  void predict(const Batch& /*batch*/, PartState /*state*/, std::span<float> /*next_recurrent*/,
               std::span<float> /*logits*/) override {}

  Evaluation evaluate(const Batch& batch, PartState state, std::span<float> next_recurrent,
                      const Evaluation& before) override {
    Evaluation found = before;
    for (const float input : batch.inputs)
      found.loss_sum += static_cast<double>(input) / 3.0;
    for (std::size_t i = 0; i < state.recurrent.size(); ++i) {
      found.loss_sum += static_cast<double>(state.recurrent[i]) * kUnroll;
      next_recurrent[i] = state.recurrent[i] + kUnroll;
    }
    if (!state.statistics.empty()) {
      found.correct += std::ranges::count(batch.labels, static_cast<int>(state.statistics[0]));
    }
    return found;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(evaluator)

BOOST_AUTO_TEST_CASE(carries_the_state_of_each_stream_from_zero) {
  RememberingEngine engine;
  std::vector<std::int32_t> tokens(20);  // streams of 10: three pieces of three words
  Evaluator evaluator(
      engine,
      EvaluationBatches(tokens,
                        {.max_samples = kStreams, .batch_size = kStreams, .unroll = kUnroll}),
      /*recurrent=*/1);

  for (int again = 0; again < 2; ++again) {
    const Score score = evaluator.evaluate({}, {}, [] { return true; }).value();
    BOOST_TEST(score.loss == (0.0 + 3.0 + 6.0) / 3.0);
    BOOST_TEST(score.perplexity() == 20.0855, boost::test_tools::tolerance(1e-5));
  }
}

BOOST_AUTO_TEST_CASE(breaks_off_before_the_next_batch_and_can_begin_again) {
  RememberingEngine engine;
  std::vector<std::int32_t> tokens(20);
  Evaluator evaluator(
      engine,
      EvaluationBatches(tokens,
                        {.max_samples = kStreams, .batch_size = kStreams, .unroll = kUnroll}),
      /*recurrent=*/1);
  for (int allowed = 0; allowed < 3; ++allowed) {
    int asked = 0;
    BOOST_TEST(!evaluator.evaluate({}, {}, [&] { return asked++ < allowed; }).has_value());
    BOOST_TEST(asked == allowed + 1);
  }
  BOOST_TEST(evaluator.evaluate({}, {}, [] { return true; })->loss == (0.0 + 3.0 + 6.0) / 3.0);
}

BOOST_AUTO_TEST_CASE(gives_the_engine_the_statistics_and_counts_what_is_right) {
  RememberingEngine engine;
  Samples samples;
  samples.shape = {1, 1, 1};
  samples.pixels.resize(10);
  samples.labels = {0, 1, 2, 1, 1, 0, 1, 2, 2, 2};
  WorkCount work;
  Evaluator evaluator(engine, EvaluationBatches(samples, {.max_samples = 4}), /*recurrent=*/0,
                      &work);
  const std::vector<float> statistics{1.0F};

  BOOST_TEST(evaluator.evaluate({}, statistics, [] { return true; })->accuracy == 0.4);
  BOOST_TEST(work.done() == 3U);  // pieces of 4, 4 and 2
}

// The order of additions is that of batches of 64 whatever an engine has room for.
BOOST_AUTO_TEST_CASE(has_the_same_bits_for_any_size_of_batches) {
  RememberingEngine engine;
  Samples samples;
  samples.shape = {1, 1, 1};
  for (int i = 0; i < 200; ++i) {
    samples.pixels.push_back(static_cast<std::uint8_t>(i));
    samples.labels.push_back(static_cast<std::uint8_t>(i % 10));
  }
  double expected = 0;
  for (std::size_t begin = 0; begin < 200; begin += 64) {
    double sum = 0;
    for (std::size_t i = begin; i < std::min<std::size_t>(begin + 64, 200); ++i)
      sum += static_cast<double>(static_cast<float>(i) / 255.0F) / 3.0;
    expected += sum;
  }
  const std::vector<float> statistics{1.0F};
  for (const std::int64_t batch : {1, 16, 32, 64}) {
    Evaluator evaluator(engine,
                        EvaluationBatches(samples, {.max_samples = batch, .summed_samples = 64}),
                        /*recurrent=*/0);
    const Score score = evaluator.evaluate({}, statistics, [] { return true; }).value();
    BOOST_TEST((score.loss == expected / 200));
    BOOST_TEST(score.accuracy == 0.1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::evaluator_test
