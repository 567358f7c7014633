#include "exchange/member/contribution_exchange.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/check.h"
#include "tests/support/manual_clock.h"
#include "tests/support/plain_kernels.h"
#include "tests/unit/exchange/member/contribution_exchange_fixture.h"

namespace sumac::contribution_exchange_test {

namespace {

using Pushes = std::vector<std::pair<Step, std::uint32_t>>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(exchange_, Fixture)

BOOST_AUTO_TEST_CASE(pushes_what_is_final_in_the_order_of_the_next_forward_pass) {
  BOOST_TEST_REQUIRE(plan.ranges.size() == 3U);
  submit(1);
  BOOST_TEST((pushes() == Pushes{{1, 0}, {1, 1}, {1, 2}}));
  BOOST_TEST(link.sent[1].header.first == 20'000U);
  BOOST_TEST(link.sent[1].payload.size() == 80'000U);
}

BOOST_AUTO_TEST_CASE(pushes_a_range_when_it_is_announced_and_not_before) {
  open(1);
  BOOST_TEST(pushes().empty());
  exchange.announce(std::array{FinalRange{0, 1}});
  BOOST_TEST((pushes() == Pushes{{1, 1}}));
  exchange.announce(std::array{FinalRange{0, 2}});
  BOOST_TEST((pushes() == Pushes{{1, 1}, {1, 2}}));
  exchange.announceRest();
  BOOST_TEST((pushes() == Pushes{{1, 1}, {1, 2}, {1, 0}}));
}

struct LongRuns : Fixture {
  LongRuns() : Fixture(/*longest_run=*/50'000) {}
};

BOOST_FIXTURE_TEST_CASE(a_message_of_several_ranges_leaves_when_all_of_them_are_final, LongRuns) {
  open(1);
  exchange.announce(std::array{FinalRange{0, 2}, FinalRange{0, 0}});
  BOOST_TEST(pushes().empty());
  exchange.announce(std::array{FinalRange{0, 1}});
  BOOST_TEST((pushes() == Pushes{{1, 0}}));
  BOOST_TEST(link.sent[0].header.count == 40'001U);
}

BOOST_AUTO_TEST_CASE(each_contribution_is_announced_for_itself) {
  const std::vector<float> values(static_cast<std::size_t>(plan.values));
  exchange.begin(1, std::array{Contribution{{0, 1}, values}, Contribution{{1, 2}, values}}, {});
  exchange.announce(std::array{FinalRange{1, 0}});
  BOOST_TEST((pushes() == Pushes{{1, 0}}));
  BOOST_TEST((link.sent[0].header.node == TreeNode{1, 2}));
  exchange.announce(std::array{FinalRange{0, 0}});
  BOOST_TEST((link.sent[1].header.node == TreeNode{0, 1}));
}

BOOST_AUTO_TEST_CASE(a_range_is_announced_once) {
  open(1);
  exchange.announce(std::array{FinalRange{0, 1}});
  BOOST_CHECK_THROW(exchange.announce(std::array{FinalRange{0, 1}}), InvariantViolation);
}

// What is announced last is needed first.
BOOST_AUTO_TEST_CASE(while_more_is_to_come_little_is_under_way_and_the_first_ranges_overtake) {
  constexpr std::size_t kLaneCredit = 8UL * 1024 * 1024;
  link.room = kLaneCredit - ContributionExchange::kWindow + 10;  // for one value, as it seems
  open(1);
  exchange.announce(std::array{FinalRange{0, 1}});
  exchange.announce(std::array{FinalRange{0, 2}});
  BOOST_TEST(pushes().empty());
  exchange.announceRest();
  BOOST_TEST((pushes() == Pushes{{1, 0}, {1, 1}, {1, 2}}));
}

BOOST_AUTO_TEST_CASE(who_still_computes_waits_for_nobody) {
  exchange.onTick(kStart);
  open(1);
  exchange.announce(std::array{FinalRange{0, 0}, FinalRange{0, 1}});
  exchange.onTick(kStart + 10s);
  BOOST_TEST(link.count(MessageType::kQuery) == 0U);
  BOOST_TEST(waitsText().empty());
  exchange.announce(std::array{FinalRange{0, 2}});
  exchange.onTick(kStart + 12s);
  BOOST_TEST(link.count(MessageType::kQuery) == 0U);
  exchange.onTick(kStart + 13s);
  BOOST_TEST(link.count(MessageType::kQuery) == 1U);
}

BOOST_AUTO_TEST_CASE(a_step_is_complete_when_every_range_has_come) {
  submit(1);
  BOOST_TEST(!sum(sumHeader(1, 0), 5).has_value());
  BOOST_TEST(!sum(sumHeader(1, 2), 7).has_value());
  BOOST_TEST((sum(sumHeader(1, 1), 6) == std::optional<Step>(1)));
  BOOST_TEST(exchange.sum(1).front() == 5);
  BOOST_TEST(exchange.sum(1)[20'000] == 6);
  BOOST_TEST(exchange.sum(1).back() == 7);
}

BOOST_AUTO_TEST_CASE(a_range_is_taken_once) {
  submit(1);
  sum(sumHeader(1, 0), 5);
  sum(sumHeader(1, 0), 9);
  sum(sumHeader(1, 1));
  sum(sumHeader(1, 2));
  BOOST_TEST(!sum(sumHeader(1, 0), 9).has_value());
  BOOST_TEST(exchange.sum(1).front() == 5);
}

BOOST_AUTO_TEST_CASE(the_next_step_waits_for_every_range) {
  submit(1);
  sum(sumHeader(1, 0));
  BOOST_CHECK_THROW(submit(2), InvariantViolation);
}

BOOST_AUTO_TEST_CASE(messages_are_the_trainers_buffers) {
  submit(1);
  for (const link::PayloadPtr& payload : link.payloads) {
    const auto* at = reinterpret_cast<const float*>(payload->bytes().data());
    BOOST_TEST(at >= buffers[1].data());
    BOOST_TEST(at < buffers[1].data() + buffers[1].size());
  }
}

BOOST_AUTO_TEST_CASE(a_lease_is_held_until_the_next_steps_first_sum) {
  submit(1);
  complete(1);
  submit(2);
  link.payloads.clear();  // all has arrived
  BOOST_TEST(!leases[1].expired());
  sum(sumHeader(2, 0));
  BOOST_TEST(leases[1].expired());
  BOOST_TEST(!leases[0].expired());
}

BOOST_AUTO_TEST_CASE(a_message_holds_the_lease_until_the_link_lets_it_go) {
  submit(1);
  link::PayloadPtr last = link.payloads.back();
  complete(1);
  submit(2);
  link.payloads.clear();
  sum(sumHeader(2, 0));
  BOOST_TEST(!leases[1].expired());
  last.reset();
  BOOST_TEST(leases[1].expired());
}

BOOST_AUTO_TEST_CASE(pushes_wait_for_credit) {
  link.room = 80'000;
  submit(1);
  BOOST_TEST((pushes() == Pushes{{1, 0}}));
  link.room = 80'000;
  exchange.onRoom({Role::kServer, 7});  // another server's
  BOOST_TEST(pushes().size() == 1U);
  exchange.onRoom(kServer0);
  BOOST_TEST((pushes() == Pushes{{1, 0}, {1, 1}}));
}

// Of one who sums and does not wait for us.
BOOST_AUTO_TEST_CASE(pushes_of_steps_that_are_over_cost_no_credit) {
  link.room = 0;
  submit(1);
  complete(1);
  submit(2);
  sum(sumHeader(2, 0));
  link.room = 1'000'000;
  exchange.onRoom(kServer0);
  BOOST_TEST((pushes() == Pushes{{2, 0}, {2, 1}, {2, 2}}));
}

BOOST_AUTO_TEST_CASE(sums_that_do_not_fit_are_ignored) {
  submit(1);
  const auto spoil = [&](auto change) {
    const std::uint64_t before = exchange.ignored();
    Header header = sumHeader(1, 0);
    change(header);
    BOOST_TEST(!sum(header).has_value());
    BOOST_TEST(exchange.ignored() == before + 1);
  };
  spoil([](Header& h) { h.range = 3; });
  spoil([](Header& h) { h.range = ~0U; });
  spoil([](Header& h) { h.first = 1; });
  spoil([](Header& h) { h.count = 1; });
  spoil([](Header& h) { h.count = ~0U; });
  spoil([](Header& h) { h.generation = 2; });
  spoil([](Header& h) { h.type = MessageType::kJoin; });
  BOOST_TEST(!exchange.onMessage({Role::kServer, 7}, sumHeader(1, 0), {}).has_value());
  complete(1);
  BOOST_TEST(exchange.sum(1).front() == 10);
}

BOOST_AUTO_TEST_CASE(a_lossy_codec_halves_what_is_pushed_and_reads_sums_as_they_travel) {
  plan.codec = Codec::kFp16;
  ContributionExchange coded(base(), plan, link, &kPlainKernels);
  coded.onRoster(roster());
  std::vector<float> values(static_cast<std::size_t>(plan.values), 0.1F);
  values.front() = 1e9F;
  const std::array contributions{Contribution{{0, 1}, values}};
  coded.begin(1, contributions, std::make_shared<int>());
  coded.announceRest();
  BOOST_TEST_REQUIRE(pushes().size() == 3U);
  for (const RecordingLink::Sent& push : link.sent)
    BOOST_TEST((push.header.codec == Codec::kFp16));
  BOOST_TEST(link.sent[1].payload.size() == 40'000U);
  BOOST_TEST(link.sent[2].payload.size() == 4U);  // the loss
  BOOST_TEST(coded.limited() == 1U);
  const std::vector<RecordingLink::Sent> sent = link.sent;
  for (const RecordingLink::Sent& push : sent) {
    Header header = sumHeader(1, push.header.range);
    BOOST_TEST(!coded.onMessage(kServer0, header, push.payload).has_value());  // fp32
    header.codec = Codec::kFp16;
    coded.onMessage(kServer0, header, push.payload);
  }
  BOOST_TEST(coded.ignored() == 3U);
  BOOST_TEST(coded.sum(1).front() == 65504.0F);
  BOOST_TEST(coded.sum(1)[20'000] == roundedPlainly(Codec::kFp16, 0.1F));
  BOOST_TEST(coded.sum(1).back() == 0.1F);
}

BOOST_AUTO_TEST_CASE(of_an_embedding_only_rows_that_occur_are_pushed) {
  plan.embedding = 20'000;
  std::vector<float> values(static_cast<std::size_t>(plan.values), 1);
  std::fill_n(values.begin(), 20'000, 0.0F);
  std::fill_n(values.begin() + 400, 100, 3.0F);
  const std::array contributions{Contribution{{0, 1}, values}};
  exchange.begin(1, contributions, std::make_shared<int>());
  exchange.announceRest();
  BOOST_TEST_REQUIRE(link.sent.size() == 3U);
  const RecordingLink::Sent& rows = link.sent[0];
  BOOST_TEST(rows.header.is_sparse);
  BOOST_TEST(!link.sent[1].header.is_sparse);
  BOOST_TEST(rows.payload.size() < 1000U);
  Header header = sumHeader(1, 0);
  header.is_sparse = true;
  exchange.onMessage(kServer0, header, rows.payload);
  sum(sumHeader(1, 1));
  BOOST_TEST(sum(sumHeader(1, 2)).has_value());
  BOOST_TEST((std::ranges::equal(exchange.sum(1).first(20'000), std::span(values).first(20'000))));
}

BOOST_AUTO_TEST_CASE(a_push_is_traced_until_there_is_credit_for_it_and_a_wait_until_its_sum_comes) {
  ManualClock clock;
  trace::Recorder recorder({1, 1}, clock);
  exchange.traceTo(&recorder);
  link.room = 0;
  submit(1);
  clock.advance(3ms);
  link.room = std::numeric_limits<std::size_t>::max();
  exchange.onRoom(kServer0);
  clock.advance(5ms);
  complete(1);
  submit(2);
  complete(2);

  const auto spans = recorder.content().spans;
  BOOST_TEST_REQUIRE(spans.size() == 2 * plan.ranges.size());
  for (const trace::Span& span : spans) {
    const bool is_push = span.activity == trace::Activity::kPush;
    BOOST_TEST(span.step == 1);
    BOOST_TEST((span.end - span.begin == (is_push ? 3ms : 5ms)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::contribution_exchange_test
