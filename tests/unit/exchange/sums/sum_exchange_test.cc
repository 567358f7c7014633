#include "exchange/sums/sum_exchange.h"

#include <cmath>
#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/wire/zero_blocks.h"
#include "tests/support/plain_kernels.h"
#include "tests/support/recording_link.h"
#include "tests/unit/exchange/sums/worker_header.h"

namespace sumac::sum_exchange_test {

namespace {

using wire::Header;
using wire::MessageType;

constexpr std::int64_t kValues = 131072;  // a range of 512 KiB

Header base() {
  Header header;
  header.job = 7;
  header.sender = {{Role::kServer, 0}, 200};
  return header;
}

struct Fixture {
  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({kValues, kValues}, 2, {}, {.pieces = 2});
  SumExchange sums{base(), kPlainKernels, link};
  std::vector<float> values = std::vector<float>(kValues, 1.0F);

  std::uint64_t rejected(PushRejection reason) const {
    return sums.rejected().at(static_cast<std::size_t>(reason));
  }

  Roster roster(std::uint32_t generation) const {
    Roster roster;
    roster.order = {1, generation};
    roster.members = {{{{Role::kServer, 0}, 200}, "e"},
                      {{{Role::kWorker, 0}, 100}, ""},
                      {{{Role::kWorker, 1}, 101}, ""}};
    roster.shards = ShardMap::shareOut(ExchangeMethod::kServers, plan, {0});
    return roster;
  }

