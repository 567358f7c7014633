#include "base/trace/clock_alignment.h"

#include <limits>

#include <boost/test/unit_test.hpp>

namespace sumac::trace::clock_alignment_test {
namespace {

using std::chrono_literals::operator""us;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;

constexpr TimePoint kStart{1h};
constexpr Duration kAhead = 5h;  // so far the coordinator's clock is ahead of ours

/// An echo that took `there` to the coordinator and `back` from there.
void echo(ClockAlignment& clock, TimePoint sent, Duration there, Duration back) {
  clock.onEcho(sent, sent + there + kAhead, sent + there + back);
}

/// How far the offset is from the truth.
Duration errorOf(const ClockAlignment::Offset& offset) {
  return std::chrono::abs(offset.to_coordinator - kAhead);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(clock_alignment)

BOOST_AUTO_TEST_CASE(knows_nothing_before_the_first_echo) {
  BOOST_TEST(!ClockAlignment().at(kStart).has_value());
}

BOOST_AUTO_TEST_CASE(an_echo_tells_the_offset_up_to_half_of_what_it_took) {
  ClockAlignment clock;
  echo(clock, kStart, 80us, 20us);

  const auto offset = clock.at(kStart);

  BOOST_TEST_REQUIRE(offset.has_value());
  BOOST_TEST((offset->uncertainty >= 50us && offset->uncertainty < 51us));
  BOOST_TEST((errorOf(*offset) <= offset->uncertainty));
}

BOOST_AUTO_TEST_CASE(the_fastest_echo_counts) {
  ClockAlignment clock;
  echo(clock, kStart, 400us, 10us);
  echo(clock, kStart + 1us, 5us, 7us);
  echo(clock, kStart + 2us, 10us, 900us);

  const auto offset = clock.at(kStart);

  BOOST_TEST_REQUIRE(offset.has_value());
  BOOST_TEST(offset->echoes == 3U);
  BOOST_TEST((offset->uncertainty < 8us));
  BOOST_TEST((errorOf(*offset) <= offset->uncertainty));
}

BOOST_AUTO_TEST_CASE(clocks_drift_so_that_an_old_echo_counts_less) {
  ClockAlignment clock;
  echo(clock, kStart, 5us, 5us);
  echo(clock, kStart + 10s, 50us, 50us);

  const auto offset = clock.at(kStart + 10s);

  BOOST_TEST_REQUIRE(offset.has_value());  // ten seconds may have been a millisecond
  BOOST_TEST((offset->uncertainty >= 50us && offset->uncertainty < 51us));
}

BOOST_AUTO_TEST_CASE(keeps_a_bounded_number_of_echoes) {
  ClockAlignment clock;
  echo(clock, kStart, 1us, 1us);
  for (std::size_t i = 0; i < ClockAlignment::kKept; ++i)
    echo(clock, kStart, 50us, 50us);

  BOOST_TEST(clock.at(kStart)->echoes == ClockAlignment::kKept);
  BOOST_TEST((clock.at(kStart)->uncertainty >= 50us));
}

BOOST_AUTO_TEST_CASE(the_coordinator_is_the_reference) {
  ClockAlignment clock;
  clock.setReference();
  echo(clock, kStart, 1us, 1us);

  BOOST_TEST((clock.at(kStart)->to_coordinator == Duration::zero()));
  BOOST_TEST((clock.at(kStart)->uncertainty == Duration::zero()));
}

BOOST_AUTO_TEST_CASE(ignores_echoes_that_cannot_be) {
  ClockAlignment clock;
  clock.onEcho(kStart + 1us, kStart, kStart);  // before the question
  clock.onEcho(kStart, kStart, kStart + 11s);  // too late to tell anything
  clock.onEcho(TimePoint(), kStart, kStart);   // of no question of ours
  clock.onEcho(timeOf(std::numeric_limits<std::uint64_t>::max()), kStart, kStart);

  BOOST_TEST(!clock.at(kStart).has_value());
}

BOOST_AUTO_TEST_CASE(a_stamp_is_never_zero_and_any_can_be_read) {
  BOOST_TEST(stampOf(TimePoint()) != 0U);
  BOOST_TEST((timeOf(stampOf(kStart)) == kStart));
  ClockAlignment clock;
  clock.onEcho(kStart, timeOf(std::numeric_limits<std::uint64_t>::max()), kStart);
  BOOST_TEST(clock.at(kStart).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trace::clock_alignment_test
