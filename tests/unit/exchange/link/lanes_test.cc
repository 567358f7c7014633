#include "exchange/link/lanes.h"

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/link/fake_lanes.h"

namespace sumac::link::lanes_test {

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

// The other end begins its term before or after us: neither lane is the other's, used or not.
BOOST_AUTO_TEST_CASE(a_hello_of_another_term_is_not_of_this_lane) {
  lanes.beginTerm(2);
  lanes.await(kData, kWorker.incarnation);
  Header other = message(MessageType::kHello);
  for (const std::uint32_t term : {1U, 3U}) {
    other.term = term;
    lanes.onMessage(kData, other, {});
    BOOST_TEST(transport.sent.empty());
  }
  other.term = 2;
  lanes.onMessage(kData, other, {});
  BOOST_TEST_REQUIRE(transport.sent.size() == 1U);
  BOOST_TEST(transport.sent[0].term == 2U);
  other.term = 3;
  other.connection = 2;
  lanes.onMessage(kData, other, {});
  BOOST_TEST(transport.sent.size() == 1U);

  lanes.beginTerm(3);
  BOOST_TEST((transport.closed.back() == kData));
  lanes.await(kData, kWorker.incarnation);  // answers what it has kept
  BOOST_TEST_REQUIRE(transport.sent.size() == 2U);
  BOOST_TEST(transport.sent[1].term == 3U);
}

BOOST_AUTO_TEST_CASE(a_hello_that_was_kept_is_not_answered_in_a_later_term) {
  Header early = message(MessageType::kHello);
  early.term = 1;
  lanes.onMessage(kData, early, {});
  lanes.beginTerm(2);
  lanes.await(kData, kWorker.incarnation);
  BOOST_TEST(transport.sent.empty());
  pass(milliseconds(250));
  lanes.onMessage(kData, message(MessageType::kPush, 1), makePayload(asBytes("early")));
  BOOST_TEST((transport.sent.empty() && texts.empty()));
}

BOOST_AUTO_TEST_CASE(the_answer_of_another_term_opens_nothing) {
  lanes.beginTerm(2);
  lanes.connect(kData, "here", kWorker.incarnation);
  lanes.onPeerUp(kData);
  lanes.send(kData, message(MessageType::kPush), asBytes("x"));
  Header answer = message(MessageType::kHello);
  answer.term = 1;
  lanes.onMessage(kData, answer, {});
  BOOST_TEST(transport.sent.size() == 1U);
  answer.term = 2;
  lanes.onMessage(kData, answer, {});
  BOOST_TEST(transport.sent.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_new_term_ends_data_lanes_and_leaves_those_of_control) {
  lanes.connect(kControl, "here", /*expected=*/0);
  lanes.onPeerUp(kControl);
  open();
  lanes.beginTerm(1);
  BOOST_TEST((transport.closed.back() == kData));
  BOOST_TEST(!lanes.hasRoom(kData, 1));
  lanes.onMessage(kControl, message(MessageType::kRoster), makePayload(asBytes("one")));
  BOOST_TEST((texts == std::vector<std::string>{"one"}));
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::lanes_test
