#include "exchange/membership/liveness.h"

#include <boost/test/unit_test.hpp>

namespace sumac::liveness_test {

namespace {

using std::chrono::milliseconds;

constexpr Slot kWorker{Role::kWorker, 1};
const TimePoint kStart{std::chrono::hours(1)};

// Ticks every 50 ms from `from` (not included) to `to`; returns how many were lost on the way.
std::size_t run(Liveness& liveness, milliseconds from, milliseconds to) {
  std::size_t lost = 0;
  for (milliseconds at = from + milliseconds(50); at <= to; at += milliseconds(50)) {
    lost += liveness.tick(kStart + at).lost.size();
  }
  return lost;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(liveness)

BOOST_AUTO_TEST_CASE(three_seconds_of_silence_lose_a_member_once) {
  Liveness liveness(kStart);
  liveness.heard(kWorker);
  BOOST_TEST(run(liveness, milliseconds(0), milliseconds(2950)) == 0U);
  BOOST_TEST(run(liveness, milliseconds(2950), milliseconds(9000)) == 1U);
}

BOOST_AUTO_TEST_CASE(who_speaks_is_not_lost) {
  Liveness liveness(kStart);
  liveness.heard(kWorker);
  run(liveness, milliseconds(0), milliseconds(2900));
  liveness.heard(kWorker);
  BOOST_TEST(run(liveness, milliseconds(2900), milliseconds(5850)) == 0U);
}

BOOST_AUTO_TEST_CASE(own_pause_is_not_held_against_others) {
  Liveness liveness(kStart);
  liveness.heard(kWorker);
  run(liveness, milliseconds(0), milliseconds(500));
  BOOST_TEST(liveness.tick(kStart + milliseconds(20'000)).lost.empty());
  BOOST_TEST(run(liveness, milliseconds(20'000), milliseconds(22'950)) == 0U);
  BOOST_TEST(run(liveness, milliseconds(22'950), milliseconds(23'000)) == 1U);
}

BOOST_AUTO_TEST_CASE(a_heartbeat_is_due_every_quarter_of_a_second) {
  Liveness liveness(kStart);
  int beats = 0;
  for (int at = 0; at < 1000; at += 50) {
    beats += liveness.tick(kStart + milliseconds(at)).beat ? 1 : 0;
  }
  BOOST_TEST(beats == 4);
}

BOOST_AUTO_TEST_CASE(who_is_forgotten_is_not_missed) {
  Liveness liveness(kStart);
  liveness.heard(kWorker);
  liveness.forget(kWorker);
  BOOST_TEST(run(liveness, milliseconds(0), milliseconds(9000)) == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::liveness_test
