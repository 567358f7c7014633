#include "exchange/member/job_member.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/plain_kernels.h"
#include "tests/support/recording_link.h"

namespace sumac::job_member_test {

// Counts how often a roster is read: the linker leads every call here (CMakeLists.txt).
Result<Roster> readRoster(std::string_view text) asm(
    "__real__ZN5sumac14rosterFromJsonESt17basic_string_viewIcSt11char_traitsIcEE");
Result<Roster> countRoster(std::string_view text) asm(
    "__wrap__ZN5sumac14rosterFromJsonESt17basic_string_viewIcSt11char_traitsIcEE");

namespace {

int rosters_read = 0;

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

constexpr Peer kControl{{Role::kServer, 0}, Lane::kControl};

// Server 1 of two: a member like any other.
struct Server1 : MemberListener {
  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({4000}, 1);
  JobMember member{identity(), roles(), link};
  TimePoint now{std::chrono::hours(1)};
  std::vector<std::pair<ExitCode, std::string>> ends;

  Server1() { member.start(now); }
  static MemberIdentity identity() {
    MemberIdentity identity{{{Role::kServer, 1}, 201}, 7, kControl.slot, "tcp://a:1", {}};
    identity.request.plan_text = "a=1\n";
    identity.request.endpoint = "tcp://b:1";
    return identity;
  }
  Roles roles() {
    return {.summing = SummingRole{.kernels = &kPlainKernels},
            .plan_of = [this](std::int64_t /*size*/) -> Result<SumPlan> {
              return SumPlan{plan, "a=1\n"};
            },
            .listener = this};
  }
  void onProgress(const std::string& /*json*/) override {}
  void onJobOver(ExitCode code, const std::string& reason) override {
    ends.emplace_back(code, reason);
  }

  Header from(Slot slot, Incarnation incarnation, MessageType type) const {
    Header header;
    header.type = type;
    header.job = 7;
    header.term = 1;
    header.generation = 1;
    header.sender = {slot, incarnation};
    return header;
  }
  void control(MessageType type, std::string_view text = {}) {
    member.onMessage(kControl, from(kControl.slot, 200, type), link::makePayload(asBytes(text)));
  }
  std::string rosterJson(Incarnation self, std::uint32_t generation = 1, Incarnation worker = 100,
                         std::uint32_t term = 1) const {
    Roster roster;
    roster.order = {term, generation};
    roster.members = {{{{Role::kServer, 0}, 200}, "tcp://a:1"},
                      {{{Role::kServer, 1}, self}, "tcp://b:1"},
                      {{{Role::kWorker, 0}, worker}, ""}};
    roster.shards = shards();
    return toJson(roster);
  }
  ShardMap shards() const { return ShardMap::shareOut(ExchangeMethod::kServers, plan, {0, 1}); }
  void pushEverything() {
    const Slot worker{Role::kWorker, 0};
    for (const Range& range : plan.ranges) {
      Header header = from(worker, 100, MessageType::kPush);
      header.step = 1;
      header.range = range.id;
      header.first = static_cast<std::uint64_t>(range.first);
      header.count = static_cast<std::uint32_t>(range.count);
      header.node = {0, 1};
      const Bytes payload(static_cast<std::size_t>(range.count) * 4);
      member.onMessage({worker, Lane::kData}, header, link::makePayload(payload));
    }
  }
};

/// A worker of a job of two, without servers: it sums and, as worker 0, coordinates.
struct Worker : Trainer, MemberListener {
  explicit Worker(int index) : self{{Role::kWorker, index}, 100U + static_cast<unsigned>(index)} {
    rosters_read = 0;
    member.start(now);
    if (index > 0) member.onPeerUp({kFirst, Lane::kControl});
  }
  MemberIdentity identity() const {
    MemberIdentity identity{self, 7, kFirst, "tcp://a:1", request()};
    return identity;
  }
  static JoinRequest request() {
    JoinRequest request;
    request.plan_text = "a=1\n";
    request.kernels = {"baseline"};
    request.endpoint = "tcp://b:1";
    return request;
  }
  Roles roles() {
    Roles roles;
    roles.training = {.plan = &plan, .trainer = this, .kernels = &kPlainKernels};
    roles.summing = {.kernels = &kPlainKernels};
    if (self.slot.index > 0) return roles;
    roles.coordinating = {.method = ExchangeMethod::kScatterGather, .workers = 2, .servers = 0};
    roles.plan_of = [this](std::int64_t /*size*/) -> Result<SumPlan> {
      return SumPlan{plan, "a=1\n"};
    };
    roles.listener = this;
    return roles;
  }
  /// The other worker says something.
  void hear(MessageType type, std::string_view text = {}, std::uint64_t value = 0) {
    const int other = 1 - self.slot.index;
    Header header;
    header.type = type;
    header.term = header.generation = 1;
    header.job = 7;
    header.sender = {{Role::kWorker, other}, 100U + static_cast<unsigned>(other)};
    header.value = value;
    member.onMessage({header.sender.slot, Lane::kControl}, header,
                     link::makePayload(asBytes(text)));
  }
  std::string roster() const {
    Roster roster;
    roster.order = {1, 1};
    roster.members = {{{kFirst, 100}, "tcp://a:1"}, {{{Role::kWorker, 1}, 101}, "tcp://b:1"}};
    roster.shards = ShardMap::shareOut(ExchangeMethod::kScatterGather, plan, {0, 1});
    return toJson(roster);
  }
  void submit() {
    member.training().contributions().begin(1, contributions, nullptr);
    member.training().contributions().announceRest();
    member.settle();
  }

