#include <algorithm>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/link/fake_lanes.h"

// What lanes carry: credit, damage, and what is counted of it.

namespace sumac::link::lanes_test {

BOOST_FIXTURE_TEST_SUITE(lanes_, Fixture)

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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::lanes_test
