#include "exchange/plan/part_tree.h"

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"

namespace sumac::part_tree_test {

namespace {

using Nodes = std::vector<TreeNode>;

}  // namespace

BOOST_AUTO_TEST_SUITE(part_tree)

BOOST_AUTO_TEST_CASE(a_node_splits_at_the_largest_power_of_two_below_its_size) {
  BOOST_TEST(children({0, 8}).first == (TreeNode{0, 4}));
  BOOST_TEST(children({0, 7}).first == (TreeNode{0, 4}));
  BOOST_TEST(children({0, 7}).second == (TreeNode{4, 7}));
  BOOST_TEST(children({4, 7}).first == (TreeNode{4, 6}));
  BOOST_TEST(children({0, 2}).second == (TreeNode{1, 2}));
  BOOST_TEST(children({0, 5}).first == (TreeNode{0, 4}));
}

BOOST_AUTO_TEST_CASE(a_leaf_has_no_children) {
  BOOST_CHECK_THROW(children({3, 4}), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(only_what_splitting_makes_is_a_node) {
  BOOST_TEST(isNode({0, 7}, 7));
  BOOST_TEST(isNode({4, 6}, 7));
  BOOST_TEST(isNode({6, 7}, 7));
  BOOST_TEST(isNode({0, 1}, 1));
  BOOST_TEST(!isNode({1, 3}, 7));
  BOOST_TEST(!isNode({0, 8}, 7));
  BOOST_TEST(!isNode({5, 7}, 7));
  BOOST_TEST(!isNode({2, 2}, 7));
  BOOST_TEST(!isNode({3, 2}, 7));
  BOOST_TEST(!isNode({-1, 1}, 7));
  BOOST_TEST(!isNode({-2147483647, 2147483647}, 7));
  BOOST_TEST(!isNode({0, 1}, 0));
}

BOOST_AUTO_TEST_CASE(siblings_are_the_two_children_of_their_parent) {
  BOOST_TEST(sibling({4, 6}, 7) == (TreeNode{6, 7}));
  BOOST_TEST(sibling({6, 7}, 7) == (TreeNode{4, 6}));
  BOOST_TEST(parent({6, 7}, 7) == (TreeNode{4, 7}));
  BOOST_CHECK_THROW(sibling({0, 7}, 7), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(a_block_is_made_of_the_largest_nodes_inside_it) {
  BOOST_TEST((maximalNodes({0, 7}, 7) == Nodes{{0, 7}}));
  BOOST_TEST((maximalNodes({1, 6}, 7) == Nodes{{1, 2}, {2, 4}, {4, 6}}));
  BOOST_TEST(maximalNodes({2, 2}, 7).empty());
}

BOOST_AUTO_TEST_CASE(right_children_that_are_sums_are_kept_while_others_are_formed) {
  BOOST_TEST(siblingsOf({0, 1}) == 0);
  BOOST_TEST(siblingsOf({0, 3}) == 0);
  BOOST_TEST(siblingsOf({0, 4}) == 1);
  BOOST_TEST(siblingsOf({0, 7}) == 1);
  BOOST_TEST(siblingsOf({0, 8}) == 2);
}

BOOST_AUTO_TEST_CASE(right_children_that_are_parts_are_kept_where_that_is_asked_for) {
  BOOST_TEST(siblingsOf({0, 1}, /*keeps_leaves=*/true) == 0);
  BOOST_TEST(siblingsOf({0, 3}, /*keeps_leaves=*/true) == 1);
  BOOST_TEST(siblingsOf({0, 4}, /*keeps_leaves=*/true) == 2);
  BOOST_TEST(siblingsOf({0, 8}, /*keeps_leaves=*/true) == 3);
}

BOOST_AUTO_TEST_CASE(blocks_cover_all_parts_once_for_any_numbers_of_workers_and_parts) {
  for (int parts = 1; parts <= 20; ++parts) {
    for (int workers = 1; workers <= parts; ++workers) {
      int next = 0;
      for (int position = 0; position < workers; ++position) {
        for (const TreeNode node : maximalNodes(blockOf(position, workers, parts), parts)) {
          BOOST_TEST(node.begin == next);
          BOOST_TEST(isNode(node, parts));
          next = node.end;
        }
      }
      BOOST_TEST(next == parts);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::part_tree_test
