#include <algorithm>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/image/make_operation.h"
#include "engine/image/operation_graph.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/image/samples.h"

namespace sumac::worker::image::conv2d_test {
namespace {

constexpr float kUntouched = 123.0F;

// Gradients of a block of the second convolution are more than a second-level cache holds, in every
// variant: with few sums each block is a group of its own.
model::Network network() {
  return networkOf({2, 50, 50},
                   {model::Conv2d{.outputs = 4, .kernel = 3, .padding = 1},
                    model::Conv2d{.outputs = 60, .kernel = 3, .padding = 1}, model::Relu{},
                    model::Flatten{}, model::Dense{2}, model::SoftmaxCrossEntropy{}});
}

/// The second convolution of network(), with values and gradients of three blocks.
class SecondConvolution {
 public:
  SecondConvolution(const Kernels& kernels, int threads)
      : network_(network()), pool_(threads), weights_(randomWeights(network_, 1)) {
    const Context context{network_, kernels, pool_, arena_, scratch_, kBlocks, /*seed=*/1};
    OperationGraph graph = operationGraph(network_);
    for (Value& value : graph.values)
      value.data = context.reserve(kBlocks * value.stored() * kernels->lanes);
    const GraphOperation& node = graph.operations.at(1);
    operation_ = makeOperation(context, graph, node).value();
    scratch_.reserve();
    arena_.build();
    own_ = weightsOf(network_, context.layer(node.fused));
    const Value& y = graph.values.at(extent(node.output));
    const Value& x = graph.values.at(extent(node.inputs.at(0)));
    float* const inputs = arena_.at(x.data);
    for (std::size_t i = 0; i < kBlocks * x.stored() * kernels->lanes; ++i)
      inputs[i] = static_cast<float>(i % 13) - 6.0F;
    dy_.resize(kBlocks * y.count() * kernels->lanes);
    for (std::size_t i = 0; i < dy_.size(); ++i)
      dy_[i] = static_cast<float>(i % 11) - 5.0F;
    dx_.resize(kBlocks * x.count() * kernels->lanes);
    run_.images = kBlocks * kernels->lanes;
    run_.blocks = kBlocks;
    run_.weights = weights_.data();
    run_.weights_version = 1;
  }

  /// The weights' gradients, with those of all other layers zero.
  std::vector<float> compute(GradientObserver* observer) {
    std::vector<float> gradient(weights_.size());
    run_.gradient = gradient.data();
    run_.observer = observer;
    std::ranges::fill(dx_, kUntouched);
    operation_->forward(run_);
    float* const dx[] = {dx_.data()};
    operation_->backward(run_, dy_.data(), dx);
    return gradient;
  }

  const std::vector<float>& dx() const { return dx_; }
  Extent own() const { return own_; }

 private:
  static constexpr std::size_t kBlocks = 3;

  model::Network network_;
  ComputePool pool_;
  Arena arena_;
  Scratch scratch_{arena_};
  std::vector<float> weights_;
  std::unique_ptr<Operation> operation_;
  Extent own_{};
  std::vector<float> dy_;
  std::vector<float> dx_;
  Run run_;
};

/// Looks at the input gradients when the weights' gradients are announced.
struct Watcher final : GradientObserver {
  explicit Watcher(const SecondConvolution& the_convolution) : convolution(the_convolution) {}

  void onFinal(std::size_t first, std::size_t count) override {
    announced.push_back({first, count});
    untouched = std::ranges::count(convolution.dx(), kUntouched);
  }

  const SecondConvolution& convolution;
  std::vector<Extent> announced;
  std::ptrdiff_t untouched = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(conv2d)

BOOST_AUTO_TEST_CASE(announces_the_weights_gradients_before_it_computes_any_input_gradient) {
  for (const Kernels& kernels : everyVariant()) {
    for (const int threads : {1, 2}) {
      SecondConvolution convolution(kernels, threads);
      const std::vector<float> expected = convolution.compute(nullptr);
      const std::vector<float> expected_dx = convolution.dx();
      BOOST_TEST(std::ranges::count(expected_dx, kUntouched) == 0);
      Watcher watcher(convolution);

      const std::vector<float> found = convolution.compute(&watcher);

      BOOST_REQUIRE_EQUAL(watcher.announced.size(), 1U);
      BOOST_TEST(watcher.announced[0].first == convolution.own().first);
      BOOST_TEST(watcher.announced[0].count == convolution.own().count);
      BOOST_TEST(watcher.untouched == std::ssize(convolution.dx()));
      BOOST_TEST((found == expected));
      BOOST_TEST((convolution.dx() == expected_dx));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::image::conv2d_test
