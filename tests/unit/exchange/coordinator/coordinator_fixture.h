#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "exchange/coordinator/coordinator.h"
#include "tests/support/recording_link.h"

namespace sumac {

/// Server 0 of a job, of two workers if not told otherwise, and all that it says.
struct CoordinatorFixture : CoordinatorListener {
  RecordingLink link;
  Coordinator coordinator;
  TimePoint now{std::chrono::hours(1)};
  std::vector<Roster> rosters;
  std::vector<std::string> progress;
  std::vector<std::pair<ExitCode, std::string>> ends;

  explicit CoordinatorFixture(const CoordinatorOptions& options)
      : coordinator(options, link, *this) {
    coordinator.start(now);
  }
  explicit CoordinatorFixture(int servers)
      : CoordinatorFixture(CoordinatorOptions{
            7,
            {kSelf, 1},
            {RosterEntry{{kSelf, 1}, "e"}, "", plan, ExchangeMethod::kServers, 2, servers},
            nullptr,
            {.join = std::chrono::seconds(60), .stalled = std::chrono::seconds(20)}}) {}
  void onRosterIssued(const Roster& roster) override { rosters.push_back(roster); }
  void onProgress(const std::string& json) override { progress.push_back(json); }
  void onJobOver(ExitCode code, const std::string& reason) override {
    ends.emplace_back(code, reason);
  }

  /// A message of the job, from `from`.
  void say(Slot from, Incarnation incarnation, wire::Header header, std::string_view text) {
    header.job = 7;
    header.sender = {from, incarnation};
    if (header.term == 0 && !rosters.empty()) {
      header.term = rosters.back().order.term;
      header.generation = rosters.back().order.generation;
    }
    coordinator.onMessage(from, header, asBytes(text));
  }

  /// Of three values and two parts.
  static Result<SumPlan> plan(std::int64_t /*size*/) {
    return SumPlan{makeExchangePlan(std::vector<std::int64_t>{3}, /*parts=*/2), {}};
  }

  static constexpr Slot kSelf{Role::kServer, 0};
};

}  // namespace sumac
