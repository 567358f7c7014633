#include "worker/session/session.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/stop_times.h"
#include "common/membership/join_request.h"
#include "common/membership/liveness.h"
#include "worker/session/contribution_exchange.h"

namespace sumac::worker {

namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

constexpr Slot kCoordinator{Role::kServer, 0};
constexpr Peer kControl{kCoordinator, Lane::kControl};
// Who does not answer for so long is an earlier attempt's coordinator, or no member at all.
constexpr Duration kFirstAnswer = std::chrono::seconds(5);
constexpr std::size_t kCrcsKept = 2;  // repeated on a new connection

// What the coordinator must know of us even when the connection broke while we said it.
struct Reported {
  std::vector<std::pair<Step, std::uint32_t>> crcs;
  std::optional<Step> checkpointed;
  std::optional<Step> stopped;
  std::optional<std::string> finished;
  bool leaving = false;
};

}  // namespace

struct Session::State {
  State(WorkerIdentity who, const ExchangePlan& plan, std::string where, link::Link& over,
        Trainer& owner)
      : identity(std::move(who)),
        coordinator(std::move(where)),
        link(&over),
        trainer(&owner),
        base(makeBase(identity)),
        servers(plan.servers),
        parts(plan.parts),
        exchange(base, plan, over) {}

  static Header makeBase(const WorkerIdentity& identity) {
    Header header;
    header.job = identity.job;
    header.sender = identity.self;
    return header;
  }

  Header header(MessageType type) const {
    Header header = base;
    header.type = type;
    header.term = roster ? roster->order.term : 0;
    header.generation = roster ? roster->order.generation : 0;
    return header;
  }

  void tell(MessageType type, Step step = 0, std::uint64_t value = 0, std::string_view text = {}) {
    Header message = header(type);
    message.step = step;
    message.value = value;
    link->send(kControl, message, asBytes(text.substr(0, wire::kMaxControlPayload)));
  }

  /// Anything of the coordinator: from then on its silence is its loss.
  bool hasHeard() const { return coordinator_incarnation != 0; }
  void join();
  void repeatWhatWasTold();
  void onRoster(BytesView payload);
  void onControl(const Header& header, BytesView payload);
  void prepare();
  void commit(Step step, std::uint64_t how);
  void deliver(Step step);
  void end(ExitCode code, const std::string& reason, bool goodbye);

  WorkerIdentity identity;
  std::string coordinator;
  link::Link* link;
  Trainer* trainer;
  Header base;
  int servers;
  int parts;
  ContributionExchange exchange;
  Liveness liveness{TimePoint{}};
  TimePoint now;
  bool connected = false;  // once at least
  bool up = false;         // now
  TimePoint asked;         // when it asked to join on this connection
  bool ended = false;
  Incarnation coordinator_incarnation = 0;  // of the first that spoke: state is not handed over
  std::optional<Roster> roster;
  Step begun = 0;  // the highest step that the trainer may have begun
  bool prepared = false;
  std::optional<Step> committed;
  std::optional<Step> held;  // its sum has come, but the trainer would begin the next step on it
  Reported reported;
  TimePoint leave_by;  // since leave()
  std::uint64_t ignored = 0;
};

void Session::State::join() {
  JoinRequest request;
  request.plan_text = identity.plan_text;
  request.kernels = identity.kernels;
  request.newest_checkpoint = identity.newest_checkpoint;
  request.vocabulary = identity.vocabulary;
  request.description = identity.description;
  tell(MessageType::kJoin, 0, planHash(identity.plan_text), toJson(request));
  repeatWhatWasTold();
}

void Session::State::repeatWhatWasTold() {
  for (const auto& [step, crc] : reported.crcs) {
    tell(MessageType::kWeightsCrc, step, crc);
  }
  if (reported.checkpointed) tell(MessageType::kCheckpointed, *reported.checkpointed);
  if (reported.stopped) tell(MessageType::kFinished, *reported.stopped, /*value=*/1);
  if (reported.finished) tell(MessageType::kFinished, 0, 0, *reported.finished);
  if (reported.leaving) tell(MessageType::kLeave);
}

