#include "common/link/shared_link.h"

#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/recording_link.h"

namespace sumac::link::shared_link_test {
namespace {

using wire::Header;
using wire::MessageType;
using Texts = std::vector<std::string>;

constexpr Slot kCoordinator{Role::kWorker, 0};
constexpr Slot kOther{Role::kWorker, 1};
constexpr Slot kThird{Role::kWorker, 2};

Peer control(Slot slot) {
  return {slot, Lane::kControl};
}

Peer data(Slot slot) {
  return {slot, Lane::kData};
}

Header headerOf(MessageType type) {
  Header header;
  header.type = type;
  return header;
}

/// One half: writes what comes to a list that both share.
struct Half final : Handler {
  Half(std::string own, Texts& all) : name(std::move(own)), seen(&all) {}

  void onMessage(Peer from, const Header& header, const PayloadPtr& payload) override {
    const std::string text(asText(bytesOf(payload)));
    seen->push_back(name + " " + std::string(toString(header.type)) + " " + toString(from.slot) +
                    (text.empty() ? "" : " " + text));
    if (reacts) reacts();
  }
  void onPeerUp(Peer peer) override { seen->push_back(name + " up " + toString(peer.slot)); }
  void onPeerDown(Peer peer, const std::string& why) override {
    seen->push_back(name + " down " + toString(peer.slot) + " " + why);
  }
  void onRoom(Peer peer) override { seen->push_back(name + " room " + toString(peer.slot)); }
  void onSuspected(Peer peer, const std::string& why) override {
    seen->push_back(name + " suspects " + toString(peer.slot) + " " + why);
  }

  std::string name;
  Texts* seen;
  std::function<void()> reacts;
};

/// A process that is worker `self`.
struct Process {
  explicit Process(Slot slot) : self(slot), shared(slot, kCoordinator, below) {
    shared.deliverTo(worker, sums);
  }

  void comes(Peer from, MessageType type) { shared.onMessage(from, headerOf(type), {}); }
  void pushes(const std::string& text) {
    shared.forWorker().send(data(self), headerOf(MessageType::kPush), asBytes(text));
  }
  void answers(const std::string& text) {
    shared.forSums().send(data(self), headerOf(MessageType::kSum), asBytes(text));
  }

