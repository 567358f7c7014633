#include "worker/train/final_ranges.h"

#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"

namespace sumac::worker::final_ranges_test {
namespace {

constexpr std::int64_t kLarge = FinalRanges::kBucketBytes / sizeof(float);

/// Ranges of two large tensors, of two small ones with the loss, and of part state.
struct Fixture {
  ExchangePlan plan = makeExchangePlan({kLarge, kLarge, 10, 5}, 2, {.recurrent = 7},
                                       {.pieces = 1, .smallest = kLarge, .largest = kLarge});
  FinalRanges final_ranges{plan};

  std::vector<FinalRange> take(std::size_t contribution, std::int64_t first, std::int64_t count) {
    const auto bucket = final_ranges.take(contribution, static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(count));
    return {bucket.begin(), bucket.end()};
  }
};

using Bucket = std::vector<FinalRange>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(final_ranges, Fixture)

BOOST_AUTO_TEST_CASE(a_range_is_final_when_all_its_values_are) {
  BOOST_TEST_REQUIRE(plan.ranges.size() == 4U);
  final_ranges.begin(1);
  BOOST_TEST(take(0, kLarge + 1, kLarge - 1).empty());
  BOOST_TEST(take(0, 1, kLarge - 1).empty());
  BOOST_TEST((take(0, kLarge, 1) == Bucket{{0, 1}}));
  BOOST_TEST((take(0, 0, 1) == Bucket{{0, 0}}));
}

BOOST_AUTO_TEST_CASE(values_of_several_ranges_at_once_make_all_of_them_final) {
  final_ranges.begin(1);
  BOOST_TEST((take(0, 0, plan.values) == Bucket{{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
}

BOOST_AUTO_TEST_CASE(the_loss_keeps_the_range_it_is_in_until_the_end) {
  final_ranges.begin(1);
  BOOST_TEST(take(0, 2 * kLarge, 15).empty());
  BOOST_TEST((take(0, kLarge, kLarge) == Bucket{{0, 1}}));
  BOOST_TEST(take(0, 2 * kLarge + 15, 8).empty());
  BOOST_TEST((take(0, 0, kLarge) == Bucket{{0, 2}, {0, 3}, {0, 0}}));
}

BOOST_AUTO_TEST_CASE(buckets_are_as_large_as_is_asked_for) {
  FinalRanges small(plan, 10 * sizeof(float));
  small.begin(1);
  BOOST_TEST(small.areMany());
  BOOST_TEST(small.take(0, 2 * kLarge, 15).empty());
  BOOST_TEST(small.take(0, 2 * kLarge + 15, 1).size() == 1U);

  FinalRanges large(plan, 2 * kLarge * sizeof(float));
  large.begin(1);
  BOOST_TEST(!large.areMany());
}

BOOST_AUTO_TEST_CASE(contributions_are_counted_apart) {
  final_ranges.begin(2);
  BOOST_TEST(final_ranges.bytes() == 2 * static_cast<std::size_t>(plan.values) * sizeof(float));
  BOOST_TEST((take(0, kLarge, kLarge) == Bucket{{0, 1}}));
  BOOST_TEST((take(1, kLarge, kLarge) == Bucket{{1, 1}}));
}

BOOST_AUTO_TEST_CASE(small_ranges_wait_for_a_bucket_of_them) {
  final_ranges.begin(1);
  BOOST_TEST(take(0, 2 * kLarge, 23).empty());
  BOOST_TEST(take(0, kLarge, kLarge).size() == 3U);
}

BOOST_AUTO_TEST_CASE(each_step_begins_anew) {
  for (int step = 0; step < 2; ++step) {
    final_ranges.begin(1);
    BOOST_TEST((take(0, kLarge, kLarge) == Bucket{{0, 1}}));
  }
}

BOOST_AUTO_TEST_CASE(values_that_are_said_twice_are_a_bug) {
  final_ranges.begin(1);
  take(0, 0, 10);
  take(0, 10, kLarge - 10);
  BOOST_CHECK_THROW(take(0, 9, 1), InvariantViolation);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::final_ranges_test
