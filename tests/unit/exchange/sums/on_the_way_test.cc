#include <array>
#include <cstring>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/sums/sum_exchange.h"
#include "tests/support/plain_kernels.h"
#include "tests/support/recording_link.h"
#include "tests/unit/exchange/sums/worker_header.h"

// Workers that add on the way to the owner of a range: halving and doubling, and rings.

namespace sumac::on_the_way_test {
namespace {

using std::chrono_literals::operator""s;
using wire::Header;
using wire::MessageType;

constexpr int kWorkers = 4;
constexpr int kParts = 4;

/// Worker 1 of four, with a part each, and one range, of two values.
struct Fixture {
  Fixture(ExchangeMethod how, int who) : owner(who), method(how) {
    sums.onTick(TimePoint{} + 1s);
    sums.onRoster(roster(), plan);
  }

  static Header base() {
    Header header;
    header.job = 7;
    header.sender = {{Role::kWorker, 1}, 101};
    return header;
  }
  Roster roster() const {
    Roster roster;
    roster.order = {1, 1};
    for (int i = 0; i < kWorkers; ++i)
      roster.members.push_back({memberOf(i), "e"});
    roster.shards = ShardMap::ofOwners(method, {owner});
    return roster;
  }
  void send(int worker, MessageType type, TreeNode node, float value, Step step = 1) {
    Header header = fromWorker(worker, type);
    header.step = step;
    header.count = 2;
    header.node = node;
    const std::array values{value, -value};
    sums.onMessage(worker, header, link::makePayload(std::as_bytes(std::span(values))));
  }
  void push(int worker, TreeNode node, float value, Step step = 1) {
    send(worker, MessageType::kPush, node, value, step);
  }
  float valueOf(const RecordingLink::Sent& message) const {
    float value = 0;
    BOOST_TEST_REQUIRE(message.payload.size() == 2 * sizeof(float));
    std::memcpy(&value, message.payload.data(), sizeof value);
    return value;
  }
  std::uint64_t rejected(PushRejection reason) const {
    return sums.rejected().at(static_cast<std::size_t>(reason));
  }
  Header ask(int worker) {
    sums.onMessage(worker, fromWorker(worker, MessageType::kQuery), {});
    BOOST_TEST_REQUIRE((link.sent.back().header.type == MessageType::kMissing));
    return link.sent.back().header;
  }

