#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/membership/join_request.h"
#include "common/membership/roster.h"

namespace sumac::server {

/// The plan text (common/plan/plan_text.h) of the job with data of so many words, 0 for none. Fails
/// where the job's network cannot be made with them.
using PlanTextOf = std::function<Result<std::string>(int vocabulary)>;

/// Lets members in until every slot is taken, and issues rosters. A pure state machine.
///
/// Servers never read data: how many words there are is what the first worker says, and others must
/// agree with it.
class Admission {
 public:
  struct Options {
    RosterEntry self;         // server 0, a member from the start
    std::string server_text;  // the lines that servers must share, whatever the data
    PlanTextOf plan_text_of;  // the lines that a worker must have; more are between workers
    int workers = 1;
    int servers = 1;
  };
  enum class Verdict {
    kWaiting,   // let in; others are awaited
    kStart,     // let in as the last one: the first roster stands
    kAgain,     // a member on a new connection: the next generation stands
    kRefused,   // not let in; `text` says why
    kReplaced,  // another process holds the slot: its first holder must be taken for lost
  };
  struct Outcome {
    Verdict verdict = Verdict::kWaiting;
    std::string text;
  };

  explicit Admission(Options options);

  Outcome join(const Member& member, std::uint64_t plan_hash, std::string_view request_json);

  bool started() const { return roster_.order != RosterOrder{}; }
  /// Requires started().
  const Roster& roster() const { return roster_; }
  bool isMember(const Member& member) const;
  /// Members let in so far, server 0 among them.
  std::size_t admitted() const { return joined_.size(); }
  /// The slots of the job that nobody holds yet.
  std::vector<Slot> awaited() const;
  const std::string& descriptionOf(Slot slot) const { return joined_.at(slot).request.description; }
  const auto& joined() const { return joined_; }

 private:
  struct Joined {
    Member member;
    JoinRequest request;
  };

  /// What the first worker said of its data, and the plan with that.
  struct Adopted {
    int vocabulary = 0;
    std::string plan_text;
  };

  std::string refusal(const Member& member, const JoinRequest& request);
  std::string workerRefusal(const std::string& who, const JoinRequest& request);
  Result<Adopted> adopt(const JoinRequest& request) const;
  std::string bestKernels(const JoinRequest* candidate) const;
  const JoinRequest* firstWorker() const;
  void issue();

  Options options_;
  std::optional<Adopted> adopted_;
  std::map<Slot, Joined> joined_;
  Roster roster_;
};

}  // namespace sumac::server
