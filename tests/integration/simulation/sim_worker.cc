#include "tests/integration/simulation/sim_worker.h"

#include <stdexcept>
#include <utility>

#include "tests/integration/simulation/sim_job.h"
#include "tests/support/plain_kernels.h"

namespace sumac {

SimWorker::SimWorker(const Member& self, const SimGround& ground, OnEnd onEnd)
    : options_(ground.options),
      network_(ground.network),
      files_(ground.files),
      watch_(ground.watch),
      on_end_(std::move(onEnd)),
      plan_(simPlan(options_, options_.size)),
      slot_(self.slot),
      self_(self),
      state_(simFirstState(plan_.parameters)) {
  link::Link& link =
      network_.add(self_, kSimJob, simEndpoint(options_, self_), *this, [this] { tick(); });
  Roles roles;
  roles.training = {.plan = &plan_, .trainer = this, .kernels = &kPlainKernels};
  if (options_.servers == 0) addSums(roles, slot_, ground, *this);
  member_ = std::make_unique<JobMember>(identityOf(self_), roles, link);
}

MemberIdentity SimWorker::identityOf(const Member& self) const {
  MemberIdentity identity;
  identity.self = self;
  identity.job = kSimJob;
  identity.coordinator = simCoordinator(options_);
  identity.coordinator_endpoint = simEndpoint(identity.coordinator);
  if (options_.most) identity.orphan_patience = std::chrono::seconds(60);
  JoinRequest& request = identity.request;
  request.steps = options_.steps;
  if (options_.servers == 0 || options_.most) request.endpoint = simEndpoint(options_, self);
  const auto text = options_.plan_text.find(slot_);
  request.plan_text = text == options_.plan_text.end() ? "batchSize=128\n" : text->second;
  request.kernels = {kSimPlainKernels, kSimKernels};
  if (options_.plain.contains(slot_.index)) request.kernels.pop_back();
  if (files_.checkpoint)
    std::erase_if(request.kernels,
                  [this](const auto& kernels) { return kernels != files_.kernels; });
  if (options_.most) request.volume = files_.writer ? files_.writer->order : RosterOrder{};
  const auto other = options_.other_size.find(slot_.index);
  request.size = other == options_.other_size.end() ? options_.size : other->second;
  request.newest_checkpoint = files_.checkpoint.value_or(0);
  watch_.onBegin(self, request.newest_checkpoint);
  request.description = "CPU " + std::to_string(slot_.index);
  const auto rate = options_.add_rates.find(slot_.index);
  if (rate != options_.add_rates.end()) request.add_rate = rate->second;
  request.algorithm = options_.algorithm;
  return identity;
}

void SimWorker::tick() {
  member_->tellWork({work_, !awaited_});
  member_->onTick(network_.now());
  look();
}

void SimWorker::leave() {
  if (has_started_) return member_->leave();
  has_ended_ = true;
  on_end_(self_, {ExitCode::kStopped, "asked to stop before it started"});
}

void SimWorker::start() {
  if (has_ended_) return;
  has_started_ = true;
  member_->start(network_.now());
  network_.listen(self_);
  wait([this] { return inbox_.start() || inbox_.end(); },
       [this] { return inbox_.end() ? exit() : beginRoster(); });
}

// The member's events, on the reactor's thread

void SimWorker::onStart(const Roster& roster, TreeNode block) {
  inbox_.onStart(roster, block);
  if (options_.breaks_at_rosters && watch_.isNews(roster.order)) {
    network_.after(
        {}, [this] { network_.breakAll(std::chrono::milliseconds(60), link::Lane::kControl); });
  }
  look();
}

void SimWorker::onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) {
  if (step != done_ + 1) throw std::logic_error("a part of a sum came out of order");
  inbox_.onPartialSum(step, run, sum);
  look();
}

void SimWorker::onSum(Step step, std::span<const float> sum) {
  if (step != done_ + 1) throw std::logic_error("a sum came out of order");
  inbox_.onSum(step, sum);
  look();
}

void SimWorker::onStop(const StopOrder& order) {
  if (*order.after > 0 && begun_ > *order.after)
    throw std::logic_error("a step beyond the agreed one was begun");
  if (order.halts && *order.after == 0) watch_.onHaltNow(self_);
  inbox_.onStop(order);
  look();
}

void SimWorker::onState(StateArrival arrival) {
  inbox_.onState(arrival);
  look();
}

void SimWorker::onWeightsAgreed(Step step) {
  inbox_.onWeightsAgreed(step);
  look();
}

void SimWorker::onEnd(ExitCode code, const std::string& reason) {
  inbox_.onEnd(code, reason);
  if (hangs()) exit();  // a trainer that hangs does not outlive its stop signal's deadline
  look();
}

void SimWorker::exit() {
  if (std::exchange(exited_, true)) return;
  endIfOver();
}

/// The coordinator's process stays until the others know how the job has ended.
void SimWorker::endIfOver() {
  if (!exited_ || has_ended_ || member_->isNeeded()) return;
  if (cause_) return on_end_(self_, {ExitCode::kFailed, *cause_});
  on_end_(self_, {endCode(), inbox_.end()->reason});
}

/// As in TrainingRun::endOfComplete(). Requires an end.
ExitCode SimWorker::endCode() const {
  const ExitCode code = inbox_.end()->code;
  return worker::isCompleteAt(code, !message_.empty()) ? ExitCode::kDone : code;
}

}  // namespace sumac
