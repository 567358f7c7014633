#include "exchange/plan/numerics.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/sha256.h"
#include "engine/optimizer/optimizer.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/image/samples.h"
#include "tests/unit/engine/sequence/text_samples.h"

// The bits of a few steps of small networks that together call every kernel, with every optimizer.
// They differ between variants, whose vectors are not equally wide; within one variant they are the
// same on every machine.
namespace sumac::worker::numerics_test {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): every kind of layer

constexpr int kGoldenNumerics = 1;  // the number that the table below belongs to

struct Golden {
  const char* network;
  const char* baseline;
  const char* avx2;
  const char* avx512;

  const char* of(KernelVariant variant) const {
    switch (variant) {
      case KernelVariant::kBaseline: return baseline;
      case KernelVariant::kAvx2: return avx2;
      case KernelVariant::kAvx512: return avx512;
    }
    return "";
  }
};

constexpr Golden kLenet5{"lenet5",
                         "a00cdc22e502bcfa77a9f657f8adb905d436f973b2d6e7046cb8e580cb479782",
                         "07f4827568a2fd0da4ada078993c0b45f1bacb312b7ab705b6b9099e104adfd1",
                         "e12b1d2dafffa8a4137d6d589b40edca5bdeb05cea14c3ba2b93f2a4b4e2931f"};
constexpr Golden kLayers{"layers",
                         "ffe4698cba3d4fcdb35f542af8e32eb9c1227bf077a293892b88d22c03481cda",
                         "578314741b6e16eed56222f497e404e6ba11f3c9185c168d85e5a3aa5cd657d7",
                         "3df575789fa9ba95e75cf232ddc7d1b4ba2c2799cabf20857d94e1069db3793e"};
constexpr Golden kDense{"dense", "7bc2fcba65de659a405995f3abceb14e3a25fb91c7553d94c4207e377d470a8d",
                        "1eecf79e2f0771ff079a6207538faecc466e7f737716b2c78e0256e8c517945b",
                        "6518113a8cfb7291dc8c51e43bec69f270fec7031821c98f5c3d26f08953a373"};
constexpr Golden kText{"text", "5a66d540ae0a2f39f0c232ae86fd14c538d0fb992f87fa4e2ae3ba25407fbf92",
                       "a9a7f78cbb64d3480e68c67752ee1ddedbbc3c12899bf2c46e033e211378e52a",
                       "a9a7f78cbb64d3480e68c67752ee1ddedbbc3c12899bf2c46e033e211378e52a"};

Optimizer::Options optimizer(job::OptimizerName name, double rate, double momentum) {
  Optimizer::Options options;
  options.optimizer.name = name;
  options.optimizer.learning_rate = rate;
  options.optimizer.momentum = momentum;
  return options;
}

