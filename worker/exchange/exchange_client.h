#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "common/base/brief_watch.h"
#include "common/base/clock.h"
#include "common/base/work_count.h"
#include "common/coordination/resident.h"
#include "common/link/lanes.h"
#include "common/link/reactor.h"
#include "common/link/shared_link.h"
#include "common/log/log.h"
#include "common/membership/roster.h"
#include "common/plan/exchange_plan.h"
#include "common/process/process_end.h"
#include "common/progress/job_event.h"
#include "common/telemetry/published.h"
#include "common/telemetry/stuck.h"
#include "worker/exchange/buffer_leases.h"
#include "worker/exchange/inbox.h"
#include "worker/exchange/outbox.h"
#include "worker/session/session.h"

namespace sumac::worker {

/// State that the reactor's thread publishes, for health and metrics.
struct ExchangeSnapshot {
  link::Statistics link;
  SessionView session;
  std::vector<Wait> waits;
  TimePoint at{};  // time of the snapshot; an old one means that the reactor is stuck
};

/// How to reach the other members.
struct ExchangeOptions {
  std::string coordinator;                     // its endpoint; empty: it is in this process
  coordination::Resident* resident = nullptr;  // outlives the client; null: the job has servers
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

/// The trainer's view of the other members: blocking calls. A reactor thread of its own owns the
/// sockets and the session.
///
/// Called from the trainer's thread only, except leave(), which is safe from any. The calls of a
/// step (awaitBuffers(), begin(), announce(), announceRest(), awaitRanges(), awaitSum(),
/// stopOrder(), reportWeights() and reportProgress()) do not allocate from the third step on.
class ExchangeClient final : private Trainer {
 public:
  /// `link` is of the identity's member, and listens where the job has no servers; `plan` outlives
  /// us. Starts to connect to the coordinator and retries until it answers; its name need not
  /// resolve yet.
  ExchangeClient(std::unique_ptr<link::ZmqLink> link, WorkerIdentity identity,
                 const ExchangePlan& plan, const ExchangeOptions& options, const Log& log);
  /// Ends the reactor thread; sent messages still leave, for one second at most.
  ~ExchangeClient() override;
  ExchangeClient(const ExchangeClient&) = delete;
  ExchangeClient& operator=(const ExchangeClient&) = delete;

  /// Waits until the coordinator admits this worker or ends the job.
  std::variant<Start, ProcessEnd> join();

  /// Before the contributions of `step` are computed where those of step - 2 were: waits until
  /// nobody reads these, and returns nothing. The first sum of step - 1 implies it unless a
  /// connection broke. What a lane keeps is acknowledged, or else the job ends or stops: then this
  /// says so.
  std::optional<StepEvent> awaitBuffers(Step step);

  /// Begins a step, whose contributions may still be computed. Nothing is copied: what has been
  /// announced must stay unchanged until awaitBuffers() of step + 2 has returned nothing, and is
  /// kept by its owners as long. Requires that awaitSum() of the step before has returned its sum.
  void begin(Step step, std::span<const Contribution> contributions);
  /// These ranges of the step begun last are final: they are sent meanwhile. Each wakes the
  /// reactor's thread, which costs 5 to 50 us of some core: announce many at once.
  void announce(std::span<const FinalRange> ranges);
  /// All others are, too.
  void announceRest();
  /// A step whose contributions are final.
  void submit(Step step, std::span<const Contribution> contributions) {
    begin(step, contributions);
    announceRest();
  }

  /// Waits until the sum of the range `first` of `step` has come, and returns it with those that
  /// follow and have come, to before the range `end`. None: the step is not to be finished;
  /// awaitSum() says why.
  PartialSum awaitRanges(Step step, std::uint32_t first, std::uint32_t end);
  /// Waits for all sums of `step`, all of which was announced before. Returns StopAfter when this
  /// step is not to be finished, whatever awaitRanges() has returned.
  StepEvent awaitSum(Step step);

  /// Once a stop is decided, later steps than its last need not be computed. After them: write a
  /// checkpoint where this worker does, call stopped(), then awaitEnd().
  StopOrder stopOrder() const;

  /// Whether a stop is decided or the job has ended: then an evaluation breaks off.
  bool isEnding() const;
  /// How the job ends, once it does.
  std::optional<ProcessEnd> end() const;

