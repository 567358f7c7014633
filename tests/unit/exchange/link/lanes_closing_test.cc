#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/link/fake_lanes.h"

namespace sumac::link::lanes_test {

BOOST_FIXTURE_TEST_SUITE(lanes_, Fixture)

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
