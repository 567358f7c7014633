#include "exchange/link/lanes.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::link::lanes_test {
namespace {

using std::chrono::milliseconds;
using wire::Header;
using wire::MessageType;

const Member kSelf{{Role::kServer, 0}, 10};
const Member kWorker{{Role::kWorker, 1}, 20};
constexpr Peer kData{{Role::kWorker, 1}, Lane::kData};
constexpr Peer kControl{{Role::kWorker, 1}, Lane::kControl};

struct FakeTransport final : Transport {
  void connect(Peer peer, const std::string& /*endpoint*/, Incarnation expected) override {
    connected.push_back(peer);
    processes.push_back(expected);
  }
  void await(Peer peer, Incarnation incarnation) override {
    awaited.push_back(peer);
    processes.push_back(incarnation);
  }
  void reopen(Peer peer) override { reopened.push_back(peer); }
  void close(Peer peer) override { closed.push_back(peer); }
  bool transmit(Peer to, const Header& header, const PayloadPtr& /*payload*/) override {
    if (!up) return false;
    peers.push_back(to);
    sent.push_back(header);
    return true;
  }
  bool answer(const Member& to, const Header& header, const PayloadPtr& payload) override {
    answered.push_back(to);
    return transmit({to.slot, Lane::kControl}, header, payload);
  }
  void onTick(TimePoint /*now*/) override { ++ticks; }

  bool up = true;
  int ticks = 0;
  std::vector<Peer> connected;
  std::vector<Peer> awaited;
  std::vector<Incarnation> processes;  // of both
  std::vector<Member> answered;
  std::vector<Peer> reopened;
  std::vector<Peer> closed;
  std::vector<Peer> peers;
  std::vector<Header> sent;
};

struct Fixture : Handler {
  FakeTransport transport;
  Lanes lanes{7, kSelf, transport, Log::discarding()};
  TimePoint now{std::chrono::hours(1)};

  std::vector<std::string> texts;
  std::vector<Peer> ups;
  std::vector<Peer> rooms;
  std::vector<Peer> suspected;
  int downs = 0;
  bool keeps = false;
  std::optional<Peer> other_keeps;
  std::function<void()> on_event = [] {};

  Fixture() {
    lanes.deliverTo(*this);
    lanes.onTick(now);
  }

  void onMessage(Peer from, const Header& /*header*/, const PayloadPtr& payload) override {
    texts.emplace_back(asText(bytesOf(payload)));
    if (keeps) lanes.withhold(from);
    if (other_keeps) lanes.withhold(*other_keeps);
    on_event();
  }
  void onPeerUp(Peer peer) override {
    ups.push_back(peer);
    on_event();
  }
  void onPeerDown(Peer /*peer*/, const std::string& /*why*/) override {
    ++downs;
    on_event();
  }
  void onRoom(Peer peer) override {
    rooms.push_back(peer);
    on_event();
  }
  void onSuspected(Peer peer, const std::string& /*why*/) override {
    suspected.push_back(peer);
    on_event();
  }

  static Header message(MessageType type, std::uint64_t sequence = 0,
                        Incarnation incarnation = kWorker.incarnation) {
    Header header;
    header.type = type;
    header.sender = {kWorker.slot, incarnation};
    header.connection = 1;
    header.sequence = sequence;
    if (type != MessageType::kHello) return header;
    header.first = kSelf.incarnation;
    header.step = 1;
    return header;
  }
  void pass(Duration time) {
    for (const TimePoint until = now + time; now < until;)
      lanes.onTick(now += milliseconds(20));
  }
  void hello(Incarnation incarnation = kWorker.incarnation) {
    lanes.onMessage(kData, message(MessageType::kHello, 0, incarnation), {});
  }
  /// A lane that is open.
  void open(Incarnation incarnation = kWorker.incarnation) {
    lanes.await(kData, incarnation);
    hello(incarnation);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(lanes_, Fixture)

BOOST_AUTO_TEST_CASE(the_hello_of_a_process_that_is_awaited_is_answered) {
  open();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));