/// SHA-256 of values as they lie in memory.
class Digest {
 public:
  template <typename Values>
  void add(const Values& values) {
    const auto bytes = std::as_bytes(std::span(values));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::string hex() const { return sha256Hex(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Trains three steps of two parts each, then evaluates; calls gradient(weights, part index, step,
/// out), which returns the loss.
using PartGradient = std::function<float(std::span<const float>, int, Step, std::span<float>)>;
void trainSteps(const Network& network, const Kernels& kernels, const Optimizer::Options& options,
                const PartGradient& gradient, std::vector<float>& weights, Digest& digest) {
  constexpr Step kSteps = 3;
  weights.resize(static_cast<std::size_t>(network.parameters));
  model::initialize(network, {}, /*seed=*/3, weights);
  Optimizer update(options, kernels, network.parameters);
  std::vector<float> sum(weights.size());
  for (Step step = 1; step <= kSteps; ++step) {
    for (const int part : {0, 1})
      digest.add(std::vector<float>{gradient(weights, part, step, sum)});
    digest.add(std::vector<double>{update.apply(step, sum, weights, weights).gradient_norm});
  }
  digest.add(weights);
}

Write writeOf(int part) {
  return part == 0 ? Write::kReplace : Write::kAdd;
}

std::string imageBits(const Network& network, const Kernels& kernels,
                      const Optimizer::Options& options) {
  const Samples parts[] = {Samples(network, 17, 1), Samples(network, 5, 2)};
  TestEngine engine(network, kernels, 17);
  Digest digest;
  std::vector<float> weights;
  trainSteps(
      network, kernels, options,
      [&](std::span<const float> w, int part, Step step, std::span<float> out) {
        const Part computed{.batch = parts[part].batch(),
                            .state = {},
                            .step = step,
                            .first_sample = part == 0 ? 0 : 17};
        const float loss = engine.gradientOfPart(w, computed, 1.0F / 22, out, writeOf(part));
        engine.statistics = engine.next_statistics;
        return loss;
      },
      weights, digest);
  digest.add(engine.statistics);
  digest.add(std::vector<double>{engine.evaluate(weights, parts[0].batch()).loss_sum});
  return digest.hex();
}

std::string textBits(const Network& network, const Kernels& kernels,
                     const Optimizer::Options& options) {
  const TextSamples parts[] = {TextSamples(network, 13, 1), TextSamples(network, 4, 2)};
  TextEngine engine(network, kernels, 13);
  Digest digest;
  std::vector<float> weights;
  trainSteps(
      network, kernels, options,
      [&](std::span<const float> w, int part, Step step, std::span<float> out) {
        std::vector<float> state(parts[part].state.size());
        engine->setWeights(w);
        const float loss = engine->gradient(parts[part].part(step, part == 0 ? 0 : 13), 1.0F / 17,
                                            {.values = out, .write = writeOf(part)}, {state, {}});
        digest.add(state);
        return loss;
      },
      weights, digest);
  std::vector<float> state(parts[0].state.size());
  const Evaluation evaluation = engine.evaluate(weights, parts[0], state);
  digest.add(std::vector<double>{evaluation.loss_sum, static_cast<double>(evaluation.correct)});
  return digest.hex();
}

template <typename Bits>
void checkBits(const Golden& golden, const Bits& bits) {
  BOOST_TEST(
      kNumerics == kGoldenNumerics,
      "the numerics number was raised: update kGoldenNumerics and every hash in " << __FILE__);
  for (const Kernels& kernels : everyVariant()) {
    const std::string found = bits(kernels);
    const std::string expected = golden.of(kernels.variant());
    BOOST_TEST(
        found == expected,
        "bits changed: raise kNumerics (exchange/plan/numerics.h) and update kGoldenNumerics "
        "and the hash of "
            << golden.network << ", " << toString(kernels.variant()) << " in " << __FILE__ << ": \""
            << found << "\", so far \"" << expected << '"');
  }
}

Network everyImageLayer() {
  Residual residual;
  residual.layers = {{"a", Conv2d{.outputs = 6, .kernel = 3, .padding = 1, .bias = false}, {}},
                     {"b", BatchNorm{}, {}}};
  return networkOf(
      {2, 14, 11},
      {Conv2d{.outputs = 6, .kernel = 5, .padding = 2}, Tanh{}, MaxPool{2, 2}, BatchNorm{},
       residual, Relu{}, Conv2d{.outputs = 9, .kernel = 3, .stride = 2, .padding = 1, .groups = 3},
       Sigmoid{}, MaxPool{.kernel = 3, .stride = 1, .padding = 1},
       AveragePool{.kernel = 2, .stride = 1}, Conv2d{5, 1}, GlobalAveragePool{}, Dropout{0.3},
       Dense{21}, Relu{}, Dense{4}, SoftmaxCrossEntropy{}});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(numerics)

BOOST_AUTO_TEST_CASE(bits_of_lenet5_with_momentum_are_pinned) {
  checkBits(kLenet5, [](const Kernels& kernels) {
    return imageBits(lenet5(), kernels, optimizer(job::OptimizerName::kSgd, 0.1, 0.9));
  });
}

BOOST_AUTO_TEST_CASE(bits_of_every_image_layer_with_nesterov_and_weight_decay_are_pinned) {
  auto options = optimizer(job::OptimizerName::kNesterov, 0.05, 0.8);
  options.optimizer.weight_decay = 1e-3;
  checkBits(kLayers,
            [&](const Kernels& kernels) { return imageBits(everyImageLayer(), kernels, options); });
}

BOOST_AUTO_TEST_CASE(bits_of_dense_layers_with_adam_and_clipped_values_are_pinned) {
  auto options = optimizer(job::OptimizerName::kAdam, 0.01, 0);
  options.clip_value = 0.05;
  const Network network = networkOf(
      {37}, {Dense{50}, Tanh{}, Dense{19, false}, Sigmoid{}, Dense{7}, SoftmaxCrossEntropy{}});
  checkBits(kDense, [&](const Kernels& kernels) { return imageBits(network, kernels, options); });
}

BOOST_AUTO_TEST_CASE(bits_of_an_lstm_with_plain_sgd_and_a_clipped_norm_are_pinned) {
  auto options = optimizer(job::OptimizerName::kSgd, 0.5, 0);
  options.clip_global_norm = 0.25;
  const Network network = textNetwork(120, 7,
                                      {Embedding{33}, Lstm{.outputs = 29, .layers = 2},
                                       Dropout{0.3}, Tanh{}, Dense{}, SoftmaxCrossEntropy{}});
  checkBits(kText, [&](const Kernels& kernels) { return textBits(network, kernels, options); });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::numerics_test
