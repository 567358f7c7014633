#include "worker/train/block_gradient.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"

namespace sumac::worker::block_gradient_test {
namespace {

constexpr int kParts = 7;
constexpr std::int64_t kSamples = 16;
constexpr std::int64_t kParameters = 50;
constexpr std::size_t kFirstTensor = 17;  // values

/// Random numbers of many magnitudes, so that every other order of additions gives other bits, and
/// part state that names the samples.
class RandomEngine final : public Engine {
 public:
  static float value(const Part& part, std::size_t i) {
    const Rng rng(static_cast<std::uint64_t>(part.step),
                  static_cast<std::uint64_t>(part.first_sample));
    return std::ldexp(rng.uniform(2 * i) - 0.5F, static_cast<int>(rng.below(2 * i + 1, 20)));
  }

  std::uint64_t bytes() const override { return 0; }

  void setWeights(std::span<const float> /*weights*/, WeightsGate* gate) override { gate_ = gate; }

  int maxParts() const override { return max_parts; }

  // Two tensors, the second first, each for one part after the other.
  void gradients(std::span<PartGradient> parts, float scale) override {
    most_parts = std::max(most_parts, static_cast<int>(parts.size()));
    if (gate_ != nullptr) gate_->await(0, parts[0].target.values.size());
    gate_ = nullptr;
    for (const std::size_t begin : {kFirstTensor, std::size_t{0}}) {
      for (const auto& [part, target, next, loss] : parts)
        computeTensor(part, scale, target, begin);
    }
    for (auto& [part, target, next, loss] : parts) {
      for (std::size_t i = 0; i < next.recurrent.size(); ++i) {
        next.recurrent[i] =
            part.state.recurrent[i] + static_cast<float>(part.batch.labels[i]) + 1.0F;
      }
      std::ranges::fill(next.statistics, static_cast<float>(part.first_sample) + 0.5F);
      loss = scale * value(part, target.values.size());
    }
  }

  int max_parts = 1;
  int most_parts = 0;  // that a call had

  void predict(const Batch& /*batch*/, PartState /*state*/, std::span<float> /*next_recurrent*/,
               std::span<float> /*logits*/) override {}

  Evaluation evaluate(const Batch& /*batch*/, PartState /*state*/,
                      std::span<float> /*next_recurrent*/, const Evaluation& before) override {
    return before;
  }

 private:
  static void computeTensor(const Part& part, float scale, const GradientTarget& target,
                            std::size_t begin) {
    const std::size_t end = begin == 0 ? kFirstTensor : target.values.size();
    for (std::size_t i = begin; i < end; ++i) {
      const float own = scale * value(part, i);
      target.values[i] = target.write == Write::kAdd ? target.values[i] + own : own;
    }
    if (target.observer != nullptr) target.observer->onFinal(begin, end - begin);
  }

  WeightsGate* gate_ = nullptr;
};

/// Keeps what was announced, with the values that were there.
struct Announced final : ContributionObserver {
  struct Piece {
    std::size_t index;
    std::size_t first;
    std::vector<float> values;
  };

  explicit Announced(std::span<const Contribution> all) : contributions(all) {}

  void onFinal(std::size_t index, std::size_t first, std::size_t count) override {
    const auto values = contributions[index].values.subspan(first, count);
    pieces.push_back({index, first, {values.begin(), values.end()}});
  }

  std::span<const Contribution> contributions;
  std::vector<Piece> pieces;
};

Dataset numberedSamples() {
  Images images;
  Samples& samples = images.train;
  samples.shape = {1, 1, 1};
  samples.pixels.resize(kSamples);
  samples.labels.resize(kSamples);
  std::iota(samples.labels.begin(), samples.labels.end(), std::uint8_t{0});
  images.test = samples;
  images.classes = kSamples;
  return makeDataset(std::move(images));
}

model::Network networkWithState() {
  model::Network network;
  network.recurrent = 1;
  network.statistics = 2;
  network.parameters = kParameters;
  network.tensors.push_back({"w", {kParameters}, 0, 1, 1, false});
  return network;
}

struct Fixture {
  RandomEngine engine;
  Kernels kernels = Kernels::load(KernelVariant::kBaseline).value();
  ComputePool pool{2};
  Dataset dataset = numberedSamples();
  SystemClock clock;
  Prefetcher prefetcher{TrainingBatches(dataset, {.batch_size = kSamples, .parts = kParts}), clock};
  model::Network network = networkWithState();
  ExchangePlan plan = makeExchangePlan(network, kSamples, kParts);
  BlockGradient block{{kernels, pool, engine}, prefetcher, plan};
  PartStates states{network, plan};
  std::vector<float> weights = std::vector<float>(kParameters);

