#include <algorithm>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/sequence/text_samples.h"

namespace sumac::worker::sequence_engine_test {
namespace {

using model::Dense;
using model::Dropout;
using model::Embedding;
using model::Lstm;
using model::SoftmaxCrossEntropy;

// Wider than a tile, a panel and a vector, and deeper than one cut of a product's chain.
model::Network network() {
  return textNetwork(333, 21,
                     {Embedding{37}, Lstm{.outputs = 45, .layers = 2}, Dropout{0.3}, Dense{},
                      SoftmaxCrossEntropy{}});
}

/// Several parts of a step, their gradients summed in pairs and the pairs along a tree, as a worker
/// sums them.
struct Parts {
  struct Adding final : GradientObserver {
    void onFinal(std::size_t first, std::size_t count) override {
      kernels->add(sum + first, sum + first, other + first, count);
      added += count;
    }
    Kernels kernels;
    float* sum;
    const float* other;
    std::size_t added = 0;
    Adding(Kernels the_kernels, float* the_sum, const float* the_other)
        : kernels(std::move(the_kernels)), sum(the_sum), other(the_other) {}
  };

  explicit Parts(const model::Network& network) {
    std::uint64_t seed = 1;
    for (const std::int64_t samples : {5, 4, 1, 5})
      texts.emplace_back(network, samples, seed++);
  }

  /// In calls of `together` parts.
  TextOutcome gradient(TextEngine& engine, const Kernels& kernels, std::span<const float> weights,
                       std::size_t together) const {
    TextOutcome out{0, std::vector<float>(weights.size(), 1e9F), {}};
    std::vector<float> other(weights.size(), 1e9F);
    Adding adding(kernels, out.gradient.data(), other.data());
    std::vector<std::vector<float>> states;
    std::vector<PartGradient> parts;
    std::int64_t first_sample = 3;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      states.emplace_back(texts[i].state.size());
      parts.push_back({.part = texts[i].part(/*step=*/5, first_sample),
                       .target = {.values = i < 2 ? out.gradient : other,
                                  .write = i % 2 == 0 ? Write::kReplace : Write::kAdd,
                                  .observer = i == 3 ? &adding : nullptr},
                       .next = {states.back(), {}}});
      first_sample += texts[i].count;
    }
    engine->setWeights(weights);
    for (std::size_t i = 0; i < parts.size(); i += together)
      engine->gradients(std::span(parts).subspan(i, std::min(together, parts.size() - i)), 0.1F);
    BOOST_TEST(adding.added == weights.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      out.state.push_back(parts[i].loss);
      out.state.insert(out.state.end(), states[i].begin(), states[i].end());
    }
    return out;
  }

