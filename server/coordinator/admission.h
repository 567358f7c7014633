#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/membership/join_request.h"
#include "common/membership/roster.h"

namespace sumac::server {

/// Lets members in until every slot is taken, and issues rosters. A pure state machine.
class Admission {
 public:
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

  /// `self` is server 0, a member from the start.
  Admission(RosterEntry self, std::string plan_text, int workers, int servers);

  Outcome join(const Member& member, std::uint64_t plan_hash, std::string_view request_json);

  bool started() const { return roster_.epoch != Epoch{}; }
  /// Requires started().
  const Roster& roster() const { return roster_; }
  bool isMember(const Member& member) const;
  /// Members let in so far, server 0 among them.
  std::size_t admitted() const { return joined_.size(); }
  const std::string& descriptionOf(Slot slot) const { return joined_.at(slot).request.description; }
  const auto& joined() const { return joined_; }

 private:
  struct Joined {
    Member member;
    JoinRequest request;
  };

  std::string refusal(const Member& member, const JoinRequest& request) const;
  std::string bestKernels(const JoinRequest* candidate) const;
  const JoinRequest* firstWorker() const;
  void issue();

  std::string plan_text_;
  int workers_;
  int servers_;
  std::map<Slot, Joined> joined_;
  Roster roster_;
};

}  // namespace sumac::server
