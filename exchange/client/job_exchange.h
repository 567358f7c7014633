#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/work_count.h"
#include "exchange/client/inbox.h"
#include "exchange/link/statistics.h"
#include "exchange/member/contribution.h"
#include "exchange/member/state_transfer.h"
#include "exchange/membership/part_time.h"
#include "job/progress/job_event.h"
#include "job/progress/progress.h"

namespace sumac::worker {

/// What a trainer needs of the other members of its job, whether there are any or not: the calls of
/// ExchangeClient (exchange_client.h says what each does, and waits for), or those of a worker that
/// is alone. Each wait takes a deadline and returns NotYet, or nothing, once that has come.
///
/// Called from the trainer's thread only, except leave(), which is safe from any.
class JobExchange {
 public:
  virtual ~JobExchange() = default;

  // Membership
  virtual JoinEvent join(TimePoint until) = 0;
  virtual void halted(std::optional<Step> done) = 0;
  virtual RosterEvent awaitRoster(RosterOrder seen, TimePoint until) = 0;
  virtual void offerState(StateView state) = 0;
  virtual void askState(StateRoom room) = 0;
  virtual StateEvent awaitState(TimePoint until) = 0;

  // A step
  virtual std::optional<StepEvent> awaitBuffers(Step step, TimePoint until) = 0;
  virtual void submit(Step step, std::span<const Contribution> contributions) = 0;
  virtual StepEvent awaitSum(Step step, TimePoint until) = 0;
  virtual StopOrder stopOrder() const = 0;

  // Reports
  virtual void reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times,
                             bool is_last) = 0;
  virtual AgreementEvent awaitAgreement(Step step, TimePoint until) = 0;
  virtual std::vector<WorkerTimes> workerTimes() const = 0;
  virtual void reportProgress(const Progress& progress, bool is_interim) = 0;
  virtual void reportEvaluation(const Evaluated& evaluation) = 0;
  virtual void checkpointed(Step step) = 0;
  /// As Training::foundCheckpoint().
  virtual void foundCheckpoint(Step step) = 0;
  virtual void reportSkipped(const CheckpointSkipped& skipped) = 0;
  virtual link::Statistics statistics() = 0;
  virtual WorkCount& work() = 0;
  virtual void setComputed(const PartTime& so_far) = 0;

  // The end
  virtual void finished(const std::string& result) = 0;
  virtual void stopped() = 0;
  virtual void leave() = 0;
  virtual void fail(ExitCode code, const std::string& reason) = 0;
  virtual EndEvent awaitEndOrHalt(TimePoint until) = 0;
  virtual std::optional<ProcessEnd> end() const = 0;
  virtual void close() = 0;
};

}  // namespace sumac::worker
