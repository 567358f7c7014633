#include "exchange/membership/method_choice.h"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::method_choice_test {
namespace {

using boost::test_tools::tolerance;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kLenet5 = 61'706;  // 247 kB with the loss

ExchangePlan planOf(std::int64_t parameters, int parts = 8) {
  return makeExchangePlan({parameters}, parts);
}

ExchangeMethod methodOf(std::int64_t parameters, int workers, int parts = 8,
                        const ExchangeCosts& costs = {}) {
  return chooseMethod(planOf(parameters, parts), workers, costs, /*links=*/1).method;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(method_choice)

// The example of LeNet-5 on eight machines and 10 Gbit/s: one, two and six hops; all of the vector
// to seven peers, or 7/8 of it there and back.
BOOST_AUTO_TEST_CASE(predicts_hops_and_bytes) {
  const ExchangeCosts costs{.hop = 40e-6, .message = 0, .byte = 0.8e-9, .add = 0};
  const ExchangePlan plan = planOf(kLenet5);
  const auto predicted = [&](ExchangeMethod method) {
    return predictedSeconds(method, plan, 8, costs);
  };
  BOOST_TEST(predicted(ExchangeMethod::kDirect) == 1.422e-3, tolerance(1e-3));
  BOOST_TEST(predicted(ExchangeMethod::kScatterGather) == 0.4256e-3, tolerance(1e-3));
  BOOST_TEST(predicted(ExchangeMethod::kHalvingDoubling) == 0.5856e-3, tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(predicts_what_messages_and_sums_cost) {
  const ExchangePlan plan = planOf(1'000'000 - 1);  // 4 MB in messages of 500 kB
  BOOST_TEST(plan.longest_run == 125'000);
  const ExchangeCosts messages{.hop = 0, .message = 1, .byte = 0, .add = 0};
  BOOST_TEST(predictedSeconds(ExchangeMethod::kDirect, plan, 4, messages) == 3 * 8);
  BOOST_TEST(predictedSeconds(ExchangeMethod::kScatterGather, plan, 4, messages) == 3 * 2 * 2);
  BOOST_TEST(predictedSeconds(ExchangeMethod::kHalvingDoubling, plan, 4, messages) == 2 * (4 + 2));
  const ExchangeCosts sums{.hop = 0, .message = 0, .byte = 0, .add = 1e-6};
  BOOST_TEST(predictedSeconds(ExchangeMethod::kDirect, plan, 4, sums) == 12, tolerance(1e-9));
  BOOST_TEST(predictedSeconds(ExchangeMethod::kScatterGather, plan, 4, sums) == 3, tolerance(1e-9));
  BOOST_TEST(predictedSeconds(ExchangeMethod::kHalvingDoubling, plan, 4, sums) == 3,
             tolerance(1e-9));
}

// Of three workers and five parts, two have blocks of two tree nodes, and each is sent.
BOOST_AUTO_TEST_CASE(counts_every_node_of_a_block_that_is_none) {
  const ExchangeCosts bytes{.hop = 0, .message = 0, .byte = 1, .add = 0};
  const double size = 1000 * sizeof(float);
  BOOST_TEST(predictedSeconds(ExchangeMethod::kDirect, planOf(999, 8), 4, bytes) == 3 * size);
  BOOST_TEST(predictedSeconds(ExchangeMethod::kDirect, planOf(999, 5), 3, bytes) == 2 * 2 * size);
  BOOST_TEST(predictedSeconds(ExchangeMethod::kScatterGather, planOf(999, 5), 3, bytes) ==
             3 * 2 * size / 3);
}

BOOST_AUTO_TEST_CASE(one_worker_sends_nothing) {
  const MethodChoice alone = chooseMethod(planOf(kLenet5), 1, {}, 0);
  BOOST_TEST((alone.method == ExchangeMethod::kDirect));
  BOOST_TEST((alone.predicted == std::vector<MethodCost>{{ExchangeMethod::kDirect, 0}}));
}

BOOST_AUTO_TEST_CASE(what_is_small_goes_directly_and_what_is_large_in_shares) {
  BOOST_TEST((methodOf(1'000, 4) == ExchangeMethod::kDirect));
  BOOST_TEST((methodOf(kLenet5, 2) == ExchangeMethod::kDirect));
  BOOST_TEST((methodOf(kLenet5, 8) == ExchangeMethod::kScatterGather));
  // Of two workers each would add half of it.
  BOOST_TEST((methodOf(16'000'000, 2, 8, {.add = 0.5e-9}) == ExchangeMethod::kScatterGather));
}

// Everybody would send 126 messages, and by halving 14.
BOOST_AUTO_TEST_CASE(many_workers_halve_where_messages_cost_more_than_hops) {
  BOOST_TEST((methodOf(kLenet5, 64, 64) == ExchangeMethod::kHalvingDoubling));
  BOOST_TEST((methodOf(kLenet5, 63, 64) == ExchangeMethod::kScatterGather));
  BOOST_TEST((methodOf(kLenet5, 64, 64, {.hop = 1e-3}) == ExchangeMethod::kScatterGather));
}

BOOST_AUTO_TEST_CASE(hops_that_take_long_outweigh_bytes) {
  BOOST_TEST((methodOf(kLenet5, 4, 8, {.hop = 10e-6}) == ExchangeMethod::kScatterGather));
  BOOST_TEST((methodOf(kLenet5, 4, 8, {.hop = 5e-3}) == ExchangeMethod::kDirect));
}

BOOST_AUTO_TEST_CASE(halving_is_left_to_powers_of_two) {
  using Methods = std::vector<ExchangeMethod>;
  constexpr auto kDirect = ExchangeMethod::kDirect;
  constexpr auto kScatterGather = ExchangeMethod::kScatterGather;
  BOOST_TEST((canonicalMethods(planOf(100, 8), 4) ==
              Methods{kDirect, kScatterGather, ExchangeMethod::kHalvingDoubling}));
  BOOST_TEST((canonicalMethods(planOf(100, 8), 2) == Methods{kDirect, kScatterGather}));
  BOOST_TEST((canonicalMethods(planOf(100, 8), 6) == Methods{kDirect, kScatterGather}));
  BOOST_TEST((canonicalMethods(planOf(100, 12), 4) == Methods{kDirect, kScatterGather}));
  ExchangePlan lossy = planOf(100, 8);
  lossy.codec = Codec::kBf16;
  BOOST_TEST((canonicalMethods(lossy, 4) == Methods{kDirect, kScatterGather}));
}

BOOST_AUTO_TEST_CASE(large_vectors_are_kept_by_two_workers_at_most) {
  constexpr std::int64_t k4MiB = 1'048'576;
  BOOST_TEST(mayBeDirect(planOf(k4MiB - 1), 3));
  BOOST_TEST(!mayBeDirect(planOf(k4MiB), 3));
  BOOST_TEST(mayBeDirect(planOf(k4MiB), 2));
  BOOST_TEST((methodOf(k4MiB, 3, 8, {.hop = 1}) == ExchangeMethod::kScatterGather));
}

// 60 us + 120 us, 120 us + 60 us.
BOOST_AUTO_TEST_CASE(the_simpler_one_of_two_that_take_about_as_long_is_chosen) {
  const ExchangeCosts equal{.hop = 60e-6, .message = 0, .byte = 10e-9, .add = 0};
  BOOST_TEST((methodOf(999, 4, 8, equal) == ExchangeMethod::kDirect));
  ExchangeCosts nearer = equal;
  nearer.hop = 57e-6;
  BOOST_TEST((methodOf(999, 4, 8, nearer) == ExchangeMethod::kDirect));
  nearer.hop = 45e-6;
  BOOST_TEST((methodOf(999, 4, 8, nearer) == ExchangeMethod::kScatterGather));
}

BOOST_AUTO_TEST_CASE(a_resumed_job_keeps_its_choice_where_it_can) {
  const ExchangePlan plan = planOf(kLenet5);
  const MethodChoice kept = chooseMethod(plan, 8, {}, 3, "halvingDoubling");
  BOOST_TEST((kept.method == ExchangeMethod::kHalvingDoubling));
  BOOST_TEST(kept.is_resumed);
  BOOST_TEST(kept.predicted.size() == 3U);
  for (const std::string_view other : {"halvingDoubling", "ring", "", "../../etc"}) {
    const MethodChoice chosen = chooseMethod(plan, 6, {}, 3, other);
    BOOST_TEST((chosen.method == ExchangeMethod::kScatterGather));
    BOOST_TEST(!chosen.is_resumed);
  }
}

BOOST_AUTO_TEST_CASE(what_no_network_can_have_is_bounded_or_replaced) {
  const ExchangeCosts typical;
  BOOST_TEST((bounded({kNaN, -1, kInfinite, -kInfinite}) == typical));
  const ExchangeCosts nothing = bounded({0, 0, 0, 0});
  BOOST_TEST((nothing == ExchangeCosts{1e-6, 0.1e-6, 1e-12, 1e-12}));
  BOOST_TEST((bounded({1e9, 1e9, 1e9, 1e9}) == ExchangeCosts{1, 10e-3, 1e-5, 1e-6}));
  BOOST_TEST((bounded(typical) == typical));
}

BOOST_AUTO_TEST_CASE(the_slowest_link_and_the_slowest_sums_count_and_the_median_latency) {
  const std::vector<ExchangeCosts> links{
      {10e-6, 1e-6, 2e-9, 0}, {900e-6, 9e-6, 1e-9, 0}, {20e-6, 2e-6, 3e-9, 0}};
  const ExchangeCosts all = combined(links, {20'000'000'000, 5'000'000'000, 10'000'000'000});
  BOOST_TEST((all == ExchangeCosts{20e-6, 2e-6, 3e-9, 0.2e-9}));
}

BOOST_AUTO_TEST_CASE(what_was_not_measured_or_is_not_believed_has_the_default) {
  BOOST_TEST((combined({}, {}) == ExchangeCosts{}));
  BOOST_TEST((combined({}, {0, kLargestAddRate + 1, ~0ULL}) == ExchangeCosts{}));
  BOOST_TEST(combined({}, {0, 2'000'000'000, ~0ULL}).add == 0.5e-9, tolerance(1e-9));
  BOOST_TEST(combined({{.hop = kNaN}}, {}).hop == ExchangeCosts{}.hop);
}

BOOST_AUTO_TEST_CASE(whatever_is_measured_something_possible_is_chosen_and_always_the_same) {
  for (const double value : {kNaN, kInfinite, -1.0, 0.0, 1e-300, 1e300}) {
    for (const int workers : {1, 2, 3, 4, 8}) {
      const ExchangePlan plan = planOf(kLenet5);
      const ExchangeCosts costs{value, value, value, value};
      const MethodChoice choice = chooseMethod(plan, workers, costs, 1);
      BOOST_TEST((chooseMethod(plan, workers, costs, 1) == choice));
      for (const MethodCost& one : choice.predicted)
        BOOST_TEST((std::isfinite(one.seconds) && one.seconds >= 0));
    }
  }
}

BOOST_AUTO_TEST_CASE(says_what_was_chosen_and_what_the_others_would_take) {
  MethodChoice choice{.method = ExchangeMethod::kScatterGather,
                      .predicted = {{ExchangeMethod::kDirect, 2e-3},
                                    {ExchangeMethod::kScatterGather, 1.2e-3},
                                    {ExchangeMethod::kHalvingDoubling, 1.4375e-3}}};
  test::Transcript said;
  said.add("chosen", choiceText(choice));
  choice.is_resumed = true;
  said.add("resumed", choiceText(choice));
  said.add("no other", choiceText({.predicted = {{ExchangeMethod::kDirect, 0}}}));
  test::checkGolden("exchange/membership/method_choice.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::method_choice_test
