#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "base/core/units.h"
#include "base/log/log.h"
#include "base/process/process_end.h"
#include "base/telemetry/published.h"
#include "base/telemetry/stuck.h"
#include "exchange/client/handover.h"
#include "exchange/client/worker_sums.h"
#include "exchange/link/lanes.h"
#include "exchange/link/reactor.h"
#include "exchange/member/job_member.h"
#include "exchange/plan/exchange_plan.h"

namespace sumac::worker {

/// State that the reactor's thread publishes, for health and metrics.
struct ExchangeSnapshot {
  link::Statistics link;
  MemberView member;
  std::vector<Wait> waits;
  TimePoint at{};  // time of the snapshot; an old one means that the reactor is stuck
};

/// What an exchange has besides its member's identity.
struct ExchangeOptions {
  WorkerSums* sums = nullptr;  // outlives the client; null: the job has servers
  Published<ExchangeSnapshot>* published = nullptr;  // outlives the client; null: not published
  int question_fd = -1;  // readable when asked whom this worker waits for: a signalfd
  const KernelTable* kernels = nullptr;  // of any variant; outlive the client; null only with fp32
  trace::Recorder* recorder = nullptr;   // outlives the client; null: nothing is traced
  // Called on the reactor's thread when the job has ended for this worker with another code than 0
  // and its trainer hangs instead of returning: ends the process. Null: the process waits.
  std::function<void(const ProcessEnd&)> on_hang = {};
  // While the trainer waits for sums, it and the reactor look for them for a moment before they
  // sleep. Only where that takes no core from others (mayStayAwake() in processors.h).
  bool stays_awake = false;
};

/// The reactor's thread of a worker. It owns the sockets, the lanes and the member, hands what
/// comes to the trainer's thread, and takes what that has to say.
///
/// Every function but the constructor may be called from any thread.
class MemberThread {
 public:
  using Task = std::function<void(JobMember&)>;

  /// Starts the thread. `link` is of the identity's member; plan and handover outlive us.
  MemberThread(std::unique_ptr<link::ZmqLink> link, const MemberIdentity& identity,
               const ExchangePlan& plan, ExchangeOptions options, Handover& handover,
               const Log& log);
  ~MemberThread() { stop(); }
  MemberThread(const MemberThread&) = delete;
  MemberThread& operator=(const MemberThread&) = delete;

  /// Makes the thread run a task; dropped when it has stopped.
  void post(Task task);
  /// Makes it take what the trainer's thread has put into the handover.
  void wake() { link_->wake(); }
  /// Whether it looks for messages for a moment before it sleeps.
  void stayAwake(bool is_awake) { link_->stayAwake(is_awake); }
  /// Makes it tell the handover what has travelled up to now.
  void count();
  /// Ends the thread. Sent messages still leave, for one second at most.
  void stop();

 private:
  void run();
  void start(TimePoint now);
  void onTick(TimePoint now);
  void onTurn();
  void watchTrainer(TimePoint now);
  void publish(TimePoint now);
  std::vector<Wait> waits() const;
  void tellLimited(std::uint64_t values);
  void onQuestion();
  link::Statistics counted() const;

  Log log_;
  SystemClock clock_;
  ExchangeOptions options_;
  Handover& handover_;  // outlives us
  WaitLog wait_log_;
  bool is_limited_told_ = false;
  TimePoint next_reminder_;  // when to log again that this worker is not admitted
  std::unique_ptr<link::ZmqLink> link_;
  link::Lanes lanes_;
  const std::string coordinator_;  // its endpoint
  JobMember member_;
  Handover::Taken taken_;

  std::uint64_t seen_work_ = 0;  // of the trainer
  TimePoint worked_;             // when that grew last, or the trainer waited

  link::Reactor reactor_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace sumac::worker
