#include "server/session/session.h"

#include <optional>
#include <utility>

#include "common/base/stop_times.h"
#include "common/membership/join_request.h"
#include "common/membership/liveness.h"
#include "server/coordinator/coordinator.h"
#include "server/sync/sum_exchange.h"

namespace sumac::server {

namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

constexpr Slot kCoordinator{Role::kServer, 0};
constexpr Peer kControl{kCoordinator, Lane::kControl};
// Who does not answer for so long is an earlier attempt's coordinator, or no member at all.
constexpr Duration kFirstAnswer = std::chrono::seconds(5);

Header baseOf(const ServerIdentity& identity) {
  Header header;
  header.job = identity.job;
  header.sender = identity.self;
  return header;
}

}  // namespace

struct Session::State final : CoordinatorListener {
  State(ServerIdentity who, PlanOf plans, std::string where, const KernelTable& kernels,
        link::Link& over, Listener& owner)
      : identity(std::move(who)),
        plan_of(std::move(plans)),
        coordinator_endpoint(std::move(where)),
        link(&over),
        listener(&owner),
        sums(baseOf(identity), identity.workers, kernels, over) {
    if (identity.self.slot == kCoordinator) coordinator.emplace(optionsOf(), over, *this);
  }

  CoordinatorOptions optionsOf() const {
    const auto textOf = [this](int vocabulary) -> Result<std::string> {
      auto made = plan_of(vocabulary);
      if (!made) return made.error();
      return std::move(made->text);
    };
    return {identity.job,
            {RosterEntry{identity.self, identity.endpoint}, identity.plan_text, textOf,
             identity.workers, identity.servers}};
  }

  void onRoster(const Roster& next) override {
    if (!plan) {
      auto made = plan_of(next.vocabulary);
      if (!made) return leaveJob(ExitCode::kBadConfiguration, made.error().message);
      plan = std::move(made->exchange);
    }
    roster = next;
    sums.onRoster(next, *plan);
  }
  void onProgress(const std::string& json) override { listener->onProgress(json); }
  void onEnd(ExitCode code, const std::string& reason) override {
    ended = true;
    listener->onEnd(code, reason);
  }

  void tell(MessageType type, std::uint64_t value = 0, std::string_view text = {}) {
    Header header = baseOf(identity);
    header.type = type;
    header.value = value;
    if (roster) {
      header.term = roster->order.term;
      header.generation = roster->order.generation;
    }
    link->send(kControl, header, asBytes(text));
  }

  /// Anything of the coordinator: from then on its silence is its loss.
  bool hasHeard() const { return coordinator_incarnation != 0; }
  void join();
  void onControl(const Header& header, BytesView payload);
  void takeRoster(BytesView payload);
  void leaveJob(ExitCode code, const std::string& reason);

  ServerIdentity identity;
  PlanOf plan_of;
  std::string coordinator_endpoint;
  link::Link* link;
  Listener* listener;
  SumExchange sums;
  std::optional<ExchangePlan> plan;        // since the first roster
  std::optional<Coordinator> coordinator;  // of server 0
  Liveness liveness{TimePoint{}};          // of the coordinator, for all others
  std::optional<Roster> roster;
  TimePoint now;
  bool connected = false;  // once at least
  bool up = false;         // now
  TimePoint asked;         // when it asked to join on this connection
  bool leaving = false;
  TimePoint leave_by;                       // where it is leaving
  Incarnation coordinator_incarnation = 0;  // of the first that spoke: state is not handed over
  bool ended = false;
  std::uint64_t ignored = 0;
};

void Session::State::join() {
  JoinRequest request;
  request.plan_text = identity.plan_text;
  request.endpoint = identity.endpoint;
  tell(MessageType::kJoin, planHash(identity.plan_text), toJson(request));
  if (leaving) tell(MessageType::kLeave);
}

void Session::State::onControl(const Header& header, BytesView payload) {
  if (coordinator_incarnation == 0) coordinator_incarnation = header.sender.incarnation;
  if (header.sender.incarnation != coordinator_incarnation) {
    return leaveJob(ExitCode::kLostPeers, "lost the coordinator: server 0 was started again");
  }
  liveness.heard(kCoordinator);
  const std::string text(asText(payload));
  switch (header.type) {
    case MessageType::kRoster: takeRoster(payload); break;
    case MessageType::kHeartbeat:
    case MessageType::kCommit: break;  // workers decide what to compute; we sum what comes
    case MessageType::kRefuse: leaveJob(ExitCode::kBadConfiguration, text); break;
    case MessageType::kComplete: leaveJob(ExitCode::kDone, text); break;
    case MessageType::kRelease: leaveJob(ExitCode::kStopped, text); break;
    case MessageType::kAbort:
      leaveJob(header.value == 1 ? ExitCode::kFailed : ExitCode::kLostPeers, text);
      break;
    default: ++ignored;
  }
}