  BOOST_TEST_REQUIRE(transport.sent.size() == 1U);
  BOOST_TEST((transport.sent[0].type == MessageType::kHello));
  BOOST_TEST(transport.sent[0].job == 7U);
  BOOST_TEST(transport.sent[0].sender == kSelf);
  BOOST_TEST((texts == std::vector<std::string>{"one"}));
}

BOOST_AUTO_TEST_CASE(messages_without_a_hello_or_of_another_process_are_not_taken) {
  lanes.await(kData, kWorker.incarnation);
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("early")));
  hello();
  lanes.onMessage(kData, message(MessageType::kPush, 1, /*incarnation=*/99),
                  makePayload(asBytes("false")));

  BOOST_TEST(texts.empty());
}

BOOST_AUTO_TEST_CASE(a_process_that_dials_before_it_is_awaited_gets_its_answer_then) {
  hello();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("early")));
  pass(std::chrono::seconds(5));
  BOOST_TEST(transport.sent.empty());
  BOOST_TEST(!lanes.hasRoom(kData, 1));
  lanes.await(kData, kWorker.incarnation);
  BOOST_TEST_REQUIRE(transport.sent.size() == 1U);
  BOOST_TEST((transport.sent[0].type == MessageType::kHello));
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));

  BOOST_TEST((texts == std::vector<std::string>{"one"}));
  BOOST_TEST((transport.awaited == std::vector<Peer>{kData}));
  BOOST_TEST((transport.processes == std::vector<Incarnation>{kWorker.incarnation}));
}

// As where it listens at an endpoint of its predecessor, which others still dial.
BOOST_AUTO_TEST_CASE(a_hello_for_another_process_is_neither_answered_nor_kept) {
  Header header = message(MessageType::kHello);
  header.first = kSelf.incarnation - 1;
  header.connection = 5;
  lanes.onMessage(kData, header, {});
  lanes.await(kData, kWorker.incarnation);
  lanes.onMessage(kData, header, {});
  BOOST_TEST(transport.sent.empty());
  hello();

  BOOST_TEST_REQUIRE(transport.sent.size() == 1U);
  BOOST_TEST(transport.sent[0].first == kWorker.incarnation);
}

// The other end closes its lane before or after us.
BOOST_AUTO_TEST_CASE(a_hello_of_the_lane_before_or_after_this_one_is_not_answered) {
  open();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
  const auto ours = static_cast<std::uint32_t>(transport.sent[0].step);
  BOOST_TEST(ours > 0U);
  BOOST_TEST(transport.sent[0].range == 1U);
  transport.sent.clear();
  Header next = message(MessageType::kHello);
  next.step = 2;
  next.connection = 2;
  lanes.onMessage(kData, next, {});
  BOOST_TEST(transport.sent.empty());
  lanes.close(kData);
  lanes.await(kData, kWorker.incarnation);  // answers what it has kept
  BOOST_TEST_REQUIRE(transport.sent.size() == 1U);
  BOOST_TEST((transport.sent[0].step != ours && transport.sent[0].range == 2U));
  lanes.close(kData);
  lanes.await(kData, kWorker.incarnation);
  next.range = static_cast<std::uint32_t>(transport.sent[0].step);
  next.connection = 3;
  lanes.onMessage(kData, next, {});

  BOOST_TEST(transport.sent.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_lane_that_has_carried_nothing_is_the_next_one_of_the_other_end) {
  open();
  Header next = message(MessageType::kHello);
  next.step = 2;
  next.connection = 2;
  lanes.onMessage(kData, next, {});
  BOOST_TEST_REQUIRE(transport.sent.size() == 2U);
  BOOST_TEST(transport.sent[1].range == 2U);
  lanes.onMessage(kData, message(MessageType::kHello), {});
  BOOST_TEST(transport.sent.size() == 2U);
}

BOOST_AUTO_TEST_CASE(connections_are_numbered_on_after_a_lane_was_closed) {
  for (const std::uint32_t connection : {1U, 2U}) {
    lanes.connect(kData, "here", kWorker.incarnation);
    lanes.onPeerUp(kData);
    BOOST_TEST(transport.sent.back().connection == connection);
    lanes.close(kData);
  }
}

BOOST_AUTO_TEST_CASE(of_the_processes_of_a_slot_the_newest_hello_is_kept) {
  hello();
  hello(/*incarnation=*/99);
  lanes.await(kData, kWorker.incarnation);
  BOOST_TEST(transport.sent.empty());  // it says hello again within 250 ms
  lanes.await(kData, /*incarnation=*/99);
  BOOST_TEST(transport.sent.size() == 1U);
  lanes.await(kData, kWorker.incarnation);
  lanes.await(kData, /*incarnation=*/99);  // no hello is answered twice

  BOOST_TEST(transport.sent.size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_hello_of_a_successor_is_kept_while_its_predecessor_has_the_lane) {
  open();
  hello(/*incarnation=*/99);
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
  BOOST_TEST(transport.sent.size() == 1U);
  lanes.close(kData);
  lanes.await(kData, /*incarnation=*/99);
  lanes.onMessage(kData, message(MessageType::kPush, 2), makePayload(asBytes("of before")));
  lanes.onMessage(kData, message(MessageType::kPush, 1, 99), makePayload(asBytes("other")));

  BOOST_TEST(transport.sent.size() == 2U);
  BOOST_TEST((texts == std::vector<std::string>{"one", "other"}));
}

BOOST_AUTO_TEST_CASE(a_lane_that_we_dial_is_that_of_the_process_that_is_expected) {
  lanes.connect(kData, "here", kWorker.incarnation);
  lanes.onPeerUp(kData);
  hello(/*incarnation=*/99);
  lanes.onMessage(kData, message(MessageType::kPush, 1, 99), makePayload(asBytes("false")));
  hello();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));

  BOOST_TEST((texts == std::vector<std::string>{"one"}));
  BOOST_TEST((transport.processes == std::vector<Incarnation>{kWorker.incarnation}));
}

