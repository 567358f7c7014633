#include "server/store/range_sum.h"

#include <algorithm>
#include <array>
#include <random>

#include <boost/test/unit_test.hpp>

#include "tests/support/plain_kernels.h"

namespace sumac::server::range_sum_test {

namespace {

// Floats whose sum depends on the order.
float leaf(int part) {
  constexpr std::array kLeaves = {1e8F, 1.0F, -1e8F, 3.5e-3F, 7e7F, -0.1F, 12345.678F};
  return kLeaves.at(static_cast<std::size_t>(part));
}

// [0,7) = ((0 1)(2 3)) ((4 5) 6), written out.
const float kExpected =
    ((leaf(0) + leaf(1)) + (leaf(2) + leaf(3))) + ((leaf(4) + leaf(5)) + leaf(6));

struct Fixture {
  BufferPool pool;
};

Result<bool> add(RangeSum& sum, TreeNode node, float value) {
  const std::array values = {value, -value};
  return sum.add(node, values);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(range_sum, Fixture)

BOOST_AUTO_TEST_CASE(the_bits_do_not_depend_on_the_order_of_arrival) {
  std::mt19937 random(1);
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6};
  for (int round = 0; round < 200; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    RangeSum sum(kPlainKernels, pool, 7, 2);
    for (const int part : order) {
      BOOST_TEST(!sum.complete());
      BOOST_TEST(add(sum, {part, part + 1}, leaf(part)).has_value());
    }
    BOOST_TEST_REQUIRE(sum.complete());
    BOOST_TEST(sum.total()[0] == kExpected);
    BOOST_TEST(sum.total()[1] == -kExpected);
  }
}

BOOST_AUTO_TEST_CASE(sending_again_is_harmless) {
  RangeSum sum(kPlainKernels, pool, 3, 2);
  BOOST_TEST(!add(sum, {0, 1}, 1).value());
  BOOST_TEST(!add(sum, {0, 1}, 1).value());
  BOOST_TEST(!add(sum, {1, 2}, 2).value());
  BOOST_TEST(!add(sum, {0, 1}, 1).value());  // inside [0,2) by now
  BOOST_TEST(add(sum, {2, 3}, 4).value());
  BOOST_TEST(add(sum, {0, 2}, 3).value());
  BOOST_TEST(sum.total()[0] == 7);
}

BOOST_AUTO_TEST_CASE(a_node_that_covers_pending_ones_replaces_them) {
  RangeSum sum(kPlainKernels, pool, 4, 2);
  BOOST_TEST(!add(sum, {0, 1}, 1).value());
  BOOST_TEST(!add(sum, {2, 3}, 1).value());
  BOOST_TEST(!add(sum, {0, 2}, 10).value());
  BOOST_TEST(add(sum, {2, 4}, 20).value());
  BOOST_TEST(sum.total()[0] == 30);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit_and_stays_as_it_was) {
  RangeSum sum(kPlainKernels, pool, 4, 2);
  const std::array three = {1.0F, 2.0F, 3.0F};
  BOOST_TEST(!sum.add({0, 1}, three).has_value());
  BOOST_TEST(!add(sum, {1, 3}, 1).has_value());
  BOOST_TEST(!add(sum, {0, 5}, 1).has_value());
  BOOST_CHECK_THROW(sum.total(), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(has_no_total_before_it_is_complete) {
  RangeSum sum(kPlainKernels, pool, 4, 2);
  BOOST_TEST(add(sum, {0, 2}, 1).has_value());
  BOOST_CHECK_THROW(sum.total(), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(a_single_part_is_complete_at_once) {
  RangeSum sum(kPlainKernels, pool, 1, 2);
  BOOST_TEST(add(sum, {0, 1}, 5).value());
  BOOST_TEST(sum.total()[0] == 5);
}

BOOST_AUTO_TEST_CASE(memory_is_used_again_and_is_never_more_than_nodes_that_waited) {
  const float* first = nullptr;
  {
    RangeSum sum(kPlainKernels, pool, 4, 2);
    BOOST_TEST(add(sum, {0, 2}, 1.0F).has_value());
    BOOST_TEST(add(sum, {2, 4}, 2.0F).value());
    first = sum.total().data();
  }
  RangeSum next(kPlainKernels, pool, 4, 2);
  BOOST_TEST(add(next, {0, 4}, 3.0F).value());
  BOOST_TEST(next.total().data() == first);
  BOOST_TEST(next.total()[1] == -3.0F);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server::range_sum_test
