#include "exchange/member/own_link.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/recording_link.h"

namespace sumac::own_link_test {
namespace {

using link::Lane;
using link::Peer;
using wire::MessageType;
using Part = OwnMessages::Part;

constexpr Slot kSelf{Role::kWorker, 1};
constexpr Slot kOther{Role::kWorker, 2};

wire::Header headerOf(MessageType type) {
  wire::Header header;
  header.type = type;
  return header;
}

struct Fixture {
  RecordingLink below;
  OwnMessages own;
  OwnLink link{{kSelf, 7}, Part::kCoordinator, own, below};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(own_link, Fixture)

BOOST_AUTO_TEST_CASE(what_is_sent_to_the_own_slot_waits_in_order) {
  BOOST_TEST(!own.take().has_value());
  link.send({kSelf, Lane::kData}, headerOf(MessageType::kPush), asBytes("a"));
  link.send({kSelf, Lane::kControl}, headerOf(MessageType::kJoin), asBytes("b"));

  const auto push = own.take();
  BOOST_REQUIRE(push);
  BOOST_TEST((push->lane == Lane::kData));
  BOOST_TEST(asText(link::bytesOf(push->payload)) == "a");
  const auto join = own.take();
  BOOST_REQUIRE(join);
  BOOST_TEST((join->lane == Lane::kControl && join->to == Part::kCoordinator));
  BOOST_TEST(!own.take().has_value());
  BOOST_TEST(below.sent.empty());
}

BOOST_AUTO_TEST_CASE(an_answer_to_another_process_of_the_own_slot_goes_out) {
  link.answer({kSelf, 7}, headerOf(MessageType::kRoster), asBytes("own"));
  link.answer({kSelf, 8}, headerOf(MessageType::kAbort), asBytes("other"));

  const auto roster = own.take();
  BOOST_REQUIRE(roster);
  BOOST_TEST((roster->lane == Lane::kControl && roster->to == Part::kCoordinator));
  BOOST_TEST(!own.take().has_value());
  BOOST_TEST_REQUIRE(below.sent.size() == 1U);
  BOOST_TEST((below.answered[0] == 8U));
}

BOOST_AUTO_TEST_CASE(messages_to_others_go_out_at_once) {
  link.send({kOther, Lane::kData}, headerOf(MessageType::kSum), asBytes("x"));
  BOOST_TEST_REQUIRE(below.sent.size() == 1U);
  BOOST_TEST((below.sent[0].to == Peer{kOther, Lane::kData}));
  BOOST_TEST(!own.take().has_value());
}

BOOST_AUTO_TEST_CASE(within_the_process_there_is_no_credit) {
  below.room = 0;
  BOOST_TEST(link.hasRoom({kSelf, Lane::kData}, 1'000'000));
  BOOST_TEST(!link.hasRoom({kOther, Lane::kData}, 1));
  for (const Slot slot : {kSelf, kOther}) {
    link.withhold({slot, Lane::kData});
    link.giveBack({slot, Lane::kData}, 10);
  }
  BOOST_TEST(below.withheld == 1);
  BOOST_TEST(below.given_back == 10U);
}

BOOST_AUTO_TEST_CASE(the_connection_to_the_own_slot_is_up_at_once_but_not_within_the_call) {
  link.connect({kSelf, Lane::kControl}, "nowhere", 5);
  link.await({kSelf, Lane::kData}, 5);
  link.reconnect({kSelf, Lane::kControl});
  for (int i = 0; i < 2; ++i) {
    const auto news = own.take();
    BOOST_REQUIRE(news);
    BOOST_TEST(news->is_up);
  }
  BOOST_TEST(!own.take().has_value());
  BOOST_TEST(below.connected.empty());
  BOOST_TEST(below.awaited.empty());
  link.close({kSelf, Lane::kControl});
  BOOST_TEST(below.reconnected.empty());
  BOOST_TEST(below.closed.empty());
}

BOOST_AUTO_TEST_CASE(connections_to_others_are_the_links) {
  link.connect({kOther, Lane::kControl}, "there", 5);
  link.await({kOther, Lane::kData}, 5);
  link.reconnect({kOther, Lane::kControl});
  BOOST_TEST((below.connected == std::vector<Peer>{{kOther, Lane::kControl}}));
  BOOST_TEST((below.awaited == std::vector<Peer>{{kOther, Lane::kData}}));
  BOOST_TEST((below.reconnected == std::vector<Peer>{{kOther, Lane::kControl}}));
  link.close({kOther, Lane::kData});
  BOOST_TEST((below.closed == std::vector<Peer>{{kOther, Lane::kData}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::own_link_test
