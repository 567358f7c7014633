#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "exchange/member/job_member.h"
#include "exchange/member/training.h"
#include "tests/support/recording_link.h"

namespace sumac {

/// Worker 0 of two, with a server, and what its trainer is told.
struct MemberTrainer : Trainer {
  using Header = wire::Header;
  using MessageType = wire::MessageType;
  using Peer = link::Peer;
  using Stops = std::vector<StopOrder>;

  static constexpr Peer kControl{{Role::kServer, 0}, link::Lane::kControl};
  static constexpr Peer kData{{Role::kServer, 0}, link::Lane::kData};

  RecordingLink link;
  ExchangePlan plan = makeExchangePlan({100}, 2);
  JobMember member;
  TimePoint now{std::chrono::hours(1)};
  std::vector<float> gradient = std::vector<float>(101, 1.0F);
  std::vector<Contribution> contributions{{{0, 1}, gradient}};

  std::uint32_t generation = 1;  // of what the server says

  std::vector<TreeNode> starts;
  std::vector<Step> partial_sums;
  std::vector<Step> sums;
  std::vector<StopOrder> stops;
  std::vector<StateArrival> arrivals;
  std::vector<Step> agreed;
  std::vector<std::pair<ExitCode, std::string>> ends;

  void onStart(const Roster& /*roster*/, TreeNode block) override { starts.push_back(block); }
  void onPartialSum(Step step, const RangeRun& /*run*/, std::span<const float> /*sum*/) override {
    partial_sums.push_back(step);
  }
  void onSum(Step step, std::span<const float> /*sum*/) override { sums.push_back(step); }
  void onStop(const StopOrder& order) override { stops.push_back(order); }
  void onState(StateArrival arrival) override { arrivals.push_back(arrival); }
  void onWeightsAgreed(Step step) override { agreed.push_back(step); }
  void onEnd(ExitCode code, const std::string& reason) override { ends.emplace_back(code, reason); }

  explicit MemberTrainer(std::optional<Duration> orphan_patience = {})
      : member(identity(orphan_patience),
               {.training = TrainingRole{.plan = &plan, .trainer = this}}, link) {
    member.start(now);
    member.onPeerUp(kControl);
  }

  static MemberIdentity identity(std::optional<Duration> orphan_patience = {}) {
    MemberIdentity identity{{{Role::kWorker, 0}, 100}, 7, kControl.slot, "tcp://a:1", {}};
    identity.request.plan_text = "a=1\n";
    identity.request.kernels = {"baseline"};
    identity.request.description = "CPU";
    identity.orphan_patience = orphan_patience;
    return identity;
  }
  Training& training() { return member.training(); }

  Roster roster(std::uint32_t number) const {
    Roster roster;
    roster.order = {1, number};
    roster.members = {{{{Role::kServer, 0}, 200}, "tcp://a:1"},
                      {{{Role::kWorker, 0}, 100}, ""},
                      {{{Role::kWorker, 1}, 101}, ""}};
    roster.shards = ShardMap::shareOut(ExchangeMethod::kServers, plan, {0});
    return roster;
  }
  Header fromServer(MessageType type) const {
    Header header;
    header.type = type;
    header.job = 7;
    header.term = 1;
    header.generation = generation;
    header.sender = {{Role::kServer, 0}, 200};
    return header;
  }
  void control(MessageType type, std::string_view text = {}, Step step = 0,
               std::uint64_t value = 0) {
    Header header = fromServer(type);
    header.step = step;
    header.value = value;
    member.onMessage(kControl, header, link::makePayload(asBytes(text)));
  }
  void begin() { control(MessageType::kRoster, toJson(roster(1))); }
  void commit(wire::Commit how, Step step = 0) {
    control(MessageType::kCommit, {}, step, static_cast<std::uint64_t>(how));
  }
  /// The second roster: after `step`, of this worker alone.
  Roster next(Step step) const {
    Roster next = roster(2);
    next.members.pop_back();
    next.start_step = step;
    return next;
  }
  void beginNext(Step step) {
    control(MessageType::kRoster, toJson(next(step)));
    generation = 2;
  }
  /// What the coordinator was told last.
  const Header& told(MessageType type) const {
    const auto found = std::find_if(link.sent.rbegin(), link.sent.rend(), [&](const auto& sent) {
      return sent.to == kControl && sent.header.type == type;
    });
    BOOST_TEST_REQUIRE((found != link.sent.rend()));
    return found->header;
  }
  void checkHalted(std::optional<Step> done) const {
    const Header& header = told(MessageType::kFinished);
    BOOST_TEST(header.value == static_cast<std::uint64_t>(wire::Finished::kHalted));
    BOOST_TEST(header.step == done.value_or(0));
    BOOST_TEST(header.first == (done ? 0U : 1U));
  }
  void submit(Step step) {
    training().contributions().begin(step, contributions, nullptr);
    training().contributions().announceRest();
  }
  void sum(Step step) {
    Header header = fromServer(MessageType::kSum);
    header.step = step;
    header.count = 101;
    const std::vector<float> values(101, 2.0F);
    member.onMessage(kData, header, link::makePayload(std::as_bytes(std::span(values))));
  }
};

}  // namespace sumac
