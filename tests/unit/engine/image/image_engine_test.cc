#include "engine/image/image_engine.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/image/reference_network.h"
#include "tests/unit/engine/image/samples.h"

namespace sumac::worker::image_engine_test {
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

// Dropout, batch norm and a residual: all that a part's gradient may depend on.
model::Network networkWithEverything() {
  model::Residual residual;
  residual.layers = {
      {"a", model::Conv2d{.outputs = 7, .kernel = 3, .padding = 1, .bias = false}, {}},
      {"b", model::BatchNorm{}, {}}};
  return networkOf({2, 12, 9}, {model::Conv2d{.outputs = 7, .kernel = 5, .padding = 2},
                                model::Relu{}, model::MaxPool{2}, residual, model::Tanh{},
                                model::AveragePool{.kernel = 3, .stride = 2, .ceil = true},
                                model::Flatten{}, model::Dropout{0.4}, model::Dense{21},
                                model::Sigmoid{}, model::Dense{5}, model::SoftmaxCrossEntropy{}});
}

Outcome outcomeOf(TestEngine& engine, const std::vector<float>& weights, const Part& part) {
  Outcome outcome{0, std::vector<float>(weights.size())};
  outcome.loss = engine.gradientOfPart(weights, part, 1.0F / 64, outcome.gradient);
  outcome.gradient.insert(outcome.gradient.end(), engine.next_statistics.begin(),
                          engine.next_statistics.end());
  return outcome;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(engine)

BOOST_AUTO_TEST_CASE(gives_a_part_the_same_bits_alone_after_other_batches_and_in_a_larger_engine) {
  const auto network = networkWithEverything();
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

BOOST_AUTO_TEST_CASE(gives_the_same_bits_with_any_number_of_threads) {
  for (const auto& network : {lenet5(), networkWithEverything()}) {
    const auto weights = randomWeights(network, 1);
    for (const std::size_t count : {1U, 15U, 16U, 17U, 33U, 70U}) {
      const Samples samples(network, count, 2);
      const Part part{.batch = samples.batch(), .state = {}, .step = 7, .first_sample = 40};
      for (const Kernels& kernels : everyVariant()) {
        TestEngine alone(network, kernels, 70);
        const Outcome expected = outcomeOf(alone, weights, part);
        const Evaluation evaluation = alone.evaluate(weights, samples.batch());
        for (const int threads : {2, 3, 5}) {
          TestEngine engine(network, kernels, std::ssize(samples.labels), threads);
          BOOST_TEST(sameBits(outcomeOf(engine, weights, part), expected));
          BOOST_TEST(engine.evaluate(weights, samples.batch()).loss_sum == evaluation.loss_sum);
        }
      }
    }
  }
}

// One sample in a channel of one pixel has no variance: each batchNorm divides by sqrt(epsilon).
// What unused lanes hold would grow 316 times a layer, to infinity.
BOOST_AUTO_TEST_CASE(gives_finite_gradients_behind_many_normalisations_of_one_sample) {
  std::vector<model::LayerKind> kinds(20, model::BatchNorm{});
  kinds.insert(kinds.end(), {model::Dense{3}, model::SoftmaxCrossEntropy{}});
  const auto network = networkOf({4}, kinds);
  const auto weights = randomWeights(network, 1);
  const Samples sample(network, 1, 2);
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 1);
    const Outcome outcome = gradientOf(engine, weights, sample.batch());
    BOOST_TEST(std::isfinite(outcome.loss));
    for (const float value : outcome.gradient)
      BOOST_REQUIRE(std::isfinite(value));
  }
}

BOOST_AUTO_TEST_CASE(takes_the_first_of_equal_logits_for_its_answer) {
  const auto network = networkOf({4}, {model::Dense{3}, model::SoftmaxCrossEntropy{}});
  const std::vector<float> weights(static_cast<std::size_t>(network.parameters), 0.0F);
  Samples samples(network, 5, 2);
  samples.labels = {0, 1, 2, 0, 1};
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 5);
    BOOST_TEST(engine.evaluate(weights, samples.batch()).correct == 2);
  }
}

