#include "exchange/sums/sum_store.h"

#include <memory>
#include <stdexcept>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/plain_kernels.h"

namespace sumac::sum_store_test {

namespace {

using Workers = std::vector<int>;

SumStore::Push pushOf(int worker, Step step, TreeNode node, const std::vector<float>& values) {
  const auto kept = std::make_shared<const std::vector<float>>(values);
  return {worker, step, 0, node, {*kept, kept}};
}

// One range of two values, two parts, a worker for each.
struct Fixture {
  ExchangePlan plan = makeExchangePlan({1}, 2);
  SumStore store{plan, kPlainKernels, 10, {{.block = {0, 2}}}};

  /// The contributors where a push completes the range.
  static Result<Workers> push(SumStore& to, int worker, Step step, TreeNode node,
                              const std::vector<float>& values) {
    SumRoom room = to.room(values.size());
    const auto collects = to.push(pushOf(worker, step, node, values), room);
    if (!collects) return collects.error();
    return *collects ? to.contributors(step, 0) : Workers{};
  }
  Result<Workers> push(int worker, Step step) {
    return push(store, worker, step, {worker, worker + 1}, {static_cast<float>(step), 1.0F});
  }
  float sum(Step step) { return store.takeCollected(step, 0).front().values.values[0]; }
  void complete(Step step) {
    BOOST_TEST(push(0, step).has_value());
    BOOST_TEST(push(1, step).has_value());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sum_store, Fixture)

BOOST_AUTO_TEST_CASE(everyone_who_contributed_is_answered_when_the_range_is_complete) {
  BOOST_TEST(push(1, 11).value().empty());
  BOOST_TEST((push(0, 11).value() == Workers{0, 1}));
  BOOST_TEST(sum(11) == 22);
}

BOOST_AUTO_TEST_CASE(nobody_is_answered_twice) {
  complete(11);
  BOOST_TEST(push(0, 11).value().empty());
}

// Its memory is used again while it is still in the cache.
BOOST_AUTO_TEST_CASE(a_sum_that_is_taken_is_kept_by_nobody_else) {
  complete(11);
  const auto sum = store.takeCollected(11, 0);
  BOOST_TEST(sum.front().values.owner.use_count() == 1);
  BOOST_CHECK_THROW(store.takeCollected(11, 0), InvariantViolation);
  BOOST_TEST(push(1, 11).value().empty());
  BOOST_TEST(store.missing(11, 0).empty());
  complete(12);
  BOOST_CHECK_THROW(store.takeCollected(11, 0), std::out_of_range);
}

BOOST_AUTO_TEST_CASE(steps_that_cannot_be_open_are_refused) {
  for (const Step step : {Step{-1}, Step{0}, Step{10}, Step{12}, Step{1} << 62U}) {
    BOOST_TEST(!push(0, step).has_value());
  }
  BOOST_TEST(push(0, 11).has_value());
}

// A worker may have all of 11 while this store still waits for a contribution to it.
BOOST_AUTO_TEST_CASE(where_each_sums_for_itself_one_step_more_may_be_open) {
  SumStore direct{plan, kPlainKernels, 10, {{.block = {0, 2}}}, /*ahead=*/2};
  const auto add = [&](int worker, Step step) {
    return push(direct, worker, step, {worker, worker + 1}, {1.0F, 1.0F});
  };
  BOOST_TEST(add(0, 11).value().empty());
  BOOST_TEST(add(0, 12).value().empty());
  BOOST_TEST(!add(0, 13).has_value());
  BOOST_TEST((add(1, 11).value() == Workers{0, 1}));
  BOOST_TEST((add(1, 12).value() == Workers{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_contribution_that_does_not_fit_leaves_no_trace) {
  BOOST_TEST(!push(store, 0, 11, {0, 3}, {1.0F, 1.0F}).has_value());
  BOOST_TEST(!push(store, 0, 11, {0, 1}, {1.0F}).has_value());
  complete(11);
  BOOST_TEST(sum(11) == 22);
}

// Where others add on: one of two values, the parts [0,2) of 4 come together here.
struct OnTheWay : Fixture {
  ExchangePlan four = makeExchangePlan({1}, 4);
  SumStore between{four, kPlainKernels, 10, {{.block = {0, 2}, .is_last = false}}};

  Result<bool> push(int worker, Step step) {
    SumRoom room = between.room(2);
    return between.push(pushOf(worker, step, {worker, worker + 1}, {1.0F, 2.0F}), room);
  }
};

BOOST_FIXTURE_TEST_CASE(what_came_together_waits_for_its_sum, OnTheWay) {
  BOOST_TEST(!between.finish(11, 0).has_value());
  BOOST_TEST(!push(0, 11).value());
  BOOST_TEST(!between.awaitsSum(11, 0));
  BOOST_TEST(!between.finish(11, 0).has_value());
  BOOST_TEST(push(1, 11).value());
  BOOST_TEST(between.awaitsSum(11, 0));
  const auto passed = between.takeCollected(11, 0);
  BOOST_TEST_REQUIRE(passed.size() == 1U);
  BOOST_TEST(passed.front().node == (TreeNode{0, 2}));
  BOOST_TEST(passed.front().values.values[1] == 4.0F);
  BOOST_TEST(!push(1, 11).value());      // a second time
  BOOST_TEST(!push(0, 12).has_value());  // nobody can have the sum of 11
  BOOST_TEST(between.finish(11, 0).has_value());
  BOOST_TEST(!between.finish(11, 0).has_value());
  BOOST_TEST((between.contributors(11, 0) == Workers{0, 1}));
  BOOST_TEST(!push(0, 12).value());
}

BOOST_FIXTURE_TEST_CASE(parts_that_come_together_elsewhere_are_refused, OnTheWay) {
  SumRoom room = between.room(2);
  for (const TreeNode node : {TreeNode{2, 3}, TreeNode{0, 4}})
    BOOST_TEST(!between.push(pushOf(2, 11, node, {1.0F, 2.0F}), room).has_value());
  BOOST_TEST(!between.carry(pushOf(1, 11, {}, {1.0F, 2.0F}), room).has_value());
  BOOST_TEST((between.missing(11, 0) == std::vector{TreeNode{0, 2}}));
}

// Values whose sum depends on the order.
BOOST_AUTO_TEST_CASE(a_ring_adds_what_comes_from_before_to_the_left_of_its_own) {
  constexpr float kLarge = 1e8F;
  const auto carry = pushOf(7, 11, {}, {kLarge, 1.0F});
  const auto first = pushOf(0, 11, {0, 1}, {-kLarge, 2.0F});
  const auto second = pushOf(0, 11, {1, 2}, {0.5F, 3.0F});
  for (const bool carry_comes_first : {true, false}) {
    SumStore ring{
        plan, kPlainKernels, 10, {{.block = {0, 2}, .has_carry = true, .adds_in_turn = true}}};
    SumRoom room = ring.room(2);
    if (carry_comes_first) BOOST_TEST(!ring.carry(carry, room).value());
    BOOST_TEST(!ring.push(second, room).value());
    BOOST_TEST(ring.lacksCarry(11, 0) == !carry_comes_first);
    BOOST_TEST(ring.push(first, room).value() == carry_comes_first);
    if (!carry_comes_first) BOOST_TEST(ring.carry(carry, room).value());
    BOOST_TEST(!ring.carry(carry, room).value());  // a second time
    const auto sum = ring.takeCollected(11, 0);
    BOOST_TEST(!ring.lacksCarry(11, 0));
    BOOST_TEST_REQUIRE(sum.size() == 1U);
    BOOST_TEST(sum.front().values.values[0] == kLarge + (-kLarge + 0.5F));
    BOOST_TEST(sum.front().values.values[1] == 6.0F);
    BOOST_TEST((ring.contributors(11, 0) == Workers{0, 7}));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::sum_store_test
