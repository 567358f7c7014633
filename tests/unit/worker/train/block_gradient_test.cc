#include "worker/train/block_gradient.h"

#include <numeric>

#include <boost/test/unit_test.hpp>

namespace sumac::worker {
namespace {

constexpr int kParts = 5;
constexpr std::int64_t kSamples = 10;

/// Two parameters: their gradients are the number of samples and the sum of their labels.
class CountingEngine final : public Engine {
 public:
  float gradient(std::span<const float> /*weights*/, const Part& whole, float scale,
                 std::span<float> gradient, Write /*write*/, NextPartState /*next*/) override {
    const Batch& part = whole.batch;
    const auto labels = std::accumulate(part.labels.begin(), part.labels.end(), 0);
    gradient[0] = scale * static_cast<float>(part.count);
    gradient[1] = scale * static_cast<float>(labels);
    return 10.0F * gradient[0];
  }

  Evaluation evaluate(std::span<const float> /*weights*/, const Batch& /*batch*/,
                      PartState /*state*/, std::span<float> /*next_recurrent*/) override {
    return {};
  }
};

Samples numberedSamples() {
  Samples samples;
  samples.shape = {1, 1, 1};
  samples.pixels.resize(kSamples);
  for (std::int64_t i = 0; i < kSamples; ++i) {
    samples.labels.push_back(static_cast<std::uint8_t>(i));
  }
  return samples;
}

struct Fixture {
  CountingEngine engine;
  Kernels kernels = Kernels::load(KernelVariant::kBaseline).value();
  Samples samples = numberedSamples();
  Sampler sampler{/*seed=*/1, kSamples, /*batch_size=*/kSamples, kParts};
  ExchangePlan plan = makeExchangePlan(std::vector<std::int64_t>{2}, kParts, /*servers=*/1);
  BlockGradient block{engine, kernels, samples, sampler, plan};
  std::vector<float> weights{0.0F, 0.0F};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(block_gradient, Fixture)

BOOST_AUTO_TEST_CASE(of_all_parts_is_one_contribution_with_every_sample_in_it) {
  block.setBlock(TreeNode{0, kParts});

  const auto contributions = block.compute(/*step=*/1, weights, /*scale=*/0.5F);

  BOOST_REQUIRE_EQUAL(contributions.size(), 1U);
  BOOST_TEST(contributions[0].node == (TreeNode{0, kParts}));
  const std::vector<float> expected{5.0F, 22.5F, 50.0F};  // samples, labels, loss
  BOOST_TEST(std::vector<float>(contributions[0].values.begin(), contributions[0].values.end()) ==
                 expected,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_a_block_that_is_no_node_is_one_contribution_for_each_maximal_node) {
  block.setBlock(TreeNode{1, 4});

  const auto contributions = block.compute(/*step=*/1, weights, /*scale=*/1.0F);

  BOOST_REQUIRE_EQUAL(contributions.size(), 2U);
  BOOST_TEST(contributions[0].node == (TreeNode{1, 2}));
  BOOST_TEST(contributions[1].node == (TreeNode{2, 4}));
  BOOST_TEST(contributions[0].values[0] == 2.0F);
  BOOST_TEST(contributions[1].values[0] == 4.0F);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker
