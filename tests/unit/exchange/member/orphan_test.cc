#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/member/membership_fixture.h"

// A member whose coordinator is lost, and which waits for another process of its slot.

namespace sumac::orphan_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::MessageType;

constexpr Incarnation kAnother = 201;

/// It is a member, and waits a minute.
struct Fixture : MembershipFixture {
  Fixture() : MembershipFixture(seconds(60)) {
    client.onPeerUp();
    hearRoster(3);
    link.sent.clear();
  }
  /// Orphaned, and halted with the state of step 8.
  void orphan() {
    pass(seconds(3));
    client.onPeerDown();
    is_ready = true;
    state = 8;
    client.rejoin();
    link.sent.clear();
  }
  /// What it said when it asked to join.
  std::vector<JoinRequest> asked() const {
    std::vector<JoinRequest> requests;
    for (const auto& message : link.sent) {
      if (message.header.type == MessageType::kJoin)
        requests.push_back(joinRequestFromJson(asText(message.payload)).value());
    }
    return requests;
  }
};

struct NewFixture : MembershipFixture {
  NewFixture() : MembershipFixture(seconds(60)) {}
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(orphan_, Fixture)

BOOST_AUTO_TEST_CASE(halts_when_the_coordinator_falls_silent_and_dials_it_again) {
  pass(milliseconds(2750));
  BOOST_TEST(orphaned == 0);
  pass(milliseconds(250));
  BOOST_TEST(orphaned == 1);
  BOOST_TEST(client.isOrphaned());
  BOOST_TEST(!client.isConnected());
  BOOST_TEST((link.reconnected == std::vector<link::Peer>{client.coordinator()}));
  BOOST_TEST(link.count(MessageType::kGoodbye) == 0U);
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(halts_at_once_when_another_process_speaks) {
  hear(MessageType::kHeartbeat, {}, 0, kAnother);
  BOOST_TEST(orphaned == 1);
  BOOST_TEST(link.reconnected.size() == 1U);
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(asks_to_join_once_it_has_halted_and_says_what_it_has) {
  pass(seconds(3));
  client.onPeerUp();
  BOOST_TEST(asked().empty());
  is_ready = true;
  state = 8;
  client.rejoin();
  const std::vector<JoinRequest> requests = asked();
  BOOST_TEST_REQUIRE(requests.size() == 1U);
  const Followed expected{.order = {1, 3},
                          .members = {{kCoordinator, 200}, kSelf},
                          .kernels = "avx2",
                          .evaluated = 4,
                          .has_halted = true,
                          .done = 8};
  BOOST_TEST((requests[0].followed == expected));
  BOOST_TEST(link.count(MessageType::kProgress) == 0U);  // the next one knows of no reports
}

BOOST_AUTO_TEST_CASE(asks_on_the_next_connection_where_it_had_none_when_it_halted) {
  orphan();
  BOOST_TEST(asked().empty());
  client.onPeerUp();
  BOOST_TEST_REQUIRE(asked().size() == 1U);
  BOOST_TEST(asked()[0].followed->has_halted);
}

// A server can follow another roster at any time, and a worker once it has halted: where a
// connection breaks and the coordinator lives, nobody else has to halt for that.
BOOST_AUTO_TEST_CASE(says_on_a_new_connection_only_where_it_is_orphaned_that_it_has_halted) {
  is_ready = true;
  client.onPeerDown();
  client.onPeerUp();
  BOOST_TEST_REQUIRE(asked().size() == 1U);
  BOOST_TEST(!asked()[0].followed->has_halted);
}

BOOST_AUTO_TEST_CASE(goes_on_with_a_roster_of_a_higher_term) {
  orphan();
  client.onPeerUp();
  hear(MessageType::kHeartbeat, {}, 0, kAnother);
  hearRoster({1, 3}, kAnother);  // the one that it has
  BOOST_TEST(client.isOrphaned());
  hearRoster({2, 1}, kAnother);
  BOOST_TEST(!client.isOrphaned());
  BOOST_TEST(client.header(MessageType::kPush).term == 2U);
  BOOST_TEST((generations == std::vector<std::uint32_t>{3, 1}));
  for (int i = 0; i < 61; ++i) {
    hear(MessageType::kHeartbeat, {}, 0, kAnother);
    pass(seconds(1));
  }
  BOOST_TEST(ends.empty());
  BOOST_TEST(orphaned == 1);
}

BOOST_AUTO_TEST_CASE(asks_again_every_5_s_as_the_roster_may_be_lost) {
  orphan();
  client.onPeerUp();
  for (int i = 0; i < 10; ++i) {
    BOOST_TEST(asked().size() == (i < 5 ? 1U : 2U));
    hear(MessageType::kHeartbeat, {}, 0, kAnother);
    pass(seconds(1));
  }
  BOOST_TEST(asked().size() == 3U);
  hearRoster({2, 1}, kAnother);
  hear(MessageType::kHeartbeat, {}, 0, kAnother);
  pass(milliseconds(2500));
  hear(MessageType::kHeartbeat, {}, 0, kAnother);
  pass(milliseconds(2500));
  BOOST_TEST(asked().size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_next_process_that_is_lost_too_is_no_second_loss) {
  orphan();
  client.onPeerUp();
  hear(MessageType::kHeartbeat, {}, 0, kAnother);
  pass(seconds(3));
  BOOST_TEST(orphaned == 1);
  BOOST_TEST(link.reconnected.size() == 2U);
  hear(MessageType::kHeartbeat, {}, 0, kAnother + 1);
  client.onPeerUp();
  BOOST_TEST(asked().size() == 2U);
}

BOOST_AUTO_TEST_CASE(ends_when_its_patience_is_over) {
  orphan();
  pass(milliseconds(59'750));
  BOOST_TEST(ends.empty());
  pass(milliseconds(250));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == toInt(ExitCode::kLostPeers));
  BOOST_TEST(link.count(MessageType::kGoodbye) == 1U);
}

BOOST_AUTO_TEST_CASE(asked_to_stop_it_ends_at_once) {
  orphan();
  client.leave();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == toInt(ExitCode::kStopped));
  BOOST_TEST(link.sent.empty());
}

BOOST_AUTO_TEST_CASE(asked_to_stop_it_says_so_to_one_that_is_there) {
  orphan();
  client.onPeerUp();
  client.leave();
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((sent() == Types{MessageType::kJoin, MessageType::kGoodbye}));
}

BOOST_AUTO_TEST_CASE(a_loss_while_it_leaves_is_its_end) {
  client.leave();
  pass(seconds(3));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == toInt(ExitCode::kStopped));
  BOOST_TEST(orphaned == 0);
}

BOOST_FIXTURE_TEST_CASE(before_the_first_roster_it_has_nothing_to_halt_and_asks_again, NewFixture) {
  client.onPeerUp();
  hear(MessageType::kHeartbeat);
  pass(seconds(3));
  BOOST_TEST(orphaned == 0);
  BOOST_TEST(!client.isOrphaned());
  BOOST_TEST(link.reconnected.size() == 1U);
  client.onPeerUp();
  BOOST_TEST(link.count(MessageType::kJoin) == 2U);
  hearRoster({2, 1}, kAnother);
  BOOST_TEST(generations.size() == 1U);
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::orphan_test
