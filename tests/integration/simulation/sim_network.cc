#include "tests/integration/simulation/sim_network.h"

#include <algorithm>
#include <stdexcept>

namespace sumac {

using link::Lane;
using link::Peer;

namespace {

constexpr std::int64_t kLetGoWithin = 200'000;  // us

}  // namespace

void SimOrder::take(Peer from, const wire::Header& header) {
  if (from.lane != Lane::kData) return;
  if (!link::LaneEnd::isNumbered(header.type)) return;
  if (header.sequence != ++taken_[from.slot])
    throw std::logic_error("a lane delivered a message twice or out of order");
}

class SimNetwork::Port final : public link::Transport {
 public:
  Port(SimNetwork& network, Slot self) : network_(&network), self_(self) {}

  void connect(Peer peer, const std::string& endpoint) override {
    network_->open(self_, peer, endpoint);
  }
  void reopen(Peer peer) override { network_->reopen(self_, peer); }
  void close(Peer peer) override { network_->close(self_, peer); }
  bool transmit(Peer to, const wire::Header& header, const link::PayloadPtr& payload) override {
    return network_->send(self_, to, header, payload);
  }
  void onTick(TimePoint /*now*/) override {}

 private:
  SimNetwork* network_;
  Slot self_;
};

/// The lanes of a process; counts when there is no room.
class SimNetwork::CountingLink final : public link::Link {
 public:
  CountingLink(link::Lanes& lanes, SimCounts& counts) : lanes_(&lanes), counts_(&counts) {}

  void connect(Peer peer, const std::string& endpoint) override { lanes_->connect(peer, endpoint); }
  void await(Peer peer, Incarnation incarnation) override { lanes_->await(peer, incarnation); }
  void reconnect(Peer peer) override { lanes_->reconnect(peer); }
  void close(Peer peer) override { lanes_->close(peer); }
  using Link::send;
  void send(Peer to, const wire::Header& header, const link::PayloadPtr& payload) override {
    lanes_->send(to, header, payload);
  }
  bool hasRoom(Peer to, std::size_t size) const override {
    const bool has = lanes_->hasRoom(to, size);
    counts_->no_credit += has ? 0U : 1U;
    return has;
  }
  void withhold(Peer from) override { lanes_->withhold(from); }
  void giveBack(Peer from, std::size_t size) override { lanes_->giveBack(from, size); }

