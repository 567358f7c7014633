#include <random>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/link/lane_end.h"
#include "tests/support/golden.h"
#include "tests/unit/exchange/link/lane_pair.h"

// When a pair gives up, and when not.

namespace sumac::link::lane_suspicion_test {
namespace {

using lane_pair::Fixture;
using lane_pair::InFlight;
using lane_pair::Party;
using lane_pair::Values;
using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Header;
using wire::MessageType;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lane_suspicion, Fixture)

BOOST_AUTO_TEST_CASE(three_failures_in_a_row_suspect_the_pair_within_ten_seconds) {
  passes = [](const auto&, const auto&) { return false; };
  dialler.send(1);
  pass(seconds(9));

  BOOST_TEST(dialler.reopens.size() == 2U);
  BOOST_TEST(dialler.suspicions.size() == 1U);
  BOOST_TEST(dialler.end.isSuspected());
  passes = [](const auto&, const auto&) { return true; };
  pass(seconds(9));
  BOOST_TEST(dialler.suspicions.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_lane_that_was_slow_is_suspected_later_and_within_ten_seconds_too) {
  passes = [](const auto&, const auto&) { return false; };
  pass(milliseconds(1500));
  passes = [](const auto&, const auto&) { return true; };
  pass(seconds(1));
  BOOST_TEST(dialler.reopens.empty());

  passes = [](const auto&, const auto&) { return false; };
  dialler.send(1);
  pass(seconds(8));
  BOOST_TEST(dialler.suspicions.empty());
  pass(seconds(2));
  BOOST_TEST(dialler.suspicions.size() == 1U);
}

BOOST_AUTO_TEST_CASE(connections_that_open_but_carry_nothing_are_failures_in_a_row) {
  passes = [](const InFlight& one, const Party&) { return one.header.type != MessageType::kPush; };
  dialler.send(1);
  pass(seconds(9));

  BOOST_TEST(dialler.suspicions.size() == 1U);
}

BOOST_AUTO_TEST_CASE(failures_with_progress_between_them_suspect_nobody) {
  std::mt19937 random(1);
  passes = [&random](const InFlight& one, const Party&) {
    return one.header.type != MessageType::kPush || random() % 8 != 0;
  };
  for (std::uint64_t i = 1; i <= 100; ++i)
    dialler.send(i);
  pass(seconds(60));

  BOOST_TEST(listener.taken.size() == 100U);
  BOOST_TEST(dialler.reopens.size() >= 3U);
  BOOST_TEST(dialler.suspicions.empty());
}

BOOST_AUTO_TEST_CASE(connections_that_break_whenever_something_is_sent_suspect_the_pair) {
  passes = [](const InFlight& one, const Party&) { return one.header.type != MessageType::kPush; };
  dialler.send(1);
  pass(seconds(1) / 2);
  while (now < TimePoint{seconds(10)} && dialler.suspicions.empty()) {
    cut();
    pass(milliseconds(100));
    connect();
    pass(milliseconds(100));
  }

  BOOST_TEST_REQUIRE(dialler.suspicions.size() == 1U);
  test::checkGolden("exchange/link/breaks_at_once.txt", dialler.suspicions[0] + "\n");
  BOOST_TEST((now >= TimePoint{seconds(6)}));
}

// Who waits asks; that this gets through helps nobody.
BOOST_AUTO_TEST_CASE(questions_that_get_through_before_a_connection_breaks_are_no_success) {
  passes = [](const InFlight& one, const Party&) { return one.header.type != MessageType::kPush; };
  listener.send(1);
  pass(seconds(1) / 2);
  while (now < TimePoint{seconds(10)} && dialler.suspicions.empty()) {
    cut();
    pass(milliseconds(100));
    connect();
    Header question;
    question.type = MessageType::kQuery;
    dialler.end.send(question, nullptr);
    pass(milliseconds(100));
  }

  BOOST_TEST_REQUIRE(dialler.suspicions.size() == 1U);
  test::checkGolden("exchange/link/breaks_at_once.txt", dialler.suspicions[0] + "\n");
}

BOOST_AUTO_TEST_CASE(questions_cost_no_credit_and_wait_for_no_connection) {
  Header question;
  question.type = MessageType::kQuery;
  dialler.end.send(question, nullptr);
  BOOST_TEST(dialler.end.unacknowledged() == 0U);
  BOOST_TEST(dialler.out.size() == 1U);
  cut();
  dialler.end.send(question, nullptr);
  connect();
  dialler.send(1);
  run();
  BOOST_TEST((listener.taken.back() == 1));
}

BOOST_AUTO_TEST_CASE(connections_that_break_suspect_nobody_where_the_lane_is_idle_or_moves) {
  for (const bool is_idle : {true, false}) {
    for (int i = 0; i < 100; ++i) {
      if (!is_idle) listener.send(1);
      cut();
      pass(milliseconds(100));
      connect();
      pass(milliseconds(100));
    }
  }

  BOOST_TEST(dialler.suspicions.empty());
}

BOOST_AUTO_TEST_CASE(before_the_first_connection_it_tries_longer) {
  Party late{LaneEnd::Side::kDials};
  for (int i = 1; i <= 1000; ++i)
    late.end.onTick(TimePoint{} + i * milliseconds(20));
  BOOST_TEST(late.suspicions.empty());
  BOOST_TEST(late.reopens.size() > 3U);
  for (int i = 1000; i <= 3000; ++i)
    late.end.onTick(TimePoint{} + i * milliseconds(20));
  BOOST_TEST(late.suspicions.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_end_that_lost_its_state_is_suspected) {
  dialler.send(1);
  run();
  pass(milliseconds(40));
  Party other{LaneEnd::Side::kListens};
  other.connected = true;
  for (int i = 0; i < 3; ++i) {
    dialler.out.clear();
    dialler.end.onUp();
    give(other, dialler.out.front());
    while (deliverOne(other, dialler)) {
    }
  }

  BOOST_TEST_REQUIRE(dialler.suspicions.size() == 1U);
  test::checkGolden("exchange/link/lost_state.txt", dialler.suspicions[0] + "\n");
}

BOOST_AUTO_TEST_CASE(a_lane_that_is_suspected_lets_go_of_its_payloads) {
  const auto owner = std::make_shared<int>();
  Header header;
  header.type = MessageType::kPush;
  const auto send = [&] {
    dialler.end.send(header, sharePayload(asBytes("values"), owner));
    dialler.out.clear();
  };
  passes = [](const auto&, const auto&) { return false; };
  send();
  BOOST_TEST(owner.use_count() == 2);
  pass(std::chrono::seconds(10));
  BOOST_TEST_REQUIRE(dialler.suspicions.size() == 1U);
  send();
  BOOST_TEST(owner.use_count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::lane_suspicion_test
