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
#include "exchange/coordinator/straggler_watch.h"
#include "exchange/coordinator/suspicions.h"
#include "exchange/coordinator/wait_limits.h"
#include "exchange/coordinator/weights_audit.h"
#include "exchange/link/link.h"
#include "exchange/membership/liveness.h"
#include "job/progress/worker_times.h"

namespace sumac {

/// Receives the coordinator's decisions in its own process, on its thread.
class CoordinatorListener {
 public:
  virtual ~CoordinatorListener() = default;
  /// The roster was sent to all other members.
  virtual void onRosterIssued(const Roster& roster) = 0;
  /// A line of progress, of a worker or of the coordinator itself (job_event.h).
  virtual void onProgress(const std::string& json) = 0;
  /// The job is over, and the other members know it or have had their time to. The last call.
  virtual void onJobOver(ExitCode code, const std::string& reason) = 0;
};

struct CoordinatorOptions {
  std::uint64_t job = 0;  // as in wire::Header
  Member self;            // server 0, or worker 0 where there are no servers: it joins like others
  Admission::Options admission;
  const Clock* clock = nullptr;  // outlives us; times what links cost. Null: that is not measured
  WaitLimits limits = {};
};

/// Decides who is a member, detects losses, runs the vote on stopping and announces the end of the
/// job (docs/design/job-life.md#coordinator). A state machine without sockets or threads; its one
/// clock times links (link_probe.h). Owned by one thread. joining.cc, losing.cc, changing.cc,
/// stopping.cc and handing_over.cc have the functions of one subject each.
///
/// Where the job leaves its algorithm open, the coordinator measures a few links before it issues
/// the first roster, for a second at most.
///
/// Before the first roster, another process may take the slot of a member that is lost; the job
/// ends if a member does not join in time. After it the job ends for all if weights diverge, if a
/// member fails, or if a member is lost or hangs whose work is not done.
///
/// Where members may change, another roster follows a loss, a join or a leave: all workers halt,
/// and continue from the highest step that one of them has done (membership_change.h). If no worker
/// would have a state after a leave, or no server would be left, all members stop instead. Where
/// those who are left would need more memory than they may take, all stay halted until others come,
/// as long as a job waits for its first members.
///
/// A member that reconnects and joins again is sent again what it may have missed. A process whose
/// slot another process has ends with 75 and a message.
///
/// A stop ends within StopTimes::kRelease. If a member is lost meanwhile, or the step that all
/// should finish does not come, the workers that answer stop after the last step that they have
/// done, and the lowest of those that wait for others writes the checkpoint. The reason that all
/// members get names who is missing.
class Coordinator {
 public:
  /// The references outlive us.
  Coordinator(const CoordinatorOptions& options, link::Link& link, CoordinatorListener& listener);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

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
  struct Stop {
    std::optional<Slot> by = {};  // who was asked first; none: nobody was
    std::string reason = {};
    TimePoint since = {};
    std::optional<Slot> writer = {};     // of the checkpoint, once workers stop where they are
    std::optional<Step> confirmed = {};  // that checkpoint's step
    // This process alone ends: the others wait for another one of its slot.
    bool hands_over = false;

    bool isRequested() const { return by.has_value(); }
  };
  struct Ending {
    wire::MessageType type = wire::MessageType::kAbort;
    ExitCode code = ExitCode::kDone;
    std::string reason;
    TimePoint until;
  };

  // What a member says
  void onMember(Slot from, const wire::Header& header, BytesView payload);
  void onHeartbeat(Slot from, const wire::Header& header);
  void onProgress(BytesView payload);
  void onFinished(Slot from, const wire::Header& header, BytesView payload);
  void onCheckpointed(const wire::Header& header);
  void onCrc(Slot from, const wire::Header& header, BytesView payload);
  void noteTimes(Slot from, BytesView payload);
  std::string timesText() const;

  // Who joins, and the first roster (joining.cc)
  void onJoin(Slot from, const wire::Header& header, BytesView payload);
  void onEcho(Slot from, std::uint64_t ticket);
  void measureLinks();
  void startWhenReady();
  bool mayFound() const;
  void reject(const Member& other, const Admission::Outcome& why);
  void turnAway(const Member& other);
  void announceRoster();

  // Who is lost, does not join, or hangs (losing.cc)
  void lost(Slot member, const std::string& why);
  void tellLoss(Slot member, const std::string& why);
  static std::string lossText(const std::string& members, const std::string& why);
  void onTrained(Slot worker);
  void endWhereAllAreThrough();
  void watchJoining();
  std::string refusalsText() const;
  void watchTrainers();
  void expel(Slot member, const std::string& why);

  // How one roster follows another (changing.cc)
  void takeIn(const Member& member, const Admission::Outcome& admitted);
  void takeBack(Slot member, BytesView payload);
  void loseOneOfMany(Slot member, const std::string& why);
  void goOnWithout(Slot member, const std::string& why);
  void onLeave(Slot from);
  void planLeaves();
  void watchLeaves();
  void release(Slot slot);
  void tellReleased(const Member& member);
  void onReady(Slot from, std::uint64_t bytes);
  void onHalted(Slot from, const wire::Header& header);
  void onFoundCheckpoint(const wire::Header& header);
  void onSuspect(Slot from, const wire::Header& header);
  void judgeSuspects();
  void carryOut(const ChangeOrder& order);
  void tell(Slot worker, const ChangeOrder& order);
  bool hasStateWithout(const std::set<Slot>& leavers) const;
  Admission::Next decideNext() const;
  void issueNext();
  bool mustWait(const Admission::Next& next);
  void beginRoster();
  void tellChange();

  // A stop (stopping.cc), of all or of this process alone (handing_over.cc)
  void onPrepared(Slot from, Step begun);
  void watchStop();
  void hurry();
  void sendHurry(Slot worker);
  void confirmInHurry();
  std::vector<Slot> missingWorkers() const;
  void endStop();
  bool endsAlone() const;
  std::set<Slot> staying() const;
  void handOver(Slot member);
  void onHandedOver(Slot member);

  // The end of the job
  void end(wire::MessageType type, ExitCode code, const std::string& reason);
  void answerEnd(const Member& to);
  void leaveIfAlone();

  // Messages
  /// Server 0 is a member, but needs no messages. Worker 0, in the same process, gets them.
  bool isOurselves(Slot slot) const { return slot == self_.slot && slot.role == Role::kServer; }
  wire::Header header(wire::MessageType type, Step step, std::uint64_t value) const;
  void send(Slot to, wire::MessageType type, Step step = 0, std::uint64_t value = 0,
            std::string_view text = {});
  /// To exactly this process, member or not.
  void answer(const Member& to, wire::MessageType type, std::uint64_t value, std::string_view text);
  void sendToAll(wire::MessageType type, Step step = 0, std::uint64_t value = 0,
                 std::string_view text = {});
  /// The order that a member follows now, again: it may have missed it.
  void repeatPhase(Slot to);

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
  std::map<Slot, std::string> refusals_;     // why the last process of a vacant slot was refused
  std::optional<TimePoint> first_followed_;  // one had followed a roster of a coordinator before

  // Of the roster in force: beginRoster() makes each anew.
  RosterMembers members_;
  MembershipChange change_;
  StopVote vote_;
  WeightsAudit audit_;
  Suspicions suspicions_;
  StragglerWatch stragglers_;

  // Of the changes of members, from roster to roster.
  std::set<Slot> leaving_;                  // members that were asked to stop
  std::optional<TimePoint> leaving_since_;  // the first of those
  std::optional<TimePoint> waiting_since_;  // for others, without whom no roster is issued
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
