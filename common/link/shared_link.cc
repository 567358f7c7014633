#include "common/link/shared_link.h"

#include <utility>

namespace sumac::link {
namespace {

bool isForSums(wire::MessageType type) {
  switch (type) {
    case wire::MessageType::kPush:
    case wire::MessageType::kQuery:
    case wire::MessageType::kTotal: return true;
    default: return false;
  }
}

}  // namespace

SharedLink::SharedLink(Slot self, Slot coordinator, Link& below)
    : self_(self),
      coordinator_(coordinator),
      below_(&below),
      worker_port_(*this, /*is_worker=*/true),
      sums_port_(*this, /*is_worker=*/false) {}

void SharedLink::deliverTo(Handler& worker, Handler& sums) {
  worker_ = &worker;
  sums_ = &sums;
}

// Not within send(): who sends is in the midst of its own work.
void SharedLink::settle() {
  if (is_settling_) return;
  is_settling_ = true;
  while (!handed_.empty()) {
    const Handed one = std::move(handed_.front());
    handed_.pop_front();
    Handler& to = one.to_worker ? *worker_ : *sums_;
    if (one.is_news) {
      to.onPeerUp(one.peer);
    } else {
      to.onMessage(one.peer, one.header, one.payload);
    }
  }
  is_settling_ = false;
}

void SharedLink::onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) {
  const bool is_data = from.lane == Lane::kData;
  const bool to_sums = is_data ? isForSums(header.type) : self_ == coordinator_;
  if (to_sums) {
    sums_->onMessage(from, header, payload);
  } else {
    // The half that sums needs the same roster, before the worker acts on it.
    if (!is_data && header.type == wire::MessageType::kRoster)
      sums_->onMessage(from, header, payload);
    worker_->onMessage(from, header, payload);
  }
  settle();
}

void SharedLink::onPeerUp(Peer peer) {
  worker_->onPeerUp(peer);
  settle();
}

void SharedLink::onPeerDown(Peer peer, const std::string& why) {
  worker_->onPeerDown(peer, why);
  settle();
}

void SharedLink::onRoom(Peer peer) {
  worker_->onRoom(peer);
  sums_->onRoom(peer);
  settle();
}

void SharedLink::onSuspected(Peer peer, const std::string& why) {
  worker_->onSuspected(peer, why);
  settle();
}

void SharedLink::Port::connect(Peer peer, const std::string& endpoint) {
  if (!isOurs(peer)) return shared_->below_->connect(peer, endpoint);
  reconnect(peer);
}

void SharedLink::Port::await(Peer peer, Incarnation incarnation) {
  if (!isOurs(peer)) shared_->below_->await(peer, incarnation);
}

void SharedLink::Port::reconnect(Peer peer) {
  if (!isOurs(peer)) return shared_->below_->reconnect(peer);
  if (peer.lane == Lane::kControl)
    shared_->handed_.push_back({is_worker_, /*is_news=*/true, peer, {}, {}});
}

void SharedLink::Port::send(Peer to, const wire::Header& header, const PayloadPtr& payload) {
  if (!isOurs(to)) return shared_->below_->send(to, header, payload);
  shared_->handed_.push_back({!is_worker_, /*is_news=*/false, to, header, payload});
}

// Between the two there is no credit: the steps that a worker may have open bound it.
bool SharedLink::Port::hasRoom(Peer to, std::size_t size) const {
  return isOurs(to) || shared_->below_->hasRoom(to, size);
}

void SharedLink::Port::withhold(Peer from) {
  if (!isOurs(from)) shared_->below_->withhold(from);
}

void SharedLink::Port::giveBack(Peer from, std::size_t size) {
  if (!isOurs(from)) shared_->below_->giveBack(from, size);
}

}  // namespace sumac::link