  std::vector<float> compute(TreeNode parts) {
    block.setBlock(parts, /*next=*/1);
    const auto contributions = block.compute(/*step=*/1, weights, states, /*scale=*/0.5F);
    BOOST_REQUIRE_EQUAL(contributions.size(), 1U);
    const auto values = contributions[0].values;
    return {values.begin(), values.end()};
  }
  /// Each node from buffers of its own.
  std::vector<float> plainTree(TreeNode node) {
    if (node.isLeaf()) return compute(node);
    const auto [left, right] = children(node);
    std::vector<float> sum = plainTree(left);
    const std::vector<float> other = plainTree(right);
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] = sum[i] + other[i];
    return sum;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(block_gradient, Fixture)

BOOST_AUTO_TEST_CASE(has_the_bits_of_the_plain_tree) {
  for (const TreeNode node : {TreeNode{0, 7}, TreeNode{0, 4}, TreeNode{4, 7}, TreeNode{2, 4}}) {
    engine.max_parts = 1;
    const std::vector<float> expected = plainTree(node);
    for (const int together : {1, 2, 3, 5, 8}) {
      engine.max_parts = together;
      engine.most_parts = 0;
      BOOST_TEST((compute(node) == expected), node);
      BOOST_TEST(engine.most_parts == std::min(together, node.size()));
    }
  }
}

BOOST_AUTO_TEST_CASE(concatenates_the_state_of_all_parts) {
  const std::vector<float> values = compute(TreeNode{0, kParts});

  float recurrent = 0;
  for (std::int64_t i = plan.recurrentAt(); i < plan.statisticsAt(); ++i)
    recurrent += values[static_cast<std::size_t>(i)];
  BOOST_TEST(recurrent == kSamples * (kSamples + 1) / 2);  // every sample once
  for (int part = 0; part < kParts; ++part) {
    const auto slot = static_cast<std::size_t>(plan.statisticsAt() + 2 * part);
    BOOST_TEST(values[slot] == static_cast<float>(prefetcher.batches().firstSample(part)) + 0.5F);
    BOOST_TEST(values[slot + 1] == values[slot]);
  }
}

BOOST_AUTO_TEST_CASE(leaves_the_state_of_other_parts_zero) {
  compute(TreeNode{0, kParts});
  const std::vector<float> values = compute(TreeNode{2, 4});

  for (int part = 0; part < kParts; ++part) {
    const auto slot = static_cast<std::size_t>(plan.statisticsAt() + 2 * part);
    BOOST_TEST((values[slot] != 0.0F) == (part == 2 || part == 3));
  }
}

BOOST_AUTO_TEST_CASE(of_a_block_that_is_no_node_is_one_contribution_for_each_maximal_node) {
  block.setBlock(TreeNode{1, 4}, /*next=*/1);

  const auto contributions = block.compute(/*step=*/1, weights, states, /*scale=*/1.0F);

  BOOST_REQUIRE_EQUAL(contributions.size(), 2U);
  BOOST_TEST(contributions[0].node == (TreeNode{1, 2}));
  BOOST_TEST(contributions[1].node == (TreeNode{2, 4}));
}

// Workers of 1, 2, 3 and 7 parts, of one node and of several; parts alone and together.
BOOST_DATA_TEST_CASE(announces_every_value_once_when_it_is_final,
                     boost::unit_test::data::make({1, 3, 8}), together) {
  engine.max_parts = together;
  for (const TreeNode parts : {TreeNode{3, 4}, TreeNode{2, 4}, TreeNode{4, 7}, TreeNode{1, 4},
                               TreeNode{0, kParts}, TreeNode{3, 6}}) {
    block.setBlock(parts, /*next=*/1);
    Announced announced(block.contributions(1));
    const auto found = block.compute(1, weights, states, 0.5F, {.observer = &announced});

    const auto values = static_cast<std::size_t>(plan.values);
    BOOST_REQUIRE_EQUAL(announced.pieces.size(), 3 * found.size());
    for (std::size_t i = 0; i < announced.pieces.size(); ++i) {
      const Announced::Piece& piece = announced.pieces[i];
      const std::size_t begins[] = {kFirstTensor, 0, kParameters};
      const std::size_t ends[] = {kParameters, kFirstTensor, values};
      BOOST_TEST(piece.index == i / 3);
      BOOST_TEST(piece.first == begins[i % 3]);
      BOOST_TEST(piece.values.size() == ends[i % 3] - begins[i % 3]);
      const auto last = found[piece.index].values.subspan(piece.first, piece.values.size());
      BOOST_TEST(std::ranges::equal(piece.values, last), parts);
    }
  }
}

BOOST_AUTO_TEST_CASE(with_an_observer_has_the_same_bits) {
  for (const TreeNode node : {TreeNode{0, 7}, TreeNode{0, 4}, TreeNode{4, 7}}) {
    const std::vector<float> expected = compute(node);
    Announced announced(block.contributions(1));
    const auto found = block.compute(1, weights, states, 0.5F, {.observer = &announced});
    BOOST_TEST(std::ranges::equal(found[0].values, expected), node);
  }
}

// Parts alone and together; with an observer and without.
BOOST_DATA_TEST_CASE(measures_the_norm_of_every_part_and_changes_no_other_bit,
                     boost::unit_test::data::make({1, 3, 8}), together) {
  engine.max_parts = together;
  const TreeNode nodes[] = {{0, 7}, {0, 4}, {4, 7}, {2, 4}, {3, 4}};
  std::vector<std::vector<float>> expected;
  std::vector<double> squares(kParts);
  for (int part = 0; part < kParts; ++part) {
    const std::vector<float> own = compute(TreeNode{part, part + 1});
    for (const float value : std::span(own).first(kParameters))
      squares[static_cast<std::size_t>(part)] +=
          static_cast<double>(value) * static_cast<double>(value);
  }
  for (const TreeNode node : nodes)
    expected.push_back(compute(node));

  addSquares(plan);

  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::vector<float> found = compute(nodes[i]);
    const auto of_parts = std::span(squares).subspan(static_cast<std::size_t>(nodes[i].begin),
                                                     static_cast<std::size_t>(nodes[i].size()));
    BOOST_TEST(
        static_cast<double>(found.back()) == std::accumulate(of_parts.begin(), of_parts.end(), 0.0),
        boost::test_tools::tolerance(1e-5));
    Announced announced(block.contributions(1));
    const auto followed = block.compute(1, weights, states, 0.5F, {.observer = &announced});
    BOOST_TEST(std::ranges::equal(followed[0].values, found));
    found.pop_back();
    BOOST_TEST((found == expected[i]), nodes[i]);
  }
}

BOOST_AUTO_TEST_CASE(lets_the_weights_through_the_gate_once_a_step) {
  struct Gate final : WeightsGate {
    int calls = 0;

    void await(std::size_t /*first*/, std::size_t /*count*/) override { ++calls; }
  } gate;
  block.setBlock(TreeNode{0, 3}, /*next=*/1);
  block.compute(1, weights, states, 1.0F, {.gate = &gate});
  BOOST_TEST(gate.calls == 1);
  block.compute(2, weights, states, 1.0F, {});
  BOOST_TEST(gate.calls == 1);
}

BOOST_AUTO_TEST_CASE(stays_until_the_step_after_the_next) {
  block.setBlock(TreeNode{0, kParts}, /*next=*/1);
  const auto first = block.compute(/*step=*/1, weights, states, /*scale=*/1.0F)[0].values;
  const std::vector<float> kept(first.begin(), first.end());

  const auto second = block.compute(/*step=*/2, weights, states, /*scale=*/1.0F)[0].values;
  BOOST_TEST(std::ranges::equal(first, kept));
  BOOST_TEST(!std::ranges::equal(second, kept));

  const auto third = block.compute(/*step=*/3, weights, states, /*scale=*/1.0F)[0].values;
  BOOST_TEST(third.data() == first.data());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::block_gradient_test
