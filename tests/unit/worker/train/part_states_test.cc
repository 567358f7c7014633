#include "worker/train/part_states.h"

#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"

namespace sumac::worker::part_states_test {
namespace {

constexpr int kParts = 2;
constexpr std::int64_t kBatch = 5;

/// Three recurrent values a sample; a batchNorm of one channel and one of two.
model::Network network() {
  model::Network network;
  network.recurrent = 3;
  network.statistics = 6;
  network.layers.resize(2);
  network.layers[0].statistics = {0, 2};
  network.layers[1].statistics = {2, 4};
  return network;
}

std::vector<float> copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

struct Fixture {
  model::Network net = network();
  ExchangePlan plan = makeExchangePlan(net, kBatch, kParts);
  PartStates states{net, plan};

  /// Sums whose state is 0, 1, 2, ...
  std::vector<float> sums() const {
    std::vector<float> sums(static_cast<std::size_t>(plan.values), -1.0F);
    std::iota(sums.begin() + plan.recurrentAt(), sums.end(), 0.0F);
    return sums;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(part_states, Fixture)

BOOST_AUTO_TEST_CASE(begin_with_means_of_zero_and_variances_of_one) {
  const std::vector<float> expected{0, 1, 0, 0, 1, 1};

  const PartState second = states.of(/*part=*/1, /*first_sample=*/2, /*count=*/3);

  BOOST_TEST(copy(second.statistics) == expected, boost::test_tools::per_element());
  BOOST_TEST(copy(second.recurrent) == std::vector<float>(9, 0.0F),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(are_cut_by_samples_and_by_parts) {
  states.advance(sums());

  const PartState second = states.of(/*part=*/1, /*first_sample=*/2, /*count=*/3);

  BOOST_TEST(second.recurrent.front() == 6.0F);
  BOOST_TEST(second.recurrent.size() == 9U);
  BOOST_TEST(second.statistics.front() == 15.0F + 6.0F);
  BOOST_TEST(second.statistics.size() == 6U);
}

BOOST_AUTO_TEST_CASE(keep_what_stood_before_the_step_that_is_over) {
  const PartState before = states.of(0, 0, 2);
  const std::vector<float> statistics = copy(before.statistics);

  states.advance(sums());

  BOOST_TEST(copy(before.statistics) == statistics, boost::test_tools::per_element());
  BOOST_TEST(states.of(0, 0, 2).statistics.data() != before.statistics.data());
}

BOOST_AUTO_TEST_CASE(forget_recurrent_state_and_nothing_else) {
  states.advance(sums());

  states.forgetRecurrent();

  BOOST_TEST(copy(states.recurrent()) == std::vector<float>(15, 0.0F),
             boost::test_tools::per_element());
  BOOST_TEST(states.statistics().front() == 15.0F);
}

BOOST_AUTO_TEST_CASE(give_evaluation_the_mean_over_the_parts) {
  states.advance(sums());
  std::vector<float> mean(6);

  states.meanStatistics(mean);

  const std::vector<float> expected{18, 19, 20, 21, 22, 23};
  BOOST_TEST(mean == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(come_back_from_a_checkpoint_and_refuse_one_of_another_size) {
  const std::vector<float> recurrent(15, 7.0F);
  const std::vector<float> statistics(12, 8.0F);

  BOOST_REQUIRE(states.restore(recurrent, statistics));

  BOOST_TEST(states.recurrent().back() == 7.0F);
  BOOST_TEST(states.statistics().back() == 8.0F);
  test::Refusals refusals;
  refusals.add("no recurrent state", states.restore({}, statistics), "0 ", ErrorCode::kConflict);
  refusals.compareWith("worker/train/part_states.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::part_states_test
