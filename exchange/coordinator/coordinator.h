#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/trace/recorder.h"
#include "exchange/coordinator/admission.h"
#include "exchange/coordinator/change_report.h"
#include "exchange/coordinator/flapping.h"
#include "exchange/coordinator/link_probe.h"
#include "exchange/coordinator/membership_change.h"
#include "exchange/coordinator/roster_members.h"
#include "exchange/coordinator/stall_watch.h"
#include "exchange/coordinator/stop_vote.h"
#include "exchange/coordinator/suspicions.h"
#include "exchange/coordinator/wait_limits.h"
#include "exchange/coordinator/weights_audit.h"
#include "exchange/link/link.h"
#include "exchange/membership/liveness.h"
#include "job/progress/worker_times.h"

namespace sumac {

/// Receives the coordinator's decisions, in its own process.
class CoordinatorListener {
 public:
  virtual ~CoordinatorListener() = default;
  virtual void onRosterIssued(const Roster& roster) = 0;
  virtual void onProgress(const std::string& json) = 0;
  /// The others know how the job ends.
  virtual void onJobOver(ExitCode code, const std::string& reason) = 0;
};

struct CoordinatorOptions {
  std::uint64_t job = 0;  // as in wire::Header
  Member self;            // server 0, or worker 0 where there are no servers: it joins like others
  Admission::Options admission;
  const Clock* clock = nullptr;  // outlives us; times what links cost. Null: that is not measured
  WaitLimits limits = {};
};

/// Decides membership, detects losses, runs the vote on stopping and announces the end
/// (docs/design/job-life.md#coordinator).
/// A state machine without sockets, clocks (but for link_probe.h) or threads. Owned by one thread.
///
/// Where the job leaves its algorithm open, the first roster waits until a few links have been
/// measured, for a second at most.
///
/// Before the first roster a member that is lost only makes room, and a second process of its slot
/// takes its place; a member that does not join in time ends the job. After it divergence or a
/// failure ends the job for all, and so does any member's loss or standstill, except the loss of
/// one whose work is done.
///
/// Where members may change, a loss, a join or a leave ends in another roster instead: all workers
/// halt, and go on from the highest step that one of them has done (membership_change.h). A leave
/// that would leave nobody with a state, or no server, is a stop.
///
/// When a member reconnects and joins again, it is sent again what it may have missed. A process
/// that does not have its slot, or not any more, ends with 75 and a message.
///
/// A stop ends within StopTimes::kRelease. Where a member is lost meanwhile, or the step that all
/// should finish does not come, the workers that answer stop after the last step that they have,
/// and the lowest of those that wait for others writes the checkpoint. The reason that all are told
/// names who is missing.
class Coordinator {
 public:
  /// The references outlive us.
  Coordinator(const CoordinatorOptions& options, link::Link& link, CoordinatorListener& listener);

  /// The clock of `recorder`, which outlives us, is the one that members align theirs with. Without
  /// one, or with null, their questions are not echoed.
  void alignClocksWith(trace::Recorder* recorder);

  void start(TimePoint now);
  void onTick(TimePoint now);
  /// A message of the control lane.
  void onMessage(Slot from, const wire::Header& header, BytesView payload);
  /// `who` was asked to stop: this process or a member.
  void requestStop(Slot who);

  std::uint64_t ignored() const { return ignored_; }
  int admitted() const { return static_cast<int>(admission_.admitted()); }
  std::vector<Slot> vacantSlots() const { return admission_.vacantSlots(); }

 private:
  // For members of a roster before, from the first of them on.
  static constexpr Duration kFounding = std::chrono::seconds(3);
  // For others than the fewest that may begin, from the last that has joined on.
  static constexpr Duration kFoundingOfFew = std::chrono::seconds(30);

  struct Stop {
    std::optional<Slot> by = {};  // who was asked first; none: nobody was
    std::string reason = {};
    TimePoint since = {};
    bool hands_over =
        false;  // this process alone ends: the others wait for another one of its slot
    std::optional<Slot> writer = {};     // of the checkpoint, once workers stop where they are
    std::optional<Step> confirmed = {};  // that checkpoint's step

    bool isRequested() const { return by.has_value(); }
  };
  struct Ending {
    wire::MessageType type = wire::MessageType::kAbort;
    ExitCode code = ExitCode::kDone;
    std::string reason;
    TimePoint until;
  };

