#include "operator/trainingjob/job_reconciler.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob::job_reconciler_test {
namespace {

using nlohmann::json;
using std::chrono::seconds;

/// As many requests of each verb as there were.
std::string listOf(const FakeCluster& cluster) {
  std::string list;
  for (const std::string& request : cluster.requests())
    list += request + "\n";
  return list;
}

BOOST_AUTO_TEST_SUITE(reconciler)

BOOST_AUTO_TEST_CASE(a_job_costs_exactly_its_objects_and_three_status_writes) {
  OperatorFixture op;
  op.submit(aManifest("lenet5", 8, 2));

  op.settle();
  op.runPods();
  op.settle();
  op.endPod("lenet5-worker-0", 0, kResultMessage);
  op.settle();

  BOOST_TEST(op.isTrue("Succeeded"));
  BOOST_TEST(op.cluster.count("create ") == 14, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("create pods/") == 10);
  BOOST_TEST(op.cluster.count("replace trainingjobs/lenet5/status") == 3, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("get ") == 0, listOf(op.cluster));
  BOOST_TEST(op.events.reasons == std::vector<std::string>({"Running", "Completed"}),
             boost::test_tools::per_element());
  const std::vector<std::string> expected{">Pending", "Pending>Running", "Running>Succeeded"};
  BOOST_TEST(op.written_states == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cache_that_lags_behind_costs_no_request_twice) {
  OperatorFixture op;
  op.submit(aManifest());
  op.pass();
  const std::size_t requests = op.cluster.requests().size();

  op.passWithoutWatch();
  op.passWithoutWatch();

  BOOST_TEST(op.cluster.requests().size() == requests, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("create pods/") == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::job_reconciler_test
