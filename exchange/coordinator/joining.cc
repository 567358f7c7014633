#include <string>

#include <nlohmann/json.hpp>

#include "exchange/coordinator/coordinator.h"

// Who joins, and the first roster; who joins again or shares its slot with another process.

namespace sumac {

namespace {

// For links to be measured, once all have joined.
constexpr Duration kLongestMeasuring = std::chrono::seconds(1);

std::string rosterEvent(const Roster& roster, const std::string& causes) {
  nlohmann::json event = {{"event", "roster"},
                          {"term", roster.order.term},
                          {"generation", roster.order.generation},
                          {"workers", roster.workers()},
                          {"servers", roster.servers()},
                          {"startStep", roster.start_step},
                          {"kernels", roster.kernels}};
  if (!causes.empty()) event["cause"] = causes;
  if (roster.choice) event["auto"] = choiceText(*roster.choice);
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void Coordinator::onJoin(Slot from, const wire::Header& header, BytesView payload) {
  if (ending_) return answerEnd(header.sender);
  const Admission::Outcome outcome = admission_.join(header.sender, header.value, asText(payload));
  if (outcome.verdict == Admission::Verdict::kRefused)
    return answer(header.sender, wire::MessageType::kRefuse, 0, outcome.text);
  if (outcome.verdict == Admission::Verdict::kTaken) return turnAway(header.sender);
  link_->await({from, link::Lane::kControl}, header.sender.incarnation);
  liveness_.heard(from);
  switch (outcome.verdict) {
    case Admission::Verdict::kNext: takeIn(header.sender, outcome); break;
    case Admission::Verdict::kComplete: complete_since_ = now_; break;
    // Data lanes repeat what was lost on them by themselves: nobody has to begin again.
    case Admission::Verdict::kAgain:
      send(from, wire::MessageType::kRoster, 0, 0, toJson(admission_.roster()));
      break;
    default: break;
  }
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
  beginRoster();
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
  listener_->onProgress(rosterEvent(admission_.roster(), causes_));
  listener_->onRosterIssued(admission_.roster());
}

}  // namespace sumac
