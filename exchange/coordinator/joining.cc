#include <string>

#include <nlohmann/json.hpp>

#include "exchange/coordinator/coordinator.h"

// Who joins, and the first roster; who joins again or shares its slot with another process.

namespace sumac {

namespace {

// For links to be measured, once all have joined.
constexpr Duration kLongestMeasuring = std::chrono::seconds(1);

std::string rosterEvent(const Roster& roster) {
  nlohmann::json event = {{"event", "roster"},
                          {"term", roster.order.term},
                          {"generation", roster.order.generation},
                          {"workers", roster.workers()},
                          {"servers", roster.servers()},
                          {"startStep", roster.start_step},
                          {"kernels", roster.kernels}};
  if (roster.choice) event["auto"] = choiceText(*roster.choice);
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void Coordinator::onJoin(Slot from, const wire::Header& header, BytesView payload) {
  if (ending_) {
    repeatPhase(from);
    return;
  }
  const Admission::Outcome outcome = admission_.join(header.sender, header.value, asText(payload));
  switch (outcome.verdict) {
    case Admission::Verdict::kRefused:
      send(from, wire::MessageType::kRefuse, 0, 0, outcome.text);
      return;
    case Admission::Verdict::kTaken: turnAway(from); return;
    case Admission::Verdict::kWaiting: break;
    case Admission::Verdict::kComplete: complete_since_ = now_; break;
    // Data lanes repeat what was lost on them by themselves: nobody has to begin again.
    case Admission::Verdict::kAgain:
      send(from, wire::MessageType::kRoster, 0, 0, toJson(admission_.roster()));
      break;
  }
  liveness_.heard(from);
  repeatPhase(from);
  if (admission_.started()) return;
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

/// Begins the next measurement, where none is under way.
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
  if (admission_.started()) return;
  measureLinks();
  if (!admission_.isComplete()) return;
  const bool measures = clock_ != nullptr && !probe_.isIdle();
  if (measures && now_ - complete_since_ < kLongestMeasuring) return;
  admission_.issue(probe_.links());
  announceRoster();
}

/// The connection that speaks last for a slot gets its messages: now that of the second process.
void Coordinator::turnAway(Slot slot) {
  ++ignored_;
  contested_.insert(slot);
  send(slot, wire::MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
       "another process is " + toString(slot) +
           " of this job, or may become it since this one fell silent, so this one ends; start "
           "each member once");
}

/// Sends again what may have gone to another process.
void Coordinator::bringUpToDate(Slot member) {
  if (admission_.started())
    send(member, wire::MessageType::kRoster, 0, 0, toJson(admission_.roster()));
  repeatPhase(member);
  if (member == writer_ && !ending_) {
    confirmed_.reset();
    confirmInHurry();
  }
  const auto report = audit_.uncontested(member);
  if (member == kWorker0 && report && audit_.agreed(report->step))
    send(member, wire::MessageType::kWeightsCrc, report->step, report->crc, timesText());
}

void Coordinator::announceRoster() {
  const std::string text = toJson(admission_.roster());
  sendToAll(wire::MessageType::kRoster, 0, 0, text);
  listener_->onProgress(rosterEvent(admission_.roster()));
  listener_->onRosterIssued(admission_.roster());
}

}  // namespace sumac