void Session::State::onRoster(BytesView payload) {
  const Result<Roster> read = rosterFromJson(asText(payload));
  const int position = read ? read->positionOf(identity.self) : -1;
  if (position < 0 || read->servers() != servers || read->workers() > parts ||
      (roster && read->order <= roster->order)) {
    ++ignored;
    return;
  }
  const bool first = !roster;
  const TreeNode block = blockOf(position, read->workers(), parts);
  const bool moved =
      first || block != blockOf(roster->positionOf(identity.self), roster->workers(), parts);
  roster = *read;
  if (first) {
    begun = roster->start_step + 1;
    for (const RosterEntry& entry : roster->members) {
      if (entry.member.slot.role != Role::kServer) continue;
      link->connect({entry.member.slot, Lane::kData}, entry.endpoint);
    }
  }
  exchange.onRoster(*roster);
  if (moved) trainer->onStart(*roster, block);
}

void Session::State::onControl(const Header& header, BytesView payload) {
  if (coordinator_incarnation == 0) coordinator_incarnation = header.sender.incarnation;
  if (header.sender.incarnation != coordinator_incarnation) {
    return end(ExitCode::kLostPeers, "lost the coordinator: server 0 was started again", false);
  }
  liveness.heard(kCoordinator);
  const std::string text(asText(payload));
  switch (header.type) {
    case MessageType::kRoster: onRoster(payload); break;
    case MessageType::kHeartbeat: break;
    case MessageType::kPrepare: prepare(); break;
    case MessageType::kCommit: commit(header.step, header.value); break;
    case MessageType::kWeightsCrc: trainer->onWeightsAgreed(header.step); break;
    case MessageType::kRefuse: end(ExitCode::kBadConfiguration, text, true); break;
    case MessageType::kComplete: end(ExitCode::kDone, text, true); break;
    case MessageType::kRelease: end(ExitCode::kStopped, text, true); break;
    case MessageType::kAbort:
      end(header.value == 1 ? ExitCode::kFailed : ExitCode::kLostPeers, text, true);
      break;
    default: ++ignored;
  }
}

void Session::State::prepare() {
  if (!roster) return;
  prepared = true;
  tell(MessageType::kPrepared, begun);
}

void Session::State::commit(Step step, std::uint64_t how) {
  const bool at_once = how != static_cast<std::uint64_t>(wire::StopNow::kNo);
  if (!roster || (committed && !at_once)) return;
  committed = at_once ? 0 : step;
  if (at_once) {
    trainer->onStopNow(how == static_cast<std::uint64_t>(wire::StopNow::kWithCheckpoint));
  } else {
    trainer->onStopAfter(step);
  }
  if (held) deliver(*std::exchange(held, std::nullopt));
}

void Session::State::deliver(Step step) {
  if (prepared && !committed) {
    held = step;  // the trainer begins the next step on a sum: only when the last one is agreed
    return;
  }
  begun = std::max(begun, step + 1);
  trainer->onSum(step, exchange.sum(step));
}

void Session::State::end(ExitCode code, const std::string& reason, bool goodbye) {
  if (ended) return;
  ended = true;
  if (goodbye) tell(MessageType::kGoodbye);
  trainer->onEnd(code, reason);
}

Session::Session(WorkerIdentity identity, const ExchangePlan& plan, std::string coordinator,
                 link::Link& link, Trainer& trainer)
    : state_(std::make_unique<State>(std::move(identity), plan, std::move(coordinator), link,
                                     trainer)) {}

Session::~Session() = default;

void Session::start(TimePoint now) {
  state_->now = now;
  state_->liveness = Liveness(now);
  state_->link->connect(kControl, state_->coordinator);
}

void Session::onTick(TimePoint now) {
  State& s = *state_;
  if (s.ended) return;
  s.now = now;
  if (s.up && !s.hasHeard() && now - s.asked >= kFirstAnswer) {
    s.up = false;
    s.link->reconnect(kControl);
  }
  const Liveness::Tick tick = s.liveness.tick(now);
  if (!tick.lost.empty()) {
    s.end(ExitCode::kLostPeers, "lost the coordinator, server 0 (no heartbeat for 3 s)", true);
    return;
  }
  if (s.reported.leaving && now >= s.leave_by) {
    return s.end(ExitCode::kStopped,
                 "asked to stop; the coordinator, server 0, did not answer within " +
                     StopTimes::text(StopTimes::kLeave),
                 true);
  }
  if (tick.beat && s.connected) s.tell(MessageType::kHeartbeat);
}

