#include "exchange/plan/exchange_plan.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "job/model/network.h"

namespace sumac::exchange_plan_test {

namespace {

using Sizes = std::vector<std::int64_t>;

const Sizes kAlexNet = {34848,  96,  307200,   256,  884736,   384,  663552,  384,
                        442368, 256, 37748736, 4096, 16777216, 4096, 4096000, 1000};
const Sizes kLeNet5 = {150, 6, 2400, 16, 48000, 120, 10080, 84, 840, 10};

void checkCovers(const ExchangePlan& plan) {
  std::int64_t next = 0;
  for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
    const Range& range = plan.ranges[i];
    BOOST_TEST(range.id == i);
    BOOST_TEST(range.first == next);
    BOOST_TEST(range.count > 0);
    BOOST_TEST(range.count <= 131072);
    next += range.count;
  }
  BOOST_TEST(next == plan.values);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange_plan)

BOOST_AUTO_TEST_CASE(ranges_cover_all_values_and_the_tail_without_gaps) {
  for (const Sizes& sizes : {kAlexNet, kLeNet5, Sizes{1}, Sizes{16383, 16384, 131072, 131073}})
    checkCovers(makeExchangePlan(sizes, 8));
}

BOOST_AUTO_TEST_CASE(a_range_is_about_a_thirty_second_of_the_vector) {
  const ExchangePlan plan = makeExchangePlan(kLeNet5, 4);
  BOOST_TEST(plan.ranges.size() >= 32U);
  BOOST_TEST(plan.ranges.size() <= 48U);
  BOOST_TEST(makeExchangePlan({100}, 4).ranges.size() == 1U);
}

BOOST_AUTO_TEST_CASE(small_tensors_next_to_each_other_travel_together) {
  BOOST_TEST(makeExchangePlan({150, 6, 400, 16}, 4).ranges.size() == 1U);
  BOOST_TEST(makeExchangePlan({100, 20000, 100}, 4, {}, {.pieces = 1}).ranges.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_large_tensor_is_cut_evenly) {
  const ExchangePlan plan = makeExchangePlan({131073}, 4, {}, {.pieces = 1});
  BOOST_TEST_REQUIRE(plan.ranges.size() == 3U);
  BOOST_TEST(plan.ranges[0].count == 65536);
  BOOST_TEST(plan.ranges[1].count == 65537);
}

BOOST_AUTO_TEST_CASE(few_values_can_be_cut_into_many_ranges) {
  BOOST_TEST(makeExchangePlan({15}, 4, {}, {.pieces = 8, .smallest = 1}).ranges.size() == 9U);
}

BOOST_AUTO_TEST_CASE(a_network_gives_the_plan_of_its_tensors) {
  model::Network network;
  network.tensors.push_back({"a", {6, 1, 5, 5}, 0, 0, 0, false});
  network.tensors.push_back({"b", {6}, 150, 0, 0, true});
  BOOST_TEST((makeExchangePlan(network, 8, 4).ranges == makeExchangePlan({150, 6}, 4).ranges));
}

BOOST_AUTO_TEST_CASE(of_an_embedding_rows_are_rare_where_a_part_has_fewer_words) {
  const model::Network network = model::resolve(model::fromZoo("ptb-lstm-small").value()).value();
  BOOST_TEST(network.vocabulary() == 10'000);
  BOOST_TEST(makeExchangePlan(network, 20, 2).embedding == 200 * 10'000);
  BOOST_TEST(makeExchangePlan(network, 1002, 2).embedding == 0);  // of 20 time steps
}

BOOST_AUTO_TEST_CASE(part_state_follows_the_loss_in_ranges_of_its_own) {
  model::Network network;
  network.tensors.push_back({"a", {150}, 0, 0, 0, false});
  network.parameters = 150;
  network.recurrent = 40;
  network.statistics = 6;

  const ExchangePlan plan = makeExchangePlan(network, /*batch_size=*/10, /*parts=*/4);

  BOOST_TEST(plan.lossAt() == 150);
  BOOST_TEST(plan.recurrentAt() == 151);
  BOOST_TEST(plan.statisticsAt() == 151 + 10 * 40);
  BOOST_TEST(plan.values == 151 + 10 * 40 + 4 * 6);
  BOOST_TEST_REQUIRE(plan.ranges.size() == 3U);
  BOOST_TEST(plan.ranges[1].first == 151);
  BOOST_TEST(plan.ranges[1].count == 400);
  BOOST_TEST(plan.ranges[2].count == 24);
}

BOOST_AUTO_TEST_CASE(a_squared_norm_comes_last_and_moves_no_other_range) {
  const PartStateSizes state{.recurrent = 40, .statistics = 6};
  const ExchangePlan plain = makeExchangePlan({150, 6}, 4, state);
  ExchangePlan plan = plain;

  addSquares(plan);

  BOOST_TEST(plan.squaresAt() == plain.values);
  BOOST_TEST(plan.values == plain.values + 1);
  BOOST_TEST_REQUIRE(plan.ranges.size() == plain.ranges.size() + 1);
  BOOST_TEST((plan.ranges.back() == Range{plan.ranges.back().id, plain.values, 1}));
  BOOST_TEST(plan.rangeAt(plan.squaresAt()) == plain.ranges.size());
  plan.ranges.pop_back();
  BOOST_TEST((plan.ranges == plain.ranges));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::exchange_plan_test
