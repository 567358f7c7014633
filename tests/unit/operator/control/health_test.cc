#include "operator/control/health.h"

#include <boost/test/unit_test.hpp>

#include "operator/cache/first_list.h"
#include "operator/control/failpoint.h"
#include "tests/support/golden.h"
#include "tests/support/manual_clock.h"

namespace sumac::control::health_test {
namespace {

class Nothing final : public kube::Sink {
 public:
  void replaceBegin() override {}
  void upsert(const nlohmann::json& /*object*/) override {}
  void replaceEnd() override {}
  void remove(const nlohmann::json& /*last_state*/) override {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(health)

BOOST_AUTO_TEST_CASE(names_the_thread_that_stands_still) {
  ManualClock clock;
  Health health(clock);
  const TimePoint last = clock.now();
  health.addThread(
      "the watch", [&](TimePoint now) { return now - last; }, std::chrono::seconds(10));
  clock.advance(std::chrono::seconds(10));
  BOOST_TEST(health.live().status == 200);

  clock.advance(std::chrono::seconds(1));

  BOOST_TEST(health.live().status == 503);
  test::checkGolden("operator/control/still_thread.txt", health.live().body);
}

BOOST_AUTO_TEST_CASE(is_ready_when_every_cache_is) {
  const ManualClock clock;
  Health health(clock);
  bool has_synced = false;
  health.addCache("jobs", [] { return true; });
  health.addCache("pods", [&] { return has_synced; });
  BOOST_TEST(health.ready().status == 503);
  test::checkGolden("operator/control/unready_cache.txt", health.ready().body);

  has_synced = true;

  BOOST_TEST(health.ready().status == 200);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(first_list)

BOOST_AUTO_TEST_CASE(tells_of_the_first_list_only) {
  Nothing nothing;
  int told = 0;
  cache::FirstList first(nothing, [&] { ++told; });

  first.replaceBegin();
  BOOST_TEST(told == 0);
  first.replaceEnd();
  first.replaceBegin();
  first.replaceEnd();

  BOOST_TEST(told == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(failpoints)

BOOST_AUTO_TEST_CASE(every_point_has_its_name_and_no_other_is_taken) {
  BOOST_TEST(kFailpointNames.size() == static_cast<std::size_t>(Failpoint::kAfterEvents) + 1);
  for (const std::string_view name : kFailpointNames) {
    BOOST_TEST(checkFailpointName(name).has_value());
  }
  BOOST_TEST(checkFailpointName("").has_value());
  const auto refused = checkFailpointName("after-lunch");
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(refused.error().message.find("after-pod-create") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_happens_where_none_is_armed) {
  failpoint(Failpoint::kPassBegin);
  failpoint(Failpoint::kAfterEvents);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::control::health_test
