#include "exchange/membership/routes.h"

#include <bit>
#include <cstdlib>
#include <set>

#include <boost/test/unit_test.hpp>

namespace sumac::routes_test {
namespace {

constexpr int kMostWorkers = 9;

Slot worker(int index) {
  return {Role::kWorker, index};
}

/// Workers 0, 3, 6...: positions are not indices.
std::vector<int> indicesOf(int workers) {
  std::vector<int> indices;
  for (int i = 0; i < workers; ++i)
    indices.push_back(3 * i);
  return indices;
}

Roster rosterOf(int workers, ShardMap shards) {
  Roster roster;
  for (const int index : indicesOf(workers))
    roster.members.push_back({{worker(index), /*incarnation=*/7}, ""});
  roster.shards = std::move(shards);
  return roster;
}

ExchangePlan planFor(int workers) {
  return makeExchangePlan({static_cast<std::int64_t>(workers) * 4096}, /*parts=*/16, {},
                          {.pieces = 32, .smallest = 8, .largest = 4096});
}

Roster rosterOf(ExchangeMethod method, int workers) {
  return rosterOf(workers, ShardMap::shareOut(method, planFor(workers), indicesOf(workers)));
}

/// The workers that a contribution of `from` passes, the owner last.
std::vector<int> wayOf(const Routes& routes, int from, std::uint32_t range) {
  std::vector<int> way;
  for (std::optional<Slot> at = worker(from); at; at = routes.next(*at, range)) {
    way.push_back(at->index / 3);
    BOOST_TEST_REQUIRE(way.size() <= static_cast<std::size_t>(kMostWorkers));
  }
  return way;
}

using Way = std::vector<int>;

}  // namespace

BOOST_AUTO_TEST_SUITE(routes)

BOOST_AUTO_TEST_CASE(in_a_ring_each_sends_to_the_next_up_to_the_owner) {
  const Roster roster = rosterOf(ExchangeMethod::kRing, 4);
  const Routes routes(roster, 16);
  std::uint32_t range = 0;
  while (roster.shards.owners()[range] != 6)
    ++range;  // of position 2
  BOOST_TEST(wayOf(routes, 9, range) == (Way{3, 0, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(wayOf(routes, 3, range) == (Way{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(routes.hop(worker(9), range) == 1);
  BOOST_TEST(routes.hop(worker(3), range) == 3);
  BOOST_TEST(routes.hop(worker(6), range) == 4);
  for (const int index : {0, 3, 6, 9})
    BOOST_TEST(routes.sums(worker(index), range), index);
}

BOOST_AUTO_TEST_CASE(halving_sends_to_the_nearest_partner_first) {
  const Roster roster = rosterOf(ExchangeMethod::kHalvingDoubling, 8);
  const Routes routes(roster, 16);
  std::uint32_t range = 0;
  while (roster.shards.owners()[range] != 3 * 5)
    ++range;
  BOOST_TEST(wayOf(routes, 3 * 2, range) == (Way{2, 3, 1, 5}), boost::test_tools::per_element());
  BOOST_TEST(routes.passed(worker(3 * 2), range) == (TreeNode{4, 6}));
  BOOST_TEST(routes.passed(worker(3 * 3), range) == (TreeNode{4, 8}));
  BOOST_TEST(routes.passed(worker(3 * 1), range) == (TreeNode{0, 8}));
  BOOST_TEST(routes.passed(worker(3 * 5), range) == (TreeNode{0, 16}));
  BOOST_TEST(!routes.sums(worker(3 * 2), range));
  BOOST_TEST(routes.sums(worker(3 * 3), range));
  BOOST_TEST(routes.contributes(worker(3 * 2), worker(3 * 3), range));
  BOOST_TEST(!routes.contributes(worker(3 * 2), worker(3 * 2), range));
  BOOST_TEST(routes.contributes(worker(3 * 3), worker(3 * 3), range));
  BOOST_TEST(!routes.contributes(worker(3 * 3), worker(3 * 1), range));
  BOOST_TEST(routes.takes(worker(3 * 1), worker(3 * 3), range));
  BOOST_TEST(!routes.takes(worker(3 * 5), worker(3 * 3), range));
}

BOOST_AUTO_TEST_CASE(every_way_ends_at_the_owner_and_halving_takes_at_most_its_logarithm) {
  for (const ExchangeMethod method : {ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const bool halves = method == ExchangeMethod::kHalvingDoubling;
    for (int workers = 1; workers <= kMostWorkers; workers = halves ? 2 * workers : workers + 1) {
      const Roster roster = rosterOf(method, workers);
      const Routes routes(roster, 16);
      const int longest =
          halves ? static_cast<int>(std::bit_width(static_cast<unsigned>(workers))) : workers;
      for (std::uint32_t range = 0; range < roster.shards.ranges(); ++range) {
        for (const int index : indicesOf(workers)) {
          const Way way = wayOf(routes, index, range);
          BOOST_TEST(way.back() == roster.shards.owners()[range] / 3);
          BOOST_TEST(std::ssize(way) <= longest);
        }
      }
    }
  }
}

// The bound of any all-reduce: 2S(N-1)/N for each, contributions and sums.
BOOST_AUTO_TEST_CASE(every_worker_sends_the_least_that_an_all_reduce_can) {
  for (const ExchangeMethod method : {ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const bool halves = method == ExchangeMethod::kHalvingDoubling;
    for (int workers = 2; workers <= kMostWorkers; workers = halves ? 2 * workers : workers + 1) {
      const Roster roster = rosterOf(method, workers);
      const Routes routes(roster, 16);
      const ExchangePlan plan = planFor(workers);
      for (const int index : indicesOf(workers)) {
        std::int64_t sent = 0;
        for (const Range& range : plan.ranges) {
          if (routes.next(worker(index), range.id)) sent += range.count;
          for (const int other : indicesOf(workers)) {
            if (routes.next(worker(other), range.id) == worker(index)) sent += range.count;
          }
        }
        const std::int64_t least = 2 * plan.values * (workers - 1) / workers;
        const std::int64_t rounding = 2 * workers * plan.ranges.front().count;
        BOOST_TEST(std::abs(sent - least) <= rounding, index << " of " << workers);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_comes_to_one_who_adds_covers_what_it_passes_on) {
  for (const int workers : {2, 4, 8}) {
    const Roster roster = rosterOf(ExchangeMethod::kHalvingDoubling, workers);
    const Routes routes(roster, /*parts=*/13);
    for (std::uint32_t range = 0; range < roster.shards.ranges(); ++range) {
      for (const int index : indicesOf(workers)) {
        int parts = routes.block(worker(index)).size();
        for (const int other : indicesOf(workers)) {
          if (other == index || !routes.takes(worker(index), worker(other), range)) continue;
          BOOST_TEST(
              routes.passed(worker(index), range).contains(routes.passed(worker(other), range)));
          parts += routes.passed(worker(other), range).size();
        }
        BOOST_TEST(parts == routes.passed(worker(index), range).size());
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(members_that_send_each_other_something_are_neighbours) {
  for (const ExchangeMethod method : {ExchangeMethod::kHalvingDoubling, ExchangeMethod::kRing}) {
    const int workers = 8;
    const Roster roster = rosterOf(method, workers);
    const Routes routes(roster, 16);
    std::set<std::pair<int, int>> talk;
    for (std::uint32_t range = 0; range < roster.shards.ranges(); ++range) {
      for (const int index : indicesOf(workers)) {
        const auto next = routes.next(worker(index), range);
        if (next) talk.insert({std::min(index, next->index), std::max(index, next->index)});
      }
    }
    for (const int a : indicesOf(workers)) {
      for (const int b : indicesOf(workers)) {
        BOOST_TEST(routes.areNeighbours(worker(a), worker(b)) ==
                   talk.contains({std::min(a, b), std::max(a, b)}));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_owner_gets_all_contributions_itself) {
  const ExchangePlan plan = planFor(3);
  const Roster peers =
      rosterOf(3, ShardMap::shareOut(ExchangeMethod::kScatterGather, plan, indicesOf(3)));
  const Routes routes(peers, 16);
  BOOST_TEST((routes.next(worker(6), 0) == worker(0)));
  BOOST_TEST(routes.contributes(worker(6), worker(0), 0));
  BOOST_TEST(routes.contributes(worker(0), worker(0), 0));
  BOOST_TEST(!routes.contributes(worker(6), worker(6), 0));
  BOOST_TEST(!routes.sums(worker(6), 0));
  BOOST_TEST(routes.areNeighbours(worker(6), worker(3)));
}

BOOST_AUTO_TEST_CASE(servers_take_from_workers_and_workers_do_not_know_each_other) {
  const ExchangePlan plan = planFor(3);
  const Roster roster = rosterOf(3, ShardMap::shareOut(ExchangeMethod::kServers, plan, {0}));
  const Routes routes(roster, 16);
  const Slot server{Role::kServer, 0};
  BOOST_TEST(routes.sums(server, 0));
  BOOST_TEST(!routes.next(server, 0).has_value());
  BOOST_TEST(routes.takes(server, worker(6), 0));
  BOOST_TEST(routes.contributes(worker(6), server, 0));
  BOOST_TEST(!routes.contributes(worker(6), worker(6), 0));
  BOOST_TEST(routes.areNeighbours(worker(6), server));
  BOOST_TEST(!routes.areNeighbours(worker(6), worker(3)));
}

// No coordinator makes such a roster, but a message may have one.
BOOST_AUTO_TEST_CASE(a_server_is_nobodys_neighbour_where_workers_sum) {
  for (const ExchangeMethod method : {ExchangeMethod::kRing, ExchangeMethod::kHalvingDoubling}) {
    Roster roster = rosterOf(method, 2);
    const Slot server{Role::kServer, 0};
    roster.members.insert(roster.members.begin(), {{server, 9}, "e"});
    const Routes routes(roster, 16);
    BOOST_TEST(!routes.areNeighbours(worker(0), server));
    BOOST_TEST(!routes.contributes(worker(0), server, 0));
  }
}

BOOST_AUTO_TEST_CASE(directly_everybody_gets_everything) {
  const Roster roster =
      rosterOf(3, ShardMap::shareOut(ExchangeMethod::kDirect, planFor(3), indicesOf(3)));
  const Routes routes(roster, 16);
  for (const int from : indicesOf(3)) {
    for (const int to : indicesOf(3)) {
      BOOST_TEST(routes.contributes(worker(from), worker(to), 5));
      BOOST_TEST(routes.takes(worker(to), worker(from), 5));
    }
    BOOST_TEST(!routes.next(worker(from), 5).has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::routes_test
