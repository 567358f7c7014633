#include "server/coordinator/coordinator.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/base/stop_times.h"

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

// For links to be measured, once all have joined.
constexpr Duration kLongestMeasuring = std::chrono::seconds(1);

json rosterEvent(const Roster& roster) {
  json event = {{"event", "roster"},
                {"term", roster.order.term},
                {"generation", roster.order.generation},
                {"workers", roster.workers()},
                {"servers", roster.servers()},
                {"startStep", roster.start_step},
                {"kernels", roster.kernels}};
  if (roster.choice) event["auto"] = choiceText(*roster.choice);
  return event;
}

}  // namespace

Coordinator::Coordinator(const CoordinatorOptions& options, link::Link& link,
                         CoordinatorListener& listener)
    : job_(options.job),
      self_(options.self),
      link_(&link),
      listener_(&listener),
      admission_(options.admission),
      liveness_(TimePoint{}),
      clock_(options.admission.sharing == Sharing::kAuto ? options.clock : nullptr),
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
  for (const Slot slot : tick.lost)
    lost(slot, "no heartbeat for 3 s");
  if (ending_) {
    leaveIfAlone();
  } else if (stop_.requested()) {
    watchStop();
  } else if (!admission_.started()) {
    probe_.onTick(now);
    startWhenReady();
  }
}

