#include "common/link/lane_end.h"

#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::link::lane_end_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::Header;
using wire::MessageType;

constexpr std::size_t kMebibyte = 1024UL * 1024;

struct InFlight {
  Header header;
  PayloadPtr payload;
};

/// One end, what it has asked for, and what it was given.
struct Party final : LaneActions {
  explicit Party(LaneEnd::Side side) : end(side, Header{}, *this, TimePoint{}) {}

  bool transmit(const Header& header, const PayloadPtr& payload) override {
    if (!connected) return false;
    out.push_back({header, payload});
    return true;
  }
  void reopen(const std::string& why) override { reopens.push_back(why); }
  void suspect(const std::string& why) override { suspicions.push_back(why); }

  void send(std::uint64_t value, std::size_t size = 0) {
    Header header;
    header.type = MessageType::kPush;
    header.value = value;
    end.send(header, makePayload(Bytes(size)));
  }
  std::size_t count(MessageType type) const {
    std::size_t n = 0;
    for (const InFlight& one : out)
      n += one.header.type == type ? 1U : 0U;
    return n;
  }

  LaneEnd end;
  bool connected = false;
  bool keeps_credit = false;
  std::deque<InFlight> out;
  std::vector<std::uint64_t> taken;  // values, in order
  std::vector<std::string> reopens;
  std::vector<std::string> suspicions;
};

/// Both ends and the time. Connections are up or not; run() delivers all that is under way.
struct Fixture {
  Party dialler{LaneEnd::Side::kDials};
  Party listener{LaneEnd::Side::kListens};
  TimePoint now{};
  std::size_t answered = 0;  // of dialler.reopens
  // Whether a message arrives; the second says where it was sent from.
  std::function<bool(const InFlight&, const Party&)> passes = [](const auto&, const auto&) {
    return true;
  };

  Fixture() { connect(); }

  void connect() {
    dialler.out.clear();
    listener.out.clear();
    dialler.connected = listener.connected = true;
    dialler.end.onUp();
    run();
  }
  void cut() {
    dialler.connected = listener.connected = false;
    dialler.out.clear();
    listener.out.clear();
    dialler.end.onDown();
  }
  static void give(Party& to, const InFlight& one) {
    const std::size_t size = bytesOf(one.payload).size();
    if (!to.end.onMessage(one.header, size)) return;
    to.taken.push_back(one.header.value);
    if (!to.keeps_credit) to.end.takenOver(size);
  }
  bool deliverOne(Party& from, Party& to) {
    if (from.out.empty()) return false;
    const InFlight one = from.out.front();
    from.out.pop_front();
    if (passes(one, from)) give(to, one);
    return true;
  }
  void run() {
    while (deliverOne(dialler, listener) || deliverOne(listener, dialler)) {
    }
  }
  /// Ticks both ends as a reactor does, and opens connections as they are asked for.
  void pass(Duration time, bool answers_reopen = true) {
    for (const TimePoint until = now + time; now < until;) {
      now += milliseconds(20);
      dialler.end.onTick(now);
      listener.end.onTick(now);
      run();
      while (answers_reopen && answered < dialler.reopens.size()) {
        answered = dialler.reopens.size();
        connect();
      }
    }
  }
};

using Values = std::vector<std::uint64_t>;

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

BOOST_AUTO_TEST_CASE(without_acknowledgement_for_a_second_it_opens_another_connection) {
  passes = [this](const InFlight&, const Party& from) { return &from == &listener; };
  dialler.send(1);
  pass(milliseconds(960));
  BOOST_TEST(dialler.reopens.empty());
  passes = [](const auto&, const auto&) { return true; };
  pass(milliseconds(60));

  BOOST_TEST(dialler.reopens.size() == 1U);
  BOOST_TEST((listener.taken == Values{1}));
}

BOOST_AUTO_TEST_CASE(a_listener_without_acknowledgement_asks_too) {
  passes = [this](const InFlight& one, const Party& from) {
    return &from == &listener || one.header.type != MessageType::kAcknowledge;
  };
  listener.send(1);
  run();
  pass(milliseconds(1100));

  BOOST_TEST(dialler.reopens.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_dialler_that_hears_nothing_opens_another_connection) {
  passes = [this](const InFlight&, const Party& from) { return &from == &dialler; };
  pass(milliseconds(1100), /*answers_reopen=*/false);

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
  pass(milliseconds(1'100), /*answers_reopen=*/false);

  BOOST_TEST(!dialler.reopens.empty());
}

BOOST_AUTO_TEST_CASE(a_pause_of_our_own_is_nobodys_silence) {
  dialler.send(1);
  now += seconds(30);
  dialler.end.onTick(now);

  BOOST_TEST(dialler.reopens.empty());
}

BOOST_AUTO_TEST_CASE(a_lane_whose_messages_take_long_is_waited_for) {
  const auto nothing_from_the_dialler = [this](const InFlight&, const Party& from) {
    return &from == &listener;
  };
  passes = nothing_from_the_dialler;
  dialler.send(1);
  const InFlight slow = dialler.out.front();
  pass(milliseconds(900));
  give(listener, slow);
  pass(milliseconds(100));
  BOOST_TEST(dialler.end.unacknowledged() == 0U);
  dialler.send(2);
  const InFlight slower = dialler.out.front();
  pass(milliseconds(1500));
  BOOST_TEST(dialler.reopens.empty());
  passes = [](const auto&, const auto&) { return true; };
  give(listener, slower);
  run();

  BOOST_TEST((listener.taken == Values{1, 2}));
}

BOOST_AUTO_TEST_CASE(never_more_than_the_credit_is_under_way) {
  listener.keeps_credit = true;
  int sent = 0;
  for (; dialler.end.hasRoom(kMebibyte); ++sent)
    dialler.send(1, kMebibyte);
  run();
  pass(seconds(2));
  BOOST_TEST(sent == 8);
  BOOST_TEST(dialler.end.unacknowledged() == 0U);  // arrived, but not taken over
  BOOST_TEST(!dialler.end.hasRoom(1));
  BOOST_TEST(!dialler.end.takeRoomFreed());

  listener.end.takenOver(kMebibyte);  // 1 MiB: told at once
  run();

  BOOST_TEST(dialler.end.takeRoomFreed());
  BOOST_TEST(dialler.end.hasRoom(kMebibyte));
  BOOST_TEST(!dialler.end.hasRoom(kMebibyte + 1));
}

BOOST_AUTO_TEST_CASE(small_messages_cost_a_unit_each) {
  listener.keeps_credit = true;
  int sent = 0;
  for (; dialler.end.hasRoom(4); ++sent)
    dialler.send(1, 4);

  BOOST_TEST(sent == 1024);
}

BOOST_AUTO_TEST_CASE(credit_outlives_connections) {
  listener.keeps_credit = true;
  for (int i = 0; i < 8; ++i)
    dialler.send(1, kMebibyte);
  run();
  cut();
  connect();
  BOOST_TEST(!dialler.end.hasRoom(1));
  cut();
  listener.end.takenOver(kMebibyte);
  connect();

  BOOST_TEST(dialler.end.hasRoom(kMebibyte));
  BOOST_TEST(listener.taken.size() == 8U);
}

BOOST_AUTO_TEST_CASE(more_than_the_credit_is_not_taken) {
  listener.keeps_credit = true;
  for (int i = 0; i < 9; ++i)
    dialler.send(1, kMebibyte);
  run();

  BOOST_TEST(listener.taken.size() == 8U);
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
  BOOST_TEST(dialler.suspicions[0] == "the other end has lost its state");
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