BOOST_AUTO_TEST_CASE(a_lane_is_kept_for_its_process_and_replaced_for_another) {
  lanes.connect(kData, "here", kWorker.incarnation);
  lanes.onPeerUp(kData);
  hello();
  lanes.send(kData, message(MessageType::kSum), asBytes("x"));
  transport.closed.clear();
  lanes.connect(kData, "here", kWorker.incarnation);
  lanes.send(kData, message(MessageType::kSum), asBytes("y"));
  BOOST_TEST(transport.connected.size() == 1U);
  BOOST_TEST(transport.closed.empty());
  BOOST_TEST(transport.sent.back().sequence == 2U);
  lanes.connect(kData, "there", /*expected=*/99);
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("of before")));

  BOOST_TEST(transport.connected.size() == 2U);
  BOOST_TEST(transport.closed.size() == 1U);
  BOOST_TEST(texts.empty());
}

BOOST_AUTO_TEST_CASE(a_control_lane_is_kept_or_replaced_by_process_and_endpoint) {
  lanes.connect(kControl, "here", /*expected=*/0);
  lanes.onPeerUp(kControl);
  lanes.connect(kControl, "here", /*expected=*/0);
  BOOST_TEST(transport.connected.size() == 1U);
  lanes.onMessage(kControl, message(MessageType::kRoster, 0, 99), makePayload(asBytes("any")));
  lanes.connect(kControl, "there", /*expected=*/0);
  BOOST_TEST(transport.connected.size() == 2U);
  lanes.connect(kControl, "there", kWorker.incarnation);
  BOOST_TEST(transport.connected.size() == 3U);
  lanes.onMessage(kControl, message(MessageType::kRoster, 0, 99), makePayload(asBytes("false")));
  lanes.onMessage(kControl, message(MessageType::kReopen, 0, 99), {});
  lanes.onMessage(kControl, message(MessageType::kRoster), makePayload(asBytes("one")));

  BOOST_TEST((texts == std::vector<std::string>{"any", "one"}));
  BOOST_TEST(transport.reopened.empty());
}

