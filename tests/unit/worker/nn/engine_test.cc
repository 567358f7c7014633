#include "worker/nn/engine.h"

#include <bit>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "common/base/check.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/worker/nn/reference_network.h"
#include "tests/unit/worker/nn/samples.h"

namespace sumac::worker {
namespace {

struct Outcome {
  float loss = 0;
  std::vector<float> gradient;
};

Outcome gradientOf(TestEngine& engine, const std::vector<float>& weights, const Batch& batch) {
  Outcome outcome{0, std::vector<float>(weights.size())};
  outcome.loss = engine.gradient(weights, batch, 1.0F / 64, outcome.gradient);
  return outcome;
}

bool sameBits(const Outcome& a, const Outcome& b) {
  if (std::bit_cast<std::uint32_t>(a.loss) != std::bit_cast<std::uint32_t>(b.loss)) return false;
  for (std::size_t i = 0; i < a.gradient.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(a.gradient[i]) != std::bit_cast<std::uint32_t>(b.gradient[i]))
      return false;
  }
  return a.gradient.size() == b.gradient.size();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(engine)

BOOST_AUTO_TEST_CASE(gives_a_part_the_same_bits_alone_after_other_batches_and_in_a_larger_engine) {
  const auto network = lenet5();
  const auto weights = randomWeights(network, 1);
  const Samples part(network, 5, 2);
  const Samples others(network, 16, 3);
  for (const Kernels& kernels : everyVariant()) {
    TestEngine alone(network, kernels, 5);
    const Outcome expected = gradientOf(alone, weights, part.batch());

    TestEngine larger(network, kernels, 33);
    gradientOf(larger, randomWeights(network, 4), others.batch());
    larger.evaluate(weights, others.batch());
    BOOST_TEST(sameBits(gradientOf(larger, weights, part.batch()), expected));
    BOOST_TEST(sameBits(gradientOf(larger, weights, part.batch()), expected));
  }
}

BOOST_AUTO_TEST_CASE(gives_the_same_bits_wherever_weights_and_samples_lie_in_memory) {
  const auto network = lenet5();
  const auto weights = randomWeights(network, 1);
  const Samples part(network, 3, 2);
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 3);
    const Outcome expected = gradientOf(engine, weights, part.batch());
    for (std::size_t shift = 1; shift < 16; shift += 2) {
      std::vector<float> weights_memory(weights.size() + shift);
      std::vector<float> inputs_memory(part.inputs.size() + shift);
      std::copy(weights.begin(), weights.end(), weights_memory.end() - std::ssize(weights));
      std::copy(part.inputs.begin(), part.inputs.end(),
                inputs_memory.end() - std::ssize(part.inputs));
      Outcome outcome{0, std::vector<float>(weights.size())};
      outcome.loss = engine.gradient(
          std::span<const float>(weights_memory).subspan(shift),
          {3, std::span<const float>(inputs_memory).subspan(shift), {}, part.labels}, 1.0F / 64,
          outcome.gradient);
      BOOST_TEST(sameBits(outcome, expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(overwrites_what_was_in_the_gradient) {
  const auto network = lenet5();
  const auto weights = randomWeights(network, 1);
  const Samples part(network, 2, 2);
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 2);
    const Outcome expected = gradientOf(engine, weights, part.batch());
    Outcome outcome{0, std::vector<float>(weights.size(), std::numeric_limits<float>::quiet_NaN())};
    outcome.loss = engine.gradient(weights, part.batch(), 1.0F / 64, outcome.gradient);
    BOOST_TEST(sameBits(outcome, expected));
  }
}

BOOST_AUTO_TEST_CASE(counts_right_answers_and_sums_the_losses) {
  const auto network = networkOf({2}, {model::Dense{2}, model::SoftmaxCrossEntropy{}});
  const std::vector<float> weights{1, 0, 0, 1, 0, 0};
  const std::vector<float> inputs{3, 1, 1, 3, 5, 0};
  const std::vector<std::int32_t> labels{0, 1, 1};
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 8);
    const Evaluation found = engine.evaluate(weights, {3, inputs, {}, labels});
    BOOST_TEST(found.correct == 2);
    BOOST_TEST(
        found.loss_sum == referenceLoss(network, {weights.begin(), weights.end()}, inputs, labels),
        boost::test_tools::tolerance(1e-6));
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_network_without_a_loss) {
  auto network = lenet5();
  network.layers.pop_back();
  ComputePool pool(1);
  const auto engine = Engine::create(network, everyVariant().front(), pool, {});
  BOOST_REQUIRE(!engine);
  BOOST_TEST(engine.error().code == ErrorCode::kUnsupported);
}

BOOST_AUTO_TEST_CASE(checks_its_preconditions) {
  const auto network = networkOf({2}, {model::Dense{2}, model::SoftmaxCrossEntropy{}});
  TestEngine engine(network, everyVariant().front(), 1);
  const std::vector<float> weights(6);
  std::vector<float> gradient(6);
  const Samples two(network, 2, 1);
  BOOST_CHECK_THROW(engine.gradient(weights, two.batch(), 1, gradient), InvariantViolation);
  BOOST_CHECK_THROW(engine.gradient(weights, {}, 1, gradient), InvariantViolation);
  const std::vector<float> input(2);
  const std::vector<std::int32_t> wrong_label{2};
  BOOST_CHECK_THROW(engine.gradient(weights, {1, input, {}, wrong_label}, 1, gradient),
                    InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker
