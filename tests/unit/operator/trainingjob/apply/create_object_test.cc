#include "operator/trainingjob/apply/create_object.h"

#include <array>
#include <ostream>
#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/fake_cluster.h"

namespace sumac::trainingjob::create_object_test {
namespace {

using nlohmann::json;

const std::string kOwner = "uid-of-lenet5";

json aPod(const std::string& owner) {
  return {{"metadata",
           {{"namespace", "research"},
            {"name", "lenet5-worker-0"},
            {"ownerReferences",
             {{{"apiVersion", "sumac.dev/v1alpha1"},
               {"kind", "TrainingJob"},
               {"name", "lenet5"},
               {"uid", owner},
               {"controller", true}}}}}}};
}

Creation createIn(FakeCluster& cluster, bool may_read = true, bool look_first = false) {
  const json object = aPod(kOwner);
  return createObject(cluster, {kube::kPods, object, kOwner, may_read, look_first});
}

struct Answer {
  int status;
  const char* reason;
  Created outcome;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << answer.status << " " << answer.reason;
}

const std::array kAnswers = {
    Answer{400, "BadRequest", Created::kRefused},
    Answer{403, "Forbidden", Created::kRefused},
    Answer{413, "RequestEntityTooLarge", Created::kRefused},
    Answer{422, "Invalid", Created::kRefused},
    Answer{0, "", Created::kFailed},
    Answer{429, "TooManyRequests", Created::kFailed},
    Answer{500, "InternalError", Created::kFailed},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(create_object)

BOOST_DATA_TEST_CASE(is_retried_only_if_the_same_request_may_succeed, kAnswers, answer) {
  FakeCluster cluster;
  cluster.before = [&](const std::string&) {
    return failureOf(answer.status, answer.reason, "why");
  };

  const Creation creation = createIn(cluster);

  BOOST_TEST((creation.outcome == answer.outcome));
  BOOST_TEST_REQUIRE(creation.refusal.has_value());  // told at once, or when it lasts
  BOOST_TEST(creation.refusal->message == "why");
}

BOOST_AUTO_TEST_CASE(tells_a_refusal_with_the_name_and_the_message) {
  FakeCluster cluster;
  cluster.before = [](const std::string&) {
    return failureOf(403, "Forbidden", "exceeded quota: compute");
  };

  const auto refusal = createIn(cluster).refusal;

  BOOST_TEST_REQUIRE(refusal.has_value());
  BOOST_TEST(refusal->what == "pod lenet5-worker-0");
  BOOST_TEST(refusal->status == 403);
  BOOST_TEST(refusal->message == "exceeded quota: compute");
  BOOST_TEST(refusal->is_quota);
}

BOOST_AUTO_TEST_CASE(takes_an_existing_object_only_if_the_job_owns_it) {
  FakeCluster cluster;
  cluster.put(kube::kPods, aPod(kOwner));
  BOOST_TEST((createIn(cluster).outcome == Created::kMade));

  cluster.put(kube::kPods, aPod("uid-of-another"));
  BOOST_TEST((createIn(cluster).outcome == Created::kForeign));
}

BOOST_AUTO_TEST_CASE(does_not_read_what_it_may_not_read) {
  FakeCluster cluster;
  cluster.put(kube::kPods, aPod("uid-of-another"));

  const Creation creation = createIn(cluster, /*may_read=*/false);

  BOOST_TEST((creation.outcome == Created::kUnread));
  BOOST_TEST(cluster.count("get ") == 0);
}

BOOST_AUTO_TEST_CASE(looks_before_it_creates_what_probably_exists) {
  FakeCluster cluster;
  cluster.put(kube::kPods, aPod(kOwner));

  BOOST_TEST((createIn(cluster, true, /*look_first=*/true).outcome == Created::kMade));
  BOOST_TEST(cluster.count("create ") == 0);

  cluster.erase(kube::kPods, "lenet5-worker-0");
  BOOST_TEST((createIn(cluster, true, /*look_first=*/true).outcome == Created::kMade));
  BOOST_TEST(cluster.count("create ") == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::create_object_test
