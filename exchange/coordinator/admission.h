#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange/coordinator/sum_plan.h"
#include "exchange/membership/join_request.h"
#include "exchange/membership/most_members.h"
#include "exchange/membership/roster.h"

namespace sumac {

/// Admits members until every slot is taken, and makes rosters. A pure state machine.
///
/// A slot belongs to the process that joined last, unless another has followed a later roster; one
/// that was superseded or removed is not admitted again. After the first roster nobody is admitted,
/// or, in a job whose members may change, for the next one.
///
/// What is summed has a size that servers do not know: the first worker states it, and the others
/// must agree.
class Admission {
 public:
  struct Options {
    std::optional<RosterEntry> self;  // server 0, a member from the start; none without servers
    std::string server_text;          // the plan lines that servers share, whatever the data
    PlanOf plan_of;
    std::optional<ExchangeMethod> method = ExchangeMethod::kServers;
    int workers = 1;  // that the first roster has
    int servers = 1;
    std::optional<MostMembers> most = std::nullopt;  // where members may change; none: they do not
  };
  enum class Verdict {
    kWaiting,   // admitted; others are missing
    kComplete,  // admitted as the last one: the first roster can be issued
    kNext,      // admitted for the next roster
    kEarly,     // not admitted: a member of a coordinator before, which has not halted yet
    kAgain,     // a member on a new connection, which may have missed the roster
    kRefused,   // not admitted; `text` says why
    kTaken,     // another process has the slot, or had it last
    kOther,     // not admitted: computes with other kernels, as its next process need not
  };
  struct Outcome {
    Verdict verdict = Verdict::kWaiting;
    std::string text;
    std::optional<Member> superseded = std::nullopt;  // that had the slot
  };
  /// What the coordinator decides of a roster that follows another.
  struct Next {
    Step start_step = 0;
    Slot writer = {};
    Step evaluated = 0;
    std::map<Slot, Slot> sources = {};
    bool reads_checkpoint = false;  // nobody has the state in memory
  };

  explicit Admission(Options options);

  Outcome join(const Member& member, std::uint64_t plan_hash, std::string_view request_json);
  /// Makes room for another process of this slot. Where members do not change: requires that no
  /// roster was issued.
  void remove(Slot slot);

  /// Every slot is taken or, where some have followed a roster of a coordinator before, all of its
  /// members are here that can be.
  bool isComplete() const;
  /// What is known of the highest roster that one of them has followed; null: nobody has.
  const Followed* followed() const;
  /// Whether there are enough for a roster: a worker and, in a job with servers, one of them.
  bool isEnough() const;
  /// Whether that many workers are here that the job may begin with.
  bool hasLeast() const;
  /// Those who cannot compute as the highest roster did that one of them has followed, each with
  /// why: they are not admitted.
  std::vector<std::pair<Member, Outcome>> removeUnfit();
  /// Why all that are admitted cannot train together, for people; empty: they can. One would need
  /// more memory than it may take, or they would begin without the checkpoints that there may be.
  std::string obstacleTo(const Next& next) const;
  /// Makes the first roster. `links`: what they cost, where that was measured; only a job that
  /// leaves its algorithm open depends on it. `next`: where and with whom to start; none: all have
  /// what worker 0's checkpoint says. Requires isEnough(), and is called once.
  void issue(const std::vector<ExchangeCosts>& links, const std::optional<Next>& next = {});
  /// Makes the next roster, of all that are admitted. Requires started(), a worker and, in a job
  /// with servers, one of them.
  void issueNext(const Next& next);

  bool started() const { return roster_.order != RosterOrder{}; }
  /// Requires started().
  const Roster& roster() const { return roster_; }
  bool isMember(const Member& member) const;
  /// It was a member once, and another process has its slot, or may have it.
  bool isRemoved(const Member& member) const { return removed_.contains(member); }
  /// Number of admitted members, including server 0.
  std::size_t admitted() const { return joined_.size(); }
  /// The slots of the job that are not taken yet.
  std::vector<Slot> vacantSlots() const;
  const std::string& descriptionOf(Slot slot) const { return joined_.at(slot).request.description; }
  const auto& joined() const { return joined_; }

 private:
  struct Joined {
    Member member;
    JoinRequest request;
  };

  /// The first worker's size, and the plan for it.
  struct Adopted {
    std::int64_t size = 0;
    SumPlan plan;
  };

  Outcome admit(const Member& member, std::uint64_t plan_hash, std::string_view request_json);
  bool isOutdated(Slot slot, RosterOrder followed) const;
  std::string refusal(const Member& member, const JoinRequest& request);
  std::string workerRefusal(const std::string& who, const JoinRequest& request);
  std::optional<Outcome> lacking(Slot slot, const JoinRequest& request) const;
  static Verdict withoutKernels(const JoinRequest& request);
  static std::optional<Outcome> unfit(Slot slot, const JoinRequest& request,
                                      const std::string& kernels);
  Result<Adopted> adopt(const JoinRequest& request) const;
  std::string bestKernels(const JoinRequest* candidate) const;
  const JoinRequest* firstWorker() const;
  void begin(const Next& next);
  void fillRoster();
  ShardMap chooseShards();

  Options options_;
  std::optional<Adopted> adopted_;
  std::map<Slot, Joined> joined_;
  std::set<Member> removed_;
  std::vector<ExchangeCosts> links_;
  RosterOrder seen_;  // the highest that others than this coordinator have issued
  Roster roster_;
};

}  // namespace sumac
