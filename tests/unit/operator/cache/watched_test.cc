#include "operator/cache/watched.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/cache/objects.h"

namespace sumac::cache::watched_test {
namespace {

using Texts = std::vector<std::string>;

struct Fixture {
  const SystemClock clock{};
  control::BlockingQueue queue{clock};
  Watched watched{queue, clock, [] {}, Log::discarding()};

  /// The keys in the queue, which is empty afterwards.
  Texts queued() {
    Texts keys;
    while (queue.depth() > 0) {
      const auto key = *queue.take(std::stop_token());
      keys.push_back(key.text());
      queue.done(key);
    }
    return keys;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(watched, Fixture)

BOOST_AUTO_TEST_CASE(a_job_that_changes_is_queued) {
  watched.jobs().upsert(aJob("a", "1"));

  BOOST_TEST(queued() == Texts({"ns/a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_pod_that_changes_queues_its_controller_once) {
  watched.jobs().upsert(aJob("a", "1"));
  queued();

  watched.pods().upsert(aPod("a-worker-0", "2", "a", "uid-of-a"));

  BOOST_TEST(queued() == Texts({"ns/a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_pod_of_an_old_job_queues_the_new_job_of_the_same_name) {
  watched.jobs().upsert(aJob("a", "1"));
  queued();

  watched.pods().upsert(aPod("a-worker-0", "2", "a", "uid-of-an-older-a"));
  const Texts after_change = queued();
  watched.pods().remove(aPod("a-worker-0", "3", "a", "uid-of-an-older-a"));

  BOOST_TEST(after_change == Texts({"ns/a"}), boost::test_tools::per_element());
  BOOST_TEST(queued() == Texts({"ns/a"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_pod_of_another_namespace_queues_nothing) {
  watched.jobs().upsert(aJob("a", "1"));
  queued();

  watched.pods().upsert(aPod("a-worker-0", "2", "a", "uid-of-a", "a-stranger"));
  watched.pods().remove(aPod("a-worker-0", "3", "a", "uid-of-a", "a-stranger"));

  BOOST_TEST(queued().empty());
}

BOOST_AUTO_TEST_CASE(a_pod_of_an_unknown_job_queues_nothing) {
  watched.pods().upsert(aPod("a-worker-0", "2", "a", "uid-of-a"));

  BOOST_TEST(queued().empty());
}

BOOST_AUTO_TEST_CASE(room_in_a_quota_queues_the_jobs_of_its_namespace_that_wait_for_it) {
  nlohmann::json refused = aJob("refused", "1");
  refused["status"]["conditions"] = {{{"type", "Running"},
                                      {"status", "False"},
                                      {"reason", "QuotaExceeded"},
                                      {"lastTransitionTime", "2026-01-31T12:00:00Z"}}};
  nlohmann::json small = aJob("small", "2");
  small["status"]["autoscaling"]["room"] = {{"workers", 2}, {"quota", "few"}};
  for (const auto& job : {aJob("other", "3"), refused, small})
    watched.jobs().upsert(job);
  watched.quotas().replaceBegin();
  watched.quotas().upsert(aQuota("few", 4, 4));
  watched.quotas().upsert(aQuota("few", 4, 4, "elsewhere"));
  watched.quotas().replaceEnd();
  queued();

  watched.quotas().upsert(aQuota("few", 4, 3, "elsewhere"));
  BOOST_TEST(queued().empty());
  watched.quotas().upsert(aQuota("few", 4, 3));
  BOOST_TEST(queued() == Texts({"ns/refused", "ns/small"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cache::watched_test