  Header pushHeader(int worker, std::uint32_t range, std::uint32_t generation = 1) const {
    Header header = fromWorker(worker, MessageType::kPush, generation);
    header.range = range;
    header.first = static_cast<std::uint64_t>(plan.ranges[range].first);
    header.count = static_cast<std::uint32_t>(plan.ranges[range].count);
    header.node = {worker, worker + 1};
    return header;
  }
  /// What the answer to `worker` names.
  TreeNode ask(int worker, std::uint32_t range) {
    Header question = fromWorker(worker, MessageType::kQuery);
    question.range = range;
    const std::size_t before = link.count(MessageType::kMissing);
    sums.onMessage(worker, question, {});
    BOOST_TEST_REQUIRE(link.count(MessageType::kMissing) == before + 1);
    const RecordingLink::Sent& answer = link.sent.back();
    BOOST_TEST(answer.to.slot.index == worker);
    BOOST_TEST(answer.header.step == 1);
    BOOST_TEST(answer.header.range == range);
    return answer.header.node;
  }
  void push(const Header& header) {
    sums.onMessage(header.sender.slot.index, header,
                   link::makePayload(std::as_bytes(std::span(values).first(
                       std::min(values.size(), std::size_t{header.count})))));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(sum_exchange, Fixture)

BOOST_AUTO_TEST_CASE(a_complete_range_is_sent_to_both_contributors) {
  sums.onRoster(roster(1), plan);
  push(pushHeader(0, 0));
  BOOST_TEST(link.sent.empty());
  push(pushHeader(1, 0));
  BOOST_TEST_REQUIRE(link.sent.size() == 2U);
  BOOST_TEST(link.sent[0].to.slot.index == 0);
  BOOST_TEST(link.sent[1].to.slot.index == 1);
  const Header& header = link.sent[0].header;
  BOOST_TEST((header.type == MessageType::kSum));
  BOOST_TEST((link.payloads[0] == link.payloads[1]));  // one for both
  BOOST_TEST(loadLittleEndian<std::uint32_t>(link.sent[0].payload.data()) == 0x40000000U);  // 2.0F
}

BOOST_AUTO_TEST_CASE(sums_wait_for_the_credit_of_their_worker_alone) {
  sums.onRoster(roster(1), plan);
  link.room = kValues * 4;  // one sum in all
  push(pushHeader(0, 0));
  push(pushHeader(1, 0));
  BOOST_TEST(link.count(MessageType::kSum) == 1U);
  sums.onRoom(1);
  BOOST_TEST(link.count(MessageType::kSum) == 1U);
  link.room = kValues * 4;
  sums.onRoom(0);  // has what it needs
  BOOST_TEST(link.count(MessageType::kSum) == 1U);
  sums.onRoom(1);
  BOOST_TEST_REQUIRE(link.count(MessageType::kSum) == 2U);
  BOOST_TEST(link.sent.back().to.slot.index == 1);
}

BOOST_AUTO_TEST_CASE(a_worker_that_asks_again_and_takes_no_answer_fills_no_memory) {
  sums.onRoster(roster(1), plan);
  link.room = 0;
  for (int i = 0; i < 100; ++i) {
    for (const std::uint32_t range : {0U, 1U}) {
      push(pushHeader(0, range));
      push(pushHeader(1, range));
    }
  }
  link.room = 1000UL * kValues * sizeof(float);
  sums.onRoom(0);
  sums.onRoom(1);

  BOOST_TEST(link.count(MessageType::kSum) == 4U);  // each sum once for each
}

BOOST_AUTO_TEST_CASE(pushes_of_an_earlier_roster_are_dropped_without_an_answer) {
  sums.onRoster(roster(2), plan);
  push(pushHeader(0, 0, 1));
  push(pushHeader(1, 0, 2));
  BOOST_TEST(link.sent.empty());
  BOOST_TEST(link.withheld == 0);
  BOOST_TEST((sums.rejected() == RejectedPushes{}));
}

BOOST_AUTO_TEST_CASE(pushes_wait_for_their_roster_and_keep_their_credit_until_then) {
  sums.onRoster(roster(1), plan);
  push(pushHeader(0, 0, 3));
  sums.onRoster(roster(2), plan);
  BOOST_TEST(link.withheld == 2);  // once more: it waits on
  BOOST_TEST(link.given_back == 0U);
  sums.onRoster(roster(3), plan);
  BOOST_TEST(link.given_back == std::size_t{kValues} * 4);
  BOOST_TEST(link.count(MessageType::kSum) == 0U);
  push(pushHeader(1, 0, 3));
  BOOST_TEST(link.count(MessageType::kSum) == 2U);
}

BOOST_AUTO_TEST_CASE(with_another_roster_all_sums_begin_anew) {
  sums.onRoster(roster(1), plan);
  push(pushHeader(0, 0));
  link.room = 0;
  for (const int worker : {0, 1})
    push(pushHeader(worker, 1));
  Roster next = roster(2);
  next.start_step = 4;
  next.members.pop_back();
  sums.onRoster(next, plan);
  link.room = std::numeric_limits<std::size_t>::max();
  sums.onRoom(0);
  BOOST_TEST(link.sent.empty());  // what was to be sent before is not
  Header header = pushHeader(0, 0, 2);
  header.step = 5;
  header.node = {0, 2};
  push(header);
  BOOST_TEST_REQUIRE(link.count(MessageType::kSum) == 1U);  // of one worker alone
  BOOST_TEST(link.sent.back().header.step == 5);
  BOOST_TEST(link.sent.back().header.generation == 2U);
  BOOST_TEST(loadLittleEndian<std::uint32_t>(link.sent.back().payload.data()) == 0x3f800000U);
  push(pushHeader(1, 0));  // of who is no member any more
  Header other = pushHeader(1, 1, 2);
  push(other);
  BOOST_TEST(rejected(PushRejection::kMember) == 1U);
  BOOST_TEST(link.count(MessageType::kSum) == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_held_is_bounded) {
  sums.onRoster(roster(1), plan);
  for (int i = 0; i < 40; ++i) {
    push(pushHeader(0, 0, 9));
  }
  BOOST_TEST(rejected(PushRejection::kHeld) > 0U);
}

BOOST_AUTO_TEST_CASE(an_unknown_incarnation_is_refused) {
  sums.onRoster(roster(1), plan);
  Header header = pushHeader(0, 0);
  header.sender.incarnation = 5;
  push(header);
  BOOST_TEST(rejected(PushRejection::kMember) == 1U);
}

// [0, 2) would replace the other worker's contribution, [1, 2) would come before it.
BOOST_AUTO_TEST_CASE(a_node_outside_the_senders_block_changes_no_sum) {
  sums.onRoster(roster(1), plan);
  push(pushHeader(1, 0));
  for (const TreeNode node : {TreeNode{0, 2}, TreeNode{1, 2}}) {
    for (const std::uint32_t range : {0U, 1U}) {
      Header header = pushHeader(0, range);
      header.node = node;
      push(header);
    }
  }
  BOOST_TEST(rejected(PushRejection::kNode) == 4U);
  BOOST_TEST(link.count(MessageType::kSum) == 0U);
  push(pushHeader(0, 0));
  BOOST_TEST(link.count(MessageType::kSum) == 2U);
}

BOOST_AUTO_TEST_CASE(a_stranger_neither_fills_nor_blocks_what_is_held_for_a_member) {
  sums.onRoster(roster(1), plan);
  Header forged = pushHeader(0, 0, 9);
  forged.sender.incarnation = 5;
  push(forged);
  BOOST_TEST(rejected(PushRejection::kMember) == 1U);
  // Even in the member's own name a frame ahead of its roster keeps none of the present one back.
  push(pushHeader(0, 0, 9));
  push(pushHeader(0, 0));
  push(pushHeader(1, 0));
  BOOST_TEST(link.count(MessageType::kSum) == 2U);
}

BOOST_AUTO_TEST_CASE(before_the_first_roster_nobody_is_a_member) {
  push(pushHeader(0, 0));
  BOOST_TEST(rejected(PushRejection::kMember) == 1U);
  BOOST_TEST(link.withheld == 0);
}

BOOST_AUTO_TEST_CASE(fields_outside_the_plan_are_refused) {
  sums.onRoster(roster(1), plan);
  const auto spoil = [&](PushRejection reason, auto change) {
    const std::uint64_t before = rejected(reason);
    Header header = pushHeader(0, 0);
    change(header);
    push(header);
    BOOST_TEST(rejected(reason) == before + 1, toString(reason));
  };
  spoil(PushRejection::kRange, [](Header& h) { h.range = 3; });
  spoil(PushRejection::kRange, [](Header& h) { h.range = ~0U; });
  spoil(PushRejection::kRange, [](Header& h) { h.first = 1; });
  spoil(PushRejection::kRange, [](Header& h) { h.first = ~0ULL; });
  spoil(PushRejection::kRange, [](Header& h) { h.count = 7; });
  spoil(PushRejection::kRange, [](Header& h) { h.count = ~0U; });
  spoil(PushRejection::kNode, [](Header& h) { h.node = {0, 3}; });
  spoil(PushRejection::kNode, [](Header& h) { h.node = {0, 0}; });
  spoil(PushRejection::kNode, [](Header& h) { h.node = {-5, -4}; });
  spoil(PushRejection::kStep, [](Header& h) { h.step = 5; });
  spoil(PushRejection::kStep, [](Header& h) { h.step = -5; });
  spoil(PushRejection::kType, [](Header& h) { h.type = MessageType::kSum; });
  BOOST_TEST(link.count(MessageType::kSum) == 0U);
}

BOOST_AUTO_TEST_CASE(values_of_another_codec_or_length_are_refused) {
  plan.codec = Codec::kBf16;
  sums.onRoster(roster(1), plan);
  const auto pushed = [&](Codec codec, bool is_sparse, std::size_t bytes) {
    Header header = pushHeader(0, 0);
    header.codec = codec;
    header.is_sparse = is_sparse;
    sums.onMessage(0, header, link::makePayload(Bytes(bytes)));
  };
  pushed(Codec::kFp32, false, 4 * kValues);
  pushed(Codec::kFp16, false, 2 * kValues);
  BOOST_TEST(rejected(PushRejection::kCodec) == 2U);
  pushed(Codec::kBf16, false, 4 * kValues);
  pushed(Codec::kBf16, false, 2 * kValues + 2);
  pushed(Codec::kBf16, true, 7);
  pushed(Codec::kBf16, true, 2 * kValues / 32 / 8 + 1);
  BOOST_TEST(rejected(PushRejection::kRange) == 4U);
  pushed(Codec::kBf16, true, 2 * kValues / 32 / 8);  // nothing but zeros
  pushed(Codec::kBf16, false, 2 * kValues);          // and again
  BOOST_TEST((ask(0, 0) == TreeNode{1, 2}));
}

// Contributions of 1 + 2^-8 and 2^-8 are both rounded before they are added, and so is the sum.
BOOST_AUTO_TEST_CASE(contributions_and_sums_are_used_as_they_travel) {
  plan.codec = Codec::kBf16;
  sums.onRoster(roster(1), plan);
  const auto pushed = [&](int worker, float value) {
    Header header = pushHeader(worker, 0);
    header.codec = Codec::kBf16;
    Bytes halves(2 * kValues);
    const std::uint16_t half = plainHalf(Codec::kBf16, value);
    for (std::size_t i = 0; i < halves.size(); i += 2)
      storeLittleEndian(&halves[i], half);
    sums.onMessage(worker, header, link::makePayload(halves));
  };
  pushed(0, 1.0F + 0.00390625F);  // to even: 1
  pushed(1, 0.01F);
  BOOST_TEST_REQUIRE(link.sent.size() == 2U);
  BOOST_TEST((link.payloads[0] == link.payloads[1]));  // written once
  BOOST_TEST((link.sent[0].header.codec == Codec::kBf16));
  BOOST_TEST(link.sent[0].payload.size() == 2U * kValues);
  const float sum = roundedPlainly(Codec::kBf16, 1.0F + roundedPlainly(Codec::kBf16, 0.01F));
  BOOST_TEST(loadLittleEndian<std::uint16_t>(link.sent[0].payload.data()) ==
             plainHalf(Codec::kBf16, sum));
}

BOOST_AUTO_TEST_CASE(a_sum_of_few_rows_travels_without_the_others) {
  plan.embedding = kValues;
  values.assign(kValues, 0.0F);
  values[500] = 1;
  values[501] = -0.0F;
  sums.onRoster(roster(1), plan);
  push(pushHeader(0, 0));
  Header sparse = pushHeader(1, 0);
  sparse.is_sparse = true;
  sums.onMessage(1, sparse,
                 link::makePayload(*wire::withoutZeroBlocks(
                     std::as_bytes(std::span<const float>(values).first(kValues)))));
  BOOST_TEST_REQUIRE(link.sent.size() == 2U);
  BOOST_TEST(link.sent[0].header.is_sparse);
  std::vector<float> sum(kValues);
  BOOST_TEST(wire::restoreZeroBlocks(link.sent[0].payload, std::as_writable_bytes(std::span(sum))));
  BOOST_TEST(sum[500] == 2);
  BOOST_TEST(std::signbit(sum[501]));  // -0 + -0
  BOOST_TEST(!std::signbit(sum[502]));
}

BOOST_AUTO_TEST_CASE(says_which_parts_a_sum_waits_for) {
  sums.onRoster(roster(1), plan);
  BOOST_TEST((ask(0, 0) == TreeNode{0, 2}));
  push(pushHeader(0, 0));
  BOOST_TEST((ask(0, 0) == TreeNode{1, 2}));
  BOOST_TEST((ask(0, 1) == TreeNode{0, 2}));
  push(pushHeader(1, 0));
  BOOST_TEST((ask(0, 0) == TreeNode{}));
}

BOOST_AUTO_TEST_CASE(a_question_about_what_is_not_ours_or_without_credit_has_no_answer) {
  sums.onRoster(roster(1), plan);
  Header question = fromWorker(0, MessageType::kQuery);
  question.step = 1;
  question.range = static_cast<std::uint32_t>(plan.ranges.size());
  sums.onMessage(0, question, {});
  BOOST_TEST(rejected(PushRejection::kRange) == 1U);
  question.range = 0;
  link.has_no_room = true;
  sums.onMessage(0, question, {});
  BOOST_TEST(link.sent.empty());
}

BOOST_AUTO_TEST_CASE(waits_for_the_workers_that_lag_behind_the_others) {
  const TimePoint start{std::chrono::hours(1)};
  sums.onRoster(roster(1), plan);
  sums.onTick(start);
  push(pushHeader(0, 0));
  sums.onTick(start + std::chrono::milliseconds(999));
  BOOST_TEST(sums.waits().empty());
  sums.onTick(start + std::chrono::seconds(1));
  const std::vector<Wait> waits = sums.waits();
  BOOST_TEST_REQUIRE(waits.size() == 1U);
  BOOST_TEST(toString(waits[0].who) == "server 0");
  BOOST_TEST(toString(waits[0].whom) == "worker 1");
  BOOST_TEST(waits[0].step == 1);
  BOOST_TEST(waits[0].what == "a contribution to range 0");
  BOOST_TEST((waits[0].since == start));
  for (const Range& range : plan.ranges) {
    push(pushHeader(0, range.id));
    push(pushHeader(1, range.id));
  }
  BOOST_TEST(sums.waits().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::sum_exchange_test