  Slot self;
  RecordingLink below;
  SharedLink shared;
  Texts seen;
  Half worker{"worker", seen};
  Half sums{"sums", seen};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_link)

BOOST_AUTO_TEST_CASE(data_goes_to_the_half_that_it_is_for) {
  Process process(kOther);
  process.comes(data(kThird), MessageType::kPush);
  process.comes(data(kThird), MessageType::kSum);
  process.comes(data(kThird), MessageType::kStale);

  BOOST_TEST((process.seen ==
              Texts{"sums push worker 2", "worker sum worker 2", "worker stale worker 2"}));
}

// Who sums needs the roster before the worker pushes on it.
BOOST_AUTO_TEST_CASE(control_messages_are_the_workers_and_rosters_first_for_who_sums) {
  Process process(kOther);
  process.comes(control(kCoordinator), MessageType::kPrepare);
  process.comes(control(kCoordinator), MessageType::kRoster);

  BOOST_TEST((process.seen ==
              Texts{"worker prepare worker 0", "sums roster worker 0", "worker roster worker 0"}));
}

BOOST_AUTO_TEST_CASE(in_the_coordinators_process_control_messages_are_the_coordinators) {
  Process process(kCoordinator);
  process.comes(control(kOther), MessageType::kJoin);
  process.comes(control(kOther), MessageType::kHeartbeat);
  process.comes(data(kOther), MessageType::kSum);

  BOOST_TEST((process.seen ==
              Texts{"sums join worker 1", "sums heartbeat worker 1", "worker sum worker 1"}));
}

BOOST_AUTO_TEST_CASE(what_one_half_sends_to_the_own_slot_reaches_the_other_later_and_in_order) {
  Process process(kOther);
  process.pushes("a");
  process.answers("b");
  process.pushes("c");
  BOOST_TEST(process.seen.empty());
  process.shared.settle();

  BOOST_TEST((process.seen ==
              Texts{"sums push worker 1 a", "worker sum worker 1 b", "sums push worker 1 c"}));
  BOOST_TEST(process.below.sent.empty());
  process.shared.settle();
  BOOST_TEST(process.seen.size() == 3U);
}

// In the coordinator's process the worker's control messages stay within, and the answers, too.
BOOST_AUTO_TEST_CASE(worker_and_coordinator_of_one_process_talk_within) {
  Process process(kCoordinator);
  process.shared.forWorker().send(control(kCoordinator), headerOf(MessageType::kJoin), BytesView{});
  process.shared.forSums().send(control(kCoordinator), headerOf(MessageType::kRoster), BytesView{});
  process.shared.settle();

  BOOST_TEST((process.seen == Texts{"sums join worker 0", "worker roster worker 0"}));
  BOOST_TEST(process.below.sent.empty());
}

BOOST_AUTO_TEST_CASE(messages_to_others_go_out_at_once) {
  Process process(kOther);
  process.shared.forWorker().send(data(kThird), headerOf(MessageType::kPush), asBytes("x"));
  process.shared.forSums().send(data(kThird), headerOf(MessageType::kSum), asBytes("y"));

  BOOST_TEST_REQUIRE(process.below.sent.size() == 2U);
  BOOST_TEST((process.below.sent[0].to == data(kThird)));
  BOOST_TEST((process.below.sent[1].header.type == MessageType::kSum));
}

// A half is never called while it is at work itself.
BOOST_AUTO_TEST_CASE(what_is_sent_while_something_is_handed_over_waits_for_its_turn) {
  Process process(kOther);
  process.sums.reacts = [&process] {
    process.answers("early");
    process.shared.settle();
    process.seen.emplace_back("sums done");
  };
  process.pushes("a");
  process.pushes("b");
  process.shared.settle();

  BOOST_TEST((process.seen == Texts{"sums push worker 1 a", "sums done", "sums push worker 1 b",
                                    "sums done", "worker sum worker 1 early",
                                    "worker sum worker 1 early"}));
}

BOOST_AUTO_TEST_CASE(what_an_event_makes_one_half_send_is_handed_over_after_it) {
  Process process(kOther);
  process.sums.reacts = [&process] { process.answers("sum"); };
  process.comes(data(kThird), MessageType::kPush);

  BOOST_TEST((process.seen == Texts{"sums push worker 2", "worker sum worker 1 sum"}));
}

BOOST_AUTO_TEST_CASE(between_the_halves_there_is_no_credit) {
  Process process(kOther);
  process.below.room = 0;
  for (Link* link : {&process.shared.forWorker(), &process.shared.forSums()}) {
    BOOST_TEST(link->hasRoom(data(kOther), 1'000'000));
    BOOST_TEST(!link->hasRoom(data(kThird), 1));
    link->withhold(data(kOther));
    link->giveBack(data(kOther), 10);
    BOOST_TEST(process.below.withheld == 0);
    BOOST_TEST(process.below.given_back == 0U);
  }
  process.shared.forSums().withhold(data(kThird));
  process.shared.forSums().giveBack(data(kThird), 10);
  BOOST_TEST(process.below.withheld == 1);
  BOOST_TEST(process.below.given_back == 10U);
}

// Both send on the lane whose credit came back.
BOOST_AUTO_TEST_CASE(room_is_for_both_halves_and_other_events_for_the_worker) {
  Process process(kOther);
  process.shared.onRoom(data(kThird));
  process.shared.onPeerUp(control(kCoordinator));
  process.shared.onPeerDown(control(kCoordinator), "broken");
  process.shared.onSuspected(data(kCoordinator), "mute");

  BOOST_TEST(
      (process.seen == Texts{"worker room worker 2", "sums room worker 2", "worker up worker 0",
                             "worker down worker 0 broken", "worker suspects worker 0 mute"}));
}

BOOST_AUTO_TEST_CASE(the_connection_to_the_own_slot_is_up_at_once_but_not_within_the_call) {
  Process process(kCoordinator);
  Link& link = process.shared.forWorker();
  link.connect(control(kCoordinator), "nowhere");
  link.connect(data(kCoordinator), "nowhere");
  link.await(data(kCoordinator), 5);
  BOOST_TEST(process.seen.empty());
  process.shared.settle();
  link.reconnect(control(kCoordinator));
  process.shared.settle();

  BOOST_TEST((process.seen == Texts{"worker up worker 0", "worker up worker 0"}));
  BOOST_TEST(process.below.connected.empty());
  BOOST_TEST(process.below.awaited.empty());
  BOOST_TEST(process.below.reconnected.empty());
}

BOOST_AUTO_TEST_CASE(connections_to_others_are_the_links) {
  Process process(kOther);
  Link& link = process.shared.forWorker();
  link.connect(control(kCoordinator), "there");
  link.await(data(kThird), 5);
  link.reconnect(control(kCoordinator));

  BOOST_TEST((process.below.connected == std::vector<Peer>{control(kCoordinator)}));
  BOOST_TEST((process.below.awaited == std::vector<Peer>{data(kThird)}));
  BOOST_TEST((process.below.reconnected == std::vector<Peer>{control(kCoordinator)}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::link::shared_link_test
