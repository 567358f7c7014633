#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "exchange/client/job_exchange.h"
#include "exchange/plan/exchange_plan.h"
#include "kernels/aligned_buffer.h"

namespace sumac::program {

/// Stands for the other members where there are none: one worker has all parts, and its
/// contribution is the sum. No thread, no socket; no call waits.
class Alone : public worker::JobExchange {
 public:
  /// `newest`: the step that the job starts after. `plan` outlives us.
  Alone(const ExchangePlan& plan, Member self, Step newest);

  worker::JoinEvent join(TimePoint until) override;
  void halted(std::optional<Step> /*done*/) override {}
  worker::RosterEvent awaitRoster(RosterOrder /*seen*/, TimePoint /*until*/) override {
    return worker::NotYet();
  }
  void offerState(StateView /*state*/) override {}
  void askState(StateRoom /*room*/) override {}
  worker::StateEvent awaitState(TimePoint /*until*/) override { return worker::NotYet(); }

  std::optional<worker::StepEvent> awaitBuffers(Step step, TimePoint until) override;
  void submit(Step step, std::span<const Contribution> contributions) override;
  worker::StepEvent awaitSum(Step step, TimePoint until) override;
  StopOrder stopOrder() const override;

  void reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times, bool is_last) override;
  worker::AgreementEvent awaitAgreement(Step /*step*/, TimePoint /*until*/) override {
    return worker::Agreed();
  }
  std::vector<WorkerTimes> workerTimes() const override { return times_; }
  void reportProgress(const Progress& /*progress*/, bool /*is_interim*/) override {}
  void reportEvaluation(const Evaluated& /*evaluation*/) override {}
  void checkpointed(Step /*step*/) override {}
  void foundCheckpoint(Step /*step*/) override {}
  void reportSkipped(const CheckpointSkipped& /*skipped*/) override {}
  link::Statistics statistics() override { return {}; }
  WorkCount& work() override { return work_; }
  void setComputed(const PartTime& /*so_far*/) override {}

  void finished(const std::string& result) override;
  void stopped() override;
  void leave() override { leaves_ = true; }
  void fail(ExitCode code, const std::string& reason) override;
  worker::EndEvent awaitEndOrHalt(TimePoint until) override;
  std::optional<ProcessEnd> end() const override { return end_; }
  void close() override {}

 private:
  const ExchangePlan& plan_;  // outlives us
  const Member self_;
  const Step newest_;
  WorkCount work_;
  std::vector<WorkerTimes> times_;
  Step begun_ = 0;
  std::span<const float> sum_;
  std::atomic<bool> leaves_ = false;
  mutable std::optional<Step> last_;  // once it is known that it leaves
  std::optional<ProcessEnd> end_;
};

}  // namespace sumac::program