  std::vector<TextSamples> texts;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(text_engine)

// A vocabulary and matrices of several of the pieces that parts compute in turn.
BOOST_AUTO_TEST_CASE(gives_parts_that_are_computed_together_the_bits_of_each_alone) {
  const auto net = textNetwork(700, 21,
                               {Embedding{150}, Lstm{.outputs = 130, .layers = 2}, Dropout{0.3},
                                model::Tanh{}, Dense{}, SoftmaxCrossEntropy{}});
  const auto weights = textWeights(net, 1, 0.2);
  const Parts parts(net);
  for (const Kernels& kernels : everyVariant()) {
    TextEngine alone(net, kernels, 5);
    const TextOutcome expected = parts.gradient(alone, kernels, weights, 1);
    for (const int threads : {1, 2, 3}) {
      TextEngine engine(net, kernels, 15, threads, threads == 2, /*max_parts=*/4);
      for (const std::size_t together : {4U, 3U, 2U})
        BOOST_TEST((parts.gradient(engine, kernels, weights, together) == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(rejects_parts_that_do_not_follow_each_other) {
  const auto net = network();
  const auto weights = textWeights(net, 1, 0.2);
  const TextSamples text(net, 2, 1);
  TextEngine engine(net, everyVariant().front(), 4, 1, false, /*max_parts=*/2);
  engine->setWeights(weights);
  std::vector<float> gradient(weights.size());
  std::vector<float> state(text.state.size());
  const auto compute = [&](const Part& first, const Part& second, std::size_t count) {
    PartGradient parts[3];
    for (PartGradient& part : parts)
      part = {.part = &part == parts ? first : second,
              .target = {.values = gradient},
              .next = {state, {}}};
    engine->gradients(std::span(parts).first(count), 1.0F);
  };
  BOOST_CHECK_NO_THROW(compute(text.part(1, 4), text.part(1, 6), 2));
  BOOST_CHECK_THROW(compute(text.part(1, 4), text.part(1, 7), 2), InvariantViolation);
  BOOST_CHECK_THROW(compute(text.part(1, 4), text.part(2, 6), 2), InvariantViolation);
  BOOST_CHECK_THROW(compute(text.part(1, 4), text.part(1, 6), 3), InvariantViolation);
  BOOST_CHECK_THROW(compute(text.part(1, 4), text.part(1, 6), 0), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(gives_a_part_the_same_bits_alone_after_other_parts_and_in_a_larger_engine) {
  const auto net = network();
  const auto weights = textWeights(net, 1, 0.2);
  const TextSamples text(net, 3, 2);
  const TextSamples others(net, 15, 3);
  const Part part = text.part(5, 8);
  for (const Kernels& kernels : everyVariant()) {
    TextEngine alone(net, kernels, 3);
    const TextOutcome expected = alone.gradient(weights, part, 0.1F);

    TextEngine larger(net, kernels, 20);
    larger.gradient(textWeights(net, 4, 0.3), others.part(), 1.0F);
    std::vector<float> state(others.state.size());
    larger.evaluate(weights, others, state);
    BOOST_TEST((larger.gradient(weights, part, 0.1F) == expected));
    BOOST_TEST((larger.gradient(weights, part, 0.1F) == expected));
  }
}

BOOST_AUTO_TEST_CASE(gives_the_same_bits_with_any_number_of_threads) {
  const auto net = network();
  const auto weights = textWeights(net, 1, 0.2);
  const TextSamples text(net, 13, 2);
  for (const Kernels& kernels : everyVariant()) {
    TextEngine alone(net, kernels, 13);
    const TextOutcome expected = alone.gradient(weights, text.part(2), 0.1F);
    std::vector<float> state(text.state.size());
    const Evaluation evaluation = alone.evaluate(weights, text, state);
    for (const int threads : {2, 3, 5}) {
      TextEngine together(net, kernels, 13, threads);
      BOOST_TEST((together.gradient(weights, text.part(2), 0.1F) == expected));
      std::vector<float> other_state(text.state.size());
      const Evaluation other = together.evaluate(weights, text, other_state);
      BOOST_TEST(other.loss_sum == evaluation.loss_sum);
      BOOST_TEST(other.correct == evaluation.correct);
      BOOST_TEST(other_state == state);
    }
  }
}

// Deeper than one cut of a product's chain (the LSTM's input gradients) and wider than 256 outputs.
BOOST_AUTO_TEST_CASE(gives_the_same_bits_with_weights_that_are_kept_packed) {
  const auto net = textNetwork(
      333, 21, {Embedding{37}, Lstm{.outputs = 70, .layers = 2}, Dense{}, SoftmaxCrossEntropy{}});
  const auto weights = textWeights(net, 1, 0.2);
  const auto others = textWeights(net, 2, 0.2);
  for (const Kernels& kernels : everyVariant()) {
    for (const int threads : {1, 3}) {
      TextEngine plain(net, kernels, 13, threads);
      TextEngine keeping(net, kernels, 13, threads, /*reuses_weights=*/true);
      BOOST_TEST(keeping->bytes() > plain->bytes());
      for (const std::int64_t samples : {13, 1}) {
        const TextSamples text(net, samples, 2);
        for (const auto& w : {weights, others, weights})
          BOOST_TEST(
              (keeping.gradient(w, text.part(), 0.1F) == plain.gradient(w, text.part(), 0.1F)));
      }
    }
  }
}

// Parts of one step: set once, used for all.
BOOST_AUTO_TEST_CASE(computes_with_the_weights_that_were_set_until_others_are) {
  const auto net = network();
  const auto weights = textWeights(net, 1, 0.2);
  const TextSamples text(net, 3, 2);
  TextEngine engine(net, everyVariant().front(), 3, 1, /*reuses_weights=*/true);
  const TextOutcome expected = engine.gradient(weights, text.part(), 0.1F);
  engine.gradient(textWeights(net, 4, 0.2), text.part(), 0.1F);
  engine->setWeights(weights);
  for (int part = 0; part < 2; ++part) {
    TextOutcome found{0, std::vector<float>(weights.size()), std::vector<float>(text.state.size())};
    found.loss = engine->gradient(text.part(), 0.1F, {.values = found.gradient}, {found.state, {}});
    BOOST_TEST((found == expected));
  }
}

BOOST_AUTO_TEST_CASE(adds_the_same_bits_as_computing_elsewhere_and_adding) {
  const auto net = network();
  const auto weights = textWeights(net, 1, 0.2);
  for (const std::int64_t samples : {2, 17}) {  // within one cut of a product's chain, and beyond
    const TextSamples text(net, samples, 2);
    for (const Kernels& kernels : everyVariant()) {
      for (const int threads : {1, 3}) {
        TextEngine engine(net, kernels, samples, threads);
        TextOutcome found = engine.gradient(weights, TextSamples(net, samples, 8).part(), 0.1F);
        const TextOutcome other = engine.gradient(weights, text.part(), 0.1F);
        auto expected = found.gradient;
        kernels->add(expected.data(), expected.data(), other.gradient.data(), expected.size());
        engine->gradient(text.part(), 0.1F, {.values = found.gradient, .write = Write::kAdd},
                         {found.state, {}});
        BOOST_TEST((found.gradient == expected));
        BOOST_TEST((found.state == other.state));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(gives_the_same_bits_wherever_weights_and_gradient_lie_in_memory) {
  const auto net = network();
  const auto weights = textWeights(net, 1, 0.2);
  const TextSamples text(net, 4, 2);
  for (const Kernels& kernels : everyVariant()) {
    TextEngine engine(net, kernels, 4);
    const TextOutcome expected = engine.gradient(weights, text.part(), 0.1F);
    for (const std::size_t shift : {1U, 3U, 7U, 9U}) {
      std::vector<float> weights_memory(weights.size() + shift);
      std::copy(weights.begin(), weights.end(), weights_memory.end() - std::ssize(weights));
      std::vector<float> gradient_memory(weights.size() + shift);
      const auto gradient = std::span(gradient_memory).subspan(shift);
      std::vector<float> state(text.state.size());
      engine->setWeights(std::span<const float>(weights_memory).subspan(shift));
      engine->gradient(text.part(), 0.1F, {.values = gradient}, {state, {}});
      BOOST_TEST(std::equal(gradient.begin(), gradient.end(), expected.gradient.begin()));
      BOOST_TEST(state == expected.state);
    }
  }
}

BOOST_AUTO_TEST_CASE(gives_words_that_do_not_occur_no_gradient) {
  const auto net = textNetwork(50, 3, {Embedding{4}, Dense{}, SoftmaxCrossEntropy{}});
  const auto weights = textWeights(net, 1, 0.2);
  TextSamples text(net, 2, 2);
  text.tokens = {7, 7, 49, 7, 0, 49};
  for (const Kernels& kernels : everyVariant()) {
    TextEngine engine(net, kernels, 2);
    const TextOutcome found = engine.gradient(weights, text.part(), 1.0F);
    for (std::size_t word = 0; word < 50; ++word) {
      const bool occurs = word == 0 || word == 7 || word == 49;
      for (std::size_t i = 0; i < 4; ++i)
        BOOST_REQUIRE((found.gradient[word * 4 + i] != 0.0F) == occurs);
    }
  }
}

BOOST_AUTO_TEST_CASE(drops_other_values_in_another_step_and_of_another_sample) {
  const auto net =
      textNetwork(20, 4, {Embedding{30}, Dropout{0.5}, Dense{}, SoftmaxCrossEntropy{}});
  const auto weights = textWeights(net, 1, 0.5);
  const TextSamples text(net, 2, 2);
  TextEngine engine(net, everyVariant().front(), 2);
  const float loss = engine.gradient(weights, text.part(4, 6), 1.0F).loss;
  BOOST_TEST(engine.gradient(weights, text.part(4, 6), 1.0F).loss == loss);
  BOOST_TEST(engine.gradient(weights, text.part(5, 6), 1.0F).loss != loss);
  BOOST_TEST(engine.gradient(weights, text.part(4, 7), 1.0F).loss != loss);
}

BOOST_AUTO_TEST_CASE(counts_the_words_that_it_expects) {
  const auto net = textNetwork(3, 2, {Embedding{3}, Dense{.bias = false}, SoftmaxCrossEntropy{}});
  // Words to themselves, but word 2 to a tie of 0 and 2, where the first counts.
  const std::vector<float> weights{1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<std::int32_t> tokens{0, 1, 2, 2};
  const std::vector<std::int32_t> labels{0, 2, 2, 0};
  for (const Kernels& kernels : everyVariant()) {
    TextEngine engine(net, kernels, 2);
    engine->setWeights(weights);
    BOOST_TEST(engine->evaluate({2, {}, tokens, labels}, {}, {}).correct == 2);
  }
}

BOOST_AUTO_TEST_CASE(predicts_logits_stream_after_stream_and_the_next_state) {
  const auto net = textNetwork(3, 2, {Embedding{3}, Dense{.bias = false}, SoftmaxCrossEntropy{}});
  const std::vector<float> weights{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::int32_t> tokens{0, 1, 2, 0};
  const auto recurrent = network();
  const TextSamples text(recurrent, 3, 1);
  for (const Kernels& kernels : everyVariant()) {
    TextEngine engine(net, kernels, 2);
    engine->setWeights(weights);
    std::vector<float> logits(12);
    engine->predict({2, {}, tokens, {}}, {}, {}, logits);
    const std::vector<float> expected{1, 4, 7, 2, 5, 8, 3, 6, 9, 1, 4, 7};
    BOOST_TEST(logits == expected, boost::test_tools::per_element());

    TextEngine other(recurrent, kernels, 3);
    const auto random = textWeights(recurrent, 1, 0.5);
    other->setWeights(random);
    std::vector<float> evaluated(text.state.size());
    std::vector<float> predicted(text.state.size());
    std::vector<float> values(text.tokens.size() * 333);
    const Batch batch = text.part(1, 0).batch;
    other->evaluate(batch, {.recurrent = text.state, .statistics = {}}, evaluated);
    other->predict(batch, {.recurrent = text.state, .statistics = {}}, predicted, values);
    BOOST_TEST(predicted == evaluated, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(refuses_layers_that_text_does_not_have) {
  model::NetworkSpec spec{"test", {3}, {}, 5};
  spec.layers = {{"words", Embedding{4}, {}},
                 {"block", Dense{.outputs = 4}, {}},
                 {"out", Dense{}, {}},
                 {"loss", SoftmaxCrossEntropy{}, {}}};
  auto net = model::resolve(spec);
  BOOST_REQUIRE(net);
  net->layers[1].spec.kind = model::Flatten{};
  ComputePool pool(1);
  const auto engine = sequence::makeEngine(*net, everyVariant().front(), pool, {});
  BOOST_REQUIRE(!engine);
  BOOST_TEST(engine.error().code == ErrorCode::kUnsupported);
  BOOST_TEST(engine.error().message.find("block") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(checks_its_preconditions) {
  const auto net = network();
  TextEngine engine(net, everyVariant().front(), 1);
  const auto weights = textWeights(net, 1, 0.2);
  BOOST_CHECK_THROW(engine.gradient(weights, TextSamples(net, 2, 1).part(), 1), InvariantViolation);
  TextSamples text(net, 1, 1);
  text.tokens[3] = 333;
  BOOST_CHECK_THROW(engine.gradient(weights, text.part(), 1), InvariantViolation);
  text.tokens[3] = 0;
  text.labels[3] = -1;
  BOOST_CHECK_THROW(engine.gradient(weights, text.part(), 1), InvariantViolation);
  text.labels[3] = 0;
  text.state.pop_back();
  BOOST_CHECK_THROW(engine.gradient(weights, text.part(), 1), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::sequence_engine_test