void Session::onMessage(Peer from, const Header& header, BytesView payload) {
  State& s = *state_;
  if (s.ended || header.job != s.identity.job || from.slot.role != Role::kServer) {
    ++s.ignored;
    return;
  }
  if (from == kControl) {
    s.onControl(header, payload);
    return;
  }
  const RosterEntry* sender = s.roster ? s.roster->find(from.slot) : nullptr;
  if (from.lane != Lane::kData || sender == nullptr || sender->member != header.sender) {
    ++s.ignored;
    return;
  }
  const std::optional<Step> complete = s.exchange.onMessage(from.slot.index, header, payload);
  if (complete) s.deliver(*complete);
}

void Session::onPeerUp(Peer peer) {
  State& s = *state_;
  if (s.ended) return;
  if (peer == kControl) {
    s.connected = true;
    s.up = true;
    s.asked = s.now;
    if (s.hasHeard()) s.liveness.heard(kCoordinator);
    s.join();
  }
}

void Session::onPeerDown(Peer peer, const std::string& /*why*/) {
  if (peer == kControl) state_->up = false;
}

void Session::onRoom(Peer peer) {
  if (!state_->ended && peer.slot.role == Role::kServer) state_->exchange.onRoom(peer.slot.index);
}

void Session::onSuspected(Peer peer, const std::string& why) {
  State& s = *state_;
  // A stop without an open step needs no sums; the coordinator ends it.
  const bool waits_for_no_sum = s.committed == Step{0} || s.reported.stopped;
  if (s.ended || waits_for_no_sum) return;
  const std::string text = "lost the connection between " + toString(s.identity.self.slot) +
                           " and " + toString(peer.slot) + " (" + why + ")";
  s.tell(MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)), text);
  s.end(ExitCode::kLostPeers, text, false);
}

void Session::submit(Step step, std::span<const Contribution> contributions) {
  if (!state_->ended) state_->exchange.submit(step, contributions);
}

void Session::reportWeights(Step step, std::uint32_t crc) {
  Reported& reported = state_->reported;
  reported.crcs.emplace_back(step, crc);
  if (reported.crcs.size() > kCrcsKept) reported.crcs.erase(reported.crcs.begin());
  state_->tell(MessageType::kWeightsCrc, step, crc);
}

void Session::reportProgress(const std::string& json) {
  state_->tell(MessageType::kProgress, 0, 0, json);
}

void Session::checkpointed(Step step) {
  state_->reported.checkpointed = step;
  state_->tell(MessageType::kCheckpointed, step);
}

void Session::finished(const std::string& result) {
  state_->reported.finished = result;
  state_->tell(MessageType::kFinished, 0, 0, result);
}

void Session::stopped() {
  const Step step = state_->committed.value_or(0);
  state_->reported.stopped = step;
  state_->tell(MessageType::kFinished, step, /*value=*/1);
}

SessionView Session::view() const {
  return {state_->up && state_->hasHeard(), state_->roster ? state_->roster->order : RosterOrder{}};
}

void Session::leave() {
  if (!state_->reported.leaving) state_->leave_by = state_->now + StopTimes::kLeave;
  state_->reported.leaving = true;
  if (state_->connected) state_->tell(MessageType::kLeave);
  // Before the first answer the coordinator does not know us and cannot release us.
  if (!state_->hasHeard()) state_->end(ExitCode::kStopped, "asked to stop", state_->connected);
}

void Session::fail(ExitCode code, const std::string& reason) {
  if (state_->ended) return;
  const std::string text = toString(state_->identity.self.slot) + " failed: " + reason;
  state_->tell(MessageType::kAbort, 0, static_cast<std::uint64_t>(toInt(ExitCode::kLostPeers)),
               text);
  state_->end(code, reason, false);
}

}  // namespace sumac::worker
