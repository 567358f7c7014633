#include "exchange/member/training.h"

#include <algorithm>
#include <utility>

namespace sumac {

namespace {

using wire::Header;
using wire::MessageType;

constexpr std::size_t kWeightsKept = 2;  // repeated on a new connection

}  // namespace

Training::Training(Member self, const TrainingRole& role, Membership& membership, link::Link& link)
    : self_(self),
      plan_(role.plan),
      trainer_(role.trainer),
      membership_(&membership),
      link_(&link),
      contributions_(membership.header(MessageType::kPush), *role.plan, link, role.kernels) {}

// The member's events

void Training::onRoster(const Roster& roster) {
  begun_ = roster.start_step + 1;
  contributions_.onRoster(roster);
  trainer_->onStart(roster, blockOf(roster.positionOf(self_), roster.workers(), plan_->parts));
}

void Training::onControl(const Header& header, BytesView payload) {
  switch (header.type) {
    case MessageType::kPrepare: prepare(); break;
    case MessageType::kCommit: commit(header.step, header.value); break;
    case MessageType::kWeightsCrc:
      if (!payload.empty()) trainer_->onWorkerTimes(workerTimesFromText(asText(payload)));
      trainer_->onWeightsAgreed(header.step);
      break;
    default: break;
  }
}

void Training::onMessage(Slot from, const Header& header, BytesView payload) {
  const auto came = contributions_.onMessage(from, header, payload);
  if (!came) return;
  trainer_->onPartialSum(came->step, came->run, contributions_.sum(came->step));
  if (came->is_last) deliver(came->step);
}

void Training::onSuspected(Slot peer, const std::string& why) {
  if (membership_->hasEnded() || needsNoSum()) return;  // the coordinator ends the job
  const std::string text = "lost the connection between " + toString(self_.slot) + " and " +
                           toString(peer) + " (" + why + ")";
  membership_->tell(MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
                    text);
  membership_->end(ExitCode::kLostPeers, text, /*goodbye=*/false);
}

void Training::repeatReports() {
  for (const Weights& weights : reported_.weights)
    tellWeights(weights);
  if (reported_.checkpointed)
    membership_->tell(MessageType::kCheckpointed, *reported_.checkpointed);
  if (reported_.stopped) membership_->tell(MessageType::kFinished, *reported_.stopped, /*value=*/1);
  if (reported_.finished) membership_->tell(MessageType::kFinished, 0, 0, *reported_.finished);
}

void Training::onEnd(ExitCode code, const std::string& reason) {
  contributions_.end();
  trainer_->onEnd(code, reason);
}

/// After the last step, or in a stop without an open one. Where workers sum, others may still wait
/// for ours: then they say so.
bool Training::needsNoSum() const {
  if (has_trained_ || committed_ == Step{0}) return true;
  const auto& roster = membership_->roster();
  const bool sums = roster && roster->shards.role() == Role::kWorker;
  return reported_.stopped && !sums;
}

// The vote on stopping

void Training::prepare() {
  if (!membership_->roster()) return;
  is_prepared_ = true;
  membership_->tell(MessageType::kPrepared, begun_);
}

void Training::commit(Step step, std::uint64_t how) {
  const bool at_once = how != static_cast<std::uint64_t>(wire::StopNow::kNo);
  if (!membership_->roster() || (committed_ && !at_once)) return;
  committed_ = at_once ? 0 : step;
  if (at_once) {
    trainer_->onStopNow(how == static_cast<std::uint64_t>(wire::StopNow::kWithCheckpoint));
  } else {
    trainer_->onStopAfter(step);
  }
  if (held_) deliver(*std::exchange(held_, std::nullopt));
}

void Training::deliver(Step step) {
  if (is_prepared_ && !committed_) {
    held_ = step;  // the trainer begins the next step on a sum: only when the last one is agreed
    return;
  }
  begun_ = std::max(begun_, step + 1);
  trainer_->onSum(step, contributions_.sum(step));
}

// The trainer's reports

void Training::tellWeights(const Weights& weights) {
  Header message = membership_->header(MessageType::kWeightsCrc);
  message.step = weights.step;
  message.value = weights.crc;
  message.first = weights.is_last ? 1 : 0;
  link_->send(membership_->coordinator(), message, asBytes(weights.times));
}

void Training::reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times, bool is_last) {
  std::vector<Weights>& kept = reported_.weights;
  kept.push_back({step, crc, toText({&times, 1}), is_last});
  if (kept.size() > kWeightsKept) kept.erase(kept.begin());
  has_trained_ = has_trained_ || is_last;
  tellWeights(kept.back());
}

void Training::reportProgress(const std::string& json) {
  membership_->tell(MessageType::kProgress, 0, 0, json);
}

void Training::checkpointed(Step step) {
  reported_.checkpointed = step;
  membership_->tell(MessageType::kCheckpointed, step);
}

void Training::finished(const std::string& result) {
  reported_.finished = result;
  membership_->tell(MessageType::kFinished, 0, 0, result);
}

void Training::stopped() {
  const Step step = committed_.value_or(0);
  reported_.stopped = step;
  membership_->tell(MessageType::kFinished, step, /*value=*/1);
}

void Training::fail(ExitCode code, const std::string& reason) {
  if (membership_->hasEnded()) return;
  membership_->tell(MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
                    toString(self_.slot) + " failed: " + reason);
  membership_->end(code, reason, /*goodbye=*/false);
}

}  // namespace sumac
