#include "server/coordinator/coordinator.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace sumac::server {

namespace {

using nlohmann::json;
using wire::Header;
using wire::MessageType;

// The result becomes a termination message (docs/design/job-life.md#end).
constexpr std::size_t kMaxResult = 1024;

std::string line(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

constexpr Slot kLowestWorker{Role::kWorker, 0};

json rosterEvent(const Roster& roster) {
  return {{"event", "roster"},
          {"term", roster.order.term},
          {"generation", roster.order.generation},
          {"workers", roster.workers()},
          {"servers", roster.servers()},
          {"startStep", roster.start_step},
          {"kernels", roster.kernels}};
}

}  // namespace

Coordinator::Coordinator(const CoordinatorOptions& options, link::Link& link,
                         CoordinatorListener& listener)
    : job_(options.job),
      self_(options.admission.self.member),
      link_(&link),
      listener_(&listener),
      admission_(options.admission),
      liveness_(TimePoint{}),
      stop_(options.admission.workers),
      audit_(options.admission.workers) {}

void Coordinator::start(TimePoint now) {
  now_ = now;
  liveness_ = Liveness(now);
}

void Coordinator::onTick(TimePoint now) {
  now_ = now;
  if (left_) return;
  const Liveness::Tick tick = liveness_.tick(now);
  if (tick.beat) sendToAll(MessageType::kHeartbeat);
  if (ending_) {
    leaveIfAlone();
  } else if (!tick.lost.empty()) {
    lost(tick.lost.front(), "no heartbeat for 3 s");
  }
}

void Coordinator::onMessage(Slot from, const Header& header, BytesView payload) {
  if (left_ || header.job != job_ || header.sender.slot != from || from == self_.slot ||
      payload.size() > wire::kMaxControlPayload) {
    ++ignored_;
    return;
  }
  if (header.type == MessageType::kJoin) {
    onJoin(from, header, payload);
  } else if (admission_.isMember(header.sender)) {
    liveness_.heard(from);
    onMember(from, header, payload);
  } else {
    ++ignored_;
  }
}

void Coordinator::onJoin(Slot from, const Header& header, BytesView payload) {
  if (ending_) {
    repeatPhase(from);
    return;
  }
  const Admission::Outcome outcome = admission_.join(header.sender, header.value, asText(payload));
  switch (outcome.verdict) {
    case Admission::Verdict::kRefused: send(from, MessageType::kRefuse, 0, 0, outcome.text); return;
    case Admission::Verdict::kReplaced: lost(from, outcome.text); return;
    case Admission::Verdict::kWaiting: break;
    case Admission::Verdict::kStart:
    case Admission::Verdict::kAgain: announceRoster(); break;
  }
  liveness_.heard(from);
  repeatPhase(from);
}

void Coordinator::announceRoster() {
  const std::string text = toJson(admission_.roster());
  sendToAll(MessageType::kRoster, 0, 0, text);
  listener_->onProgress(line(rosterEvent(admission_.roster())));
  listener_->onRoster(admission_.roster());
}

void Coordinator::repeatPhase(Slot to) {
  if (ending_) {
    send(to, ending_->type, 0, static_cast<std::uint64_t>(toInt(ending_->code)), ending_->reason);
    return;
  }
  if (to.role != Role::kWorker || !stop_.requested()) return;
  if (stop_.committed()) {
    send(to, MessageType::kPrepare);
    send(to, MessageType::kCommit, *stop_.committed());
  } else {
    send(to, MessageType::kPrepare);
  }
}

void Coordinator::onMember(Slot from, const Header& header, BytesView payload) {
  if (header.type == MessageType::kGoodbye) {
    gone_.insert(from);
    liveness_.forget(from);
    if (ending_) {
      leaveIfAlone();
    } else {
      lost(from, "it left");
    }
    return;
  }
  if (ending_ || header.type == MessageType::kHeartbeat) return;
  const bool worker = from.role == Role::kWorker && admission_.started();
  if (header.type == MessageType::kLeave) {
    requestStop(from);
  } else if (header.type == MessageType::kAbort) {
    gone_.insert(from);
    liveness_.forget(from);
    end(MessageType::kAbort, ExitCode::kLostPeers, std::string(asText(payload)));
  } else if (worker && header.type == MessageType::kPrepared) {
    if (const auto step = stop_.prepared(from, header.step)) sendToAll(MessageType::kCommit, *step);
  } else if (worker && header.type == MessageType::kFinished) {
    onFinished(from, header, payload);
  } else if (worker && header.type == MessageType::kWeightsCrc) {
    onCrc(from, header);
  } else if (from == kLowestWorker && header.type == MessageType::kProgress) {
    onProgress(payload);
  } else if (from == kLowestWorker && header.type == MessageType::kCheckpointed) {
    onCheckpointed(header.step);
  } else {
    ++ignored_;
  }
}

void Coordinator::onProgress(BytesView payload) {
  // Deeper values are dropped: writing them out again would recurse as deep as a peer likes.
  constexpr int kDeepest = 4;
  const auto shallow = [](int depth, json::parse_event_t /*event*/, json& /*parsed*/) {
    return depth <= kDeepest;
  };
  json document = json::parse(asText(payload), shallow, false);
  if (!document.is_object()) {
    ++ignored_;
    return;
  }
  if (!document.contains("event")) document["event"] = "progress";
  listener_->onProgress(line(document));
}

void Coordinator::onFinished(Slot from, const Header& header, BytesView payload) {
  if (header.value == 1) {
    stop_.stopped(from);
  } else {
    stop_.finished(from);
    if (from == kLowestWorker)
      result_ = asText(payload.first(std::min(payload.size(), kMaxResult)));
  }
  if (stop_.allFinished()) {
    end(MessageType::kComplete, ExitCode::kDone, result_);
  } else if (stop_.allStopped()) {
    end(MessageType::kRelease, ExitCode::kStopped, stop_reason_);
  }
}

// A worker announces only what all have agreed on; this rejects what is not.
void Coordinator::onCheckpointed(Step step) {
  if (!audit_.agreed(step)) {
    ++ignored_;
    return;
  }
  listener_->onProgress(line({{"event", "checkpoint"}, {"step", step}}));
}

void Coordinator::onCrc(Slot from, const Header& header) {
  const auto [agreed, different] =
      audit_.report(from, header.step, static_cast<std::uint32_t>(header.value));
  if (agreed) send(kLowestWorker, MessageType::kWeightsCrc, header.step, header.value);
  if (different.empty()) return;
  std::string text = "the weights diverge after step " + std::to_string(header.step) + ":";
  for (const Slot slot : different) {
    text += (slot == different.front() ? " " : ", ") + toString(slot) + " (" +
            admission_.descriptionOf(slot) + ")";
  }
  text += different.size() == 1 ? " differs from the others" : " differ";
  end(MessageType::kAbort, ExitCode::kFailed, text);
}

void Coordinator::requestStop(Slot who) {
  if (ending_ || !stop_.request()) return;
  stop_reason_ = toString(who) + " was asked to stop";
  if (!admission_.started()) {
    end(MessageType::kRelease, ExitCode::kStopped, stop_reason_);
    return;
  }
  for (const RosterEntry& entry : admission_.roster().members) {
    if (entry.member.slot.role == Role::kWorker) send(entry.member.slot, MessageType::kPrepare);
  }
}

void Coordinator::lost(Slot member, const std::string& why) {
  gone_.insert(member);
  end(MessageType::kAbort, ExitCode::kLostPeers, "lost " + toString(member) + " (" + why + ")");
}

void Coordinator::end(MessageType type, ExitCode code, const std::string& reason) {
  if (ending_) return;
  ending_ = Ending{type, code, reason, now_ + kFarewell};
  sendToAll(type, 0, static_cast<std::uint64_t>(toInt(code)), reason);
  leaveIfAlone();
}

void Coordinator::leaveIfAlone() {
  bool alone = true;
  for (const auto& [slot, joined] : admission_.joined()) {
    alone = alone && (slot == self_.slot || gone_.contains(slot));
  }
  if (left_ || (!alone && now_ < ending_->until)) return;
  left_ = true;
  listener_->onEnd(ending_->code, ending_->reason);
}

void Coordinator::send(Slot to, MessageType type, Step step, std::uint64_t value,
                       std::string_view text) {
  Header header;
  header.type = type;
  header.job = job_;
  header.sender = self_;
  if (admission_.started()) {
    header.term = admission_.roster().order.term;
    header.generation = admission_.roster().order.generation;
  }
  header.step = step;
  header.value = value;
  link_->send({to, link::Lane::kControl}, header,
              asBytes(text.substr(0, wire::kMaxControlPayload)));
}

void Coordinator::sendToAll(MessageType type, Step step, std::uint64_t value,
                            std::string_view text) {
  for (const auto& [slot, joined] : admission_.joined()) {
    if (slot != self_.slot && !gone_.contains(slot)) {
      send(slot, type, step, value, text);
    }
  }
}

}  // namespace sumac::server
