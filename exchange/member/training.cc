#include "exchange/member/training.h"

#include <algorithm>
#include <utility>

#include "exchange/wire/order.h"
#include "exchange/wire/suspect.h"

namespace sumac {

namespace {

using wire::Header;
using wire::MessageType;

constexpr std::size_t kWeightsKept = 2;  // repeated on a new connection

std::uint64_t toValue(wire::Finished how) {
  return static_cast<std::uint64_t>(how);
}
std::uint64_t toValue(wire::Checkpointed how) {
  return static_cast<std::uint64_t>(how);
}

}  // namespace

Training::Training(Member self, const TrainingRole& role, Membership& membership, link::Link& link)
    : self_(self),
      plan_(role.plan),
      trainer_(role.trainer),
      membership_(&membership),
      link_(&link),
      contributions_(membership.header(MessageType::kPush), *role.plan, link, role.kernels),
      states_(membership.header(MessageType::kState), link) {}

// The member's events

void Training::onRoster(const Roster& roster) {
  begun_ = roster.start_step + 1;
  is_prepared_ = is_stopping_ = has_trained_ = is_halted_ = false;
  committed_.reset();
  held_.reset();
  reported_ = Reported{.checkpointed = reported_.checkpointed};
  std::erase_if(suspects_, [&](const Member& suspect) { return !roster.has(suspect); });
  tellSuspects();
  contributions_.onRoster(roster);
  states_.onRoster(roster);
  sendStatesFirst();
  trainer_->onStart(roster, blockOf(roster.positionOf(self_), roster.workers(), plan_->parts));
}

/// The coordinator sends it to the process in the writer's slot. If another process has taken that
/// slot, the workers of the roster before agreed on weights that the new one's may not have.
bool Training::isOfRoster(const Header& header) const {
  const auto& roster = membership_->roster();
  return roster && wire::orderOf(header) == roster->order;
}

void Training::onControl(const Header& header, BytesView payload) {
  switch (header.type) {
    case MessageType::kPrepare: prepare(); break;
    case MessageType::kCommit: commit(header.step, static_cast<wire::Commit>(header.value)); break;
    case MessageType::kWeightsCrc:
      if (!isOfRoster(header)) return;
      if (!payload.empty()) trainer_->onWorkerTimes(workerTimesFromText(asText(payload)));
      trainer_->onWeightsAgreed(header.step);
      break;
    default: break;
  }
}

void Training::onMessage(Slot from, const Header& header, BytesView payload) {
  if (StateTransfer::isOf(header.type)) {
    const StateArrival arrival = states_.onMessage(from, header, payload);
    sendStatesFirst();
    if (arrival == StateArrival::kUnderWay) return;
    reported_.is_ready = arrival == StateArrival::kWhole;
    if (reported_.is_ready) tellReady();
    return trainer_->onState(arrival);
  }
  const auto came = contributions_.onMessage(from, header, payload);
  if (!came) return;
  trainer_->onPartialSum(came->step, came->run, contributions_.sum(came->step));
  if (came->is_last) deliver(came->step);
}

void Training::onSuspected(Slot peer, const std::string& why) {
  if (membership_->hasEnded()) return;
  const RosterEntry* const entry = membership_->roster()->find(peer);
  if (membership_->outlivesOthers() && entry != nullptr) {
    suspects_.insert(entry->member);
    return tellSuspects();
  }
  if (needsNoSum()) return;  // the coordinator ends the job
  const std::string text = "lost the connection between " + toString(self_.slot) + " and " +
                           toString(peer) + " (" + why + ")";
  membership_->tell(MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
                    text);
  membership_->end(ExitCode::kLostPeers, text, /*goodbye=*/false);
}

void Training::onRoom(Slot peer) {
  states_.onRoom(peer);
  sendStatesFirst();
  contributions_.onRoom(peer);
}

/// Who waits for a state contributes nothing before, so that no other contribution is urgent.
void Training::sendStatesFirst() {
  contributions_.hold(states_.isSending());
}

void Training::repeatReports() {
  if (reported_.is_ready) tellReady();
  for (const Weights& weights : reported_.weights)
    tellWeights(weights);
  tellSuspects();
  if (reported_.checkpointed)
    membership_->tell(MessageType::kCheckpointed, *reported_.checkpointed);
  if (reported_.found) tellFound();
  if (reported_.halted) tellHalted();
  if (reported_.stopped)
    membership_->tell(MessageType::kFinished, *reported_.stopped,
                      toValue(wire::Finished::kStopped));
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
  return reported_.stopped && !sums();
}

/// Whether others need this worker's sums.
bool Training::sums() const {
  const auto& roster = membership_->roster();
  return roster && roster->shards.role() == Role::kWorker;
}

// The vote on stopping

void Training::prepare() {
  if (!membership_->roster()) return;
  is_prepared_ = true;
  // What is to be finished then nothing later follows.
  const Step last = committed_ && *committed_ > 0 ? *committed_ : begun_;
  membership_->tell(MessageType::kPrepared, std::min(begun_, last));
}

/// A stop replaces a halt, and what comes at once a step that was agreed on; never the reverse, but
/// where the stop is done and the coordinator alone ends.
void Training::commit(Step step, wire::Commit how) {
  const bool at_once = how != wire::Commit::kStopAfter && how != wire::Commit::kHaltAfter;
  const bool halts = how == wire::Commit::kHaltAfter || how == wire::Commit::kHaltNow;
  if (!membership_->roster() || (halts && is_stopping_ && !reported_.stopped)) return;
  if (committed_ && !at_once && is_stopping_ == !halts) return;
  is_stopping_ = !halts;
  if (is_stopping_) {  // whoever has halted is on its way to the end
    is_halted_ = false;
    reported_.halted.reset();
    membership_->isTakenBack();
  }
  committed_ = at_once ? 0 : step;
  trainer_->onStop(
      {.after = *committed_, .writes = how == wire::Commit::kStopNowAndCheckpoint, .halts = halts});
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

void Training::foundCheckpoint(Step step) {
  reported_.found = step;
  tellFound();
}

void Training::tellFound() {
  membership_->tell(MessageType::kCheckpointed, *reported_.found,
                    toValue(wire::Checkpointed::kFound));
}

void Training::finished(const std::string& result) {
  reported_.finished = result;
  membership_->tell(MessageType::kFinished, 0, 0, result);
}

void Training::stopped() {
  const Step step = committed_.value_or(0);
  reported_.stopped = step;
  membership_->tell(MessageType::kFinished, step, toValue(wire::Finished::kStopped));
}

void Training::halted(std::optional<Step> done) {
  is_halted_ = true;
  states_.cancel();
  reported_.halted = done;
  reported_.stopped.reset();
  membership_->isOrphaned() ? membership_->rejoin() : tellHalted();
}

void Training::onOrphaned() {
  is_stopping_ = false;  // nobody ends that stop any more
  if (!is_halted_) commit(0, wire::Commit::kHaltNow);
}

/// The lanes to them are of no use for the life of their processes, whatever roster comes.
void Training::tellSuspects() {
  for (const Member& suspect : suspects_) {
    // Others may be behind, and need what this worker has sent them last: sums, or the state.
    const bool is_source = membership_->roster()->areSourceAndReceiver(self_.slot, suspect.slot);
    if (sums() || is_source ? committed_ == Step{0} : needsNoSum()) continue;
    Header message = membership_->header(MessageType::kSuspect);
    wire::setSuspect(message, suspect.slot);
    link_->send(membership_->coordinator(), message, BytesView{});
  }
}

void Training::tellReady() {
  membership_->tell(MessageType::kReady, 0, states_.stateBytes());
}

void Training::tellHalted() {
  Header message = membership_->header(MessageType::kFinished);
  message.value = toValue(wire::Finished::kHalted);
  message.step = reported_.halted->value_or(0);
  message.first = *reported_.halted ? 0 : 1;
  link_->send(membership_->coordinator(), message, BytesView{});
}

void Training::fail(ExitCode code, const std::string& reason) {
  if (membership_->hasEnded()) return;
  // What a machine lacks, or has damaged, another process of this slot may have on another machine.
  const bool is_own = code == ExitCode::kResourceFailed || code == ExitCode::kBadConfiguration;
  if (is_own && membership_->outlivesOthers())
    return membership_->end(code, reason, /*goodbye=*/true);
  membership_->tell(MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
                    toString(self_.slot) + " failed: " + reason);
  membership_->end(code, reason, /*goodbye=*/false);
}

}  // namespace sumac