void Coordinator::onMessage(Slot from, const Header& header, BytesView payload) {
  if (left_ || header.job != job_ || header.sender.slot != from || isOurselves(from) ||
      (gone_.contains(from) && !ending_) || payload.size() > wire::kMaxControlPayload) {
    ++ignored_;
    return;
  }
  if (header.type == MessageType::kJoin) {
    onJoin(from, header, payload);
  } else if (admission_.isMember(header.sender)) {
    liveness_.heard(from);
    if (contested_.erase(from) > 0) bringUpToDate(from);
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
    case Admission::Verdict::kTaken: turnAway(from); return;
    case Admission::Verdict::kWaiting: break;
    case Admission::Verdict::kComplete: complete_since_ = now_; break;
    // Data lanes repeat what was lost on them by themselves: nobody has to begin again.
    case Admission::Verdict::kAgain:
      send(from, MessageType::kRoster, 0, 0, toJson(admission_.roster()));
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
    send(burst->to, MessageType::kProbe, 0, i == burst->messages ? burst->ticket : 0, payload);
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
  send(slot, MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
       "another process is " + toString(slot) +
           " of this job, or was it a moment ago, so this one ends; start each member once");
}

/// Sends again what may have gone to another process.
void Coordinator::bringUpToDate(Slot member) {
  if (admission_.started()) send(member, MessageType::kRoster, 0, 0, toJson(admission_.roster()));
  repeatPhase(member);
  const auto report = audit_.uncontested(member);
  if (member == kLowestWorker && report && audit_.agreed(report->step))
    send(member, MessageType::kWeightsCrc, report->step, report->crc);
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
  send(to, MessageType::kPrepare);
  if (writer_) {
    sendHurry(to);
  } else if (stop_.committed()) {
    send(to, MessageType::kCommit, *stop_.committed());
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
  if (header.type == MessageType::kEcho) return onEcho(from, header.value);
  const bool worker = from.role == Role::kWorker && admission_.started();
  if (header.type == MessageType::kLeave) {
    requestStop(from);
  } else if (header.type == MessageType::kAbort) {
    gone_.insert(from);
    liveness_.forget(from);
    end(MessageType::kAbort, ExitCode::kLostPeers, std::string(asText(payload)));
  } else if (worker && header.type == MessageType::kPrepared) {
    const auto step = stop_.prepared(from, header.step);
    if (step && !writer_) sendToAll(MessageType::kCommit, *step);
  } else if (worker && header.type == MessageType::kFinished) {
    onFinished(from, header, payload);
  } else if (worker && header.type == MessageType::kWeightsCrc) {
    onCrc(from, header);
  } else if (from == kLowestWorker && header.type == MessageType::kProgress) {
    onProgress(payload);
  } else if (from == writer_.value_or(kLowestWorker) && header.type == MessageType::kCheckpointed) {
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
  } else if (writer_) {
    confirmInHurry();
  }
}

// A worker announces only what all have agreed on; this rejects what is not.
void Coordinator::onCheckpointed(Step step) {
  if (!audit_.agreed(step) && step != confirmed_) {
    ++ignored_;
    return;
  }
  listener_->onProgress(line({{"event", "checkpoint"}, {"step", step}}));
}

void Coordinator::onCrc(Slot from, const Header& header) {
  const auto [agreed, different] =
      audit_.report(from, header.step, static_cast<std::uint32_t>(header.value));
  if (agreed) send(kLowestWorker, MessageType::kWeightsCrc, header.step, header.value);
  if (different.empty()) {
    // Repeated on a new connection: the answer may have been lost with the one before.
    if (from == writer_ && header.step == confirmed_) confirmed_.reset();
    if (writer_) confirmInHurry();
    return;
  }
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
  stop_requested_ = now_;
  if (!admission_.started()) {
    end(MessageType::kRelease, ExitCode::kStopped, stop_reason_);
    return;
  }
  for (const RosterEntry& entry : admission_.roster().members) {
    if (entry.member.slot.role == Role::kWorker) send(entry.member.slot, MessageType::kPrepare);
  }
}

void Coordinator::lost(Slot member, const std::string& why) {
  if (ending_) return;
  gone_.insert(member);
  const std::string text = "lost " + toString(member) + " (" + why + ")";
  if (!stop_.requested()) return end(MessageType::kAbort, ExitCode::kLostPeers, text);
  stop_reason_ += "; " + text;
  if (member.role == Role::kWorker) stop_.lost(member);
  if (stop_.allStopped()) return end(MessageType::kRelease, ExitCode::kStopped, stop_reason_);
  hurry();
}

void Coordinator::watchStop() {
  const Duration since = now_ - stop_requested_;
  if (since >= StopTimes::kRelease) {
    for (const Slot slot : missingWorkers())
      stop_reason_ +=
          "; " + toString(slot) + " did not stop within " + StopTimes::text(StopTimes::kRelease);
    return end(MessageType::kRelease, ExitCode::kStopped, stop_reason_);
  }
  if (since >= StopTimes::kHurry && !writer_) hurry();
  if (writer_) confirmInHurry();
}

/// The step that all should finish may never come: each worker stops after the last one that it
/// has, and the lowest that lives writes a checkpoint.
void Coordinator::hurry() {
  std::vector<Slot> living;
  for (const RosterEntry& entry : admission_.roster().members) {
    const Slot slot = entry.member.slot;
    if (slot.role == Role::kWorker && !gone_.contains(slot)) living.push_back(slot);
  }
  if (living.empty()) return;  // then all are gone, and the job ends as stopped
  writer_ = living.front();
  for (const Slot slot : living)
    sendHurry(slot);
}

void Coordinator::sendHurry(Slot worker) {
  const wire::StopNow how =
      worker == writer_ ? wire::StopNow::kWithCheckpoint : wire::StopNow::kWithout;
  send(worker, MessageType::kCommit, 0, static_cast<std::uint64_t>(how));
}

/// Lets the writer complete its checkpoint, although not all can say that they have its weights:
/// when those that live are through, or have had their time, and none contradicts.
void Coordinator::confirmInHurry() {
  const auto report = audit_.uncontested(*writer_);
  if (!report || report->step == confirmed_) return;
  const std::vector<Slot> missing = missingWorkers();
  const bool others =
      std::any_of(missing.begin(), missing.end(), [this](Slot slot) { return slot != writer_; });
  if (others && now_ - stop_requested_ < StopTimes::kConfirm) return;
  confirmed_ = report->step;
  send(*writer_, MessageType::kWeightsCrc, report->step, report->crc);
}

/// The workers that live and have not stopped.
std::vector<Slot> Coordinator::missingWorkers() const {
  std::vector<Slot> missing;
  for (const auto& [slot, joined] : admission_.joined()) {
    if (slot.role == Role::kWorker && !gone_.contains(slot) && !stop_.isThrough(slot)) {
      missing.push_back(slot);
    }
  }
  return missing;
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
    alone = alone && (isOurselves(slot) || gone_.contains(slot));
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
    if (!isOurselves(slot) && !gone_.contains(slot)) {
      send(slot, type, step, value, text);
    }
  }
}

}  // namespace sumac::server
