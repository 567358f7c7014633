#include <algorithm>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/nn/weights_in_use.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/image/samples.h"
#include "tests/unit/engine/sequence/text_samples.h"

namespace sumac::worker::engine_hooks_test {
namespace {

/// Keeps what was announced, with the values that were there.
struct Watcher final : GradientObserver {
  explicit Watcher(std::span<const float> all) : gradient(all), copy(all.size()) {}

  void onFinal(std::size_t first, std::size_t count) override {
    pieces.push_back({first, count});
    const auto values = gradient.subspan(first, count);
    std::ranges::copy(values, copy.begin() + static_cast<std::ptrdiff_t>(first));
  }
  /// How often each value was announced.
  std::vector<int> counts() const {
    std::vector<int> counts(gradient.size());
    for (const Extent& piece : pieces) {
      for (std::size_t i = piece.first; i < piece.first + piece.count; ++i)
        ++counts.at(i);
    }
    return counts;
  }

  std::span<const float> gradient;
  std::vector<float> copy;
  std::vector<Extent> pieces;
};

/// Puts weights in their place when they are asked for.
struct Courier final : WeightsGate {
  Courier(std::span<const float> the_source, std::span<float> the_target)
      : source(the_source), target(the_target) {}

  void await(std::size_t first, std::size_t count) override {
    asked.push_back({first, count});
    std::ranges::copy(source.subspan(first, count),
                      target.begin() + static_cast<std::ptrdiff_t>(first));
  }

