#include "exchange/link/lane_end.h"

#include <deque>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/link/lane_pair.h"

namespace sumac::link::lane_end_test {
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

BOOST_FIXTURE_TEST_SUITE(lane_end, Fixture)

BOOST_AUTO_TEST_CASE(opens_with_a_hello_each_way) {
  BOOST_TEST(dialler.end.isOpen());
  BOOST_TEST(listener.end.isOpen());
  BOOST_TEST(dialler.end.connection() == 1U);
  BOOST_TEST(listener.end.connection() == 1U);
}

BOOST_AUTO_TEST_CASE(delivers_in_order_and_forgets_what_was_acknowledged) {
  dialler.send(1);
  dialler.send(2);
  listener.send(7);
  BOOST_TEST(dialler.end.unacknowledged() == 2U);
  run();
  pass(milliseconds(40));

  BOOST_TEST((listener.taken == Values{1, 2}));
  BOOST_TEST((dialler.taken == Values{7}));
  BOOST_TEST(dialler.end.unacknowledged() == 0U);
  BOOST_TEST(listener.end.unacknowledged() == 0U);
}

BOOST_AUTO_TEST_CASE(sends_what_waited_for_the_first_connection) {
  cut();
  dialler.send(1);
  connect();

  BOOST_TEST((listener.taken == Values{1}));
  BOOST_TEST(dialler.end.resent() == 0U);
}

BOOST_AUTO_TEST_CASE(sends_again_what_was_lost_with_a_connection_and_only_that) {
  dialler.send(1);
  listener.send(11);
  run();
  dialler.send(2);
  listener.send(12);
  deliverOne(dialler, listener);  // its acknowledgement is lost
  dialler.send(3);
  cut();
  connect();

  BOOST_TEST((listener.taken == Values{1, 2, 3}));
  BOOST_TEST((dialler.taken == Values{11, 12}));
  BOOST_TEST(dialler.end.resent() == 1U);
}

BOOST_AUTO_TEST_CASE(ignores_connections_of_before) {
  dialler.send(1);
  const InFlight old = dialler.out.front();
  cut();
  connect();
  BOOST_TEST((listener.taken == Values{1}));
  Header hello = old.header;
  hello.type = MessageType::kHello;

  give(listener, old);
  give(listener, {hello, nullptr});

  BOOST_TEST(listener.end.connection() == 2U);
  BOOST_TEST((listener.taken == Values{1}));
}

// It is late, and says nothing about the connection that stands.
BOOST_AUTO_TEST_CASE(what_is_asked_or_missing_on_a_connection_of_before_opens_no_other) {
  listener.send(1);
  InFlight old = listener.out.front();
  run();
  cut();
  connect();

  old.header.sequence = 7;
  give(dialler, old);
  old.header.type = MessageType::kReopen;
  give(dialler, old);

  BOOST_TEST(dialler.end.gaps() == 0U);
  BOOST_TEST(dialler.reopens.empty());
  BOOST_TEST(dialler.end.isOpen());
}

BOOST_AUTO_TEST_CASE(takes_a_message_once_however_often_it_comes) {
  dialler.send(1);
  const InFlight one = dialler.out.front();
  run();
  give(listener, one);
  dialler.send(2);
  run();
  give(listener, one);
  dialler.send(3);
  run();

  BOOST_TEST((listener.taken == Values{1, 2, 3}));
  BOOST_TEST(listener.end.isOpen());
  BOOST_TEST(dialler.reopens.empty());
}

BOOST_AUTO_TEST_CASE(a_gap_at_the_dialler_opens_another_connection_at_once) {
  listener.send(1);
  listener.out.clear();
  listener.send(2);
  run();
  BOOST_TEST_REQUIRE(dialler.reopens.size() == 1U);
  BOOST_TEST(dialler.taken.empty());
  BOOST_TEST(dialler.end.gaps() == 1U);
  connect();

  BOOST_TEST((dialler.taken == Values{1, 2}));
}

BOOST_AUTO_TEST_CASE(a_gap_at_the_listener_makes_it_ask_the_dialler) {
  dialler.send(1);
  dialler.out.clear();
  dialler.send(2);
  run();
  BOOST_TEST(dialler.reopens.size() == 1U);
  connect();

  BOOST_TEST((listener.taken == Values{1, 2}));
}

BOOST_AUTO_TEST_CASE(a_listener_asks_until_it_is_heard) {
  dialler.send(1);
  dialler.out.clear();
  int refused = 0;
  passes = [&](const InFlight& one, const Party&) {
    return one.header.type != MessageType::kReopen || ++refused > 2;
  };
  dialler.send(2);
  pass(milliseconds(900));

  BOOST_TEST(refused == 3);
  BOOST_TEST((listener.taken == Values{1, 2}));
}

BOOST_AUTO_TEST_CASE(a_lost_last_message_shows_in_the_next_acknowledgement) {
  listener.send(1);
  listener.out.clear();
  pass(milliseconds(300));

  BOOST_TEST(dialler.end.gaps() == 1U);
  BOOST_TEST((dialler.taken == Values{1}));
}

BOOST_AUTO_TEST_CASE(damage_opens_another_connection_from_either_end) {
  dialler.end.onDamaged();
  BOOST_TEST(dialler.reopens.size() == 1U);
  connect();
  dialler.send(1);
  run();
  listener.end.onDamaged();
  run();
  BOOST_TEST(dialler.reopens.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_burst_of_damage_does_not_use_up_all_tries_at_once) {
  dialler.send(1);
  dialler.end.onDamaged();
  passes = [](const InFlight& one, const Party&) { return one.header.type != MessageType::kPush; };
  connect();
  dialler.end.onDamaged();
  BOOST_TEST(dialler.reopens.size() == 1U);
  passes = [](const auto&, const auto&) { return true; };
  answered = 1;
  pass(milliseconds(300));

  BOOST_TEST(dialler.reopens.size() == 2U);
  BOOST_TEST((listener.taken == Values{1}));
}

BOOST_AUTO_TEST_CASE(a_listener_that_hears_nothing_asks_for_another_connection) {
  passes = [this](const InFlight& one, const Party& from) {
    return &from == &listener || one.header.type == MessageType::kHello;
  };
  dialler.send(1);
  pass(milliseconds(1960));
  BOOST_TEST(dialler.reopens.empty());
  pass(milliseconds(60));
  BOOST_TEST(dialler.reopens.size() == 1U);
  BOOST_TEST((listener.taken.empty()));
  passes = [](const auto&, const auto&) { return true; };
  cut();
  connect();

  BOOST_TEST((listener.taken == Values{1}));
}

BOOST_AUTO_TEST_CASE(a_listener_waits_longer_where_it_has_asked_before) {
  const auto only_hellos = [this](const InFlight& one, const Party& from) {
    return &from == &listener || one.header.type == MessageType::kHello;
  };
  passes = only_hellos;
  pass(milliseconds(2020));
  BOOST_TEST(dialler.reopens.size() == 1U);
  pass(milliseconds(3900));
  BOOST_TEST(dialler.reopens.size() == 1U);
  pass(milliseconds(200));

  BOOST_TEST(dialler.reopens.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_dialler_that_hears_nothing_opens_another_connection) {
  passes = [this](const InFlight&, const Party& from) { return &from == &dialler; };
  pass(milliseconds(1960), /*answers_reopen=*/false);
  BOOST_TEST(dialler.reopens.empty());
  pass(milliseconds(60), /*answers_reopen=*/false);

  BOOST_TEST(dialler.reopens.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_hello_that_is_lost_is_said_again) {
  cut();
  int hellos = 0;
  passes = [&](const InFlight& one, const Party&) {
    return one.header.type != MessageType::kHello || ++hellos > 1;
  };
  connect();
  dialler.send(1);
  pass(milliseconds(300));

  BOOST_TEST((listener.taken == Values{1}));
  BOOST_TEST(dialler.reopens.empty());
}

BOOST_AUTO_TEST_CASE(an_idle_lane_stays_open_for_ever) {
  pass(seconds(60));

  BOOST_TEST(dialler.reopens.empty());
  BOOST_TEST(dialler.end.connection() == 1U);
}

BOOST_AUTO_TEST_CASE(answers_a_hello_again_when_the_first_answer_was_lost) {
  cut();
  std::size_t lost = 0;
  passes = [&](const InFlight& one, const Party& from) {
    const bool is_answer = &from == &listener && one.header.type == MessageType::kHello;
    return !is_answer || lost++ > 0;
  };
  connect();
  BOOST_TEST(!dialler.end.isOpen());
  pass(milliseconds(500));

  BOOST_TEST(lost == 2U);
  BOOST_TEST(dialler.end.isOpen());
  BOOST_TEST(dialler.reopens.empty());
}

BOOST_AUTO_TEST_CASE(a_pause_of_our_own_makes_nobody_slower) {
  dialler.send(1);
  now += milliseconds(2'900);
  dialler.end.onTick(now);
  run();
  pass(milliseconds(40));
  BOOST_TEST(dialler.end.unacknowledged() == 0U);
  passes = [](const InFlight&, const Party&) { return false; };
  dialler.send(2);
  pass(milliseconds(2'100), /*answers_reopen=*/false);

  BOOST_TEST(!dialler.reopens.empty());
}

BOOST_AUTO_TEST_CASE(a_pause_of_our_own_is_nobodys_silence) {
  dialler.send(1);
  now += seconds(30);
  dialler.end.onTick(now);

  BOOST_TEST(dialler.reopens.empty());
}

// A full link: the acknowledgement is behind what the other end had to send before.
BOOST_AUTO_TEST_CASE(an_acknowledgement_is_waited_for_while_anything_is_heard) {
  for (Party* const sender : {&dialler, &listener}) {
    Party& other = sender == &dialler ? listener : dialler;
    std::deque<InFlight> queue;
    for (std::uint64_t value = 1; value <= 40; ++value)
      other.send(value);
    queue.swap(other.out);
    passes = [&other](const InFlight&, const Party& from) { return &from != &other; };
    sender->send(1);
    for (const InFlight& one : queue) {
      pass(milliseconds(500));
      give(*sender, one);
    }

    BOOST_TEST((other.taken.back() == 1));
    BOOST_TEST(sender->end.unacknowledged() == 1U);
    passes = [](const auto&, const auto&) { return true; };
    pass(milliseconds(300));
    BOOST_TEST(sender->end.unacknowledged() == 0U);
    BOOST_TEST(sender->end.resent() == 0U);
  }
  BOOST_TEST(dialler.reopens.empty());
}

BOOST_AUTO_TEST_CASE(a_lane_whose_messages_take_long_is_waited_for) {
  passes = [this](const InFlight&, const Party& from) { return &from == &dialler; };
  listener.send(1);
  const InFlight slow = listener.out.front();
  listener.send(2);
  const InFlight slower = listener.out.back();
  pass(milliseconds(1900));
  give(dialler, slow);
  pass(milliseconds(3500));
  BOOST_TEST(dialler.reopens.empty());
  give(dialler, slower);

  BOOST_TEST((dialler.taken == Values{1, 2}));
  pass(milliseconds(4100), /*answers_reopen=*/false);
  BOOST_TEST(dialler.reopens.size() == 1U);
}

BOOST_AUTO_TEST_CASE(acknowledgements_of_what_was_not_sent_are_damage) {
  Header header;
  header.type = MessageType::kAcknowledge;
  header.connection = 1;
  header.acknowledged = 1;
  give(dialler, {header, nullptr});
  BOOST_TEST(dialler.reopens.size() == 1U);
  connect();
  header.connection = 2;
  header.acknowledged = 0;
  header.credit = 1;
  give(dialler, {header, nullptr});

  BOOST_TEST(dialler.end.unacknowledged() == 0U);
  BOOST_TEST(!dialler.end.isOpen());
}

// It may come twice, and late.
BOOST_AUTO_TEST_CASE(an_acknowledgement_older_than_the_last_one_is_no_damage) {
  Header older;
  older.type = MessageType::kAcknowledge;
  older.connection = 1;
  dialler.send(1);
  dialler.send(2);
  run();
  pass(milliseconds(40));
  BOOST_TEST(dialler.end.unacknowledged() == 0U);

  give(dialler, {older, nullptr});

  BOOST_TEST(dialler.reopens.empty());
  BOOST_TEST(dialler.end.isOpen());
  BOOST_TEST(dialler.end.unacknowledged() == 0U);
}

BOOST_AUTO_TEST_CASE(tells_at_the_next_tick_that_something_has_moved_and_else_rarely) {
  pass(milliseconds(40));
  dialler.send(1);
  run();
  listener.end.onTick(now += milliseconds(20));
  BOOST_TEST(listener.count(MessageType::kAcknowledge) == 1U);
  listener.end.onTick(now += milliseconds(20));
  BOOST_TEST(listener.count(MessageType::kAcknowledge) == 1U);
  listener.end.onTick(now += milliseconds(250));
  BOOST_TEST(listener.count(MessageType::kAcknowledge) == 2U);
}

BOOST_AUTO_TEST_CASE(tells_nothing_by_itself_while_messages_go_out) {
  for (int i = 0; i < 50; ++i) {
    dialler.send(1);
    run();
    listener.send(2);
    dialler.end.onTick(now += milliseconds(20));
    listener.end.onTick(now);
    BOOST_TEST(listener.count(MessageType::kAcknowledge) == 0U);
    BOOST_TEST(dialler.count(MessageType::kAcknowledge) == 0U);
    run();
  }
  pass(milliseconds(40));
  BOOST_TEST(dialler.end.unacknowledged() == 0U);
  BOOST_TEST(listener.end.unacknowledged() == 0U);
}

BOOST_AUTO_TEST_CASE(answers_carry_the_acknowledgement) {
  dialler.send(1);
  run();
  listener.send(2);

  BOOST_TEST(listener.out.back().header.acknowledged == 1U);
  BOOST_TEST(listener.out.back().header.sequence == 1U);
  BOOST_TEST(listener.out.back().header.credit == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::lane_end_test
