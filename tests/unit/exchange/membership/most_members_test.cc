#include "exchange/membership/most_members.h"

#include <boost/test/unit_test.hpp>

#include "job/document/limits.h"

namespace sumac::most_members_test {

BOOST_AUTO_TEST_SUITE(most_members)

BOOST_AUTO_TEST_CASE(are_as_many_workers_as_have_a_part_each_and_may_connect) {
  job::TrainingJob job;
  job.worker.replicas = 2;
  job.server.replicas = 3;
  job.training.logical_workers = 8;
  BOOST_TEST((mostMembers(job, true) == MostMembers{8, 3}));
  job.training.logical_workers = job::kMostPeers + 1;
  BOOST_TEST((mostMembers(job, true) == MostMembers{job::kMostPeers, 3}));
  job.worker.replicas = job::kMostPeers;
  BOOST_TEST((mostMembers(job, true) == MostMembers{job::kMostPeers, 3}));
}

BOOST_AUTO_TEST_CASE(are_not_known_where_members_do_not_change) {
  job::TrainingJob job;
  BOOST_TEST(mostMembers(job, true).has_value());
  BOOST_TEST(!mostMembers(job, false).has_value());
  auto ring = job;
  ring.strategy.method = ExchangeMethod::kRing;
  auto lossy = job;
  lossy.strategy.codec = Codec::kBf16;
  auto large = job;
  large.worker.replicas = job::kMostPeers + 1;
  for (const auto& other : {ring, lossy, large})
    BOOST_TEST(!mostMembers(other, true).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::most_members_test