  /// `is_last`: of the job's last step.
  void reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times, bool is_last);
  /// Waits until all workers that answer have reported the same weights of `step`, as this one has
  /// before. Only for the worker that writes. Returns how the job ends when it does meanwhile.
  std::optional<ProcessEnd> awaitAgreement(Step step);
  /// What all workers reported with their weights, once awaitAgreement() has returned; empty where
  /// this worker is not the lowest.
  std::vector<WorkerTimes> workerTimes() const;
  void reportProgress(const Progress& progress, bool is_interim);
  void reportEvaluation(const Evaluated& evaluation);
  void checkpointed(Step step);
  /// What has travelled up to now.
  link::Statistics statistics();
  /// Trained to the end; call awaitEnd() next. The lowest worker passes the result as a message.
  void finished(const std::string& result);
  void stopped();
  void leave();
  /// This worker cannot continue; call awaitEnd() next.
  void fail(ExitCode code, const std::string& reason);

  ProcessEnd awaitEnd();

  /// Counts the trainer's progress between two calls of this class, which count too: the
  /// coordinator treats a worker without progress as lost. Any thread may add.
  WorkCount& work() { return work_; }

  /// Ends the reactor thread. Sent messages still leave, and keep what they are made of. Where the
  /// job has ended and the coordinator is in this process, waits until the others know it.
  void close();

 private:
  /// While it exists, the trainer's thread waits for other members.
  class Waiting;

  void onStart(const Roster& roster, TreeNode block) override;
  void onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) override;
  void onSum(Step step, std::span<const float> sum) override;
  void onStopAfter(Step step) override;
  void onStopNow(bool writes) override;
  void onWeightsAgreed(Step step) override;
  void onWorkerTimes(const std::vector<WorkerTimes>& times) override;
  void onEnd(ExitCode code, const std::string& reason) override;
  template <typename Event>
  void pass(const Event& event);
  template <typename HasCome>
  void watchFor(const HasCome& hasCome);
  void runReactor();
  void startAll(TimePoint now);
  void settle();
  void call(std::function<void()> task);
  void onTick(TimePoint now);
  void takeOutbox();
  void watchTrainer(TimePoint now);
  std::vector<Wait> waits() const;
  void tellLimited(std::uint64_t values);
  void onQuestion();
  link::Statistics counted() const;
  template <typename HasRoom, typename Put>
  void post(const HasRoom& hasRoom, const Put& put);

  // Used by the reactor thread alone while it runs.
  Log log_;
  SystemClock clock_;
  ExchangeOptions options_;
  WaitLog wait_log_;
  bool is_limited_told_ = false;
  TimePoint next_reminder_;  // when to log again that this worker is not admitted
  std::unique_ptr<link::ZmqLink> link_;
  link::Lanes lanes_;
  std::unique_ptr<link::SharedLink> shared_;  // with a resident
  Session session_;

  std::uint64_t seen_work_ = 0;  // of the trainer
  TimePoint worked_;             // when that grew last, or the trainer waited

  // Synchronise themselves.
  link::Reactor reactor_;
  mutable WorkCount work_;        // of the trainer's thread
  std::atomic<int> waiting_ = 0;  // whether that waits for others

  std::vector<FinalRange> taken_;  // of announced_, by the reactor's thread
  BriefWatch watch_;               // of the trainer's thread

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable range_came_;  // the trainer's thread waits for one range
  // The outbox has room; apart, so that no wait for a sum is disturbed.
  std::condition_variable has_room_;
  std::shared_ptr<BufferLeases> leases_ = std::make_shared<BufferLeases>();
  Outbox outbox_;                      // filled by the trainer's thread, emptied by the reactor's
  std::vector<FinalRange> announced_;  // the same
  bool is_woken_ = false;              // the reactor is, to empty them
  // Written by the reactor thread, read by the trainer's.
  Inbox inbox_;
  std::atomic<std::uint64_t> news_ = 0;         // what has come into it so far
  std::optional<std::uint32_t> awaited_range_;  // what the trainer's thread waits for
  std::optional<link::Statistics> statistics_;
  bool resident_is_over_ = false;
  bool reactor_gone_ = false;

  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace sumac::worker