BOOST_AUTO_TEST_CASE(a_control_lane_is_answered_by_process_and_heard_by_slot) {
  lanes.await(kControl, kWorker.incarnation);
  BOOST_TEST((transport.awaited == std::vector<Peer>{kControl}));
  lanes.onMessage(kControl, message(MessageType::kJoin, 0, 99), makePayload(asBytes("join")));
  BOOST_TEST((texts == std::vector<std::string>{"join"}));
  lanes.answer({kWorker.slot, 99}, message(MessageType::kAbort), asBytes("another is"));
  BOOST_TEST((transport.answered == std::vector<Member>{{kWorker.slot, 99}}));
  transport.up = false;
  lanes.answer({kWorker.slot, 99}, message(MessageType::kAbort), BytesView{});
  Statistics statistics;
  lanes.addTo(statistics);

  BOOST_TEST(statistics.dropped == 1U);
}

BOOST_AUTO_TEST_CASE(no_other_process_is_taken_for_the_one_that_is_awaited) {
  lanes.await(kData, kWorker.incarnation);
  hello(/*incarnation=*/99);
  lanes.onMessage(kData, message(MessageType::kPush, 1, /*incarnation=*/99),
                  makePayload(asBytes("false")));
  BOOST_TEST(transport.sent.empty());
  hello();
  hello(/*incarnation=*/99);
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));

  BOOST_TEST((texts == std::vector<std::string>{"one"}));
}

BOOST_AUTO_TEST_CASE(what_is_sent_to_a_process_that_is_awaited_arrives_when_it_dials) {
  lanes.await(kData, kWorker.incarnation);
  BOOST_TEST(lanes.hasRoom(kData, 1));
  lanes.send(kData, message(MessageType::kSum), asBytes("x"));
  lanes.send(kData, message(MessageType::kSum), asBytes("y"));
  pass(milliseconds(40));
  BOOST_TEST(transport.sent.empty());
  hello();

  BOOST_TEST_REQUIRE(transport.sent.size() == 3U);
  BOOST_TEST((transport.sent[0].type == MessageType::kHello));
  BOOST_TEST(transport.sent[1].sequence == 1U);
  BOOST_TEST(transport.sent[2].sequence == 2U);
}

BOOST_AUTO_TEST_CASE(a_lane_that_is_there_is_kept_when_its_process_is_awaited_again) {
  open();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
  lanes.await(kData, kWorker.incarnation);
  lanes.onMessage(kData, message(MessageType::kPush, 2), makePayload(asBytes("two")));
  lanes.await(kData, /*incarnation=*/99);
  lanes.onMessage(kData, message(MessageType::kPush, 3), makePayload(asBytes("of before")));

  BOOST_TEST((texts == std::vector<std::string>{"one", "two"}));
}

BOOST_AUTO_TEST_CASE(credit_of_what_is_withheld_comes_back_when_it_is_given_back) {
  open();
  keeps = true;
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
  pass(milliseconds(40));
  BOOST_TEST(transport.sent.back().acknowledged == 1U);
  BOOST_TEST(transport.sent.back().credit == 0U);
  lanes.giveBack(kData, 3);
  pass(milliseconds(40));

  BOOST_TEST(transport.sent.back().credit == 1U);
}

BOOST_AUTO_TEST_CASE(only_the_message_of_the_peer_that_is_named_is_withheld) {
  open();
  other_keeps = Peer{{Role::kWorker, 5}, Lane::kData};
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
  pass(milliseconds(40));

  BOOST_TEST(transport.sent.back().credit == 1U);
}

BOOST_AUTO_TEST_CASE(credit_of_what_a_predecessor_sent_is_not_given_to_its_successor) {
  open();
  keeps = true;
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
  open(/*incarnation=*/99);
  lanes.giveBack(kData, 3);
  pass(milliseconds(300));

  BOOST_TEST(transport.sent.back().credit == 0U);
}

BOOST_AUTO_TEST_CASE(tells_the_handler_of_room) {
  open();
  lanes.send(kData, Header{}, asBytes("x"));
  BOOST_TEST(rooms.empty());
  Header header = message(MessageType::kAcknowledge);
  header.acknowledged = 1;
  header.credit = 1;
  lanes.onMessage(kData, header, {});

  BOOST_TEST((rooms == std::vector<Peer>{kData}));
}

