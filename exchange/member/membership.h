#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/trace/recorder.h"
#include "exchange/link/link.h"
#include "exchange/membership/join_request.h"
#include "exchange/membership/liveness.h"
#include "exchange/membership/part_time.h"
#include "exchange/membership/roster.h"

namespace sumac {

/// Who a member is, and who coordinates its job.
struct MemberIdentity {
  Member self;
  std::uint64_t job = 0;             // as in wire::Header
  Slot coordinator;                  // server 0, or worker 0 where there are no servers
  std::string coordinator_endpoint;  // where that listens; empty: it is in this process
  JoinRequest request;               // what the member says when it joins
  // How long the member, which halts when it loses its coordinator, waits for another process of
  // that slot; none: it ends instead.
  std::optional<Duration> orphan_patience = std::nullopt;
};

/// What a member does, as its heartbeats tell.
struct MemberWork {
  std::uint64_t done = 0;  // a count that grows with all that it gets done
  bool works = false;      // has work of its own, and waits for no other member
  PartTime parts = {};     // of a worker
};

/// What a membership asks of the member that it speaks for.
class MembershipOwner {
 public:
  virtual ~MembershipOwner() = default;
  /// On a new connection: say again what the coordinator must know of us.
  virtual void repeatWhatWasTold() = 0;
  /// A newer roster that has us; returns whether it fits the job. Then the membership keeps it, and
  /// calls onRoster().
  virtual bool fits(const Roster& roster) const = 0;
  /// Whether this member can follow another roster than it does: its trainer has halted.
  virtual bool isReady() const = 0;
  virtual void onRoster(const Roster& roster) = 0;
  /// The coordinator is lost, and another one is awaited: halt, and when isReady(),
  /// Membership::rejoin().
  virtual void onOrphaned() = 0;
  /// The step whose state this member has; none: it has no state, or does not train.
  virtual std::optional<Step> done() const = 0;
  /// A message that is no roster, no heartbeat and not the end.
  virtual void onControl(const wire::Header& header, BytesView payload) = 0;
  /// The job ended for this member. The last call.
  virtual void onEnd(ExitCode code, const std::string& reason) = 0;
};

/// A member's side of its membership: joins, keeps the roster, sends heartbeats and notices the
/// coordinator's silence, until the job ends. A state machine without sockets, clocks or threads.
class Membership {
 public:
  /// `link` and `owner` outlive us.
  Membership(MemberIdentity identity, link::Link& link, MembershipOwner& owner);

  /// Aligns the clock of `recorder`, which outlives us, with the coordinator's: heartbeats carry
  /// the time, which the coordinator echoes with its own. Call before start(), with null for no
  /// trace.
  void alignClockOf(trace::Recorder* recorder) { recorder_ = recorder; }

  /// Connects to the coordinator and asks to join.
  void start(TimePoint now);
  /// Call about every 20 ms, and after a pause before any other call.
  void onTick(TimePoint now);
  /// From now on heartbeats tell this. A member that says nothing is never said to hang.
  void tellWork(const MemberWork& work) { work_ = work; }
  /// A message of the control lane to the coordinator.
  void onMessage(const wire::Header& header, BytesView payload);
  void onPeerUp();
  void onPeerDown() { is_up_ = false; }

  /// Asks the coordinator that has taken the place of the lost one to let this member join, if the
  /// member is ready.
  void rejoin();
  /// Whether the job goes on without a member that is lost.
  bool outlivesOthers() const { return identity_.orphan_patience.has_value(); }
  bool isOrphaned() const { return orphaned_.has_value(); }
  /// The coordinator that was lost makes this member stop with the others: the member no longer
  /// waits for another process of that slot, and another loss counts again.
  void isTakenBack() { orphaned_.reset(); }

  /// Tells the coordinator something. `text` is cut to the largest control payload.
  void tell(wire::MessageType type, Step step = 0, std::uint64_t value = 0,
            std::string_view text = {});
  /// The process received SIGTERM. Ends when the coordinator says so or does not answer in time.
  void leave();
  /// Ends the membership, with a goodbye where the coordinator does not know it yet. Once.
  void end(ExitCode code, const std::string& reason, bool goodbye);

  /// A header of this type, of the current roster.
  wire::Header header(wire::MessageType type) const;

  bool hasEnded() const { return has_ended_; }
  /// The coordinator has answered, and the connection stands.
  bool isConnected() const { return is_up_ && hasHeard(); }
  const std::optional<Roster>& roster() const { return roster_; }
  bool isMember(const Member& member) const { return roster_ && roster_->has(member); }
  link::Peer coordinator() const { return {identity_.coordinator, link::Lane::kControl}; }
  /// "the coordinator, server 0".
  std::string coordinatorName() const;
  std::uint64_t ignored() const { return ignored_; }

 private:
  /// Anything of the coordinator: from then on its silence is its loss.
  bool hasHeard() const { return incarnation_ != 0; }
  void takeRoster(BytesView payload);
  void loseCoordinator(const std::string& why, bool goodbye);
  JoinRequest request() const;
  void askToJoin();
  void askAgain();
  void beat();
  void takeEcho(const wire::Header& header);
  void leaveUnreleased();

  MemberIdentity identity_;
  link::Link* link_;
  MembershipOwner* owner_;
  trace::Recorder* recorder_ = nullptr;
  std::size_t echoes_ = 0;  // that came, whatever they said
  Liveness liveness_{TimePoint{}};
  TimePoint now_;
  MemberWork work_;
  bool was_up_ = false;  // once at least
  bool is_up_ = false;
  TimePoint asked_;              // when it asked to join on this connection
  Incarnation incarnation_ = 0;  // of the first that spoke: state is not handed over
  std::optional<Roster> roster_;
  std::optional<TimePoint> leaving_since_;
  std::optional<TimePoint> orphaned_;  // since when
  bool has_ended_ = false;
  std::uint64_t ignored_ = 0;
};

}  // namespace sumac