  int owner;
  ExchangeMethod method;
  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({1}, kParts);
  SumExchange sums{base(), kPlainKernels, link};
};

/// To worker 3: worker 0 passes its parts to us, and we pass both to worker 3.
struct Halving : Fixture {
  Halving() : Fixture(ExchangeMethod::kHalvingDoubling, 3) {}
};

/// To worker 2: the way is 3, 0, 1, 2.
struct Ring : Fixture {
  Ring() : Fixture(ExchangeMethod::kRing, 2) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(on_the_way)

BOOST_FIXTURE_TEST_CASE(what_comes_together_is_passed_on_and_its_sum_back, Halving) {
  push(1, {1, 2}, 2);
  BOOST_TEST(link.sent.empty());
  push(0, {0, 1}, 3);
  BOOST_TEST_REQUIRE(link.sent.size() == 1U);
  BOOST_TEST(link.sent[0].to.slot.index == 3);
  BOOST_TEST((link.sent[0].header.type == MessageType::kPush));
  BOOST_TEST(link.sent[0].header.node == (TreeNode{0, 2}));
  BOOST_TEST(valueOf(link.sent[0]) == 5);

  send(3, MessageType::kTotal, {}, 11);
  BOOST_TEST_REQUIRE(link.sent.size() == 3U);
  for (const int to : {0, 1}) {
    const RecordingLink::Sent& sum = link.sent[1 + static_cast<std::size_t>(to)];
    BOOST_TEST(sum.to.slot.index == to);
    BOOST_TEST((sum.header.type == MessageType::kSum));
    BOOST_TEST(valueOf(sum) == 11);
  }
  push(0, {0, 1}, 3, /*step=*/2);
  for (const std::uint64_t count : sums.rejected())
    BOOST_TEST(count == 0U);
}

BOOST_FIXTURE_TEST_CASE(only_those_whose_way_leads_here_may_push, Halving) {
  push(1, {1, 2}, 2);
  push(2, {2, 3}, 9);  // its way is to worker 3
  push(3, {3, 4}, 9);
  push(3, {0, 1}, 9);
  push(0, {0, 2}, 9);  // not its own alone
  push(0, {1, 2}, 9);
  BOOST_TEST(rejected(PushRejection::kNode) == 5U);
  BOOST_TEST(link.sent.empty());
  push(0, {0, 1}, 3);
  BOOST_TEST_REQUIRE(link.sent.size() == 1U);
  BOOST_TEST(valueOf(link.sent[0]) == 5);
}

BOOST_FIXTURE_TEST_CASE(a_sum_is_taken_from_the_next_alone_and_when_it_is_awaited, Halving) {
  send(3, MessageType::kTotal, {}, 11);
  BOOST_TEST(rejected(PushRejection::kStep) == 1U);
  push(1, {1, 2}, 2);
  push(0, {0, 1}, 3);
  link.sent.clear();
  send(0, MessageType::kTotal, {}, 11);
  send(2, MessageType::kTotal, {}, 11);
  BOOST_TEST(rejected(PushRejection::kNode) == 2U);
  send(3, MessageType::kTotal, {}, 11, /*step=*/2);
  BOOST_TEST(rejected(PushRejection::kStep) == 2U);
  BOOST_TEST(link.sent.empty());
  send(3, MessageType::kTotal, {}, 11);
  BOOST_TEST(link.sent.size() == 2U);
  send(3, MessageType::kTotal, {}, 11);
  BOOST_TEST(link.sent.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(in_a_ring_our_own_is_added_to_what_came_before, Ring) {
  push(0, {}, 3);
  BOOST_TEST(link.sent.empty());
  push(1, {1, 2}, 2);
  BOOST_TEST_REQUIRE(link.sent.size() == 1U);
  BOOST_TEST(link.sent[0].to.slot.index == 2);
  BOOST_TEST(link.sent[0].header.node == TreeNode{});
  BOOST_TEST(valueOf(link.sent[0]) == 5);
  send(2, MessageType::kTotal, {}, 11);
  BOOST_TEST_REQUIRE(link.sent.size() == 3U);
  BOOST_TEST((link.sent[1].header.type == MessageType::kTotal));  // worker 0 passes it on
  BOOST_TEST((link.sent[2].header.type == MessageType::kSum));
}

BOOST_FIXTURE_TEST_CASE(in_a_ring_only_the_worker_before_may_push, Ring) {
  push(2, {}, 9);
  push(3, {}, 9);
  push(0, {0, 1}, 9);  // a node, which a ring does not have
  push(1, {}, 9);
  BOOST_TEST(rejected(PushRejection::kNode) == 4U);
}

BOOST_FIXTURE_TEST_CASE(says_for_whom_it_waits_itself, Halving) {
  push(1, {1, 2}, 2);
  BOOST_TEST(ask(0).node == (TreeNode{0, 1}));
  BOOST_TEST(ask(0).value == 0U);
  push(0, {0, 1}, 3);
  BOOST_TEST(ask(0).node == TreeNode{});
  BOOST_TEST(ask(0).value == 1U + 3U);
  sums.onTick(TimePoint{} + 1s + kWaitShown);
  const auto waits = sums.waits();
  BOOST_TEST_REQUIRE(waits.size() == 1U);
  BOOST_TEST(waits.front().whom.index == 3);
  BOOST_TEST(waits.front().what.ends_with("range 0"));
}

BOOST_FIXTURE_TEST_CASE(in_a_ring_it_waits_for_the_worker_before, Ring) {
  push(1, {1, 2}, 2);
  BOOST_TEST(ask(1).value == 1U + 0U);
  sums.onTick(TimePoint{} + 1s + kWaitShown);
  const auto waits = sums.waits();
  BOOST_TEST_REQUIRE(waits.size() == 1U);
  BOOST_TEST(waits.front().whom.index == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::on_the_way_test