BOOST_AUTO_TEST_CASE(damage_of_strangers_reopens_nothing) {
  open();
  transport.sent.clear();
  lanes.onDamaged(kData, /*incarnation=*/99);
  lanes.onDamaged({{Role::kWorker, 5}, Lane::kData}, 1);
  BOOST_TEST(transport.sent.empty());
  lanes.onDamaged(kData, kWorker.incarnation);

  BOOST_TEST_REQUIRE(transport.sent.size() == 1U);
  BOOST_TEST((transport.sent[0].type == MessageType::kReopen));
}

BOOST_AUTO_TEST_CASE(a_lane_that_cannot_be_opened_is_suspected) {
  lanes.connect(kData, "here", kWorker.incarnation);
  transport.up = false;
  pass(std::chrono::seconds(60));

  BOOST_TEST((suspected == std::vector<Peer>{kData}));
}

BOOST_AUTO_TEST_CASE(a_damaged_control_message_opens_its_connection_again) {
  lanes.connect(kControl, "here", /*expected=*/0);
  lanes.onPeerUp(kControl);
  lanes.onDamaged(kControl, 0);
  BOOST_TEST(transport.reopened.size() == 1U);
  lanes.onPeerUp(kControl);
  lanes.onMessage(kControl, message(MessageType::kReopen), {});

  BOOST_TEST(transport.reopened.size() == 2U);
  BOOST_TEST(ups.size() == 2U);
  BOOST_TEST(texts.empty());
}

BOOST_AUTO_TEST_CASE(a_damaged_control_message_to_a_listener_makes_it_ask) {
  lanes.onDamaged(kControl, kWorker.incarnation);

  BOOST_TEST((transport.answered == std::vector<Member>{kWorker}));
  BOOST_TEST_REQUIRE(transport.sent.size() == 1U);
  BOOST_TEST((transport.sent[0].type == MessageType::kReopen));
}

BOOST_AUTO_TEST_CASE(a_control_connection_that_does_not_come_back_is_opened_anew) {
  lanes.connect(kControl, "here", /*expected=*/0);
  pass(std::chrono::seconds(2));
  BOOST_TEST(transport.reopened.empty());  // not up yet: there may be nobody
  lanes.onPeerUp(kControl);
  lanes.onPeerDown(kControl, "");
  pass(milliseconds(600));

  BOOST_TEST((transport.reopened == std::vector<Peer>{kControl}));
}

// ZeroMQ gives up for good after bytes that it cannot decode, in the first handshake too.
BOOST_AUTO_TEST_CASE(a_control_connection_that_was_never_up_is_tried_anew) {
  lanes.connect(kControl, "here", /*expected=*/0);
  pass(std::chrono::seconds(13));
  BOOST_TEST(transport.reopened.size() == 2U);
  lanes.onPeerUp(kControl);
  pass(std::chrono::seconds(13));
  Statistics statistics;
  lanes.addTo(statistics);

  BOOST_TEST(transport.reopened.size() == 2U);
  BOOST_TEST(statistics.reopened == 0U);  // nothing was lost
}

BOOST_AUTO_TEST_CASE(what_is_for_nobody_is_dropped_and_counted) {
  lanes.send(kData, Header{}, asBytes("x"));
  transport.up = false;
  lanes.send(kControl, Header{}, asBytes("x"));
  Statistics statistics;
  lanes.addTo(statistics);

  BOOST_TEST(statistics.dropped == 2U);
  BOOST_TEST(!lanes.hasRoom(kData, 1));
}

BOOST_AUTO_TEST_CASE(what_a_lane_carries_is_counted_by_peer) {
  open();
  lanes.send(kData, message(MessageType::kSum), asBytes("xyz"));
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one!")));
  Statistics statistics;
  lanes.addTo(statistics);

  BOOST_TEST_REQUIRE(statistics.peers.size() == 1U);
  const PeerStatistics& peer = statistics.peers.front();
  BOOST_TEST(peer.peer == kWorker.slot);
  BOOST_TEST(peer.bytes_sent == 2 * wire::kHeaderSize + 3);  // with our hello
  BOOST_TEST(peer.bytes_received == 2 * wire::kHeaderSize + 4);
  BOOST_TEST(peer.queued == 1U);
  BOOST_TEST((peer.credit_stall == Duration::zero()));
}

