#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <variant>

#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/base/result.h"
#include "common/keys/keyring.h"
#include "common/link/reactor.h"
#include "common/log/log.h"
#include "common/membership/roster.h"
#include "common/plan/exchange_plan.h"
#include "common/telemetry/published.h"
#include "worker/exchange/outbox.h"
#include "worker/exchange/progress_report.h"
#include "worker/session/session.h"

namespace sumac::worker {

/// Admitted: train from after roster.start_step, with the parts of `block`.
struct Start {
  Roster roster;
  TreeNode block;
};

/// The sums of one step, ExchangePlan::values long; they live until the next submit().
struct Sum {
  std::span<const float> values;
};

/// `step` is the last one that all workers finish: write a checkpoint if this is the lowest worker,
/// call stopped(), then awaitEnd().
struct StopAfter {
  Step step = 0;
};

/// The job is over for this worker.
struct End {
  ExitCode code = ExitCode::kDone;
  std::string reason;  // for kDone the JSON result
};

/// What the reactor's thread publishes for health and metrics.
struct ExchangeSnapshot {
  link::Statistics link;
  SessionView session;
  TimePoint at{};  // when that was so; long ago: the reactor does not advance
};

/// How the other members are reached.
struct ExchangeOptions {
  std::string coordinator;                           // endpoint of server 0
  std::shared_ptr<const Keyring> keys = nullptr;     // null: in the clear
  Published<ExchangeSnapshot>* published = nullptr;  // outlives the client; null: nobody looks
};

/// What the trainer knows of the other members: blocking calls, behind which a reactor thread owns
/// the sockets and the session.
///
/// Calls come from one thread, the trainer's; leave() may come from any. What belongs to a step
/// (submit(), awaitSum(), stopAfter(), reportWeights() and reportProgress()) does not allocate.
class ExchangeClient final : private Trainer {
 public:
  /// `plan` and `context` outlive us. Connects to the coordinator at once, and tries until it is
  /// there: its name may not even be known yet.
  static Result<std::unique_ptr<ExchangeClient>> open(link::Context& context,
                                                      WorkerIdentity identity,
                                                      const ExchangePlan& plan,
                                                      const ExchangeOptions& options,
                                                      const Log& log);
  /// Ends the reactor thread; what was sent still leaves, for a second at most.
  ~ExchangeClient() override;
  ExchangeClient(const ExchangeClient&) = delete;
  ExchangeClient& operator=(const ExchangeClient&) = delete;

  /// Waits until the coordinator lets this worker in.
  std::variant<Start, End> join();

  /// Returns at once. Nothing is copied: contributions and values live, unchanged, until awaitSum()
  /// has returned the sum of the next step, the job has ended or close() was called.
  void submit(Step step, std::span<const Contribution> contributions);

  /// Waits for the sums of `step`, submitted before; StopAfter when it is not to be finished.
  std::variant<Sum, StopAfter, End> awaitSum(Step step);

  /// The last step to finish, once that is decided: saves computing one that nobody wants.
  std::optional<Step> stopAfter() const;

  void reportWeights(Step step, std::uint32_t crc);
  void reportProgress(const ProgressReport& report);
  /// A JSON line about an evaluation.
  void reportEvaluation(const std::string& json);
  void checkpointed(Step step);
  /// Trained to the end; then awaitEnd(). The lowest worker gives the JSON result.
  void finished(const std::string& result);
  void stopped();
  void leave();
  /// This worker cannot go on; then awaitEnd().
  void fail(ExitCode code, const std::string& reason);

  End awaitEnd();

  /// Ends the reactor thread: from then on nothing of the trainer's is read. What was sent still
  /// leaves.
  void close();

 private:
  struct Received {
    Step step = 0;
    std::span<const float> values;
  };

  ExchangeClient(std::unique_ptr<link::ZmqLink> link, WorkerIdentity identity,
                 const ExchangePlan& plan, const ExchangeOptions& options, const Log& log);
  void onStart(const Roster& roster, TreeNode block) override;
  void onSum(Step step, std::span<const float> sum) override;
  void onStopAfter(Step step) override;
  void onEnd(ExitCode code, const std::string& reason) override;
  void runReactor();
  void onTick(TimePoint now);
  void takeOutbox();
  template <typename HasRoom, typename Put>
  void post(const HasRoom& hasRoom, const Put& put);

  // Used by the reactor thread alone while it runs.
  Log log_;
  SystemClock clock_;
  ExchangeOptions options_;
  TimePoint next_reminder_;  // in the log, while we are not let in
  std::unique_ptr<link::ZmqLink> link_;
  Session session_;

  // Synchronises itself.
  link::Reactor reactor_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Outbox outbox_;  // filled by the trainer's thread, emptied by the reactor's
  // Written by the reactor thread, read by the trainer's.
  std::optional<Start> start_;
  std::optional<Received> sum_;
  std::optional<Step> stop_after_;
  std::optional<End> end_;
  bool reactor_gone_ = false;

  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace sumac::worker