  std::span<const float> source;
  std::span<float> target;
  std::vector<Extent> asked;
};

/// Layers with weights, as pieces of the flat vector.
std::vector<Extent> layersOf(const model::Network& network) {
  std::vector<Extent> layers;
  for (const model::Layer& layer : network.layers) {
    const Extent weights = weightsOf(network, layer);
    if (weights.count > 0) layers.push_back(weights);
  }
  return layers;
}

std::size_t layerOf(const std::vector<Extent>& layers, std::size_t value) {
  const auto contains = [&](const Extent& layer) {
    return value >= layer.first && value < layer.first + layer.count;
  };
  return static_cast<std::size_t>(std::ranges::find_if(layers, contains) - layers.begin());
}

void checkAnnounced(const model::Network& network, const Watcher& watcher) {
  const auto counts = watcher.counts();
  BOOST_TEST(std::ranges::count(counts, 1) == std::ssize(counts));
  BOOST_TEST(std::ranges::equal(watcher.copy, watcher.gradient));
  const auto layers = layersOf(network);
  std::size_t layer = layers.size();
  for (const Extent& piece : watcher.pieces) {
    BOOST_TEST(layerOf(layers, piece.first) <= layer);  // the last first
    layer = layerOf(layers, piece.first);
  }
}

void checkAsked(const model::Network& network, const Courier& courier) {
  const auto layers = layersOf(network);
  BOOST_REQUIRE_EQUAL(courier.asked.size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    BOOST_TEST(courier.asked[i].first == layers[i].first);
    BOOST_TEST(courier.asked[i].count == layers[i].count);
  }
}

// Two groups of blocks in the first convolution, whose sums are kept between them.
model::Network imageNetwork() {
  return networkOf({3, 40, 40},
                   {model::Conv2d{.outputs = 6, .kernel = 3, .padding = 1}, model::Relu{},
                    model::MaxPool{2, 2}, model::BatchNorm{}, model::Dropout{0.3},
                    model::Conv2d{.outputs = 5, .kernel = 3}, model::Flatten{}, model::Dense{9},
                    model::Tanh{}, model::Dense{4}, model::SoftmaxCrossEntropy{}});
}

// The output layer is announced in several pieces.
model::Network wordNetwork() {
  return textNetwork(1500, 3,
                     {model::Embedding{150}, model::Lstm{.outputs = 150, .layers = 2},
                      model::Dropout{0.3}, model::Dense{}, model::SoftmaxCrossEntropy{}});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(engine_hooks)

BOOST_AUTO_TEST_CASE(announce_every_value_of_an_image_networks_gradient_once_it_is_final) {
  const auto network = imageNetwork();
  const auto weights = randomWeights(network, 1);
  const Samples samples(network, 40, 2);
  for (const Kernels& kernels : everyVariant()) {
    for (const int threads : {1, 3}) {
      TestEngine engine(network, kernels, 40, threads);
      std::vector<float> expected(weights.size());
      const float loss = engine.gradient(weights, samples.batch(), 0.1F, expected);
      for (const Write write : {Write::kReplace, Write::kAdd}) {
        std::vector<float> found(weights.size(), 0.0F);
        Watcher watcher(found);
        const Part part{.batch = samples.batch(), .state = {{}, engine.statistics}};
        const float again =
            (*engine).gradient(part, 0.1F, {.values = found, .write = write, .observer = &watcher},
                               {{}, engine.next_statistics});
        BOOST_TEST(again == loss);
        BOOST_TEST((found == expected));
        checkAnnounced(network, watcher);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(telling_layers_apart_changes_no_bit) {
  struct Listener final : LayerObserver {
    void onForward(std::size_t index) override { forward.push_back(index); }
    void onBackward(std::size_t index) override { backward.push_back(index); }
    std::vector<std::size_t> forward;
    std::vector<std::size_t> backward;
  };
  const auto network = imageNetwork();
  const auto weights = randomWeights(network, 1);
  const Samples samples(network, 48, 2);
  for (const Kernels& kernels : everyVariant()) {
    TestEngine engine(network, kernels, 48, /*threads=*/3);
    std::vector<float> expected(weights.size());
    const float loss = engine.gradient(weights, samples.batch(), 0.1F, expected);
    std::vector<float> found(weights.size());
    Listener listener;
    const Part part{.batch = samples.batch(), .state = {{}, engine.statistics}};

    const float again = (*engine).gradient(part, 0.1F, {.values = found, .layers = &listener},
                                           {{}, engine.next_statistics});

    BOOST_TEST(again == loss);
    BOOST_TEST((found == expected));
    // Activation and pooling are computed with the layer before them.
    const std::vector<std::size_t> layers{0, 3, 4, 5, 7, 9};
    BOOST_TEST(listener.forward == layers, boost::test_tools::per_element());
    std::ranges::reverse(listener.backward);
    BOOST_TEST(listener.backward == layers, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(announce_every_value_of_a_text_networks_gradient_once_it_is_final) {
  const auto network = wordNetwork();
  const auto weights = textWeights(network, 1, 0.2);
  const TextSamples text(network, 5, 2);
  for (const Kernels& kernels : everyVariant()) {
    for (const int threads : {1, 2}) {
      TextEngine engine(network, kernels, 5, threads);
      const TextOutcome computed = engine.gradient(weights, text.part(), 0.1F);
      for (const Write write : {Write::kReplace, Write::kAdd}) {
        TextOutcome expected = computed;
        TextOutcome found = computed;
        std::ranges::fill(found.gradient, 0.5F);  // nothing is final yet
        if (write == Write::kAdd) {
          kernels->add(expected.gradient.data(), found.gradient.data(), computed.gradient.data(),
                       computed.gradient.size());
        }
        Watcher watcher(found.gradient);
        engine->gradient(text.part(), 0.1F,
                         {.values = found.gradient, .write = write, .observer = &watcher},
                         {found.state, {}});
        BOOST_TEST((found == expected));
        checkAnnounced(network, watcher);
        BOOST_TEST(watcher.pieces.size() == 11U);  // the output layer in two pieces
      }
    }
  }
}

// The third part is added to the first one's values, which are not final before.
BOOST_AUTO_TEST_CASE(announce_every_value_of_parts_that_are_computed_together_once_it_is_final) {
  const auto network = wordNetwork();
  const auto weights = textWeights(network, 1, 0.2);
  const TextSamples text(network, 4, 2);
  for (const Kernels& kernels : everyVariant()) {
    TextEngine engine(network, kernels, 12, 2, /*reuses_weights=*/false, /*max_parts=*/3);
    std::vector<float> arriving(weights.size(), 1e9F);
    Courier courier(weights, arriving);
    engine->setWeights(arriving, &courier);
    std::vector<float> first(weights.size(), 1e9F);
    std::vector<float> second = first;
    std::vector<float> state(text.state.size());
    Watcher watchers[] = {Watcher(second), Watcher(first)};
    PartGradient parts[] = {
        {.part = text.part(1, 0), .target = {.values = first}, .next = {state, {}}},
        {.part = text.part(1, 4),
         .target = {.values = second, .observer = &watchers[0]},
         .next = {state, {}}},
        {.part = text.part(1, 8),
         .target = {.values = first, .write = Write::kAdd, .observer = &watchers[1]},
         .next = {state, {}}},
    };
    engine->gradients(parts, 0.1F);
    checkAsked(network, courier);
    for (const Watcher& watcher : watchers)
      checkAnnounced(network, watcher);
  }
}

BOOST_AUTO_TEST_CASE(ask_for_an_image_networks_weights_before_they_are_read_and_once) {
  const auto network = imageNetwork();
  const auto weights = randomWeights(network, 1);
  const Samples samples(network, 17, 2);
  for (const Kernels& kernels : everyVariant()) {
    for (const int threads : {1, 2}) {
      TestEngine engine(network, kernels, 17, threads);
      std::vector<float> expected(weights.size());
      engine.gradient(weights, samples.batch(), 0.1F, expected);
      std::vector<float> arriving(weights.size(), 1e9F);
      Courier courier(weights, arriving);
      (*engine).setWeights(arriving, &courier);
      for (int part = 0; part < 2; ++part) {
        std::vector<float> found(weights.size());
        (*engine).gradient({.batch = samples.batch(), .state = {{}, engine.statistics}}, 0.1F,
                           {.values = found}, {{}, engine.next_statistics});
        BOOST_TEST((found == expected));
      }
      checkAsked(network, courier);
    }
  }
}

BOOST_AUTO_TEST_CASE(ask_for_a_text_networks_weights_before_they_are_read_and_once) {
  const auto network = wordNetwork();
  const auto weights = textWeights(network, 1, 0.2);
  const TextSamples text(network, 5, 2);
  for (const Kernels& kernels : everyVariant()) {
    for (const bool reuses_weights : {false, true}) {
      TextEngine engine(network, kernels, 5, 2, reuses_weights);
      TextOutcome found = engine.gradient(weights, text.part(), 0.1F);
      const TextOutcome expected = found;
      std::vector<float> arriving(weights.size(), 1e9F);
      Courier courier(weights, arriving);
      engine->setWeights(arriving, &courier);
      for (int part = 0; part < 2; ++part) {
        engine->gradient(text.part(), 0.1F, {.values = found.gradient}, {found.state, {}});
        BOOST_TEST((found.gradient == expected.gradient));
      }
      checkAsked(network, courier);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::engine_hooks_test