BOOST_AUTO_TEST_CASE(what_a_lane_has_counted_stays_when_it_is_closed) {
  const auto gaps = [this] {
    Statistics statistics;
    lanes.addTo(statistics);
    return statistics.gaps;
  };
  open();
  lanes.onMessage(kData, message(MessageType::kPush, 2), makePayload(asBytes("two")));
  lanes.send(kData, message(MessageType::kSum), asBytes("xyz"));
  BOOST_TEST(gaps() == 1U);
  lanes.close(kData);
  BOOST_TEST(gaps() == 1U);
  open(/*incarnation=*/99);
  Statistics statistics;
  lanes.addTo(statistics);

  BOOST_TEST_REQUIRE(statistics.peers.size() == 1U);
  const PeerStatistics& peer = statistics.peers.front();
  BOOST_TEST(peer.peer == kWorker.slot);
  BOOST_TEST(peer.bytes_received == 3 * wire::kHeaderSize + 3);  // two hellos and "two"
  BOOST_TEST(peer.queued == 0U);
}

BOOST_AUTO_TEST_CASE(the_time_without_credit_is_counted_until_credit_comes_back) {
  constexpr std::size_t kAll = LaneEnd::kCredit * LaneEnd::kUnit;
  const auto stall = [this] {
    Statistics statistics;
    lanes.addTo(statistics);
    return statistics.peers.front().credit_stall;
  };
  open();
  const Bytes all(kAll);
  lanes.send(kData, message(MessageType::kSum), all);
  pass(milliseconds(200));
  BOOST_TEST((stall() == Duration::zero()));  // nothing asked for more
  BOOST_TEST(!lanes.hasRoom(kData, 1));
  pass(milliseconds(100));
  BOOST_TEST(!lanes.hasRoom(kData, 1));
  pass(milliseconds(60));
  BOOST_TEST((stall() == milliseconds(160)));

  Header answer = message(MessageType::kAcknowledge);
  answer.acknowledged = 1;
  answer.credit = LaneEnd::kCredit;
  lanes.onMessage(kData, answer, {});
  pass(milliseconds(100));
  BOOST_TEST((stall() == milliseconds(160)));
}

BOOST_AUTO_TEST_CASE(a_peer_that_does_not_acknowledge_for_a_second_is_waited_for) {
  const auto passWithSigns = [this](int quarters_of_a_second) {
    for (int i = 0; i < quarters_of_a_second; ++i) {
      pass(milliseconds(250));
      lanes.onMessage(kData, message(MessageType::kAcknowledge), {});
    }
  };
  open();
  passWithSigns(20);
  BOOST_TEST(lanes.waits().empty());
  const TimePoint sent = now;
  lanes.send(kData, message(MessageType::kSum), BytesView{});
  lanes.send(kData, message(MessageType::kSum), BytesView{});
  passWithSigns(3);
  BOOST_TEST(lanes.waits().empty());
  passWithSigns(4);
  const std::vector<Wait> waits = lanes.waits();
  BOOST_TEST_REQUIRE(waits.size() == 1U);
  BOOST_TEST(toString(waits[0].who) == "server 0");
  BOOST_TEST(toString(waits[0].whom) == "worker 1");
  BOOST_TEST((waits[0].since == sent));
  BOOST_TEST(waits[0].what == "acknowledgement of 2 messages");
  pass(milliseconds(2100));  // nothing is heard
  BOOST_TEST_REQUIRE(lanes.waits().size() == 1U);
  BOOST_TEST(lanes.waits()[0].what.ends_with("data lane"));

  Header again = message(MessageType::kHello);
  again.connection = 2;
  again.acknowledged = 2;
  again.credit = 2;
  lanes.onMessage(kData, again, {});
  BOOST_TEST(lanes.waits().empty());
}

