#include "operator/trainingjob/policy/scale.h"

#include <ostream>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob::scale_test {
namespace {

struct Case {
  const char* name;
  int replicas;
  int minimum;  // 0: of fixed size
  int maximum;
  int parts;
  int expected;
};

std::ostream& operator<<(std::ostream& out, const Case& each) {
  return out << each.name;
}

const Case kCases[] = {
    {"fixed", 3, 0, 0, 8, 3},          {"within", 3, 2, 4, 8, 3},
    {"at the minimum", 2, 2, 4, 8, 2}, {"below the minimum", 1, 2, 4, 8, 2},
    {"at the maximum", 4, 2, 4, 8, 4}, {"above the maximum", 5, 2, 4, 8, 4},
    {"never above V", 9, 0, 0, 8, 8},  {"0 as HPA may write it", 0, 1, 4, 8, 1},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(scale_policy)

BOOST_DATA_TEST_CASE(gives_the_size_of_the_next_attempt, boost::unit_test::data::make(kCases),
                     each) {
  JobFixture fixture;
  fixture.job.worker_replicas = each.replicas;
  if (each.minimum > 0) fixture.job.min_replicas = each.minimum;
  if (each.minimum > 0) fixture.job.max_replicas = each.maximum;
  fixture.record.logical_workers = each.parts;
  fixture.start();
  BOOST_TEST(fixture.status().worker.desired == each.expected);
  BOOST_TEST(fixture.pods.size() == static_cast<std::size_t>(each.expected) + 1);
}

BOOST_FIXTURE_TEST_CASE(makes_all_pods_again_and_counts_nothing, JobFixture) {
  job.min_replicas = 1;
  job.max_replicas = 4;
  start();
  job.worker_replicas = 4;

  const Plan plan = pass();

  BOOST_TEST(plan.actions.empty());
  BOOST_TEST(condition("Restarting").reason == "Scaled");
  BOOST_TEST(status().worker.desired == 4);
  restartFully();
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "4/4");
  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().restarts + status().disruptions == 0);
  BOOST_TEST(status().recovery.failures == 0);
}

BOOST_FIXTURE_TEST_CASE(leaves_a_job_of_fixed_size_as_it_is_until_it_is_resumed, JobFixture) {
  start();
  job.worker_replicas = 4;
  settle();
  BOOST_TEST(status().workers == "2/2");
  end(kWorker1, 139);
  restartFully();
  BOOST_TEST(status().workers == "2/2");
  job.suspend = true;
  settle();
  pods.clear();
  settle();
  job.suspend = false;
  start();
  BOOST_TEST(status().workers == "4/4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::scale_test