void Session::State::takeRoster(BytesView payload) {
  const Result<Roster> read = rosterFromJson(asText(payload));
  const RosterEntry* self = read ? read->find(identity.self.slot) : nullptr;
  if (self == nullptr || self->member != identity.self ||
      (roster && read->order <= roster->order)) {
    ++ignored;
    return;
  }
  onRoster(*read);
}

void Session::State::leaveJob(ExitCode code, const std::string& reason) {
  tell(MessageType::kGoodbye);
  onEnd(code, reason);
}

Session::Session(ServerIdentity identity, PlanOf plan_of, std::string coordinator,
                 const KernelTable& kernels, link::Link& link, Listener& listener)
    : state_(std::make_unique<State>(std::move(identity), std::move(plan_of),
                                     std::move(coordinator), kernels, link, listener)) {}

Session::~Session() = default;

void Session::start(TimePoint now) {
  State& s = *state_;
  s.now = now;
  s.liveness = Liveness(now);
  if (s.coordinator) {
    s.coordinator->start(now);
  } else {
    s.link->connect(kControl, s.coordinator_endpoint);
  }
}

void Session::onTick(TimePoint now) {
  State& s = *state_;
  if (s.ended) return;
  if (s.coordinator) {
    s.coordinator->onTick(now);
    return;
  }
  s.now = now;
  if (s.up && !s.hasHeard() && now - s.asked >= kFirstAnswer) {
    s.up = false;
    s.link->reconnect(kControl);
  }
  const Liveness::Tick tick = s.liveness.tick(now);
  if (!tick.lost.empty()) {
    s.leaveJob(ExitCode::kLostPeers, "lost the coordinator, server 0 (no heartbeat for 3 s)");
    return;
  }
  if (s.leaving && now >= s.leave_by) {
    return s.leaveJob(ExitCode::kStopped,
                      "asked to stop; the coordinator, server 0, did not answer within " +
                          StopTimes::text(StopTimes::kLeave));
  }
  if (tick.beat && s.connected) s.tell(MessageType::kHeartbeat);
}

void Session::onMessage(Peer from, const Header& header, BytesView payload) {
  State& s = *state_;
  const bool is_ours = header.job == s.identity.job && header.sender.slot == from.slot && !s.ended;
  if (is_ours && from.lane == Lane::kControl && s.coordinator) {
    s.coordinator->onMessage(from.slot, header, payload);
  } else if (is_ours && from == kControl) {
    s.onControl(header, payload);
  } else if (is_ours && from.lane == Lane::kData && from.slot.role == Role::kWorker) {
    s.sums.onMessage(from.slot.index, header, payload);
  } else {
    ++s.ignored;
  }
}

void Session::onPeerUp(Peer peer) {
  State& s = *state_;
  if (s.ended || s.coordinator || peer != kControl) return;
  s.connected = true;
  s.up = true;
  s.asked = s.now;
  if (s.hasHeard()) s.liveness.heard(kCoordinator);
  s.join();
}

void Session::onPeerDown(Peer peer, const std::string& /*why*/) {
  if (peer == kControl) state_->up = false;
}

void Session::onRoom(Peer peer) {
  if (peer.slot.role == Role::kWorker) state_->sums.onRoom(peer.slot.index);
}

// Workers dial the data lanes, and they tell when one cannot be used.
void Session::onSuspected(Peer /*peer*/, const std::string& /*why*/) {}

void Session::leave() {
  State& s = *state_;
  if (s.ended) return;
  if (!s.leaving) s.leave_by = s.now + StopTimes::kLeave;
  s.leaving = true;
  if (s.coordinator) {
    s.coordinator->requestStop(s.identity.self.slot);
    return;
  }
  if (s.connected) s.tell(MessageType::kLeave);
  // Before the first answer the coordinator does not know us and cannot release us.
  if (!s.hasHeard()) s.leaveJob(ExitCode::kStopped, "asked to stop");
}

SessionView Session::view() const {
  const State& s = *state_;
  SessionView view;
  view.connected = (s.up && s.hasHeard()) || s.coordinator.has_value();
  view.members = s.coordinator ? s.coordinator->admitted() : 0;
  if (s.roster) view.order = s.roster->order;
  view.rejected = s.sums.rejected();
  view.stale = s.sums.stale();
  return view;
}

std::vector<Slot> Session::vacantSlots() const {
  return state_->coordinator ? state_->coordinator->vacantSlots() : std::vector<Slot>();
}

}  // namespace sumac::server