BOOST_AUTO_TEST_CASE(a_lane_that_is_closed_lets_go_what_it_keeps_and_is_mute) {
  open();
  auto owner = std::make_shared<int>();
  const std::weak_ptr<int> kept = owner;
  const Bytes bytes(1);
  lanes.send(kData, message(MessageType::kSum), sharePayload(bytes, std::move(owner)));
  BOOST_TEST(!kept.expired());
  lanes.close(kData);
  BOOST_TEST(kept.expired());
  BOOST_TEST(transport.closed.size() == 2U);  // whatever there was before

  transport.sent.clear();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("late")));
  lanes.onDamaged(kData, kWorker.incarnation);
  lanes.send(kData, message(MessageType::kSum), asBytes("x"));
  lanes.giveBack(kData, 1);
  pass(std::chrono::seconds(5));
  BOOST_TEST(transport.sent.empty());
  BOOST_TEST(texts.empty());
  BOOST_TEST(!lanes.hasRoom(kData, 1));
  BOOST_TEST(lanes.waits().empty());
}

BOOST_AUTO_TEST_CASE(a_lane_that_was_closed_is_a_new_one_when_it_is_opened_again) {
  lanes.await(kData, kWorker.incarnation);
  hello();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
  lanes.send(kData, message(MessageType::kSum), asBytes("x"));
  lanes.close(kData);
  lanes.await(kData, kWorker.incarnation);
  lanes.send(kData, message(MessageType::kSum), asBytes("y"));
  hello();
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("first")));

  BOOST_TEST(transport.sent.back().sequence == 1U);
  BOOST_TEST((texts == std::vector<std::string>{"one", "first"}));
}

BOOST_AUTO_TEST_CASE(a_control_lane_that_is_closed_tells_nothing_more) {
  lanes.connect(kControl, "here", /*expected=*/0);
  lanes.onPeerUp(kControl);
  lanes.close(kControl);
  lanes.onPeerDown(kControl, "closed");
  lanes.onPeerUp(kControl);
  lanes.onMessage(kControl, message(MessageType::kReopen), {});
  pass(std::chrono::seconds(13));
  BOOST_TEST(transport.reopened.empty());
  BOOST_TEST(ups.size() == 1U);
  BOOST_TEST(downs == 0);

  lanes.connect(kControl, "there", /*expected=*/0);
  lanes.onPeerUp(kControl);
  BOOST_TEST(ups.size() == 2U);
}

// Each event may end the lane that it is about, and what comes after it in the same call.
BOOST_AUTO_TEST_CASE(a_lane_may_be_closed_within_any_event) {
  const auto again = [this](bool awaits) {
    lanes.close(kData);
    if (awaits) lanes.await(kData, kWorker.incarnation);
  };
  for (const bool awaits : {false, true}) {
    on_event = [] {};
    again(/*awaits=*/true);
    hello();
    on_event = [&] { again(awaits); };
    lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("one")));
    transport.sent.clear();
    pass(milliseconds(300));
    BOOST_TEST(transport.sent.empty());  // no credit goes back

    on_event = [] {};
    again(/*awaits=*/true);
    hello();
    lanes.send(kData, message(MessageType::kSum), asBytes("x"));
    on_event = [&] { again(awaits); };
    Header header = message(MessageType::kAcknowledge);
    header.acknowledged = header.credit = 1;
    lanes.onMessage(kData, header, {});
    BOOST_TEST(rooms.size() == (awaits ? 2U : 1U));

    on_event = [] {};
    again(/*awaits=*/true);
    hello();
    lanes.send(kData, message(MessageType::kSum), asBytes("x"));
    on_event = [&] { again(awaits); };
    header = message(MessageType::kPush, 1);  // frees room, too
    header.acknowledged = header.credit = 1;
    lanes.onMessage(kData, header, makePayload(asBytes("one")));
    BOOST_TEST(rooms.size() == (awaits ? 2U : 1U));
  }
}

BOOST_AUTO_TEST_CASE(lanes_may_be_closed_when_one_of_them_is_suspected) {
  const std::vector<Peer> peers{{{Role::kServer, 1}, Lane::kData},
                                {{Role::kServer, 2}, Lane::kData},
                                {{Role::kServer, 3}, Lane::kData}};
  for (const Peer peer : peers)
    lanes.connect(peer, "here", /*expected=*/1);
  on_event = [&] {
    for (const Peer peer : peers)
      lanes.close(peer);
    lanes.connect(peers.back(), "there", /*expected=*/2);
  };
  transport.up = false;
  pass(std::chrono::seconds(50));

  BOOST_TEST((suspected == std::vector<Peer>{peers.front()}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::lanes_test