BOOST_AUTO_TEST_CASE(gives_a_part_the_sum_of_its_samples_gradients) {
  const auto network = lenet5();
  const auto weights = randomWeights(network, 1);
  const std::size_t size = static_cast<std::size_t>(model::count(network.input));
  for (const Kernels& kernels : everyVariant()) {
    TestEngine single(network, kernels, 1);
    for (const std::size_t count : {15U, 16U, 17U, 40U}) {
      const Samples samples(network, count, 2);
      std::vector<double> expected(weights.size());
      for (std::size_t i = 0; i < count; ++i) {
        const Batch one{1,
                        std::span(samples.inputs).subspan(i * size, size),
                        {},
                        std::span(samples.labels).subspan(i, 1)};
        const Outcome outcome = gradientOf(single, weights, one);
        for (std::size_t j = 0; j < weights.size(); ++j)
          expected[j] += static_cast<double>(outcome.gradient[j]);
      }
      TestEngine engine(network, kernels, 40);
      const Outcome together = gradientOf(engine, weights, samples.batch());
      for (std::size_t j = 0; j < weights.size(); ++j) {
        BOOST_REQUIRE_SMALL(static_cast<double>(together.gradient[j]) - expected[j],
                            1e-5 * (1 + std::abs(expected[j])));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(adds_a_gradient_with_the_bits_of_computing_it_elsewhere_and_adding) {
  for (const auto& network : {lenet5(), networkWithEverything()}) {
    const auto weights = randomWeights(network, 1);
    const Samples part(network, 37, 2);
    const Samples before(network, 5, 3);
    for (const Kernels& kernels : everyVariant()) {
      TestEngine engine(network, kernels, 37);
      const Outcome first = gradientOf(engine, weights, before.batch());
      const Outcome second = gradientOf(engine, weights, part.batch());
      Outcome expected = second;
      for (std::size_t i = 0; i < weights.size(); ++i)
        expected.gradient[i] = first.gradient[i] + second.gradient[i];

      Outcome sum = first;
      sum.loss = engine.gradient(weights, part.batch(), 1.0F / 64, sum.gradient, Write::kAdd);
      BOOST_TEST(sameBits(sum, expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(takes_other_numbers_for_dropout_in_another_step_and_at_another_place) {
  const auto network =
      networkOf({40}, {model::Dropout{0.5}, model::Dense{3}, model::SoftmaxCrossEntropy{}});
  const auto weights = randomWeights(network, 1);
  const Samples samples(network, 4, 2);
  TestEngine engine(network, everyVariant().front(), 4);
  const auto gradientAt = [&](Step step, std::int64_t first_sample) {
    return outcomeOf(
        engine, weights,
        {.batch = samples.batch(), .state = {}, .step = step, .first_sample = first_sample});
  };
  const Outcome expected = gradientAt(1, 0);
  BOOST_TEST(sameBits(gradientAt(1, 0), expected));
  BOOST_TEST(!sameBits(gradientAt(2, 0), expected));
  BOOST_TEST(!sameBits(gradientAt(1, 4), expected));
}

BOOST_AUTO_TEST_CASE(moves_running_statistics_towards_those_of_the_part) {
  const auto network = networkOf(
      {2}, {model::BatchNorm{.momentum = 0.25}, model::Dense{2}, model::SoftmaxCrossEntropy{}});
  const std::vector<float> weights(static_cast<std::size_t>(network.parameters), 0.5F);
  const std::vector<float> inputs{1, 10, 3, 30, 5, 20};
  const std::vector<std::int32_t> labels{0, 1, 1};
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 3);
    engine.statistics = {1, 2, 3, 4};
    std::vector<float> gradient(weights.size());
    engine.gradient(weights, {3, inputs, {}, labels}, 1, gradient);
    const std::vector<float> expected{0.75F * 1 + 0.25F * 3, 0.75F * 2 + 0.25F * 20,
                                      0.75F * 3 + 0.25F * 4, 0.75F * 4 + 0.25F * 100};
    BOOST_TEST(engine.next_statistics == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(evaluates_with_running_statistics_and_without_dropout) {
  const auto network = networkWithEverything();
  const auto weights = randomWeights(network, 1);
  const Samples samples(network, 19, 2);
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 20);
    for (std::size_t i = 0; i < engine.statistics.size(); ++i)
      engine.statistics[i] = 0.1F * static_cast<float>(i + 1);
    const double expected =
        referenceLoss(network, {weights.begin(), weights.end()}, samples.inputs, samples.labels,
                      {.training = false, .statistics = engine.statistics});
    BOOST_TEST(engine.evaluate(weights, samples.batch()).loss_sum == expected,
               boost::test_tools::tolerance(1e-5));
  }
}

BOOST_AUTO_TEST_CASE(predicts_the_logits_that_evaluation_takes_the_losses_of) {
  const auto network = networkWithEverything();
  const auto weights = randomWeights(network, 1);
  const Samples samples(network, 19, 2);
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 20);
    const double expected = engine.evaluate(weights, samples.batch()).loss_sum;
    Batch batch = samples.batch();
    batch.labels = {};
    std::vector<float> logits(samples.labels.size() * 5);
    (*engine).predict(batch, {.recurrent = {}, .statistics = engine.statistics}, {}, logits);
    double loss = 0;
    for (std::size_t i = 0; i < samples.labels.size(); ++i) {
      double sum = 0;
      for (std::size_t value = 0; value < 5; ++value)
        sum += std::exp(static_cast<double>(logits[i * 5 + value]));
      loss += std::log(sum) -
              static_cast<double>(logits[i * 5 + static_cast<std::size_t>(samples.labels[i])]);
    }
    BOOST_TEST(loss == expected, boost::test_tools::tolerance(1e-5));
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
  const auto engine = image::makeEngine(network, everyVariant().front(), pool, {});
  BOOST_REQUIRE(!engine);
  BOOST_TEST(engine.error().code == ErrorCode::kUnsupported);
}

BOOST_AUTO_TEST_CASE(refuses_batches_that_no_memory_holds) {
  const auto network = networkOf({2}, {model::Dense{2}, model::SoftmaxCrossEntropy{}});
  ComputePool pool(1);
  for (const int bits : {50, 62}) {
    const auto engine = image::makeEngine(network, everyVariant().front(), pool,
                                          {.max_samples = std::int64_t{1} << bits, .seed = 1});
    BOOST_REQUIRE(!engine);
    BOOST_TEST(engine.error().code == ErrorCode::kUnsupported);
    BOOST_TEST(engine.error().message.find("spec.training.batchSize") != std::string::npos);
  }
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

}  // namespace sumac::worker::image_engine_test