 private:
  link::Lanes* lanes_;
  SimCounts* counts_;
};

SimNetwork::~SimNetwork() = default;

link::Link& SimNetwork::add(const Member& self, std::uint64_t job, const std::string& endpoint,
                            link::Handler& handler, std::function<void()> onTick) {
  Node& node = nodes_[self.slot];
  node.port = std::make_unique<Port>(*this, self.slot);
  node.lanes = std::make_unique<link::Lanes>(job, self, *node.port, Log::discarding(), credit_);
  node.link = std::make_unique<CountingLink>(*node.lanes, counts_);
  node.lanes->deliverTo(handler);
  node.lanes->onTick(now_);
  node.on_tick = std::move(onTick);
  node.incarnation = self.incarnation;
  node.endpoint = endpoint;
  return *node.link;
}

link::Statistics SimNetwork::statistics() const {
  link::Statistics sum;
  for (const auto& [slot, node] : nodes_)
    node.lanes->addTo(sum);
  return sum;
}

// Time

void SimNetwork::push(TimePoint at, std::function<void()> what) {
  events_.push({at, order_++, std::move(what)});
}

void SimNetwork::after(Duration delay, std::function<void()> what) {
  push(now_ + delay, std::move(what));
}

void SimNetwork::after(Slot slot, Duration delay, std::function<void()> what) {
  push(now_ + delay, [this, slot, what = std::move(what)] {
    const Node& node = nodes_.at(slot);
    if (node.dead) return;
    if (now_ >= node.asleep_until) return what();
    ++counts_.paused;
    after(slot, node.asleep_until - now_, what);
  });
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

void SimNetwork::listen(Slot slot) {
  nodes_.at(slot).listens = true;
  tick(slot);
}

void SimNetwork::tick(Slot slot) {
  Node& node = nodes_.at(slot);
  if (node.dead) return;
  if (now_ >= node.asleep_until) {
    node.lanes->onTick(now_);
    node.on_tick();
  }
  after(between(18'000, 22'000), [this, slot] { tick(slot); });
}

// A process that has slept ticks before all else, as the reactor does.
void SimNetwork::pause(Slot slot, Duration time) {
  Node& node = nodes_.at(slot);
  node.asleep_until = now_ + time;
  push(node.asleep_until, [this, &node] {
    if (node.dead || now_ < node.asleep_until) return;
    node.lanes->onTick(now_);
    node.on_tick();
  });
}

// Connections

void SimNetwork::open(Slot from, Peer to, const std::string& endpoint) {
  const Key key{from, to.slot, to.lane};
  connections_[key].endpoint = endpoint;
  after(from, between(100, 5000), [this, key] { tryUp(key); });
}

void SimNetwork::reopen(Slot from, Peer to) {
  const Key key{from, to.slot, to.lane};
  const bool was_up = connections_.at(key).up;
  breakOff(key);
  if (!was_up) return;  // it is being opened
  after(from, between(100, 5000), [this, key] { tryUp(key); });
}

void SimNetwork::close(Slot from, Peer to) {
  const Key key{from, to.slot, to.lane};
  if (!connections_.contains(key)) return;
  breakOff(key);
  connections_.at(key).endpoint.clear();
}

void SimNetwork::tryUp(const Key& key) {
  const auto& [from, to, lane] = key;
  Connection& connection = connections_.at(key);
  if (connection.endpoint.empty()) return;
  const auto listener = nodes_.find(to);
  if (listener == nodes_.end() || listener->second.dead || !listener->second.listens ||
      listener->second.endpoint != connection.endpoint) {
    after(from, between(50'000, 60'000), [this, key] { tryUp(key); });
    return;
  }
  if (connection.up) return;
  connection.up = true;
  nodes_.at(from).lanes->onPeerUp({to, lane});
}

/// Nothing is sent on it from now on. What is under way is lost, or some of it arrives: what was
/// sent first.
void SimNetwork::breakOff(const Key& key) {
  Connection& connection = connections_.at(key);
  connection.up = false;
  ++connection.life;
  const bool is_late = faults_.late && std::get<Lane>(key) == Lane::kData;
  connection.passes_until.push_back(is_late ? now_ + between(0, 3000) : TimePoint{});
}

void SimNetwork::breakOne(Duration longest, std::optional<Lane> only) {
  std::vector<Key> standing;
  for (const auto& [key, connection] : connections_) {
    const bool wanted = !only || std::get<Lane>(key) == *only;
    if (connection.up && wanted) standing.push_back(key);
  }
  if (standing.empty()) return;
  const Key key = standing[random_() % standing.size()];
  ++counts_.broken;
  breakOff(key);
  const Slot from = std::get<0>(key);
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(longest).count();
  const Duration noticed = between(1, microseconds / 2);
  after(from, noticed, [this, key = key] {
    const auto& [opener, to, lane] = key;
    nodes_.at(opener).lanes->onPeerDown({to, lane}, "broken");
  });
  after(from, noticed + between(1, microseconds / 2), [this, key] { tryUp(key); });
}

// Messages

bool SimNetwork::send(Slot from, Peer to, const wire::Header& header,
                      const link::PayloadPtr& payload) {
  const bool opened = connections_.contains({from, to.slot, to.lane});
  const Key key = opened ? Key{from, to.slot, to.lane} : Key{to.slot, from, to.lane};
  const auto found = connections_.find(key);
  if (found == connections_.end() || !found->second.up || nodes_.at(from).dead) {
    ++counts_.dropped;
    return false;
  }
  Connection& connection = found->second;
  const BytesView bytes = link::bytesOf(payload);
  Message message{key,
                  connection.life,
                  from,
                  to,
                  wire::encode(header, bytes.size(), payload ? payload->checksum() : 0),
                  payload};
  if (!bytes.empty()) counts_.bytes[{from, header.type}] += bytes.size();
  if (vanishes(message)) return true;
  if (isDrawn(message, faults_.flip)) flip(message);
  const bool comes_twice = isDrawn(message, faults_.duplication);
  counts_.duplicated += comes_twice ? 1U : 0U;
  TimePoint& last = opened ? connection.last_there : connection.last_back;
  for (int i = 0; i < (comes_twice ? 2 : 1); ++i) {
    last =
        std::max(last + std::chrono::nanoseconds(1), now_ + between(20, 3000)) + onTheWire(message);
    push(last, [this, message] { arrive(message); });
  }
  return true;
}

/// How long a message keeps a link of limited rate busy.
Duration SimNetwork::onTheWire(const Message& message) const {
  const std::optional<double>& rate = nodes_.at(message.from).bytes_per_second;
  if (!rate || message.to.lane != Lane::kData) return Duration::zero();
  const std::size_t size = message.header.size() + link::bytesOf(message.payload).size();
  const std::chrono::duration<double> seconds(static_cast<double>(size) / *rate);
  return std::chrono::duration_cast<Duration>(seconds);
}

bool SimNetwork::vanishes(const Message& message) {
  const auto cut = cuts_.find({message.from, message.to.slot});
  if (cut != cuts_.end() && now_ < cut->second && message.to.lane == Lane::kData) {
    ++counts_.cut;
    return true;
  }
  const bool is_lost = isDrawn(message, faults_.loss);
  counts_.lost += is_lost ? 1U : 0U;
  return is_lost;
}

bool SimNetwork::isDrawn(const Message& message, double probability) {
  if (probability <= 0 || (faults_.lane && *faults_.lane != message.to.lane)) return false;
  return static_cast<double>(random_() % 1'000'000) < probability * 1e6;
}

void SimNetwork::flip(Message& message) {
  Bytes payload(link::bytesOf(message.payload).begin(), link::bytesOf(message.payload).end());
  const std::size_t bit = random_() % (8 * (message.header.size() + payload.size()));
  const auto mask = static_cast<std::byte>(1U << (bit % 8));
  const std::size_t at = bit / 8;
  if (at < message.header.size()) {
    message.header.at(at) ^= mask;
  } else {
    payload.at(at - message.header.size()) ^= mask;
    message.payload = link::makePayload(payload);
    ++counts_.flipped_payloads;
  }
  message.is_flipped = true;
  ++counts_.flipped;
}

void SimNetwork::arrive(const Message& message) {
  if (!isGone(message)) return read(message);
  ++counts_.dropped;
  push(now_ + between(0, kLetGoWithin), [message] { letGo(message); });
}

/// As ZeroMQ, which may read a payload until it drops it, with a connection that is closed or
/// later.
void SimNetwork::letGo(const Message& message) {
  if (message.payload && crc32c(message.payload->bytes()) != message.payload->checksum())
    throw std::logic_error("a message was overwritten before it was let go");
}

/// What has arrived waits for its reader, whatever happens to the connection.
void SimNetwork::read(const Message& message) {
  Node& node = nodes_.at(message.to.slot);
  const bool is_asleep = now_ < node.asleep_until;
  if (is_asleep || now_ < node.reads_from) {
    ++(is_asleep ? counts_.paused : counts_.queued);
    push(is_asleep ? node.asleep_until : node.reads_from, [this, message] { read(message); });
    return;
  }
  node.reads_from = now_ + node.reads_in;
  if (!node.dead) handOver(message);
}

/// Whether its connection broke while it was under way.
bool SimNetwork::isGone(const Message& message) {
  const Connection& connection = connections_.at(message.key);
  if (connection.life == message.life) return false;
  if (now_ > connection.passes_until.at(message.life)) return true;
  ++counts_.late;
  return false;
}

void SimNetwork::handOver(const Message& message) {
  Node& node = nodes_.at(message.to.slot);
  const Peer from{message.from, message.to.lane};
  const BytesView payload = link::bytesOf(message.payload);
  const auto decoded = wire::decode(message.header, payload);
  if (const auto* header = std::get_if<wire::Header>(&decoded)) {
    if (message.is_flipped) throw std::logic_error("a message with another bit was accepted");
    ++counts_.delivered;
    node.lanes->onMessage(from, *header, link::makePayload(payload));  // another process's memory
    return;
  }
  if (!message.is_flipped) throw std::logic_error("a message that came whole was rejected");
  const bool we_dialled = std::get<0>(message.key) == message.to.slot;
  node.lanes->onDamaged(from, we_dialled ? 0 : nodes_.at(message.from).incarnation);
}

}  // namespace sumac
