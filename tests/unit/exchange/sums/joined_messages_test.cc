#include <array>
#include <memory>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/sums/sum_exchange.h"
#include "tests/support/plain_kernels.h"
#include "tests/support/recording_link.h"
#include "tests/unit/exchange/sums/worker_header.h"

// Consecutive ranges travel in one message where they are the same node's and go to the same
// workers.

namespace sumac::joined_messages_test {
namespace {

using wire::Header;
using wire::MessageType;
using Values = std::array<float, 4>;

constexpr int kWorkers = 4;

/// One of four workers that add on the way, and two ranges of two values each.
struct Place {
  Place(int self, int parts, ExchangeMethod method, const std::vector<int>& owners)
      : plan(makeExchangePlan({2, 1}, parts, {},
                              {.pieces = 2, .smallest = 2, .largest = 2, .smallest_run = 4})),
        sums(base(self), kPlainKernels, link) {
    BOOST_TEST_REQUIRE(plan.ranges.size() == 2U);
    BOOST_TEST_REQUIRE(plan.ranges[1].first == 2);
    Roster roster;
    roster.order = {1, 1};
    for (int i = 0; i < kWorkers; ++i)
      roster.members.push_back({memberOf(i), "e"});
    roster.shards = ShardMap::ofOwners(method, owners);
    sums.onRoster(roster, plan);
  }
  static Header base(int self) {
    Header header;
    header.job = 7;
    header.sender = memberOf(self);
    return header;
  }
  /// The ranges from `range` on that `payload` has.
  void send(int worker, MessageType type, TreeNode node, std::uint32_t range,
            const link::PayloadPtr& payload) {
    Header header = fromWorker(worker, type);
    header.node = node;
    header.range = range;
    header.first = 2 * range;
    header.count = static_cast<std::uint32_t>(payload->bytes().size() / sizeof(float));
    sums.onMessage(worker, header, payload);
  }
  void sendBoth(int worker, MessageType type, TreeNode node) {
    const Values values{1, 2, 3, 4};
    send(worker, type, node, 0, link::makePayload(std::as_bytes(std::span(values))));
  }

  RecordingLink link;
  ExchangePlan plan;
  SumExchange sums;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(joined_messages)

// Of five parts and more a block may have two nodes. Here both have come in one memory, where the
// second range of the one lies behind the first of the other.
BOOST_AUTO_TEST_CASE(ranges_of_different_nodes_are_not_joined) {
  Place place(/*self=*/2, /*parts=*/6, ExchangeMethod::kHalvingDoubling, {0, 0});
  const TreeNode own{3, 4};
  const TreeNode other{4, 6};
  const auto memory = std::make_shared<const Values>(Values{1, 2, 3, 4});
  const BytesView bytes = std::as_bytes(std::span(*memory));
  place.send(2, MessageType::kPush, own, 0, link::sharePayload(bytes.first(8), memory));
  place.send(2, MessageType::kPush, own, 1, link::makePayload(bytes.first(8)));
  BOOST_TEST(place.link.sent.empty());
  place.send(3, MessageType::kPush, other, 0, link::sharePayload(bytes, memory));

  BOOST_TEST_REQUIRE(place.link.sent.size() == 3U);
  for (const auto& sent : place.link.sent) {
    BOOST_TEST(sent.to.slot.index == 0);
    BOOST_TEST(sent.header.count == (sent.header.node == other ? 4U : 2U));
  }
}

// In a ring, a range begins after its owner: of worker 0's the first is worker 1, of worker 2's
// worker 3. The sums of both come back in one message.
BOOST_AUTO_TEST_CASE(ranges_for_different_workers_are_not_joined) {
  Place place(/*self=*/1, /*parts=*/4, ExchangeMethod::kRing, {2, 0});
  place.sendBoth(1, MessageType::kPush, {1, 2});
  const Values zeros{};
  place.send(0, MessageType::kPush, {}, 0,
             link::makePayload(std::as_bytes(std::span(zeros)).first(8)));
  BOOST_TEST(place.link.count(MessageType::kPush) == 2U);
  place.link.sent.clear();

  place.sendBoth(2, MessageType::kTotal, {});

  int to_the_first = 0;
  for (const auto& sent : place.link.sent) {
    if (sent.to.slot.index == 0) {
      ++to_the_first;
      BOOST_TEST(sent.header.range == 0U);
      BOOST_TEST(sent.header.count == 2U);
    }
  }
  BOOST_TEST(to_the_first == 1);
}

BOOST_AUTO_TEST_CASE(ranges_of_one_node_for_one_worker_are_joined) {
  Place place(/*self=*/2, /*parts=*/4, ExchangeMethod::kHalvingDoubling, {0, 0});
  place.sendBoth(2, MessageType::kPush, {2, 3});
  place.sendBoth(3, MessageType::kPush, {3, 4});
  BOOST_TEST_REQUIRE(place.link.sent.size() == 1U);
  BOOST_TEST(place.link.sent[0].header.count == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::joined_messages_test
