#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/brief_watch.h"
#include "base/core/clock.h"
#include "base/core/work_count.h"
#include "exchange/client/handover.h"
#include "exchange/client/job_exchange.h"
#include "exchange/client/member_thread.h"
#include "job/progress/job_event.h"

namespace sumac::worker {

/// The trainer's view of the other members: blocking calls. A thread of its own owns the
/// sockets and the member (member_thread.h); between the two is a handover.
///
/// Each wait takes a deadline, kNever for none, and returns NotYet once that has come; it may be
/// repeated. One without ends with the job at the latest. A call that hands something over waits
/// for the reactor's thread, which never blocks.
///
/// Called from the trainer's thread only, except leave(), which is safe from any. The calls of a
/// step (awaitBuffers(), begin(), announce(), announceRest(), awaitRanges(), awaitSum(),
/// stopOrder(), reportWeights() and reportProgress()) do not allocate from the third step on.
class ExchangeClient final : public JobExchange {
 public:
  /// `link` is of the identity's member, and listens where the job has no servers; `plan` outlives
  /// us. Starts to connect to the coordinator and retries until it answers; its name need not
  /// resolve yet.
  ExchangeClient(std::unique_ptr<link::ZmqLink> link, const MemberIdentity& identity,
                 const ExchangePlan& plan, const ExchangeOptions& options, const Log& log);
  /// Ends the reactor thread; sent messages still leave, for one second at most.
  ~ExchangeClient() override { ExchangeClient::close(); }
  ExchangeClient(const ExchangeClient&) = delete;
  ExchangeClient& operator=(const ExchangeClient&) = delete;

  /// Waits until the coordinator admits this worker or ends the job.
  JoinEvent join(TimePoint until = kNever) override;

  /// Where stopOrder() halts: this worker has the state of `done`, or none, and its buffers of
  /// contributions are its own again; call awaitRoster() next.
  void halted(std::optional<Step> done) override;
  /// Waits for a roster of a higher order than `seen`. The buffers of contributions must be others
  /// from then on: what was sent from them may still be read.
  RosterEvent awaitRoster(RosterOrder seen, TimePoint until = kNever) override;
  /// This worker has the roster's state; it stays as it is until awaitSum() of the next step has
  /// returned, or awaitRoster().
  void offerState(StateView state) override;
  /// This worker lacks that state: from now on it comes into `room`, which is written to no more
  /// once awaitState(), awaitRoster() or awaitEnd() has returned; not by awaitState() with
  /// StopAfter.
  void askState(StateRoom room) override;
  /// Waits until all of it has come. StopAfter: call halted() or stopped().
  StateEvent awaitState(TimePoint until = kNever) override;

  /// Before the contributions of `step` are computed where those of step - 2 were: waits until
  /// nobody reads these, and returns nothing. The first sum of step - 1 implies it unless a
  /// connection broke. What a lane keeps is acknowledged, or else the job ends or stops: then this
  /// says so.
  std::optional<StepEvent> awaitBuffers(Step step, TimePoint until = kNever) override;

  /// Begins a step, whose contributions may still be computed. Only the list is copied, no values:
  /// what has been announced must stay unchanged until awaitBuffers() of step + 2 has returned
  /// nothing, and is kept by its owners as long. Requires that awaitSum() of the step before has
  /// returned its sum.
  void begin(Step step, std::span<const Contribution> contributions);
  /// These ranges of the step begun last are final: they are sent meanwhile. Each wakes the
  /// reactor's thread, which costs 5 to 50 us of some core: announce many at once.
  void announce(std::span<const FinalRange> ranges);
  /// All others are, too.
  void announceRest();
  /// A step whose contributions are final.
  void submit(Step step, std::span<const Contribution> contributions) override {
    begin(step, contributions);
    announceRest();
  }

  /// Waits until the sum of the range `first` of `step` has come, and returns it with those that
  /// follow and have come, to before the range `end`. None: the step is not to be finished, or the
  /// deadline has come; awaitSum() says which.
  PartialSum awaitRanges(Step step, std::uint32_t first, std::uint32_t end,
                         TimePoint until = kNever);
  /// Waits for all sums of `step`, all of which was announced before. Returns StopAfter when this
  /// step is not to be finished, whatever awaitRanges() has returned.
  StepEvent awaitSum(Step step, TimePoint until = kNever) override;

  /// Once a stop is decided, later steps than its last need not be computed. After them: write a
  /// checkpoint where this worker does, call stopped(), then awaitEnd().
  StopOrder stopOrder() const override;

  /// Whether a stop is decided, not a halt, or the job has ended: then an evaluation breaks off.
  bool isEnding() const;
  /// How the job ends, once it does.
  std::optional<ProcessEnd> end() const override;

  /// `is_last`: of the job's last step.
  void reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times, bool is_last) override;
  /// Waits until all workers that answer have reported the same weights of `step`, as this one has
  /// before. Only for the worker that writes.
  AgreementEvent awaitAgreement(Step step, TimePoint until = kNever) override;
  /// What all workers reported with their weights, once awaitAgreement() has returned; empty where
  /// this is not worker 0.
  std::vector<WorkerTimes> workerTimes() const override;
  void reportProgress(const Progress& progress, bool is_interim) override;
  void reportEvaluation(const Evaluated& evaluation) override;
  void checkpointed(Step step) override;
  void foundCheckpoint(Step step) override;
  void reportSkipped(const CheckpointSkipped& skipped) override;
  /// What has travelled up to now.
  link::Statistics statistics() override;
  /// Trained to the end; call awaitEnd() next. Worker 0 passes the result as a message.
  void finished(const std::string& result) override;
  void stopped() override;
  void leave() override;
  /// This worker cannot continue; call awaitEnd() next.
  void fail(ExitCode code, const std::string& reason) override;

  /// Waits until the job ends for this worker, or until it has to halt.
  EndEvent awaitEndOrHalt(TimePoint until = kNever) override;
  /// Waits until the job ends for this worker; nothing: the deadline has come.
  std::optional<ProcessEnd> awaitEnd(TimePoint until);
  ProcessEnd awaitEnd() { return awaitEnd(kNever).value(); }

  /// Counts the trainer's progress between two calls of this class, which count too: the
  /// coordinator treats a worker without progress as lost. Any thread may add.
  WorkCount& work() override { return handover_.work(); }
  /// What the trainer has computed so far: the coordinator compares the workers by it.
  void setComputed(const PartTime& so_far) override { handover_.setComputed(so_far); }

  /// Ends the reactor thread. Sent messages still leave, and keep what they are made of. Where the
  /// job has ended and the coordinator is in this process, waits until the others know it.
  void close() override;

 private:
  template <typename Find>
  auto await(const Find& find, TimePoint until);
  template <typename HasCome>
  void watchFor(const HasCome& hasCome);
  template <typename HasRoom, typename Put>
  void post(const HasRoom& hasRoom, const Put& put);

  SystemClock clock_;
  const bool stays_awake_;
  const bool sums_;   // this process also sums for others
  BriefWatch watch_;  // of the trainer's thread
  Handover handover_;
  MemberThread thread_;  // last: ends before what it uses
};

}  // namespace sumac::worker
