#include "server/session/session.h"

#include <optional>
#include <utility>

#include "common/base/check.h"
#include "exchange/member/membership.h"
#include "exchange/coordinator/coordinator.h"
#include "exchange/sums/sum_exchange.h"

namespace sumac::server {

namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

Header baseOf(const ServerIdentity& identity) {
  Header header;
  header.job = identity.job;
  header.sender = identity.self;
  return header;
}

}  // namespace

struct Session::State final : CoordinatorListener, MembershipOwner {
  State(ServerIdentity who, PlanOf plans, std::string coordinator_endpoint,
        const KernelTable& kernels, link::Link& over, Listener& owner)
      : identity(std::move(who)),
        plan_of(std::move(plans)),
        link(&over),
        listener(&owner),
        sums(baseOf(identity), identity.workers, kernels, over) {
    if (identity.self.slot == identity.coordinator) {
      coordinator.emplace(optionsOf(), over, *this);
    } else if (!coordinator_endpoint.empty()) {
      client.emplace(MemberIdentity{identity.self, identity.job, identity.coordinator,
                                                  std::move(coordinator_endpoint)},
                     over, *this);
    }
  }

  bool isServer() const { return identity.self.slot.role == Role::kServer; }

  CoordinatorOptions optionsOf() const {
    Admission::Options admission;
    if (isServer()) admission.self = RosterEntry{identity.self, identity.endpoint};
    admission.server_text = identity.plan_text;
    admission.plan_of = plan_of;
    admission.sharing = identity.sharing;
    admission.workers = identity.workers;
    admission.servers = identity.servers;
    return {identity.job, identity.self, std::move(admission), identity.clock, identity.limits};
  }

  // Of the coordinator in this process, or of the client.
  void onRoster(const Roster& next) override {
    if (!plan) {
      auto made = plan_of(next.vocabulary);
      if (!made) return fail(made.error().message);
      plan = std::move(made->exchange);
    }
    if (next.shards.ranges() != plan->ranges.size() || next.workers() > plan->parts)
      return fail("the coordinator's roster does not fit the job's plan");
    order = next.order;
    if (isServer()) awaitWorkers(next);
    sums.onRoster(next, *plan);
  }
  void onProgress(const std::string& json) override { listener->onProgress(json); }
  void onEnd(ExitCode code, const std::string& reason) override {
    ended = true;
    listener->onEnd(code, reason);
  }

  JoinRequest joinRequest() const override {
    JoinRequest request;
    request.plan_text = identity.plan_text;
    request.endpoint = identity.endpoint;
    return request;
  }
  void repeatWhatWasTold() override {}
  bool fits(const Roster& /*roster*/) const override { return true; }
  void onControl(const Header& header, BytesView /*payload*/) override {
    // Workers decide what to compute; we sum what comes.
    if (header.type != MessageType::kCommit) ++ignored;
  }

  /// In a worker's process the worker says what is wrong with a roster.
  void fail(const std::string& message) {
    if (client) return client->end(ExitCode::kBadConfiguration, message, /*goodbye=*/true);
    if (isServer()) return onEnd(ExitCode::kBadConfiguration, message);
    ++ignored;
  }

  void awaitWorkers(const Roster& roster) {
    for (const RosterEntry& entry : roster.members) {
      if (entry.member.slot.role == Role::kWorker)
        link->await({entry.member.slot, Lane::kData}, entry.member.incarnation);
    }
  }

  /// In a worker's process: what the worker was told.
  void followRoster(BytesView payload) {
    const Result<Roster> read = rosterFromJson(asText(payload));
    const RosterEntry* self = read ? read->find(identity.self.slot) : nullptr;
    if (self != nullptr && self->member == identity.self && read->order > order) onRoster(*read);
  }

  ServerIdentity identity;
  PlanOf plan_of;
  link::Link* link;
  Listener* listener;
  SumExchange sums;
  std::optional<ExchangePlan> plan;            // since the first roster
  std::optional<Coordinator> coordinator;      // in the lowest slot
  std::optional<Membership> client;  // of all other servers
  RosterOrder order;                           // of the newest roster
  bool ended = false;
  std::uint64_t ignored = 0;
};

Session::Session(ServerIdentity identity, PlanOf plan_of, std::string coordinator,
                 const KernelTable& kernels, link::Link& link, Listener& listener)
    : state_(std::make_unique<State>(std::move(identity), std::move(plan_of),
                                     std::move(coordinator), kernels, link, listener)) {}

Session::~Session() = default;

void Session::traceTo(trace::Recorder* recorder) {
  if (state_->coordinator) state_->coordinator->alignClocksWith(recorder);
  if (state_->client) state_->client->alignClockOf(recorder);
  state_->sums.traceTo(recorder);
}

void Session::start(TimePoint now) {
  if (state_->coordinator) state_->coordinator->start(now);
  if (state_->client) state_->client->start(now);
}

void Session::onTick(TimePoint now) {
  if (state_->ended) return;
  if (state_->coordinator) state_->coordinator->onTick(now);
  if (state_->client) state_->client->onTick(now);
  state_->sums.onTick(now);
}

void Session::onMessage(Peer from, const Header& header, const link::PayloadPtr& payload) {
  State& s = *state_;
  const bool is_ours = header.job == s.identity.job && header.sender.slot == from.slot && !s.ended;
  const bool is_control = from.lane == Lane::kControl;
  const bool is_coordinator = from.slot == s.identity.coordinator;
  if (is_ours && is_control && s.coordinator) {
    s.coordinator->onMessage(from.slot, header, link::bytesOf(payload));
  } else if (is_ours && is_control && is_coordinator && s.client) {
    s.client->onMessage(header, link::bytesOf(payload));
  } else if (is_ours && is_control && is_coordinator && header.type == MessageType::kRoster) {
    s.followRoster(link::bytesOf(payload));
  } else if (is_ours && !is_control && from.slot.role == Role::kWorker) {
    s.sums.onMessage(from.slot.index, header, payload);
  } else {
    ++s.ignored;
  }
}

void Session::onPeerUp(Peer peer) {
  if (state_->client && peer == state_->client->coordinator()) state_->client->onPeerUp();
}

void Session::onPeerDown(Peer peer, const std::string& /*why*/) {
  if (state_->client && peer == state_->client->coordinator()) state_->client->onPeerDown();
}

void Session::onRoom(Peer peer) {
  if (peer.slot.role == Role::kWorker) state_->sums.onRoom(peer.slot.index);
}

// Workers dial the data lanes, and they tell when one cannot be used.
void Session::onSuspected(Peer /*peer*/, const std::string& /*why*/) {}

void Session::leave() {
  State& s = *state_;
  if (s.ended) return;
  if (s.coordinator) s.coordinator->requestStop(s.identity.self.slot);
  if (s.client) s.client->leave();
}

SessionView Session::view() const {
  const State& s = *state_;
  SessionView view;
  view.connected = s.coordinator.has_value() || (s.client && s.client->isConnected());
  view.members = s.coordinator ? s.coordinator->admitted() : 0;
  view.order = s.order;
  view.rejected = s.sums.rejected();
  view.stale = s.sums.stale();
  return view;
}

std::vector<Wait> Session::waits() const {
  return state_->ended ? std::vector<Wait>() : state_->sums.waits();
}

std::vector<Slot> Session::vacantSlots() const {
  return state_->coordinator ? state_->coordinator->vacantSlots() : std::vector<Slot>();
}

}  // namespace sumac::server
