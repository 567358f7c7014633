#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/coordinator/coordinator_fixture.h"

namespace sumac {

/// Server 0 of a job that begins with two servers and three workers, and may have twice as many:
/// members come, go and are lost while it trains on.
struct ChangingFixture : CoordinatorFixture {
  static constexpr Slot kServer0 = kSelf;
  static constexpr Slot kServer1{Role::kServer, 1};
  static constexpr Slot kWorker0{Role::kWorker, 0};
  static constexpr Slot kWorker1{Role::kWorker, 1};
  static constexpr Slot kWorker2{Role::kWorker, 2};
  static constexpr Slot kWorker3{Role::kWorker, 3};
  static constexpr Incarnation kAgain = 99;  // of a second process
  static constexpr Step kSteps = 100;        // of the job
  static constexpr auto kGather = MembershipChange::kGather;

  /// `least`: workers that the job may begin with.
  explicit ChangingFixture(std::optional<int> least = {}) : ChangingFixture(options(least)) {}
  explicit ChangingFixture(const CoordinatorOptions& options) : CoordinatorFixture(options) {}

  static CoordinatorOptions options(std::optional<int> least) {
    return {7,
            {kServer0, 100},
            {.self = RosterEntry{{kServer0, 100}, "e"},
             .server_text = "",
             .plan_of = planOfSix,
             .workers = 3,
             .servers = 2,
             .most = MostMembers{6, 4, least}},
            nullptr,
            {.stalled = std::chrono::seconds(20)}};
  }
  static Result<SumPlan> planOfSix(std::int64_t /*size*/) {
    return SumPlan{makeExchangePlan(std::vector<std::int64_t>{3}, /*parts=*/6), {}};
  }
  void onRosterIssued(const Roster& roster) override {
    rosters.push_back(roster);
    for (const RosterEntry& entry : roster.members) {  // it was sent to this process
      const Member& member = entry.member;
      if (member.slot == kServer0) continue;
      const link::Peer lane{member.slot, link::Lane::kControl};
      BOOST_TEST(link.expected_process[lane] == member.incarnation);
    }
  }

  static Incarnation firstOf(Slot slot) {
    return Incarnation(10 + slot.index) + (slot.role == Role::kServer ? 90 : 0);
  }
  void say(Slot from, const wire::Header& header, std::string_view text = {},
           Incarnation process = 0) {
    CoordinatorFixture::say(from, process != 0 ? process : firstOf(from), header, text);
  }
  void say(Slot from, wire::MessageType type, Step step = 0, std::uint64_t value = 0) {
    wire::Header header;
    header.type = type;
    header.step = step;
    header.value = value;
    say(from, header);
  }
  void found(Slot from, Step step) {
    say(from, wire::MessageType::kCheckpointed, step,
        static_cast<std::uint64_t>(wire::Checkpointed::kFound));
  }
  static JoinRequest request() {
    JoinRequest request;
    request.kernels = {"baseline"};
    request.endpoint = "tcp://a:1";
    request.steps = kSteps;
    return request;
  }
  void ask(Slot from, const JoinRequest& request, Incarnation process = 0) {
    wire::Header header;
    header.type = wire::MessageType::kJoin;
    header.value = planHash("");
    say(from, header, toJson(request), process);
  }
  void join(Slot from, Incarnation process = 0) { ask(from, request(), process); }
  void joinWithVolume(Slot from, RosterOrder volume, Incarnation process = 0) {
    JoinRequest asked = request();
    asked.volume = volume;
    ask(from, asked, process);
  }
  void begin() {
    for (const Slot slot : {kServer1, kWorker0, kWorker1, kWorker2})
      join(slot);
    BOOST_TEST_REQUIRE(rosters.size() == 1U);
    link.sent.clear();
  }

  void prepared(const std::vector<Slot>& workers, Step begun) {
    for (const Slot worker : workers)
      say(worker, wire::MessageType::kPrepared, begun);
  }
  void halted(Slot worker, std::optional<Step> done) {
    wire::Header header;
    header.type = wire::MessageType::kFinished;
    header.value = static_cast<std::uint64_t>(wire::Finished::kHalted);
    header.step = done.value_or(0);
    header.first = done ? 0 : 1;
    say(worker, header);
  }
  void haltAll(Step done) {
    for (const Slot worker : {kWorker0, kWorker1, kWorker2})
      halted(worker, done);
  }
  void stopped(Slot worker, Step step) {
    say(worker, wire::MessageType::kFinished, step,
        static_cast<std::uint64_t>(wire::Finished::kStopped));
  }
  void weights(Slot worker, Step step, bool is_last) {
    wire::Header header;
    header.type = wire::MessageType::kWeightsCrc;
    header.step = step;
    header.value = 7;
    header.first = is_last ? 1 : 0;
    say(worker, header);
  }
  void pass(Duration time, const std::set<Slot>& silent = {}) {
    for (const TimePoint end = now + time; now < end;) {
      now += std::chrono::milliseconds(100);
      for (const Slot slot : {kServer1, kWorker0, kWorker1, kWorker2, kWorker3})
        if (!silent.contains(slot)) say(slot, wire::MessageType::kHeartbeat);
      coordinator.onTick(now);
    }
  }
  void lose(Slot slot) { say(slot, wire::MessageType::kGoodbye); }

  /// How often `type` went to `slot`, of a commit as `how`.
  std::size_t count(Slot slot, wire::MessageType type, std::optional<wire::Commit> how = {}) const {
    return static_cast<std::size_t>(std::ranges::count_if(link.sent, [&](const auto& sent) {
      return sent.to.slot == slot && sent.header.type == type &&
             (!how || sent.header.value == static_cast<std::uint64_t>(*how));
    }));
  }
  /// Whether each worker that the job began with was told so once.
  bool isToldToAll(wire::Commit how) const {
    return std::ranges::all_of(std::vector{kWorker0, kWorker1, kWorker2}, [&](Slot slot) {
      return count(slot, wire::MessageType::kCommit, how) == 1;
    });
  }
  /// The text of the abort that all were sent; empty: none.
  std::string abort() const {
    const auto answered = link.answered.end() - std::ssize(link.sent);
    for (std::ptrdiff_t i = 0; i < std::ssize(link.sent); ++i) {
      const auto& sent = link.sent[static_cast<std::size_t>(i)];
      if (sent.header.type == wire::MessageType::kAbort && !answered[i])
        return std::string(asText(sent.payload));
    }
    return {};
  }
  /// The lines of progress of this kind.
  std::vector<std::string> events(const std::string& kind) const {
    std::vector<std::string> lines;
    std::ranges::copy_if(progress, std::back_inserter(lines), [&](const std::string& line) {
      return line.find("\"event\":\"" + kind + "\"") != std::string::npos;
    });
    return lines;
  }
};

/// That job, training.
struct TrainingFixture : ChangingFixture {
  TrainingFixture() { begin(); }
};

}  // namespace sumac
