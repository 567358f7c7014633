#include "server/sync/sum_store.h"

#include <memory>
#include <stdexcept>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/plain_kernels.h"

namespace sumac::server::sum_store_test {

namespace {

using Workers = std::vector<int>;

// One range of two values, two parts, a worker for each.
struct Fixture {
  ExchangePlan plan = makeExchangePlan({1}, 2);
  SumStore store{plan, kPlainKernels, 10};

  static Result<Workers> push(SumStore& to, int worker, Step step, TreeNode node,
                              const std::vector<float>& values) {
    const auto kept = std::make_shared<const std::vector<float>>(values);
    SumRoom room = to.room(values.size());
    return to.push({worker, step, 0, node, {*kept, kept}}, room);
  }
  Result<Workers> push(int worker, Step step) {
    return push(store, worker, step, {worker, worker + 1}, {static_cast<float>(step), 1.0F});
  }
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
  BOOST_TEST(store.sum(11, 0).values[0] == 22);
}

BOOST_AUTO_TEST_CASE(nobody_is_answered_twice) {
  complete(11);
  BOOST_TEST(push(0, 11).value().empty());
}

BOOST_AUTO_TEST_CASE(the_sum_goes_when_the_next_step_is_complete) {
  complete(11);
  complete(12);
  BOOST_CHECK_THROW(store.sum(11, 0), std::out_of_range);
  BOOST_TEST(push(1, 11).value().empty());
}

BOOST_AUTO_TEST_CASE(a_new_generation_sums_again_from_everyone) {
  complete(11);
  BOOST_TEST(push(0, 12).has_value());
  store.clear();
  BOOST_TEST(push(0, 11).value().empty());
  BOOST_TEST((push(1, 11).value() == Workers{0, 1}));
  BOOST_TEST(push(1, 12).value().empty());
  BOOST_TEST((push(0, 12).value() == Workers{0, 1}));
}

BOOST_AUTO_TEST_CASE(steps_that_cannot_be_open_are_refused) {
  for (const Step step : {Step{-1}, Step{0}, Step{10}, Step{12}, Step{1} << 62U}) {
    BOOST_TEST(!push(0, step).has_value());
  }
  BOOST_TEST(push(0, 11).has_value());
}

// A worker may have all of 11 while this store still waits for a contribution to it.
BOOST_AUTO_TEST_CASE(where_each_sums_for_itself_one_step_more_may_be_open) {
  SumStore direct{plan, kPlainKernels, 10, /*ahead=*/2};
  const auto add = [&](int worker, Step step) {
    return push(direct, worker, step, {worker, worker + 1}, {1.0F, 1.0F});
  };
  BOOST_TEST(add(0, 11).value().empty());
  BOOST_TEST(add(0, 12).value().empty());
  BOOST_TEST(!add(0, 13).has_value());
  BOOST_TEST((add(1, 11).value() == Workers{0, 1}));
  BOOST_TEST((add(1, 12).value() == Workers{0, 1}));
  direct.clear();
  BOOST_TEST(add(0, 12).value().empty());
  BOOST_TEST((add(1, 12).value() == Workers{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_contribution_that_does_not_fit_leaves_no_trace) {
  BOOST_TEST(!push(store, 0, 11, {0, 3}, {1.0F, 1.0F}).has_value());
  BOOST_TEST(!push(store, 0, 11, {0, 1}, {1.0F}).has_value());
  complete(11);
  BOOST_TEST(store.sum(11, 0).values[0] == 22);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::server::sum_store_test