  void onJoin(Slot from, const wire::Header& header, BytesView payload);
  void onMember(Slot from, const wire::Header& header, BytesView payload);
  void onHeartbeat(Slot from, const wire::Header& header);
  void onProgress(BytesView payload);
  void onTrained(Slot worker);
  void onFinished(Slot from, const wire::Header& header, BytesView payload);
  void onCheckpointed(Step step);
  void onCrc(Slot from, const wire::Header& header, BytesView payload);
  void noteTimes(Slot from, BytesView payload);
  std::string timesText() const;
  void turnAway(const Member& other);
  void answerEnd(const Member& to);
  void onEcho(Slot from, std::uint64_t ticket);
  void measureLinks();
  void startWhenReady();
  void announceRoster();
  void repeatPhase(Slot to);
  void lost(Slot member, const std::string& why);
  static std::string lossEvent(Slot member, const std::string& why);
  void loseOneOfMany(Slot member, const std::string& why);
  void goOnWithout(Slot member, const std::string& why);
  void endWhereAllAreThrough();
  void watchJoining();
  void watchTrainers();
  void expel(Slot member, const std::string& why);
  void takeIn(const Member& member, const Admission::Outcome& admitted);
  void onLeave(Slot from);
  void planLeaves();
  void watchLeaves();
  void onReady(Slot from, std::uint64_t bytes);
  void onHalted(Slot from, const wire::Header& header);
  void onSuspect(Slot from, const wire::Header& header);
  void judgeSuspects();
  void release(Slot slot);
  void tellReleased(const Member& member);
  void carryOut(const ChangeOrder& order);
  void tell(Slot worker, const ChangeOrder& order);
  void issueNext();
  bool hasStateWithout(const std::set<Slot>& gone) const;
  void tellChange();
  Admission::Next decideNext() const;
  bool mayFound() const;
  void takeBack(Slot member, BytesView payload);
  void beginRoster();
  void watchStop();
  void endStop();
  std::set<Slot> staying() const;
  bool endsAlone() const;
  void handOver(Slot member);
  void onHandedOver(Slot member);
  void hurry();
  void sendHurry(Slot worker);
  void confirmInHurry();
  std::vector<Slot> missingWorkers() const;
  void end(wire::MessageType type, ExitCode code, const std::string& reason);
  void leaveIfAlone();
  /// Server 0 is a member, but needs no messages. Worker 0, in the same process, gets them.
  bool isOurselves(Slot slot) const { return slot == self_.slot && slot.role == Role::kServer; }
  wire::Header header(wire::MessageType type, Step step, std::uint64_t value) const;
  void send(Slot to, wire::MessageType type, Step step = 0, std::uint64_t value = 0,
            std::string_view text = {});
  /// To exactly this process, member or not.
  void answer(const Member& to, wire::MessageType type, std::uint64_t value, std::string_view text);
  void sendToAll(wire::MessageType type, Step step = 0, std::uint64_t value = 0,
                 std::string_view text = {});

  // Fixed after construction.
  std::uint64_t job_;
  Member self_;
  link::Link* link_;
  CoordinatorListener* listener_;
  trace::Recorder* recorder_ = nullptr;
  const Clock* clock_;  // null: links are not measured
  WaitLimits limits_;
  const bool changes_;  // members do

  TimePoint now_;
  Admission admission_;
  Liveness liveness_;
  StallWatch stalls_;
  std::uint64_t ignored_ = 0;

  // Before the first roster.
  LinkProbe probe_;
  TimePoint started_;
  TimePoint complete_since_;                 // all had joined
  TimePoint last_joined_;                    // the last one had
  std::optional<TimePoint> first_followed_;  // one had followed a roster of a coordinator before

  // Of the roster in force: beginRoster() makes each anew.
  RosterMembers members_;
  MembershipChange change_;
  StopVote vote_;
  WeightsAudit audit_;
  Suspicions suspicions_;

  // Of the changes of members, from roster to roster.
  std::set<Slot> leaving_;                  // members that were asked to stop
  std::optional<TimePoint> leaving_since_;  // the first of those
  std::set<Member> released_;               // that have left
  Flapping flapping_;
  ChangeReport report_;  // of the change under way
  Step evaluated_ = 0;   // the newest step that was evaluated
  Step checkpoint_ = 0;  // the newest that is complete

  Stop stop_;

  // Of the end.
  std::map<Slot, WorkerTimes> times_;  // of workers 0 to 255, as they have said last
  std::string result_;
  std::optional<Ending> ending_;
  bool left_ = false;
};

}  // namespace sumac
