#include "tests/support/sim_link.h"

#include <algorithm>
#include <utility>

namespace sumac {

using link::Lane;
using link::Peer;

class SimNetwork::Port final : public link::Transport {
 public:
  Port(SimNetwork& network, Slot self) : network_(&network), self_(self) {}

  void connect(Peer peer, const std::string& endpoint) override {
    network_->open(self_, peer, endpoint);
  }
  void reopen(Peer peer) override { network_->reopen(self_, peer); }
  bool transmit(Peer to, const wire::Header& header, const link::PayloadPtr& payload) override {
    return network_->send(self_, to, header, payload);
  }
  void onTick(TimePoint /*now*/) override {}

 private:
  SimNetwork* network_;
  Slot self_;
};

link::Link& SimNetwork::add(const Member& self, std::uint64_t job, const std::string& endpoint,
                            link::Handler& handler) {
  Node& node = nodes_[self.slot];
  node.port = std::make_unique<Port>(*this, self.slot);
  node.lanes = std::make_unique<link::Lanes>(job, self, *node.port, Log::discarding());
  node.lanes->deliverTo(handler);
  node.lanes->onTick(now_);
  node.incarnation = self.incarnation;
  node.endpoint = endpoint;
  return *node.lanes;
}

void SimNetwork::tick(Slot slot) {
  nodes_.at(slot).lanes->onTick(now_);
}

link::Statistics SimNetwork::statistics() const {
  link::Statistics sum;
  for (const auto& [slot, node] : nodes_)
    node.lanes->addTo(sum);
  return sum;
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
  ++connection.life;
  if (!connection.up) return;  // it is being opened
  connection.up = false;
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
  if (connections_[key].up) return;
  connections_[key].up = true;
  nodes_.at(from).lanes->onPeerUp({to, lane});
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
    if (!nodes_.at(from).dead) nodes_.at(from).lanes->onPeerDown({to, lane}, "broken");
  });
  after(noticed + between(1, microseconds / 2), [this, key] { tryUp(key, endpoints_.at(key)); });
}

bool SimNetwork::send(Slot from, Peer to, const wire::Header& header,
                      const link::PayloadPtr& payload) {
  const bool opened = connections_.contains({from, to.slot, to.lane});
  const Key key = opened ? Key{from, to.slot, to.lane} : Key{to.slot, from, to.lane};
  const auto found = connections_.find(key);
  if (found == connections_.end() || !found->second.up || nodes_.at(from).dead) {
    ++lost_;
    return false;
  }
  Connection& connection = found->second;
  Message message{key, connection.life, from, to, header, payload};
  if (vanishes(message)) return true;
  const bool is_ours = !faults_.lane || *faults_.lane == to.lane;
  message.is_damaged = is_ours && isDrawn(faults_.damage);
  TimePoint& last = opened ? connection.last_there : connection.last_back;
  const int copies = is_ours && isDrawn(faults_.duplication) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    last = std::max(last + std::chrono::nanoseconds(1), now_ + between(20, 3000));
    events_.push({last, order_++, [this, message] { arrive(message); }});
  }
  return true;
}

bool SimNetwork::vanishes(const Message& message) {
  const bool is_ours = !faults_.lane || *faults_.lane == message.to.lane;
  const bool is_mute =
      message.to.lane == Lane::kData && faults_.mute == std::pair(message.from, message.to.slot);
  if (is_mute) ++harmed_;
  return is_mute || (is_ours && isDrawn(faults_.loss));
}

bool SimNetwork::isDrawn(double probability) {
  if (probability <= 0) return false;
  const bool drawn = static_cast<double>(random_() % 1'000'000) < probability * 1e6;
  if (drawn) ++harmed_;
  return drawn;
}

void SimNetwork::arrive(const Message& message) {
  Node& node = nodes_.at(message.to.slot);
  if (now_ < node.asleep_until) {
    events_.push({node.asleep_until, order_++, [this, message] { arrive(message); }});
    return;
  }
  if (connections_.at(message.key).life != message.life || node.dead) {
    ++lost_;
    return;
  }
  const Peer from{message.from, message.to.lane};
  if (message.is_damaged) {
    const bool we_dialled = std::get<0>(message.key) == message.to.slot;
    node.lanes->onDamaged(from, we_dialled ? 0 : nodes_.at(message.from).incarnation);
    return;
  }
  ++delivered_;
  node.lanes->onMessage(from, message.header, link::bytesOf(message.payload));
}

}  // namespace sumac