  void onStart(const Roster& /*roster*/, TreeNode block) override { blocks.push_back(block); }
  void onPartialSum(Step /*step*/, const RangeRun& run, std::span<const float> /*sum*/) override {
    summed += run.ranges;
  }
  void onSum(Step /*step*/, std::span<const float> /*sum*/) override {}
  void onStop(const StopOrder& order) override { stops.push_back(*order.after); }
  void onState(StateArrival /*arrival*/) override {}
  void onWeightsAgreed(Step /*step*/) override {}
  void onEnd(ExitCode code, const std::string& /*reason*/) override { ends.push_back(code); }
  void onProgress(const std::string& /*json*/) override {}
  void onJobOver(ExitCode code, const std::string& /*reason*/) override { over.push_back(code); }

  static constexpr Slot kFirst{Role::kWorker, 0};
  Member self;
  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({4000}, 2);
  std::vector<float> gradient = std::vector<float>(static_cast<std::size_t>(plan.values), 1.0F);
  std::vector<Contribution> contributions{{{self.slot.index, self.slot.index + 1}, gradient}};
  TimePoint now{std::chrono::hours(1)};
  std::vector<TreeNode> blocks;
  std::uint32_t summed = 0;  // ranges of which a sum has come
  std::vector<Step> stops;
  std::vector<ExitCode> ends;
  std::vector<ExitCode> over;
  JobMember member{identity(), roles(), link};
};

struct Worker0 : Worker {
  Worker0() : Worker(0) {}
};
struct Worker1 : Worker {
  Worker1() : Worker(1) {}
};

}  // namespace

Result<Roster> countRoster(std::string_view text) {
  ++rosters_read;
  return readRoster(text);
}

BOOST_FIXTURE_TEST_SUITE(job_member_server, Server1)

BOOST_AUTO_TEST_CASE(asks_to_be_let_in_and_sums_the_ranges_that_it_owns) {
  member.onPeerUp(kControl);
  BOOST_TEST(link.count(MessageType::kJoin) == 1U);
  control(MessageType::kRoster, rosterJson(201));
  pushEverything();
  std::size_t owned = 0;
  for (const Range& range : plan.ranges) {
    owned += shards().owns({Role::kServer, 1}, range.id) ? 1U : 0U;
  }
  BOOST_TEST(owned > 0U);
  BOOST_TEST(link.count(MessageType::kSum) == owned);
}

BOOST_AUTO_TEST_CASE(a_roster_without_this_process_is_not_taken) {
  control(MessageType::kRoster, rosterJson(999));
  control(MessageType::kRoster, "{");
  pushEverything();
  BOOST_TEST(link.count(MessageType::kSum) == 0U);
}

BOOST_AUTO_TEST_CASE(a_lane_is_kept_while_both_are_members_and_closed_with_its_process) {
  const Peer lane{{Role::kWorker, 0}, Lane::kData};
  control(MessageType::kRoster, rosterJson(201));
  control(MessageType::kRoster, rosterJson(201, 2));
  BOOST_TEST((link.awaited == std::vector<Peer>{lane}));
  BOOST_TEST(link.closed.empty());
  control(MessageType::kRoster, rosterJson(201, 3, /*worker=*/150));
  BOOST_TEST((link.closed == std::vector<Peer>{lane}));
  BOOST_TEST(link.expected_process[lane] == 150U);
  BOOST_TEST((member.view().order == RosterOrder{1, 3}));
  BOOST_TEST(ends.empty());
}

// The worker may have followed one of another coordinator meanwhile that did not name this process,
// and has closed its end then.
BOOST_AUTO_TEST_CASE(a_lane_ends_with_the_term_whoever_stays) {
  const Peer lane{{Role::kWorker, 0}, Lane::kData};
  control(MessageType::kRoster, rosterJson(201));
  control(MessageType::kRoster, rosterJson(201, 2));
  BOOST_TEST((link.terms == std::vector<std::uint32_t>{1}));
  control(MessageType::kRoster, rosterJson(201, 1, /*worker=*/100, /*term=*/2));
  BOOST_TEST((link.terms == std::vector<std::uint32_t>{1, 2}));
  BOOST_TEST((link.awaited == std::vector<Peer>{lane, lane}));
}

BOOST_AUTO_TEST_CASE(a_sender_that_is_not_the_peer_is_ignored) {
  member.onMessage(kControl, from({Role::kServer, 5}, 200, MessageType::kAbort), {});
  member.onMessage(kControl, from(kControl.slot, 200, static_cast<MessageType>(99)), {});
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(says_goodbye_and_ends_with_what_the_coordinator_says) {
  member.onPeerUp(kControl);
  control(MessageType::kRelease);
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
}

BOOST_AUTO_TEST_CASE(asks_for_all_to_leave_when_asked_to_stop) {
  member.onPeerUp(kControl);
  control(MessageType::kHeartbeat);
  member.leave();
  BOOST_TEST(link.count(MessageType::kLeave) == 1U);
  BOOST_TEST(ends.empty());
}

BOOST_AUTO_TEST_CASE(leaves_after_13_s_when_nobody_releases_it) {
  member.onPeerUp(kControl);
  control(MessageType::kHeartbeat);
  member.onTick(now);
  member.leave();
  const auto pass = [&](int seconds) {
    for (int i = 0; i < 4 * seconds; ++i) {
      control(MessageType::kHeartbeat);
      member.onTick(now += std::chrono::milliseconds(250));
    }
  };
  pass(12);
  BOOST_TEST(ends.empty());
  pass(1);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST((ends[0].first == ExitCode::kStopped));
}

BOOST_AUTO_TEST_CASE(leaving_before_the_coordinator_has_spoken_needs_nobody) {
  member.onPeerUp(kControl);
  member.leave();
  BOOST_TEST(link.count(MessageType::kLeave) == 1U);
  BOOST_TEST((link.sent.back().header.type == MessageType::kGoodbye));
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(toInt(ends[0].first) == 143);
}

BOOST_AUTO_TEST_CASE(whoever_does_not_answer_at_first_is_left_and_its_name_looked_up_again) {
  member.onPeerUp(kControl);
  for (int seconds = 1; seconds <= 4; ++seconds)
    member.onTick(now += std::chrono::seconds(1));
  BOOST_TEST(link.reconnected.empty());

  member.onTick(now += std::chrono::seconds(1));
  member.onTick(now += std::chrono::seconds(60));

  BOOST_TEST((link.reconnected == std::vector<Peer>{kControl}));
  BOOST_TEST(ends.empty());
  BOOST_TEST(!member.view().connected);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(job_member_worker)

BOOST_FIXTURE_TEST_CASE(a_member_that_trains_and_sums_reads_its_roster_once, Worker1) {
  hear(MessageType::kRoster, roster());
  BOOST_TEST(rosters_read == 1);
  BOOST_TEST((blocks == std::vector<TreeNode>{{1, 2}}));
  BOOST_TEST((member.view().order == RosterOrder{1, 1}));
}

// Its own contribution is added here without a message; what it lacks is the other's.
BOOST_FIXTURE_TEST_CASE(what_it_pushes_to_itself_does_not_leave_the_process, Worker1) {
  hear(MessageType::kRoster, roster());
  link.sent.clear();
  submit();
  BOOST_TEST(link.count(MessageType::kPush) > 0U);
  for (const auto& message : link.sent)
    BOOST_TEST((message.to.slot == kFirst));
  BOOST_TEST(summed == 0U);
  const std::size_t before = link.count(MessageType::kSum);

  Header header = link.sent.front().header;
  for (const Range& range : plan.ranges) {
    const ShardMap shards = ShardMap::shareOut(ExchangeMethod::kScatterGather, plan, {0, 1});
    if (!shards.owns(self.slot, range.id)) continue;
    header.type = MessageType::kPush;
    header.sender = {kFirst, 100};
    header.range = range.id;
    header.first = static_cast<std::uint64_t>(range.first);
    header.count = static_cast<std::uint32_t>(range.count);
    header.node = {0, 1};
    const Bytes payload(static_cast<std::size_t>(range.count) * 4);
    member.onMessage({kFirst, Lane::kData}, header, link::makePayload(payload));
  }
  BOOST_TEST(summed > 0U);
  BOOST_TEST(link.count(MessageType::kSum) > before);
}

BOOST_FIXTURE_TEST_CASE(the_coordinators_process_reads_its_own_roster_once, Worker0) {
  BOOST_TEST(link.sent.empty());  // it has joined itself
  hear(MessageType::kJoin, toJson(request()), planHash("a=1\n"));
  BOOST_TEST(rosters_read == 1);
  BOOST_TEST(link.count(MessageType::kRoster) == 1U);
  BOOST_TEST((blocks == std::vector<TreeNode>{{0, 1}}));
}

BOOST_FIXTURE_TEST_CASE(its_trainer_hears_of_the_end_before_others_need_it_no_more, Worker0) {
  hear(MessageType::kJoin, toJson(request()), planHash("a=1\n"));
  BOOST_TEST(member.isNeeded());
  member.training().finished("{}");
  member.settle();
  hear(MessageType::kFinished);
  BOOST_TEST((ends == std::vector<ExitCode>{ExitCode::kDone}));
  BOOST_TEST(over.empty());
  hear(MessageType::kGoodbye);
  BOOST_TEST((over == std::vector<ExitCode>{ExitCode::kDone}));
  BOOST_TEST(!member.isNeeded());
}

BOOST_FIXTURE_TEST_CASE(a_stop_of_its_own_is_voted_on_with_the_others, Worker0) {
  hear(MessageType::kJoin, toJson(request()), planHash("a=1\n"));
  member.leave();
  BOOST_TEST(link.count(MessageType::kPrepare) == 1U);
  BOOST_TEST(stops.empty());
  hear(MessageType::kPrepared);
  BOOST_TEST((stops == std::vector<Step>{1}));
}

BOOST_FIXTURE_TEST_CASE(other_workers_are_not_needed_at_the_end, Worker1) {
  BOOST_TEST(!member.isNeeded());
  hear(MessageType::kComplete, "{}");
  BOOST_TEST((ends == std::vector<ExitCode>{ExitCode::kDone}));
  BOOST_TEST(over.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job_member_test
