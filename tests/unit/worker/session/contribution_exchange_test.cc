#include "worker/session/contribution_exchange.h"

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "common/base/check.h"
#include "tests/support/manual_clock.h"
#include "tests/support/plain_kernels.h"
#include "tests/support/recording_link.h"

namespace sumac::worker::contribution_exchange_test {

namespace {

using wire::Header;
using wire::MessageType;

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""h;

constexpr Slot kServer0{Role::kServer, 0};
constexpr TimePoint kStart{1h};

// Two ranges of one server; this worker has one of two parts.
struct Fixture {
  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({20'000, 20'000}, 2, {}, {.pieces = 2});
  ContributionExchange exchange{base(), plan, link};
  std::array<std::vector<float>, 2> buffers;
  std::array<std::weak_ptr<const void>, 2> leases;

  Fixture() {
    exchange.onRoster(roster(1));
    link.sent.clear();
  }

  static Header base() {
    Header header;
    header.sender = {{Role::kWorker, 0}, 100};
    return header;
  }
  Roster roster(std::uint32_t generation) const {
    Roster roster;
    roster.order = {1, generation};
    roster.members = {{{kServer0, 200}, "e"}, {base().sender, ""}, {{{Role::kWorker, 1}, 101}, ""}};
    roster.shards = ShardMap::shareOut(plan, Role::kServer, {0});
    return roster;
  }
  /// Nothing is announced.
  void open(Step step) {
    auto& values = buffers[static_cast<std::size_t>(step % 2)];
    values.assign(static_cast<std::size_t>(plan.values), static_cast<float>(step));
    const std::array contributions{Contribution{{0, 1}, values}};
    const auto lease = std::make_shared<int>();
    leases[static_cast<std::size_t>(step % 2)] = lease;
    exchange.begin(step, contributions, lease);
  }
  void submit(Step step) {
    open(step);
    exchange.announceRest();
  }
  Header sumHeader(Step step, std::uint32_t range, std::uint32_t generation = 1) const {
    Header header;
    header.type = MessageType::kSum;
    header.term = 1;
    header.generation = generation;
    header.step = step;
    header.range = range;
    header.first = static_cast<std::uint64_t>(plan.ranges[range].first);
    header.count = static_cast<std::uint32_t>(plan.ranges[range].count);
    return header;
  }
  void begin(Step step) {
    exchange.onTick(kStart);
    submit(step);
  }
  static Header missingHeader(Step step, std::uint32_t range, TreeNode missing,
                              std::uint32_t generation = 1) {
    Header header;
    header.type = MessageType::kMissing;
    header.term = 1;
    header.generation = generation;
    header.step = step;
    header.range = range;
    header.node = missing;
    return header;
  }
  std::string waitsText() const {
    std::string text;
    for (const Wait& wait : exchange.waits())
      text += toString(wait.whom) + ": " + wait.what + "\n";
    return text;
  }
  std::optional<Step> sum(const Header& header, float value = 1) {
    const std::vector<float> values(std::min<std::size_t>(header.count, 50'000), value);
    const auto came = exchange.onMessage(kServer0, header, std::as_bytes(std::span(values)));
    return came && came->is_last ? std::optional(came->step) : std::nullopt;
  }
  std::vector<std::pair<Step, std::uint32_t>> pushes() const {
    std::vector<std::pair<Step, std::uint32_t>> found;
    for (const RecordingLink::Sent& message : link.sent) {
      if (message.header.type != MessageType::kPush) continue;
      found.emplace_back(message.header.step, message.header.range);
    }
    return found;
  }
  // Everything of `step` comes.
  void complete(Step step, std::uint32_t generation = 1) {
    for (const Range& range : plan.ranges) {
      sum(sumHeader(step, range.id, generation), static_cast<float>(10 * step));
    }
  }
};

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

BOOST_AUTO_TEST_CASE(a_message_of_several_ranges_leaves_when_all_of_them_are_final) {
  plan.longest_run = 50'000;
  exchange.onRoster(roster(1));
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

BOOST_AUTO_TEST_CASE(a_new_generation_is_sent_what_was_announced_and_the_rest_once_it_is) {
  submit(1);
  complete(1);
  open(2);
  exchange.announce(std::array{FinalRange{0, 2}});
  link.sent.clear();
  exchange.onRoster(roster(2));
  BOOST_TEST((pushes() == Pushes{{1, 0}, {1, 1}, {1, 2}, {2, 2}}));
  exchange.announceRest();
  BOOST_TEST((pushes() == Pushes{{1, 0}, {1, 1}, {1, 2}, {2, 2}, {2, 0}, {2, 1}}));
  BOOST_TEST(link.sent.back().header.generation == 2U);
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

BOOST_AUTO_TEST_CASE(a_new_generation_redoes_both_open_steps) {
  submit(1);
  complete(1);
  submit(2);
  link.sent.clear();
  exchange.onRoster(roster(2));
  BOOST_TEST((pushes() == Pushes{{1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}}));
  BOOST_TEST(link.sent.front().header.generation == 2U);
}

BOOST_AUTO_TEST_CASE(the_first_sum_of_a_step_releases_the_one_before) {
  submit(1);
  complete(1);
  submit(2);
  sum(sumHeader(2, 1));
  link.sent.clear();
  exchange.onRoster(roster(2));
  BOOST_TEST((pushes() == Pushes{{2, 0}, {2, 1}, {2, 2}}));
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
  exchange.onRoster(roster(2));  // step 1 goes again, from the trainer's buffer
  link.payloads.clear();         // all has arrived
  BOOST_TEST(!leases[1].expired());
  sum(sumHeader(2, 0, /*generation=*/2));
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

BOOST_AUTO_TEST_CASE(pushes_of_steps_that_are_over_cost_no_credit) {
  submit(1);
  complete(1);
  submit(2);
  link.room = 0;
  exchange.onRoster(roster(2));  // both steps wait
  link.sent.clear();
  sum(sumHeader(2, 0, /*generation=*/2));
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
  coded.onRoster(roster(1));
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

BOOST_AUTO_TEST_CASE(asks_who_sums_once_in_three_seconds_while_it_waits) {
  begin(1);
  exchange.onTick(kStart + 2999ms);
  BOOST_TEST(link.count(MessageType::kQuery) == 0U);
  exchange.onTick(kStart + 3s);
  exchange.onTick(kStart + 5999ms);
  BOOST_TEST_REQUIRE(link.count(MessageType::kQuery) == 1U);
  BOOST_TEST((link.sent.back().to == link::Peer{kServer0, link::Lane::kData}));
  BOOST_TEST(link.sent.back().header.step == 1);
  BOOST_TEST(link.sent.back().header.range == 0U);
  sum(sumHeader(1, 0));
  exchange.onTick(kStart + 6s);
  BOOST_TEST(link.count(MessageType::kQuery) == 2U);
  BOOST_TEST(link.sent.back().header.range == 1U);
  complete(1);
  exchange.onTick(kStart + 1h);
  BOOST_TEST(link.count(MessageType::kQuery) == 2U);
}

BOOST_AUTO_TEST_CASE(asks_nobody_without_credit) {
  begin(1);
  link.sent.clear();
  link.has_no_room = true;
  exchange.onTick(kStart + 3s);
  BOOST_TEST(link.sent.empty());
}

BOOST_AUTO_TEST_CASE(waits_for_who_sums_until_that_says_whom_it_waits_for) {
  begin(1);
  exchange.onTick(kStart + 999ms);
  BOOST_TEST(exchange.waits().empty());
  exchange.onTick(kStart + 1s);
  BOOST_TEST(waitsText() == "server 0: the sum of range 0\n");
  BOOST_TEST((exchange.waits().front().since == kStart));
  BOOST_TEST(exchange.waits().front().step == 1);

  exchange.onMessage(kServer0, missingHeader(1, 0, {1, 2}), {});
  BOOST_TEST(waitsText() ==
             "worker 1: contribution of the parts [1,2) to range 0, summed by server 0\n");

  sum(sumHeader(1, 0));  // the answer was about this range
  BOOST_TEST(waitsText() == "server 0: the sum of range 1\n");
  complete(1);
  BOOST_TEST(exchange.waits().empty());
}

BOOST_AUTO_TEST_CASE(waits_for_who_sums_where_that_lacks_nothing_or_what_we_have_sent) {
  begin(1);
  exchange.onTick(kStart + 1s);
  exchange.onMessage(kServer0, missingHeader(1, 0, {0, 0}), {});
  BOOST_TEST(waitsText() == "server 0: the sum of range 0, which is complete there\n");
  exchange.onMessage(kServer0, missingHeader(1, 0, {0, 2}), {});
  BOOST_TEST(waitsText() ==
             "server 0: our contribution of the parts [0,1) to range 0, which has not come there\n"
             "worker 1: contribution of the parts [1,2) to range 0, summed by server 0\n");
}

BOOST_AUTO_TEST_CASE(waits_for_whom_the_one_who_adds_waits_for) {
  begin(1);
  exchange.onTick(kStart + 1s);
  Header answer = missingHeader(1, 0, {0, 0});
  answer.value = 1 + 7;
  exchange.onMessage(kServer0, answer, {});
  BOOST_TEST(waitsText() == "worker 7: what server 0 awaits of range 0\n");
  answer.value = static_cast<std::uint64_t>(kLargestIndex) + 2;
  exchange.onMessage(kServer0, answer, {});
  BOOST_TEST(exchange.ignored() == 1U);
}

// By halving worker 0's contribution comes through worker 1, which has nothing to pass on without.
BOOST_AUTO_TEST_CASE(waits_for_who_passes_on_and_not_for_those_behind) {
  const ExchangePlan four = makeExchangePlan({1}, 4);
  Header base;
  base.sender = {{Role::kWorker, 2}, 102};
  ContributionExchange own(base, four, link);
  Roster halving = roster(1);
  halving.members.clear();
  for (int i = 0; i < 4; ++i)
    halving.members.push_back({{{Role::kWorker, i}, static_cast<Incarnation>(100 + i)}, "e"});
  halving.shards = ShardMap::ofOwners(Role::kWorker, {3}, Reduction::kHalvingDoubling);
  own.onRoster(halving);
  own.onTick(kStart);
  const std::vector<float> values(static_cast<std::size_t>(four.values));
  own.begin(1, std::array{Contribution{{2, 3}, values}}, nullptr);
  own.announceRest();
  own.onTick(kStart + 1s);

  own.onMessage({Role::kWorker, 3}, missingHeader(1, 0, {0, 2}), {});

  const auto waits = own.waits();
  BOOST_TEST_REQUIRE(waits.size() == 1U);
  BOOST_TEST(waits.front().whom.index == 1);
  BOOST_TEST(waits.front().what ==
             "contribution of the parts [0,2) to range 0, summed by worker 3");
}

BOOST_AUTO_TEST_CASE(an_answer_of_another_step_range_or_roster_says_nothing) {
  begin(1);
  exchange.onTick(kStart + 1s);
  exchange.onMessage(kServer0, missingHeader(2, 0, {1, 2}), {});
  exchange.onMessage(kServer0, missingHeader(1, 9, {1, 2}), {});
  exchange.onMessage(kServer0, missingHeader(1, 0, {1, 3}), {});
  exchange.onMessage(kServer0, missingHeader(1, 0, {1, 2}, /*generation=*/2), {});
  exchange.onMessage({Role::kServer, 1}, missingHeader(1, 0, {1, 2}), {});
  BOOST_TEST(waitsText() == "server 0: the sum of range 0\n");
  BOOST_TEST(exchange.ignored() == 4U);
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

BOOST_AUTO_TEST_CASE(where_each_sums_for_itself_only_it_is_asked) {
  Header base;
  base.sender = {{Role::kWorker, 1}, 101};
  ContributionExchange own(base, plan, link);
  Roster all = roster(1);
  all.members = {{{{Role::kWorker, 0}, 100}, "e"}, {{{Role::kWorker, 1}, 101}, "f"}};
  all.shards = ShardMap::direct(plan.ranges.size());
  own.onRoster(all);
  own.onTick(kStart);
  const std::vector<float> values(static_cast<std::size_t>(plan.values));
  const std::array contributions{Contribution{{1, 2}, values}};
  own.begin(1, contributions, nullptr);
  own.announceRest();
  own.onTick(kStart + 3s);
  BOOST_TEST_REQUIRE(link.count(MessageType::kQuery) == 1U);
  BOOST_TEST(link.sent.back().to.slot.index == 1);

  own.onMessage({Role::kWorker, 1}, missingHeader(1, 0, {0, 1}), {});
  BOOST_TEST_REQUIRE(own.waits().size() == 1U);
  BOOST_TEST(toString(own.waits().front().whom) == "worker 0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::contribution_exchange_test
