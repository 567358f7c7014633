#include "exchange/membership/sharing.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace sumac::sharing_test {
namespace {

job::StrategySpec allReduce(job::Algorithm algorithm) {
  job::StrategySpec strategy;
  strategy.exchange = job::Exchange::kAllReduce;
  strategy.algorithm = algorithm;
  return strategy;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sharing)

BOOST_AUTO_TEST_CASE(is_what_the_job_asks_for) {
  job::StrategySpec strategy;
  BOOST_TEST((sharingOf(strategy) == Sharing::kServers));
  strategy.topology = job::Topology::kDecentralized;
  BOOST_TEST((sharingOf(strategy) == Sharing::kScatterGather));
  BOOST_TEST((sharingOf(allReduce(job::Algorithm::kAuto)) == Sharing::kAuto));
  BOOST_TEST((sharingOf(allReduce(job::Algorithm::kDirect)) == Sharing::kDirect));
  BOOST_TEST((sharingOf(allReduce(job::Algorithm::kScatterGather)) == Sharing::kScatterGather));
  BOOST_TEST((sharingOf(allReduce(job::Algorithm::kRing)) == Sharing::kRing));
  BOOST_TEST((sharingOf(allReduce(job::Algorithm::kHalvingDoubling)) == Sharing::kHalvingDoubling));
}

BOOST_AUTO_TEST_CASE(ranges_go_to_those_who_are_there) {
  const ExchangePlan plan = makeExchangePlan({100'000}, 8);
  const ShardMap servers = share(Sharing::kServers, plan, {0, 1, 2}, {0, 1});
  BOOST_TEST((servers.role() == Role::kServer));
  BOOST_TEST(servers.owners().back() == 1);
  const ShardMap workers = share(Sharing::kScatterGather, plan, {0, 2}, {});
  BOOST_TEST((workers.role() == Role::kWorker));
  BOOST_TEST(workers.owners().back() == 2);
  const ShardMap ring = share(Sharing::kRing, plan, {0, 2, 5}, {});
  BOOST_TEST((ring.reduction() == Reduction::kRing));
  BOOST_TEST(ring.owners().back() == 5);
}

// The first half belongs to those of even positions: each sends its partner half of the vector.
BOOST_AUTO_TEST_CASE(halving_gives_consecutive_halves_to_those_who_differ_in_the_lowest_bit) {
  const ExchangePlan plan = makeExchangePlan({100'000}, 8);
  const ShardMap shards = share(Sharing::kHalvingDoubling, plan, {0, 1, 2, 3}, {});
  BOOST_TEST((shards.reduction() == Reduction::kHalvingDoubling));
  std::vector<int> order = shards.owners();
  order.erase(std::unique(order.begin(), order.end()), order.end());
  BOOST_TEST(order == (std::vector<int>{0, 2, 1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_way_has_shards_of_its_own) {
  const ExchangePlan plan = makeExchangePlan({100'000}, 8);
  for (const Reduction way :
       {Reduction::kOwner, Reduction::kDirect, Reduction::kHalvingDoubling, Reduction::kRing}) {
    const ShardMap shards = share(sharingOf(way), plan, {0, 1, 2, 3}, {});
    BOOST_TEST((shards.reduction() == way));
    BOOST_TEST((shards.role() == Role::kWorker));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::sharing_test
