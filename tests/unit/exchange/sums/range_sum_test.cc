#include "exchange/sums/range_sum.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/plain_kernels.h"

namespace sumac::range_sum_test {

namespace {

// Floats whose sum depends on the order.
float leaf(int part) {
  constexpr std::array kLeaves = {1e8F, 1.0F, -1e8F, 3.5e-3F, 7e7F, -0.1F, 12345.678F};
  return kLeaves.at(static_cast<std::size_t>(part));
}

// [0,7) = ((0 1)(2 3)) ((4 5) 6), written out.
const float kExpected =
    ((leaf(0) + leaf(1)) + (leaf(2) + leaf(3))) + ((leaf(4) + leaf(5)) + leaf(6));

SharedValues shared(std::vector<float> values) {
  auto kept = std::make_shared<const std::vector<float>>(std::move(values));
  return {*kept, kept};
}

struct Fixture {
  BufferPool pool;

  /// As if each came in a message of its own.
  Result<bool> add(RangeSum& sum, TreeNode node, float value) {
    SumRoom room(pool, 2);
    return sum.add(node, shared({value, -value}), room);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(range_sum, Fixture)

BOOST_AUTO_TEST_CASE(the_bits_do_not_depend_on_the_order_of_arrival) {
  std::mt19937 random(1);
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6};
  for (int round = 0; round < 200; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    RangeSum sum(kPlainKernels, 7, 2);
    for (const int part : order) {
      BOOST_TEST(!sum.complete());
      BOOST_TEST(add(sum, {part, part + 1}, leaf(part)).has_value());
    }
    BOOST_TEST_REQUIRE(sum.complete());
    BOOST_TEST(sum.total().values[0] == kExpected);
    BOOST_TEST(sum.total().values[1] == -kExpected);
  }
}

BOOST_AUTO_TEST_CASE(sending_again_is_harmless) {
  RangeSum sum(kPlainKernels, 3, 2);
  BOOST_TEST(!add(sum, {0, 1}, 1).value());
  BOOST_TEST(!add(sum, {0, 1}, 1).value());
  BOOST_TEST(!add(sum, {1, 2}, 2).value());
  BOOST_TEST(!add(sum, {0, 1}, 1).value());  // inside [0,2) by now
  BOOST_TEST(add(sum, {2, 3}, 4).value());
  BOOST_TEST(add(sum, {0, 2}, 3).value());
  BOOST_TEST(sum.total().values[0] == 7);
}

BOOST_AUTO_TEST_CASE(a_node_that_covers_pending_ones_replaces_them) {
  RangeSum sum(kPlainKernels, 4, 2);
  BOOST_TEST(!add(sum, {0, 1}, 1).value());
  BOOST_TEST(!add(sum, {2, 3}, 1).value());
  BOOST_TEST(!add(sum, {0, 2}, 10).value());
  BOOST_TEST(add(sum, {2, 4}, 20).value());
  BOOST_TEST(sum.total().values[0] == 30);
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_fit_and_stays_as_it_was) {
  RangeSum sum(kPlainKernels, 4, 2);
  SumRoom room(pool, 3);
  BOOST_TEST(!sum.add({0, 1}, shared({1.0F, 2.0F, 3.0F}), room).has_value());
  BOOST_TEST(!add(sum, {1, 3}, 1).has_value());
  BOOST_TEST(!add(sum, {0, 5}, 1).has_value());
  BOOST_CHECK_THROW(sum.total(), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(has_no_total_before_it_is_complete) {
  RangeSum sum(kPlainKernels, 4, 2);
  BOOST_TEST(add(sum, {0, 2}, 1).has_value());
  BOOST_CHECK_THROW(sum.total(), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(a_single_part_is_complete_at_once) {
  RangeSum sum(kPlainKernels, 1, 2);
  BOOST_TEST(add(sum, {0, 1}, 5).value());
  BOOST_TEST(sum.total().values[0] == 5);
}

BOOST_AUTO_TEST_CASE(what_waits_is_not_copied_and_is_let_go_when_it_is_added) {
  RangeSum sum(kPlainKernels, 2, 2);
  SumRoom room(pool, 2);
  const SharedValues first = shared({1, 2});
  const SharedValues second = shared({3, 4});
  BOOST_TEST(!sum.add({0, 1}, first, room).value());
  BOOST_TEST(first.owner.use_count() == 2);
  BOOST_TEST(sum.add({1, 2}, second, room).value());
  BOOST_TEST(first.owner.use_count() == 1);
  BOOST_TEST(second.owner.use_count() == 1);
  BOOST_TEST(first.values[0] == 1);
  BOOST_TEST(sum.total().values[0] == 4);
}

BOOST_AUTO_TEST_CASE(a_total_of_one_node_is_that_nodes_values) {
  RangeSum sum(kPlainKernels, 2, 2);
  SumRoom room(pool, 2);
  const SharedValues both = shared({1, 2});
  BOOST_TEST(sum.add({0, 2}, both, room).value());
  BOOST_TEST(sum.total().values.data() == both.values.data());
}

BOOST_AUTO_TEST_CASE(sums_of_one_push_lie_side_by_side) {
  RangeSum one(kPlainKernels, 2, 2);
  RangeSum next(kPlainKernels, 2, 1);
  SumRoom first(pool, 3);
  SumRoom second(pool, 3);
  const SharedValues values = shared({1, 2, 3});
  BOOST_TEST(!one.add({0, 1}, values.part(0, 2), first, 0).value());
  BOOST_TEST(!next.add({0, 1}, values.part(2, 1), first, 2).value());
  BOOST_TEST(one.add({1, 2}, values.part(0, 2), second, 0).value());
  BOOST_TEST(next.add({1, 2}, values.part(2, 1), second, 2).value());
  BOOST_TEST_REQUIRE(one.total().isFollowedBy(next.total()));
  SharedValues all = one.total();
  all.extendBy(next.total());
  BOOST_TEST(
      (std::vector<float>(all.values.begin(), all.values.end()) == std::vector<float>{2, 4, 6}));
}

BOOST_AUTO_TEST_CASE(memory_of_sums_is_used_again_when_nobody_refers_to_it) {
  std::optional<RangeSum> sum(std::in_place, kPlainKernels, 2, 2);
  BOOST_TEST(add(*sum, {0, 1}, 1.0F).has_value());
  BOOST_TEST(add(*sum, {1, 2}, 2.0F).value());
  SharedValues sent = sum->total();
  const float* const place = sent.values.data();
  sum.reset();
  BOOST_TEST(pool.take(2)->data() != place);
  sent = {};
  BOOST_TEST(pool.take(2)->data() == place);
}

BOOST_AUTO_TEST_CASE(a_buffer_outlives_its_pool) {
  auto short_lived = std::make_unique<BufferPool>();
  const BufferPool::Buffer buffer = short_lived->take(2);
  short_lived.reset();
  buffer->front() = 1;
  BOOST_TEST(buffer->front() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::range_sum_test
