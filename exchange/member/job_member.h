#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/core/wait.h"
#include "base/trace/recorder.h"
#include "exchange/coordinator/coordinator.h"
#include "exchange/link/link.h"
#include "exchange/member/membership.h"
#include "exchange/member/own_link.h"
#include "exchange/member/training.h"
#include "exchange/membership/roster.h"
#include "exchange/sums/sum_exchange.h"
#include "kernels/kernel_table.h"

namespace sumac {

/// What a member needs that sums ranges.
struct SummingRole {
  const KernelTable* kernels = nullptr;  // of any variant; outlive it
};

/// What a member needs that coordinates.
struct CoordinatingRole {
  std::optional<ExchangeMethod> method = ExchangeMethod::kServers;
  int workers = 1;  // for how many it waits
  int servers = 1;
  std::optional<MostMembers> most = std::nullopt;  // where members may change; none: they do not
  const Clock* clock = nullptr;                    // outlives it; what measures links, for auto
  WaitLimits limits = {};
};

class MemberListener;

/// What a member does; what is absent it does not. A worker trains, and sums where the job has no
/// servers; a server sums; the lowest of those that sum coordinates as well.
struct Roles {
  std::optional<TrainingRole> training = std::nullopt;
  std::optional<SummingRole> summing = std::nullopt;
  std::optional<CoordinatingRole> coordinating = std::nullopt;
  PlanOf plan_of = nullptr;            // of who coordinates, or sums and does not train
  MemberListener* listener = nullptr;  // the same; outlives it
};

/// State of a member, for metrics and logs.
struct MemberView {
  bool connected = false;  // the coordinator has answered; always true of a server that coordinates
  int members = 0;         // of a coordinator: admitted so far, including itself
  RosterOrder order;       // 0 before the first roster
  RejectedPushes rejected{};  // where it sums: pushes that did not fit, by reason
  std::uint64_t limited = 0;  // where it trains: values as large as fp16 allows, or larger
};

/// Receives what a member has to say that its trainer need not know, on the member's thread.
class MemberListener {
 public:
  virtual ~MemberListener() = default;
  /// Of a coordinator: a JSON line about progress, members or an evaluation.
  virtual void onProgress(const std::string& json) = 0;
  /// Of a server or a coordinator: the job has ended and the others know. Exit with `code`; for
  /// kDone `reason` is the JSON result. A worker that coordinates exits as its trainer was told,
  /// but not before this.
  virtual void onJobOver(ExitCode code, const std::string& reason) = 0;
};

/// One process's part in one job: its membership, and any of three roles. A state machine without
/// sockets, clocks or threads; owned by one thread, the reactor's or the simulator's.
///
/// What the roles of a process tell each other are messages like all others, which do not leave it:
/// each is handled after the event that it came of.
class JobMember final : public link::Handler, private MembershipOwner, private CoordinatorListener {
 public:
  /// `link` outlives us.
  JobMember(const MemberIdentity& identity, const Roles& roles, link::Link& link);
  JobMember(const JobMember&) = delete;
  JobMember& operator=(const JobMember&) = delete;

  /// Records what each role does, and aligns clocks with the coordinator's. Call before start();
  /// null: nothing is recorded.
  void traceTo(trace::Recorder* recorder);

  /// Connects to the coordinator and asks to join.
  void start(TimePoint now);
  /// Sends heartbeats and detects lost members. Call about every 20 ms, and after a pause before
  /// any other call.
  void onTick(TimePoint now);

  void onMessage(link::Peer from, const wire::Header& header,
                 const link::PayloadPtr& payload) override;
  void onPeerUp(link::Peer peer) override;
  void onPeerDown(link::Peer peer, const std::string& why) override;
  void onRoom(link::Peer peer) override;
  void onSuspected(link::Peer peer, const std::string& why) override;

  /// Where the trainer speaks to its member. Requires that role. After calls of it: settle().
  Training& training() { return *training_; }
  /// What the trainer has got done so far, and whether it works now or waits for others: for the
  /// coordinator, which would not notice otherwise that it hangs.
  void tellWork(const MemberWork& work);
  /// Handles what this process has told itself.
  void settle();
  /// The process received SIGTERM.
  void leave();

  MemberView view() const;
  /// Whom this member waits for, as of the last tick: in its trainer's open step or, without one,
  /// in what it sums.
  std::vector<Wait> waits() const;
  /// The slots that are not taken yet; empty but for the coordinator.
  std::vector<Slot> vacantSlots() const;
  /// Other members need this process to learn how the job ends.
  bool isNeeded() const { return coordinator_ && !is_over_; }

 private:
  // Of our membership
  void repeatWhatWasTold() override;
  bool fits(const Roster& roster) const override;
  bool isReady() const override { return !training_ || training_->isReady(); }
  void onOrphaned() override {
    if (training_) training_->onOrphaned();
  }
  std::optional<Step> done() const override { return training_ ? training_->done() : std::nullopt; }
  void onRoster(const Roster& roster) override;
  void onControl(const wire::Header& header, BytesView payload) override;
  void onEnd(ExitCode code, const std::string& reason) override;
  // Of the coordinator in this process
  void onRosterIssued(const Roster& roster) override;
  void onProgress(const std::string& json) override;
  void onJobOver(ExitCode code, const std::string& reason) override;

  void takeControl(link::Peer from, const wire::Header& header, BytesView payload);
  void takeData(link::Peer from, const wire::Header& header, const link::PayloadPtr& payload);
  void takeOwn(const OwnMessages::Message& message);
  Result<void> adoptPlan(const Roster& roster);
  void beginTerm();
  void openLanes(const Roster& roster);

  const MemberIdentity identity_;
  const PlanOf plan_of_;
  MemberListener* listener_;
  OwnMessages own_;
  OwnLink link_;                          // of all but the coordinator
  OwnLink coordinator_link_;              // of the coordinator
  std::optional<Membership> membership_;  // none: a server that coordinates
  std::optional<Training> training_;
  std::optional<SumExchange> sums_;
  std::optional<Coordinator> coordinator_;
  std::optional<ExchangePlan> sum_plan_;  // where it does not train: since the roster
  const ExchangePlan* plan_ = nullptr;    // that, or the trainer's
  RosterOrder order_;                     // of the roster
  std::map<Slot, Incarnation> lanes_;     // data lanes that are open, by peer
  bool is_settling_ = false;
  bool is_over_ = false;  // for others: it neither sums nor coordinates any more
};

}  // namespace sumac
