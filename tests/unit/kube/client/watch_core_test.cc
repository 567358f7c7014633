#include "kube/client/watch_core.h"

#include <ostream>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "kube/client/watch_event.h"

namespace sumac::kube::watch_core_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr TimePoint kStart{std::chrono::hours(1)};

/// With the longest jitter, so that delays are whole.
WatchCore longestWaits() {
  return WatchCore([](std::uint64_t) { return 1.0F; });
}

Failure failed(int status, int retry_after = 0) {
  Failure failure;
  failure.status = status;
  if (retry_after > 0) failure.retry_after = seconds(retry_after);
  return failure;
}

long long inMilliseconds(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}

struct Case {
  const char* name;
  WatchEnd end;
  Duration lived;
  bool had_events;
  int retry_after;
  WatchStep step;
  long long delay_ms;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

const std::vector<Case> kCases = {
    {"ended after minutes", WatchEnd::kInOrder, minutes(5), true, 0, WatchStep::kWatch, 0},
    {"ended without events", WatchEnd::kInOrder, seconds(2), false, 0, WatchStep::kWatch, 0},
    {"ended at a second", WatchEnd::kInOrder, seconds(1), false, 0, WatchStep::kWatch, 0},
    {"ended at once", WatchEnd::kInOrder, milliseconds(999), false, 0, WatchStep::kWatch, 800},
    {"ended at once with events", WatchEnd::kInOrder, {}, true, 0, WatchStep::kWatch, 0},
    {"lost", WatchEnd::kLost, minutes(1), true, 0, WatchStep::kWatch, 800},
    {"refused connection", WatchEnd::kLost, {}, false, 0, WatchStep::kWatch, 800},
    {"expired", WatchEnd::kExpired, {}, false, 0, WatchStep::kList, 0},
    {"busy", WatchEnd::kBusy, {}, false, 0, WatchStep::kWatch, 800},
    {"busy for 7 s", WatchEnd::kBusy, {}, false, 7, WatchStep::kWatch, 7800},
    {"server error", WatchEnd::kServerError, {}, false, 0, WatchStep::kWatch, 800},
    {"server error for 2 s", WatchEnd::kServerError, {}, false, 2, WatchStep::kWatch, 2800},
    {"refused", WatchEnd::kRefused, {}, false, 0, WatchStep::kList, 800},
    {"malformed", WatchEnd::kMalformed, seconds(5), true, 0, WatchStep::kList, 800},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(watch_core)

BOOST_DATA_TEST_CASE(goes_on_as_each_ending_asks_for, boost::unit_test::data::make(kCases), c) {
  WatchCore core = longestWaits();
  WatchEnding ending{c.end, c.lived, c.had_events, {}};
  if (c.retry_after > 0) ending.retry_after = seconds(c.retry_after);

  const NextWatchStep next = core.afterWatch(ending, kStart);

  BOOST_TEST(next.step == c.step);
  BOOST_TEST(inMilliseconds(next.delay) == c.delay_ms);
}

BOOST_AUTO_TEST_CASE(watches_after_a_list) {
  const NextWatchStep next = longestWaits().afterList({}, kStart);

  BOOST_TEST(next.step == WatchStep::kWatch);
  BOOST_TEST(next.delay.count() == 0);
}

BOOST_AUTO_TEST_CASE(lists_again_after_a_list_that_failed) {
  const NextWatchStep next = longestWaits().afterList(failed(503), kStart);

  BOOST_TEST(next.step == WatchStep::kList);
  BOOST_TEST(inMilliseconds(next.delay) == 800);
}

BOOST_AUTO_TEST_CASE(a_list_waits_as_long_as_it_is_told) {
  BOOST_TEST(inMilliseconds(longestWaits().afterList(failed(429, 9), kStart).delay) == 9800);
}

BOOST_AUTO_TEST_CASE(waits_double_up_to_half_a_minute) {
  WatchCore core = longestWaits();
  std::vector<long long> delays;

  for (int i = 0; i < 8; ++i) {
    delays.push_back(
        inMilliseconds(core.afterWatch({WatchEnd::kLost, {}, false, {}}, kStart).delay));
  }

  const std::vector<long long> expected{800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
  BOOST_TEST(delays == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(jitter_takes_away_up_to_half) {
  WatchCore core([](std::uint64_t) { return 0.0F; });

  BOOST_TEST(inMilliseconds(core.afterList(failed(0), kStart).delay) == 400);
}

BOOST_AUTO_TEST_CASE(two_quiet_minutes_make_earlier_failures_forgotten) {
  WatchCore core = longestWaits();
  const WatchEnding lost{WatchEnd::kLost, {}, false, {}};
  core.afterWatch(lost, kStart);
  core.afterWatch(lost, kStart);

  const Duration soon = core.afterWatch(lost, kStart + minutes(2) - milliseconds(1)).delay;
  const Duration later = core.afterWatch(lost, kStart + minutes(4)).delay;

  BOOST_TEST(inMilliseconds(soon) == 3200);
  BOOST_TEST(inMilliseconds(later) == 800);
}

BOOST_AUTO_TEST_CASE(lists_after_three_server_errors_in_a_row) {
  WatchCore core = longestWaits();
  const WatchEnding error{WatchEnd::kServerError, {}, false, {}};

  BOOST_TEST(core.afterWatch(error, kStart).step == WatchStep::kWatch);
  BOOST_TEST(core.afterWatch(error, kStart).step == WatchStep::kWatch);
  BOOST_TEST(core.afterWatch(error, kStart).step == WatchStep::kList);
  core.afterList({}, kStart);
  BOOST_TEST(core.afterWatch(error, kStart).step == WatchStep::kWatch);
}

BOOST_AUTO_TEST_CASE(a_watch_that_expires_again_at_once_waits) {
  WatchCore core = longestWaits();
  const WatchEnding expired{WatchEnd::kExpired, {}, false, {}};
  core.afterWatch(expired, kStart);
  core.afterList({}, kStart);

  const NextWatchStep next = core.afterWatch(expired, kStart);

  BOOST_TEST(next.step == WatchStep::kList);
  BOOST_TEST(inMilliseconds(next.delay) == 800);
}

BOOST_AUTO_TEST_CASE(an_event_between_makes_an_expiry_a_new_one) {
  WatchCore core = longestWaits();
  core.afterWatch({WatchEnd::kExpired, {}, false, {}}, kStart);

  const NextWatchStep next = core.afterWatch({WatchEnd::kExpired, {}, true, {}}, kStart);

  BOOST_TEST(next.delay.count() == 0);
}

BOOST_AUTO_TEST_CASE(a_watch_asks_for_five_to_ten_minutes) {
  BOOST_TEST(WatchCore([](std::uint64_t) { return 0.0F; }).nextTimeout().count() == 300);
  BOOST_TEST(WatchCore([](std::uint64_t) { return 0.99999994F; }).nextTimeout().count() == 600);
}

BOOST_AUTO_TEST_CASE(knows_endings_by_their_status) {
  BOOST_TEST(endOf(failed(0)) == WatchEnd::kLost);
  BOOST_TEST(endOf(failed(410)) == WatchEnd::kExpired);
  BOOST_TEST(endOf(failed(429)) == WatchEnd::kBusy);
  BOOST_TEST(endOf(failed(500)) == WatchEnd::kServerError);
  BOOST_TEST(endOf(failed(504)) == WatchEnd::kServerError);
  BOOST_TEST(endOf(failed(401)) == WatchEnd::kRefused);
  BOOST_TEST(endOf(failed(404)) == WatchEnd::kRefused);
}

BOOST_AUTO_TEST_CASE(reads_events) {
  const auto added =
      readWatchEvent(R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"5"}}})");
  const auto deleted =
      readWatchEvent(R"({"type":"DELETED","object":{"metadata":{"resourceVersion":"6"}}})");
  const auto error = readWatchEvent(R"({"type":"ERROR","object":{"code":410}})");

  BOOST_REQUIRE(added);
  BOOST_REQUIRE(deleted);
  BOOST_REQUIRE(error);
  BOOST_TEST((added->type == WatchEventType::kUpsert));
  BOOST_TEST(added->resource_version == "5");
  BOOST_TEST((deleted->type == WatchEventType::kDelete));
  BOOST_TEST((error->type == WatchEventType::kError));
}

BOOST_AUTO_TEST_CASE(refuses_lines_that_are_no_events) {
  for (const char* line :
       {"x", "[]", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":[]})",
        R"({"type":"ADDED","object":{}})", R"({"type":1,"object":{}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":5}}})",
        R"({"type":"NEW","object":{"metadata":{"resourceVersion":"5"}}})"}) {
    BOOST_TEST_CONTEXT(line) {
      BOOST_TEST(!readWatchEvent(line).has_value());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::watch_core_test
