#include "tests/support/sim_link.h"

#include <algorithm>
#include <utility>

namespace sumac {

using link::Lane;
using link::Peer;

class SimNetwork::Port final : public link::Link {
 public:
  Port(SimNetwork& network, Slot self) : network_(&network), self_(self) {}

  void connect(Peer peer, const std::string& endpoint) override {
    network_->open(self_, peer, endpoint);
  }
  void reconnect(Peer peer) override { network_->reopen(self_, peer); }
  void send(Peer to, const wire::Header& header, BytesView payload) override {
    network_->send(self_, to, header, payload);
  }

 private:
  SimNetwork* network_;
  Slot self_;
};

link::Link& SimNetwork::add(Slot slot, const std::string& endpoint, link::Handler& handler) {
  Node& node = nodes_[slot];
  node.port = std::make_unique<Port>(*this, slot);
  node.handler = &handler;
  node.endpoint = endpoint;
  return *node.port;
}

void SimNetwork::kill(Slot slot) {
  nodes_.at(slot).dead = true;
}

bool SimNetwork::isDead(Slot slot) const {
  return nodes_.at(slot).dead;
}

void SimNetwork::after(Duration delay, std::function<void()> what) {
  events_.push({now_ + delay, order_++, std::move(what)});
}

Duration SimNetwork::between(std::int64_t low, std::int64_t high) {
  const auto span = static_cast<std::uint64_t>(high - low + 1);
  return std::chrono::microseconds(low + static_cast<std::int64_t>(random_() % span));
}

bool SimNetwork::runNext() {
  if (events_.empty()) return false;
  const Event event = events_.top();
  events_.pop();
  now_ = event.at;
  event.what();
  return true;
}

void SimNetwork::open(Slot from, Peer to, const std::string& endpoint) {
  const Key key{from, to.slot, to.lane};
  connections_[key];
  endpoints_[key] = endpoint;
  after(between(100, 5000), [this, key, endpoint] { tryUp(key, endpoint); });
}

void SimNetwork::reopen(Slot from, Peer to) {
  const Key key{from, to.slot, to.lane};
  Connection& connection = connections_.at(key);
  if (!connection.up) return;  // it is being opened
  connection.up = false;
  ++connection.life;
  after(between(100, 5000), [this, key] { tryUp(key, endpoints_.at(key)); });
}

void SimNetwork::tryUp(const Key& key, const std::string& endpoint) {
  const auto& [from, to, lane] = key;
  const auto listener = nodes_.find(to);
  if (nodes_.at(from).dead) return;
  if (listener == nodes_.end() || listener->second.dead || !listener->second.listens ||
      listener->second.endpoint != endpoint) {
    after(between(50'000, 60'000), [this, key, endpoint] { tryUp(key, endpoint); });
    return;
  }
  connections_[key].up = true;
  nodes_.at(from).handler->onPeerUp({to, lane});
}

void SimNetwork::breakOne(Duration longest, std::optional<Lane> only) {
  std::vector<Key> standing;
  for (const auto& [key, connection] : connections_) {
    const bool wanted = !only || std::get<Lane>(key) == *only;
    if (connection.up && wanted) standing.push_back(key);
  }
  if (standing.empty()) return;
  const Key key = standing[random_() % standing.size()];
  Connection& connection = connections_[key];
  connection.up = false;
  ++connection.life;
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(longest).count();
  const Duration noticed = between(1, microseconds / 2);
  after(noticed, [this, key = key] {
    const auto& [from, to, lane] = key;
    if (!nodes_.at(from).dead) nodes_.at(from).handler->onPeerDown({to, lane}, "broken");
  });
  after(noticed + between(1, microseconds / 2), [this, key] { tryUp(key, endpoints_.at(key)); });
}

void SimNetwork::send(Slot from, Peer to, const wire::Header& header, BytesView payload) {
  const bool opened = connections_.contains({from, to.slot, to.lane});
  const Key key = opened ? Key{from, to.slot, to.lane} : Key{to.slot, from, to.lane};
  const auto found = connections_.find(key);
  if (found == connections_.end() || !found->second.up || nodes_.at(from).dead) {
    ++lost_;
    return;
  }
  Connection& connection = found->second;
  TimePoint& last = opened ? connection.last_there : connection.last_back;
  last = std::max(last + std::chrono::nanoseconds(1), now_ + between(20, 3000));
  const auto bytes = std::make_shared<Bytes>(payload.begin(), payload.end());
  const auto arrive = [this, key, life = connection.life, from, to, header, bytes] {
    const Connection& now = connections_.at(key);
    if (now.life != life || nodes_.at(to.slot).dead) {
      ++lost_;
      return;
    }
    ++delivered_;
    nodes_.at(to.slot).handler->onMessage({from, to.lane}, header, *bytes);
  };
  events_.push({last, order_++, arrive});
}

}  // namespace sumac
