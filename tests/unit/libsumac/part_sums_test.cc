#include "libsumac/part_sums.h"

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"

namespace sumac::program::part_sums_test {
namespace {

constexpr std::int64_t kValues = 37;

/// Values whose sum depends on the order of its additions.
std::vector<float> gradientOf(int part) {
  std::vector<float> values(kValues);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1.0F / static_cast<float>(3 + (7 * part + 5 * static_cast<int>(i)) % 101);
  return values;
}

float lossOf(int part) {
  return 0.1F * static_cast<float>(part + 1);
}

/// What a node of the tree is, by its definition.
std::vector<float> sumOf(TreeNode node) {
  if (node.isLeaf()) {
    std::vector<float> leaf = gradientOf(node.begin);
    leaf.push_back(lossOf(node.begin));
    return leaf;
  }
  const auto [left, right] = children(node);
  std::vector<float> sum = sumOf(left);
  const std::vector<float> other = sumOf(right);
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] += other[i];
  return sum;
}

void addAll(PartSums& sums, TreeNode block, Step step) {
  sums.begin(step);
  for (int part = block.begin; part < block.end; ++part) {
    BOOST_TEST_REQUIRE(sums.next() == part);
    BOOST_TEST(!sums.isWhole());
    const std::vector<float> gradient = gradientOf(part);
    const std::array<Piece, 3> pieces{
        {{gradient.data(), 1}, {nullptr, 0}, {gradient.data() + 1, gradient.size() - 1}}};
    sums.add(pieces, lossOf(part));
  }
  BOOST_TEST(sums.isWhole());
  BOOST_TEST(sums.next() == block.end);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(part_sums)

BOOST_AUTO_TEST_CASE(adds_each_block_along_the_tree) {
  for (const auto& kernels : everyVariant()) {
    for (const int parts : {1, 2, 5, 8, 13}) {
      const ExchangePlan plan = makeExchangePlan({kValues}, parts);
      PartSums sums(plan, kernels);
      for (int begin = 0; begin < parts; ++begin) {
        for (int end = begin + 1; end <= parts; ++end) {
          const TreeNode block{begin, end};
          sums.setBlock(block);
          addAll(sums, block, 1);
          const auto contributions = sums.contributions();
          const auto nodes = maximalNodes(block, parts);
          BOOST_TEST_REQUIRE(contributions.size() == nodes.size());
          for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::vector<float> wanted = sumOf(nodes[i]);
            BOOST_TEST((contributions[i].node == nodes[i]));
            BOOST_TEST((std::vector<float>(contributions[i].values.begin(),
                                           contributions[i].values.end()) == wanted));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_piece_of_no_memory_is_zeros_which_are_added_too) {
  const ExchangePlan plan = makeExchangePlan({kValues}, 2);
  PartSums sums(plan, everyVariant().front());
  sums.setBlock({0, 2});
  sums.begin(1);
  const std::vector<float> values(kValues, -0.0F);
  const std::array<Piece, 1> whole{{{values.data(), values.size()}}};
  const std::array<Piece, 2> half{{{values.data(), 30}, {nullptr, 7}}};
  sums.add(half, 0);
  sums.add(whole, 0);
  const auto sum = sums.contributions().front().values;
  BOOST_TEST(std::signbit(sum[29]));
  BOOST_TEST(!std::signbit(sum[30]));
  sums.begin(2);
  sums.add(whole, 0);
  sums.add(half, 0);
  const auto other = sums.contributions().front().values;
  BOOST_TEST(std::signbit(other[29]));
  BOOST_TEST(!std::signbit(other[30]));
}

BOOST_AUTO_TEST_CASE(keeps_what_was_added_for_the_step_before) {
  const ExchangePlan plan = makeExchangePlan({kValues}, 4);
  PartSums sums(plan, everyVariant().front());
  sums.setBlock({0, 4});
  addAll(sums, {0, 4}, 1);
  const auto first = sums.contributions().front().values;
  const std::vector<float> copy(first.begin(), first.end());
  sums.begin(2);
  const std::vector<float> other(kValues, 99.0F);
  const std::array<Piece, 1> whole{{{other.data(), other.size()}}};
  sums.add(whole, 9);
  BOOST_TEST((std::vector<float>(first.begin(), first.end()) == copy));
}

BOOST_AUTO_TEST_CASE(keeps_what_was_sent_of_another_block_while_it_is_read) {
  const ExchangePlan plan = makeExchangePlan({kValues}, 4);
  PartSums sums(plan, everyVariant().front());
  sums.setBlock({0, 2});
  addAll(sums, {0, 2}, 1);
  const Contribution sent = sums.contributions().front();
  sums.setBlock({0, 4});
  addAll(sums, {0, 4}, 1);
  BOOST_TEST((std::vector<float>(sent.values.begin(), sent.values.end()) == sumOf(TreeNode{0, 2})));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::program::part_sums_test
