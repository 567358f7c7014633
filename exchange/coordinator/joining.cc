#include <string>

#include <nlohmann/json.hpp>

#include "exchange/coordinator/coordinator.h"

// Members join, and the first roster is issued; a member joins again, or shares its slot with
// another process.

namespace sumac {

namespace {

// For links to be measured, once all have joined.
constexpr Duration kLongestMeasuring = std::chrono::seconds(1);
// How long to wait for the other members of a roster of an earlier coordinator, since the first of
// them has joined.
constexpr Duration kFounding = std::chrono::seconds(3);
// How long to wait for more members than a job may begin with, since the last one has joined.
constexpr Duration kFoundingOfFew = std::chrono::seconds(30);

std::string rosterEvent(const Roster& roster, const std::string& causes) {
  nlohmann::json event = {{"event", "roster"},
                          {"term", roster.order.term},
                          {"generation", roster.order.generation},
                          {"workers", roster.workers()},
                          {"servers", roster.servers()},
                          {"startStep", roster.start_step},
                          {"kernels", roster.kernels}};
  for (const RosterEntry& entry : roster.members) {
    const auto [role, index] = entry.member.slot;
    event["members"][std::string(toString(role))].push_back(index);
  }
  if (!causes.empty()) event["cause"] = causes;
  if (roster.choice) event["auto"] = choiceText(*roster.choice);
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void Coordinator::onJoin(Slot from, const wire::Header& header, BytesView payload) {
  if (stop_.hands_over) return admission_.isMember(header.sender) ? repeatPhase(from) : void();
  // If this process alone ends, only a member that leaves as well gets the answer.
  const bool others_stay = endsAlone() && !leaving_.contains(from);
  if (ending_ && ending_->type == wire::MessageType::kRelease && others_stay) return;
  if (ending_) return answerEnd(header.sender);
  const bool is_new = !admission_.isMember(header.sender);
  // Without an answer the process asks again every 5 s.
  if (changes_ && is_new && flapping_.mustWait(from, now_)) return;
  const Admission::Outcome outcome = admission_.join(header.sender, header.value, asText(payload));
  if (outcome.verdict == Admission::Verdict::kTaken) return turnAway(header.sender);
  if (!outcome.text.empty()) return reject(header.sender, outcome);
  // The process learns that this is not the coordinator that it knew, halts and asks again.
  if (outcome.verdict == Admission::Verdict::kEarly)
    return answer(header.sender, wire::MessageType::kHeartbeat, 0, {});
  link_->await({from, link::Lane::kControl}, header.sender.incarnation);
  liveness_.heard(from);
  if (is_new) last_joined_ = now_;
  switch (outcome.verdict) {
    case Admission::Verdict::kNext: takeIn(header.sender, outcome); break;
    case Admission::Verdict::kComplete: complete_since_ = now_; break;
    // Data lanes send again what was lost on them: no other member has to do anything.
    case Admission::Verdict::kAgain:
      send(from, wire::MessageType::kRoster, 0, 0, toJson(admission_.roster()));
      takeBack(from, payload);
      break;
    default: break;
  }
  repeatPhase(from);
  if (admission_.started()) return;
  if (admission_.followed() != nullptr && !first_followed_) first_followed_ = now_;
  if (from.role == Role::kWorker && from != self_.slot) probe_.add(from);
  startWhenReady();
}

void Coordinator::onEcho(Slot from, std::uint64_t ticket) {
  if (clock_ == nullptr || admission_.started()) {
    ++ignored_;
    return;
  }
  probe_.answered(from, ticket, clock_->now());
  startWhenReady();
}

/// Begins the next measurement, if none is under way.
void Coordinator::measureLinks() {
  if (clock_ == nullptr) return;
  const auto burst = probe_.next(clock_->now());
  if (!burst) return;
  const std::string payload(burst->bytes, '\0');
  for (int i = 1; i <= burst->messages; ++i) {
    send(burst->to, wire::MessageType::kProbe, 0, i == burst->messages ? burst->ticket : 0,
         payload);
  }
}

void Coordinator::startWhenReady() {
  if (admission_.started() || stop_.isRequested()) return;
  measureLinks();
  if (!admission_.isComplete() && !mayFound()) return;
  const bool measures = clock_ != nullptr && !probe_.isIdle();
  if (measures && now_ - complete_since_ < kLongestMeasuring) return;
  for (const auto& [unfit, why] : admission_.removeUnfit()) {
    liveness_.forget(unfit.slot);
    reject(unfit, why);
  }
  if (!admission_.isEnough()) return;
  const auto next = changes_ ? std::optional(decideNext()) : std::nullopt;
  if (next && !admission_.vacantSlots().empty() && mustWait(*next)) return;
  admission_.issue(probe_.links(), next);
  if (first_followed_) {
    report_.beginPause(*first_followed_);
    report_.dropStep();
    report_.addCause(toString(self_.slot) + " was started again");
    report_.issue(admission_.roster(), std::nullopt);
  }
  beginRoster();
}

/// Whether there is no use in waiting for more members: some have followed a roster of an earlier
/// coordinator, and the rest of that roster does not come; or as many are here as the job may begin
/// with, and no others come.
bool Coordinator::mayFound() const {
  if (!changes_ || !admission_.isEnough()) return false;
  if (first_followed_ && now_ - *first_followed_ >= kFounding) return true;
  return admission_.hasLeast() && now_ - last_joined_ >= kFoundingOfFew;
}

/// The process is not admitted, and ends.
void Coordinator::reject(const Member& other, const Admission::Outcome& why) {
  if (why.verdict == Admission::Verdict::kRefused) {
    if (!admission_.started()) refusals_[other.slot] = why.text;
    return answer(other, wire::MessageType::kRefuse, 0, why.text);
  }
  answer(other, wire::MessageType::kAbort, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
         why.text);
}

void Coordinator::turnAway(const Member& other) {
  if (released_.contains(other)) return tellReleased(other);
  ++ignored_;
  answer(other, wire::MessageType::kAbort, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
         "another process is " + toString(other.slot) +
             " of this job, or may become it since this one fell silent, so this one ends; start "
             "each member once");
}

void Coordinator::announceRoster() {
  const std::string text = toJson(admission_.roster());
  sendToAll(wire::MessageType::kRoster, 0, 0, text);
  listener_->onProgress(rosterEvent(admission_.roster(), report_.causes()));
  listener_->onRosterIssued(admission_.roster());
}

}  // namespace sumac
