#include "exchange/coordinator/coordinator.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/core/stop_times.h"
#include "exchange/wire/order.h"

namespace sumac {

namespace {

using nlohmann::json;
using wire::Header;
using wire::MessageType;

// The result becomes a termination message (docs/design/job-life.md#end).
constexpr std::size_t kMaxResult = 1024;
// What a worker says of its time.
constexpr std::size_t kMaxTimes = 512;

std::string line(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Coordinator::Coordinator(const CoordinatorOptions& options, link::Link& link,
                         CoordinatorListener& listener)
    : job_(options.job),
      self_(options.self),
      link_(&link),
      listener_(&listener),
      clock_(options.admission.method ? nullptr : options.clock),
      limits_(options.limits),
      changes_(options.admission.most.has_value()),
      admission_(options.admission),
      liveness_(TimePoint{}),
      stalls_(options.limits.stalled),
      members_(admission_, self_.slot),
      change_({}),
      vote_(options.admission.workers),
      audit_(options.admission.workers),
      flapping_(options.limits.flapping) {}

void Coordinator::alignClocksWith(trace::Recorder* recorder) {
  recorder_ = recorder;
  if (recorder_ != nullptr) recorder_->setReference();
}

void Coordinator::start(TimePoint now) {
  now_ = now;
  started_ = now;
  liveness_ = Liveness(now);
}

void Coordinator::onTick(TimePoint now) {
  now_ = now;
  if (left_) return;
  const Liveness::Tick tick = liveness_.tick(now);
  if (tick.beat) sendToAll(MessageType::kHeartbeat);
  for (const Slot slot : tick.lost)
    lost(slot, "no heartbeat for 3 s");
  watchTrainers();
  if (ending_) {
    leaveIfAlone();
  } else if (stop_.isRequested()) {
    watchStop();
  } else if (!admission_.started()) {
    probe_.onTick(now);
    startWhenReady();
    watchJoining();
  } else {
    carryOut(change_.tick(now));
    if (waiting_since_) issueNext();
    watchLeaves();
    judgeSuspects();
  }
}

void Coordinator::onMessage(Slot from, const Header& header, BytesView payload) {
  if (left_ || header.job != job_ || header.sender.slot != from || isOurselves(from) ||
      (members_.isGone(from) && !ending_) || payload.size() > wire::kMaxControlPayload) {
    ++ignored_;
    return;
  }
  if (header.type == MessageType::kJoin) {
    onJoin(from, header, payload);
  } else if (admission_.isMember(header.sender)) {
    liveness_.heard(from);
    onMember(from, header, payload);
  } else if (admission_.isRemoved(header.sender) && header.type != MessageType::kGoodbye) {
    turnAway(header.sender);
  } else {
    ++ignored_;
  }
}

void Coordinator::answerEnd(const Member& to) {
  answer(to, ending_->type, static_cast<std::uint64_t>(toInt(ending_->code)), ending_->reason);
}

void Coordinator::repeatPhase(Slot to) {
  if (to.role != Role::kWorker || !members_.has(to)) return;
  if (!stop_.isRequested()) return tell(to, change_.current());
  if (stop_.hands_over) return tell(to, {ChangeOrder::Kind::kHaltNow});
  send(to, MessageType::kPrepare);
  if (stop_.writer) {
    sendHurry(to);
  } else if (vote_.committed()) {
    send(to, MessageType::kCommit, *vote_.committed());
  }
}

void Coordinator::onMember(Slot from, const Header& header, BytesView payload) {
  if (header.type == MessageType::kGoodbye) {
    liveness_.forget(from);
    if (!ending_) return lost(from, "it left");
    members_.markGone(from);
    return leaveIfAlone();
  }
  if (header.type == MessageType::kHeartbeat) return onHeartbeat(from, header);
  if (ending_) return;
  if (header.type == MessageType::kEcho) return onEcho(from, header.value);
  // What a worker says of a roster before is nothing of this one.
  const bool worker = from.role == Role::kWorker && members_.has(from) &&
                      wire::orderOf(header) == admission_.roster().order;
  if (header.type == MessageType::kLeave) {
    onLeave(from);
  } else if (header.type == MessageType::kAbort) {
    members_.markGone(from);
    liveness_.forget(from);
    end(MessageType::kAbort, ExitCode::kLostPeers, std::string(asText(payload)));
  } else if (worker && header.type == MessageType::kPrepared) {
    onPrepared(from, header.step);
  } else if (worker && header.type == MessageType::kFinished) {
    onFinished(from, header, payload);
  } else if (worker && header.type == MessageType::kWeightsCrc) {
    onCrc(from, header, payload);
  } else if (worker && header.type == MessageType::kReady) {
    onReady(from, header.value);
  } else if (worker && header.type == MessageType::kSuspect) {
    onSuspect(from, header);
  } else if (from == members_.writer() && header.type == MessageType::kProgress) {
    onProgress(payload);
  } else if (from == stop_.writer.value_or(members_.writer()) &&
             header.type == MessageType::kCheckpointed) {
    onCheckpointed(header);
  } else {
    ++ignored_;
  }
}

/// Echoed at once: what it takes is the uncertainty of the other's clock.
void Coordinator::onHeartbeat(Slot from, const Header& header) {
  if (from.role == Role::kWorker) {
    stalls_.heard(from, header.first, header.count != 0);
    if (members_.has(from))
      stragglers_.heard(from.index, {static_cast<std::uint32_t>(header.step), header.range});
  }
  if (recorder_ == nullptr || header.value == 0) return;
  Header echo = this->header(MessageType::kHeartbeat, 0, header.value);
  echo.first = trace::stampOf(recorder_->now());
  link_->send({from, link::Lane::kControl}, echo, BytesView{});
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
  if (document["event"] == "evaluation" && document.value("step", json()).is_number_unsigned())
    evaluated_ = std::max(evaluated_, document["step"].get<Step>());
  if (document["event"] == "progress" || document["event"] == "interim")
    putStraggler(document, stragglers_.find(now_));
  listener_->onProgress(line(document));
}

void Coordinator::onFinished(Slot from, const Header& header, BytesView payload) {
  const auto how = static_cast<wire::Finished>(header.value);
  if (how == wire::Finished::kHalted) return onHalted(from, header);
  if (how == wire::Finished::kStopped) {
    vote_.stopped(from);
  } else {
    vote_.finished(from);
    if (from == members_.writer())
      result_ = asText(payload.first(std::min(payload.size(), kMaxResult)));
  }
  if (vote_.allFinished()) {
    endWhereAllAreThrough();
  } else if (vote_.allStopped()) {
    endStop();
  } else if (stop_.writer) {
    confirmInHurry();
  }
}

// A worker announces only what all have agreed on; this rejects what is not.
void Coordinator::onCheckpointed(const Header& header) {
  const Step step = header.step;
  if (header.value == static_cast<std::uint64_t>(wire::Checkpointed::kFound))
    return onFoundCheckpoint(header);
  if (!audit_.agreed(step) && step != stop_.confirmed) {
    ++ignored_;
    return;
  }
  checkpoint_ = std::max(checkpoint_, step);
  listener_->onProgress(line({{"event", "checkpoint"}, {"step", step}}));
}

/// What workers say of their time, for the result.
void Coordinator::noteTimes(Slot from, BytesView payload) {
  if (payload.empty() || payload.size() > kMaxTimes) return;
  const std::vector<WorkerTimes> said = workerTimesFromText(asText(payload));
  if (said.size() != 1) return;
  times_[from] = said.front();
  times_[from].worker = from.index;
  if (times_.size() > kMostWorkerTimes) times_.erase(std::prev(times_.end()));
}

std::string Coordinator::timesText() const {
  std::vector<WorkerTimes> all;
  for (const auto& [slot, times] : times_)
    all.push_back(times);
  return all.empty() ? std::string() : toText(all);
}

void Coordinator::onCrc(Slot from, const Header& header, BytesView payload) {
  noteTimes(from, payload);
  if (header.first != 0) onTrained(from);
  const auto [agreed, different] =
      audit_.report(from, header.step, static_cast<std::uint32_t>(header.value));
  if (agreed)
    send(members_.writer(), MessageType::kWeightsCrc, header.step, header.value, timesText());
  if (different.empty()) {
    // Repeated on a new connection: the answer may have been lost with the one before.
    if (from == stop_.writer && header.step == stop_.confirmed) stop_.confirmed.reset();
    if (stop_.writer) confirmInHurry();
    return;
  }
  std::string text = "the weights diverge after step " + std::to_string(header.step) + ":";
  for (const Slot slot : different) {
    text += (slot == different.front() ? " " : ", ") + toString(slot);
    if (members_.has(slot)) text += " (" + admission_.descriptionOf(slot) + ")";
  }
  text += different.size() == 1 ? " differs from the others" : " differ";
  end(MessageType::kAbort, ExitCode::kFailed, text);
}

void Coordinator::end(MessageType type, ExitCode code, const std::string& reason) {
  if (ending_) return;
  ending_ = Ending{type, code, reason, now_ + StopTimes::kFarewell};
  sendToAll(type, 0, static_cast<std::uint64_t>(toInt(code)), reason);
  leaveIfAlone();
}

void Coordinator::leaveIfAlone() {
  bool alone = true;
  for (const auto& [slot, joined] : admission_.joined()) {
    alone = alone && (isOurselves(slot) || members_.isGone(slot));
  }
  if (left_ || (!alone && now_ < ending_->until)) return;
  left_ = true;
  listener_->onJobOver(ending_->code, ending_->reason);
}

Header Coordinator::header(MessageType type, Step step, std::uint64_t value) const {
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
  return header;
}

void Coordinator::send(Slot to, MessageType type, Step step, std::uint64_t value,
                       std::string_view text) {
  link_->send({to, link::Lane::kControl}, header(type, step, value),
              asBytes(text.substr(0, wire::kMaxControlPayload)));
}

void Coordinator::answer(const Member& to, MessageType type, std::uint64_t value,
                         std::string_view text) {
  link_->answer(to, header(type, 0, value), asBytes(text.substr(0, wire::kMaxControlPayload)));
}

void Coordinator::sendToAll(MessageType type, Step step, std::uint64_t value,
                            std::string_view text) {
  for (const auto& [slot, joined] : admission_.joined()) {
    if (!isOurselves(slot) && !members_.isGone(slot)) {
      send(slot, type, step, value, text);
    }
  }
}

}  // namespace sumac
