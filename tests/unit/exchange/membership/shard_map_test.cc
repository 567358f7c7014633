#include "exchange/membership/shard_map.h"

#include <algorithm>
#include <numeric>

#include <boost/test/unit_test.hpp>

namespace sumac::shard_map_test {
namespace {

const std::vector<std::int64_t> kLeNet5 = {150, 6, 2400, 16, 48000, 120, 10080, 84, 840, 10};

std::vector<int> upTo(int count) {
  std::vector<int> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shard_map)

BOOST_AUTO_TEST_CASE(owners_sum_the_same_number_of_values_within_a_range) {
  for (int workers = 2; workers <= 9; ++workers) {
    const ExchangePlan plan = makeExchangePlan(kLeNet5, /*parts=*/workers);
    const ShardMap map = ShardMap::shareOut(ExchangeMethod::kScatterGather, plan, upTo(workers));
    std::int64_t largest = 0;
    for (const Range& range : plan.ranges)
      largest = std::max(largest, range.count);
    std::int64_t all = 0;
    for (int i = 0; i < workers; ++i) {
      const std::int64_t values = map.valuesOf({Role::kWorker, i}, plan);
      BOOST_TEST(values <= plan.values / workers + largest, "worker " << i << " of " << workers);
      all += values;
    }
    BOOST_TEST(all == plan.values);
  }
}

BOOST_AUTO_TEST_CASE(an_owner_has_consecutive_ranges_and_no_other_role_has_any) {
  const ExchangePlan plan = makeExchangePlan(kLeNet5, 4);
  const ShardMap map = ShardMap::shareOut(ExchangeMethod::kServers, plan, {0, 3});
  const auto ranges = map.rangesOf({Role::kServer, 3});
  BOOST_TEST_REQUIRE(!ranges.empty());
  BOOST_TEST(ranges.back() - ranges.front() + 1 == ranges.size());
  BOOST_TEST(map.rangesOf({Role::kServer, 1}).empty());
  BOOST_TEST(map.rangesOf({Role::kWorker, 0}).empty());
  BOOST_TEST(!map.owns({Role::kServer, 3}, static_cast<std::uint32_t>(plan.ranges.size())));
}

BOOST_AUTO_TEST_CASE(more_owners_than_ranges_leave_some_without) {
  const ExchangePlan plan = makeExchangePlan({3}, 4);
  const ShardMap map = ShardMap::shareOut(ExchangeMethod::kServers, plan, upTo(4));
  std::size_t owned = 0;
  for (int i = 0; i < 4; ++i)
    owned += map.rangesOf({Role::kServer, i}).size();
  BOOST_TEST(owned == 1U);
}

// Along a ring the bits depend on the owners.
BOOST_AUTO_TEST_CASE(a_squared_norm_changes_no_other_ranges_owner) {
  for (int workers = 1; workers <= 32; ++workers) {
    const ExchangePlan plain = makeExchangePlan({15}, 32, {}, {.pieces = 32, .smallest = 1});
    ExchangePlan plan = plain;
    addSquares(plan);

    std::vector<int> owners =
        ShardMap::shareOut(ExchangeMethod::kScatterGather, plan, upTo(workers)).owners();

    BOOST_TEST(owners.back() == workers - 1);
    owners.pop_back();
    BOOST_TEST(
        owners == ShardMap::shareOut(ExchangeMethod::kScatterGather, plain, upTo(workers)).owners(),
        boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(only_servers_sum_as_servers_and_decentralized_is_one_with_scatter_gather) {
  const ExchangePlan plan = makeExchangePlan(kLeNet5, 8);
  for (const ExchangeMethod method :
       {ExchangeMethod::kServers, ExchangeMethod::kDecentralized, ExchangeMethod::kDirect,
        ExchangeMethod::kScatterGather, ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const ShardMap map = ShardMap::shareOut(method, plan, {0, 2});
    const bool has_servers = method == ExchangeMethod::kServers;
    BOOST_TEST((map.role() == (has_servers ? Role::kServer : Role::kWorker)));
    BOOST_TEST(map.owners().back() == (map.isDirect() ? 0 : 2));
    const bool is_other_name = method == ExchangeMethod::kDecentralized;
    BOOST_TEST((map.method() == (is_other_name ? ExchangeMethod::kScatterGather : method)));
  }
}

BOOST_AUTO_TEST_CASE(halving_among_other_numbers_is_left_to_owners) {
  const ExchangePlan plan = makeExchangePlan({100'000}, 8);
  const ShardMap map = ShardMap::shareOut(ExchangeMethod::kHalvingDoubling, plan, {0, 1, 2});
  BOOST_TEST((map.method() == ExchangeMethod::kScatterGather));
}

// The first half belongs to those of even positions: each sends its partner half of the vector.
BOOST_AUTO_TEST_CASE(halving_gives_consecutive_halves_to_those_who_differ_in_the_lowest_bit) {
  const ExchangePlan plan = makeExchangePlan({100'000}, 8);
  std::vector<int> order =
      ShardMap::shareOut(ExchangeMethod::kHalvingDoubling, plan, {0, 1, 2, 3}).owners();
  order.erase(std::unique(order.begin(), order.end()), order.end());
  BOOST_TEST(order == (std::vector<int>{0, 2, 1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(directly_every_worker_sums_everything) {
  const ShardMap map = ShardMap::ofOwners(ExchangeMethod::kDirect, {0, 0, 0});
  BOOST_TEST(map.isDirect());
  BOOST_TEST(map.rangesOf({Role::kWorker, 7}).size() == 3U);
  BOOST_TEST(map.rangesOf({Role::kServer, 0}).empty());
}

// Whoever has its middle has the most of it.
BOOST_AUTO_TEST_CASE(a_range_across_a_border_goes_to_the_owner_of_its_middle) {
  ExchangePlan plan;
  plan.values = 100;
  for (const auto& [first, count] : {std::pair(0, 40), {40, 40}, {80, 20}}) {
    Range range;
    range.id = static_cast<std::uint32_t>(plan.ranges.size());
    range.first = first;
    range.count = count;
    plan.ranges.push_back(range);
  }
  const ShardMap map = ShardMap::shareOut(ExchangeMethod::kServers, plan, {0, 1});
  BOOST_TEST(map.rangesOf({Role::kServer, 0}) == std::vector<std::uint32_t>{0},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::shard_map_test
