#include "exchange/member/job_member.h"

#include <utility>

#include "exchange/membership/routes.h"

namespace sumac {

namespace {

using link::Lane;
using link::Peer;
using wire::Header;
using wire::MessageType;

/// Where a worker also sums, the type of a message says which of the two it is for.
bool isForSums(MessageType type) {
  return type == MessageType::kPush || type == MessageType::kQuery || type == MessageType::kTotal;
}

Header baseOf(const MemberIdentity& identity) {
  Header header;
  header.job = identity.job;
  header.sender = identity.self;
  return header;
}

CoordinatorOptions optionsOf(const MemberIdentity& identity, const Roles& roles) {
  const CoordinatingRole& role = *roles.coordinating;
  Admission::Options admission;
  if (!roles.training) admission.self = RosterEntry{identity.self, identity.request.endpoint};
  admission.server_text = identity.request.plan_text;
  admission.plan_of = roles.plan_of;
  admission.method = role.method;
  admission.workers = role.workers;
  admission.servers = role.servers;
  admission.most = role.most;
  return {identity.job, identity.self, std::move(admission), role.clock, role.limits};
}

}  // namespace

JobMember::JobMember(const MemberIdentity& identity, const Roles& roles, link::Link& link)
    : identity_(identity),
      plan_of_(roles.plan_of),
      listener_(roles.listener),
      link_(identity.self, OwnMessages::Part::kCoordinator, own_, link),
      coordinator_link_(identity.self, OwnMessages::Part::kMembership, own_, link) {
  if (roles.training || !roles.coordinating)
    membership_.emplace(identity, link_, static_cast<MembershipOwner&>(*this));
  if (roles.training) {
    training_.emplace(identity.self, *roles.training, *membership_, link_);
    plan_ = roles.training->plan;
  }
  if (roles.summing) sums_.emplace(baseOf(identity), *roles.summing->kernels, link_);
  if (roles.coordinating)
    coordinator_.emplace(optionsOf(identity, roles), coordinator_link_,
                         static_cast<CoordinatorListener&>(*this));
}

void JobMember::traceTo(trace::Recorder* recorder) {
  if (coordinator_) coordinator_->alignClocksWith(recorder);
  if (membership_) membership_->alignClockOf(recorder);
  if (sums_) sums_->traceTo(recorder);
  if (training_) training_->contributions().traceTo(recorder);
}

void JobMember::start(TimePoint now) {
  if (coordinator_) coordinator_->start(now);
  if (membership_) membership_->start(now);
  settle();
}

void JobMember::onTick(TimePoint now) {
  if (membership_) membership_->onTick(now);
  if (training_) training_->contributions().onTick(now);
  if (coordinator_ && !is_over_) coordinator_->onTick(now);
  if (sums_ && !is_over_) sums_->onTick(now);
  settle();
}

void JobMember::tellWork(const MemberWork& work) {
  membership_->tellWork(work);
}

void JobMember::leave() {
  if (membership_) {
    membership_->leave();
  } else if (!is_over_) {
    coordinator_->requestStop(identity_.self.slot);
  }
  settle();
}

// Messages

void JobMember::onMessage(Peer from, const Header& header, const link::PayloadPtr& payload) {
  if (header.job != identity_.job || header.sender.slot != from.slot) return;
  if (from.lane == Lane::kControl) {
    takeControl(from, header, link::bytesOf(payload));
  } else {
    takeData(from, header, payload);
  }
  settle();
}

void JobMember::takeControl(Peer from, const Header& header, BytesView payload) {
  if (coordinator_) {
    if (!is_over_) coordinator_->onMessage(from.slot, header, payload);
  } else if (from == membership_->coordinator()) {
    membership_->onMessage(header, payload);
  }
}

void JobMember::takeData(Peer from, const Header& header, const link::PayloadPtr& payload) {
  if (sums_ && (!training_ || isForSums(header.type))) {
    const bool is_worker = from.slot.role == Role::kWorker;
    if (is_worker && !is_over_) sums_->onMessage(from.slot.index, header, payload);
  } else if (training_ && !membership_->hasEnded() && membership_->isMember(header.sender)) {
    training_->onMessage(from.slot, header, link::bytesOf(payload));
  }
}

// Not within OwnLink::send(): who sends is in the midst of its own work.
void JobMember::settle() {
  if (std::exchange(is_settling_, true)) return;
  while (const auto message = own_.take())
    takeOwn(*message);
  is_settling_ = false;
}

void JobMember::takeOwn(const OwnMessages::Message& message) {
  const Peer self{identity_.self.slot, message.lane};
  if (message.is_up) {
    membership_->onPeerUp();
  } else if (message.lane == Lane::kData) {
    takeData(self, message.header, message.payload);
  } else if (message.to == OwnMessages::Part::kMembership) {
    membership_->onMessage(message.header, link::bytesOf(message.payload));
  } else {
    takeControl(self, message.header, link::bytesOf(message.payload));
  }
}

void JobMember::onPeerUp(Peer peer) {
  if (membership_ && peer == membership_->coordinator()) membership_->onPeerUp();
  settle();
}

void JobMember::onPeerDown(Peer peer, const std::string& /*why*/) {
  if (membership_ && peer == membership_->coordinator()) membership_->onPeerDown();
}

void JobMember::onRoom(Peer peer) {
  if (training_) training_->onRoom(peer.slot);
  if (sums_ && peer.slot.role == Role::kWorker) sums_->onRoom(peer.slot.index);
  settle();
}

// Who dials a data lane tells when it cannot be used: of a server and a worker the worker.
void JobMember::onSuspected(Peer peer, const std::string& why) {
  if (training_) training_->onSuspected(peer.slot, why);
  settle();
}

// Of our membership

void JobMember::repeatWhatWasTold() {
  if (training_) training_->repeatReports();
}

bool JobMember::fits(const Roster& roster) const {
  return !training_ || training_->fits(roster);
}

void JobMember::onRoster(const Roster& roster) {
  if (const auto adopted = adoptPlan(roster); !adopted) {
    const std::string& why = adopted.error().message;
    if (!membership_) return onJobOver(ExitCode::kBadConfiguration, why);
    return membership_->end(ExitCode::kBadConfiguration, why, /*goodbye=*/true);
  }
  const bool is_new_term = roster.order.term != std::exchange(order_, roster.order).term;
  // What sums here knows the roster before others do something on it, our trainer among them.
  if (sums_) sums_->onRoster(roster, *plan_);
  if (is_new_term) beginTerm();
  openLanes(roster);
  if (training_) training_->onRoster(roster);
}

/// A server makes the plan for the size that the workers have stated.
Result<void> JobMember::adoptPlan(const Roster& roster) {
  if (plan_ == nullptr) {
    auto made = plan_of_(roster.size);
    if (!made) return made.error();
    sum_plan_ = std::move(made->exchange);
    plan_ = &*sum_plan_;
  }
  if (roster.shards.ranges() == plan_->ranges.size() && roster.workers() <= plan_->parts) return {};
  return Error{ErrorCode::kInvalid, "the coordinator's roster does not fit the job's plan"};
}

/// A member that was cut off may have missed rosters that did not name it; the others have closed
/// their lanes to it. So each new term opens all lanes anew.
void JobMember::beginTerm() {
  lanes_.clear();
  link_.beginTerm(order_.term);
}

/// Of two processes the one with the lower slot listens. Within a term
/// a member that was left out never returns, so a lane stays open while both ends are members, and
/// these never disagree on which life of it they are in.
void JobMember::openLanes(const Roster& roster) {
  for (const auto& [slot, incarnation] : std::exchange(lanes_, {})) {
    if (roster.has({slot, incarnation})) {
      lanes_[slot] = incarnation;
    } else {
      link_.close({slot, Lane::kData});
    }
  }
  const Routes routes(roster, plan_->parts);
  const Slot self = identity_.self.slot;
  for (const auto& [member, endpoint] : roster.members) {
    const Slot slot = member.slot;
    if (!routes.areNeighbours(self, slot) && !roster.areSourceAndReceiver(self, slot)) continue;
    if (!lanes_.emplace(slot, member.incarnation).second) continue;
    const Peer peer{slot, Lane::kData};
    if (slot < self) {
      link_.connect(peer, endpoint, member.incarnation);
    } else {
      link_.await(peer, member.incarnation);
    }
  }
}

// Workers decide what to compute; who sums adds what comes.
void JobMember::onControl(const Header& header, BytesView payload) {
  if (training_) training_->onControl(header, payload);
}

void JobMember::onEnd(ExitCode code, const std::string& reason) {
  if (training_) return training_->onEnd(code, reason);
  onJobOver(code, reason);
}

// Of the coordinator in this process

/// A worker that coordinates sends itself the roster, as to all others.
void JobMember::onRosterIssued(const Roster& roster) {
  if (!membership_) onRoster(roster);
}

void JobMember::onProgress(const std::string& json) {
  listener_->onProgress(json);
}

void JobMember::onJobOver(ExitCode code, const std::string& reason) {
  is_over_ = true;
  listener_->onJobOver(code, reason);
}

// State

MemberView JobMember::view() const {
  MemberView view;
  view.connected = !membership_ || membership_->isConnected();
  view.members = coordinator_ ? coordinator_->admitted() : 0;
  view.order = order_;
  if (sums_) view.rejected = sums_->rejected();
  if (training_) view.limited = training_->contributions().limited();
  return view;
}

std::vector<Wait> JobMember::waits() const {
  if (training_) return training_->contributions().waits();
  return is_over_ ? std::vector<Wait>() : sums_->waits();
}

std::vector<Slot> JobMember::vacantSlots() const {
  return coordinator_ ? coordinator_->vacantSlots() : std::vector<Slot>();
}

}  // namespace sumac
