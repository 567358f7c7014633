#include "tests/integration/simulation/sim_network.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace sumac {

using link::Lane;
using link::Peer;

namespace {

constexpr std::int64_t kLetGoWithin = 200'000;  // us
constexpr Duration kDeathNoticed = std::chrono::milliseconds(10);

}  // namespace

void SimOrder::take(Peer from, const wire::Header& header) {
  if (from.lane != Lane::kData) return;
  if (!link::LaneEnd::isNumbered(header.type)) return;
  std::uint64_t& taken = taken_[header.sender];
  if (header.sequence == 1) taken = 0;  // of a lane that was opened anew
  if (header.sequence != ++taken)
    throw std::logic_error("a lane delivered a message twice or out of order");
}

class SimNetwork::Port final : public link::Transport {
 public:
  Port(SimNetwork& network, const Member& self) : network_(&network), self_(self) {}

  void connect(Peer peer, const std::string& endpoint, Incarnation expected) override {
    network_->open(keyOf(peer), endpoint, expected);
  }
  void await(Peer peer, Incarnation incarnation) override {
    network_->nodes_.at(self_).routes[peer] = {incarnation, /*is_awaited=*/true};
  }
  void reopen(Peer peer) override { network_->reopen(keyOf(peer)); }
  void close(Peer peer) override {
    network_->nodes_.at(self_).routes.erase(peer);
    network_->close(keyOf(peer));
  }
  bool transmit(Peer to, const wire::Header& header, const link::PayloadPtr& payload) override {
    return network_->transmit(self_, to, header, payload);
  }
  bool answer(const Member& to, const wire::Header& header,
              const link::PayloadPtr& payload) override {
    return network_->answer(self_, to, Lane::kControl, header, payload);
  }
  void onTick(TimePoint /*now*/) override {}

 private:
  Key keyOf(Peer peer) const { return {self_, peer.slot, peer.lane}; }

  SimNetwork* network_;
  Member self_;
};

/// The lanes of a process; counts when there is no room. What is sent may slip before.
class SimNetwork::CountingLink final : public link::Link {
 public:
  CountingLink(link::Lanes& lanes, SimNetwork& network) : lanes_(&lanes), network_(&network) {}

  void beginTerm(std::uint32_t term) override { lanes_->beginTerm(term); }
  void connect(Peer peer, const std::string& endpoint, Incarnation expected) override {
    lanes_->connect(peer, endpoint, expected);
  }
  void await(Peer peer, Incarnation incarnation) override { lanes_->await(peer, incarnation); }
  void reconnect(Peer peer) override { lanes_->reconnect(peer); }
  void close(Peer peer) override { lanes_->close(peer); }
  using Link::answer;
  using Link::send;
  void send(Peer to, const wire::Header& header, const link::PayloadPtr& payload) override {
    lanes_->send(to, header, network_->slipped(header, payload));
  }
  void answer(const Member& to, const wire::Header& header,
              const link::PayloadPtr& payload) override {
    lanes_->answer(to, header, payload);
  }
  bool hasRoom(Peer to, std::size_t size) const override {
    const bool has = lanes_->hasRoom(to, size);
    network_->counts_.no_credit += has ? 0U : 1U;
    return has;
  }
  void withhold(Peer from) override { lanes_->withhold(from); }
  void giveBack(Peer from, std::size_t size) override { lanes_->giveBack(from, size); }

 private:
  link::Lanes* lanes_;
  SimNetwork* network_;
};

SimNetwork::~SimNetwork() = default;

link::Link& SimNetwork::add(const Member& self, std::uint64_t job, const std::string& endpoint,
                            link::Handler& handler, std::function<void()> onTick) {
  newest_[self.slot] = self;
  Node& node = nodes_[self];
  node.port = std::make_unique<Port>(*this, self);
  node.lanes = std::make_unique<link::Lanes>(job, self, *node.port, Log::discarding(), credit_);
  node.link = std::make_unique<CountingLink>(*node.lanes, *this);
  node.lanes->deliverTo(handler);
  node.lanes->onTick(now_);
  node.on_tick = std::move(onTick);
  node.endpoint = endpoint;
  node.start = nodes_.size();
  return *node.link;
}

link::Statistics SimNetwork::statistics() const {
  link::Statistics sum;
  for (const auto& [process, node] : nodes_)
    node.lanes->addTo(sum);
  return sum;
}

// Time

void SimNetwork::push(TimePoint at, std::function<void()> what) {
  events_.push_back({at, order_++, std::move(what)});
  std::ranges::push_heap(events_, std::greater<>());
}

void SimNetwork::after(Duration delay, std::function<void()> what) {
  push(now_ + delay, std::move(what));
}

void SimNetwork::after(const Member& process, Duration delay, std::function<void()> what) {
  push(now_ + delay, [this, process, what = std::move(what)] {
    const Node& node = nodes_.at(process);
    if (node.dead) return;
    if (now_ >= node.asleep_until) return what();
    ++counts_.paused;
    after(process, node.asleep_until - now_, what);
  });
}

Duration SimNetwork::between(std::int64_t low, std::int64_t high) {
  const auto span = static_cast<std::uint64_t>(high - low + 1);
  return std::chrono::microseconds(low + static_cast<std::int64_t>(random_() % span));
}

bool SimNetwork::runNext() {
  if (events_.empty()) return false;
  std::ranges::pop_heap(events_, std::greater<>());
  const Event event = std::move(events_.back());
  events_.pop_back();
  now_ = event.at;
  event.what();
  return true;
}

void SimNetwork::listen(const Member& process) {
  nodes_.at(process).listens = true;
  tick(process);
}

void SimNetwork::kill(const Member& process) {
  nodes_.at(process).dead = true;
  for (const auto& [key, connection] : connections_) {
    if (!connection.up) continue;
    if (std::get<Member>(key) == process) {
      breakOff(key);
    } else if (connection.listener == process) {
      breakAndTell(key, kDeathNoticed);
    }
  }
}

void SimNetwork::tick(const Member& process) {
  Node& node = nodes_.at(process);
  if (node.dead) return;
  if (now_ >= node.asleep_until) {
    node.lanes->onTick(now_);
    node.on_tick();
  }
  after(between(18'000, 22'000), [this, process] { tick(process); });
}

// A process that has slept ticks before all else, as the reactor does.
void SimNetwork::pause(const Member& process, Duration time) {
  Node& node = nodes_.at(process);
  node.asleep_until = now_ + time;
  push(node.asleep_until, [this, &node] {
    if (node.dead || !node.listens || now_ < node.asleep_until) return;
    node.lanes->onTick(now_);
    node.on_tick();
  });
}

// Connections

void SimNetwork::open(const Key& key, const std::string& endpoint, Incarnation expected) {
  Connection& connection = connections_[key];
  connection.endpoint = endpoint;
  connection.expected = expected;
  connection.open = true;
  ++connection.openings;
  connection.first_life = connection.life;
  tryIn(between(100, 5000), key);
}

void SimNetwork::reopen(const Key& key) {
  const bool was_up = connections_.at(key).up;
  breakOff(key);
  if (!was_up) return;  // it is being opened
  tryIn(between(100, 5000), key);
}

void SimNetwork::close(const Key& key) {
  if (!isOpen(key)) return;
  connections_.at(key).open = false;
  breakOff(key);
}

bool SimNetwork::isOpen(const Key& key) const {
  const auto found = connections_.find(key);
  return found != connections_.end() && found->second.open;
}

/// The same in the process that opens the connection, unless it closes it meanwhile.
void SimNetwork::afterOf(const Key& key, Duration delay, std::function<void()> what) {
  const std::uint64_t opening = connections_.at(key).openings;
  after(std::get<Member>(key), delay, [this, key, opening, what = std::move(what)] {
    const Connection& connection = connections_.at(key);
    if (connection.open && connection.openings == opening) what();
  });
}

void SimNetwork::tryIn(Duration delay, const Key& key) {
  afterOf(key, delay, [this, key] { tryUp(key); });
}

void SimNetwork::tryUp(const Key& key) {
  const auto& [from, to, lane] = key;
  Connection& connection = connections_.at(key);
  const auto listener = listenerAt(connection.endpoint, to);
  if (!listener) return tryIn(between(50'000, 60'000), key);
  const TimePoint cut = std::max(cutUntil(from, *listener, lane), cutUntil(*listener, from, lane));
  if (lane == Lane::kControl && now_ < cut) return tryIn(between(50'000, 60'000), key);
  if (connection.up) return;
  connection.up = true;
  connection.listener = *listener;
  nodes_.at(from).lanes->onPeerUp({to, lane});
}

/// The newest process of the slot that listens there.
std::optional<Member> SimNetwork::listenerAt(const std::string& endpoint, Slot slot) const {
  std::optional<Member> found;
  std::uint64_t start = 0;
  for (const auto& [process, node] : nodes_) {
    const bool leads_there = node.endpoint == endpoint || node.endpoint.starts_with(endpoint + "/");
    const bool is_there = node.listens && !node.dead && leads_there;
    if (process.slot != slot || !is_there || node.start < start) continue;
    found = process;
    start = node.start;
  }
  return found;
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

/// Who opened it notices within half of `longest`, and tries again within the other half.
void SimNetwork::breakAndTell(const Key& key, Duration longest) {
  breakOff(key);
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(longest).count();
  const Duration noticed = between(1, microseconds / 2);
  afterOf(key, noticed, [this, key] {
    const auto& [opener, to, lane] = key;
    nodes_.at(opener).lanes->onPeerDown({to, lane}, "broken");
  });
  tryIn(noticed + between(1, microseconds / 2), key);
}

void SimNetwork::breakOne(Duration longest, std::optional<Lane> only) {
  std::vector<Key> standing;
  for (const auto& [key, connection] : connections_) {
    const bool wanted = !only || std::get<Lane>(key) == *only;
    if (connection.up && wanted) standing.push_back(key);
  }
  if (standing.empty()) return;
  ++counts_.broken;
  breakAndTell(standing[random_() % standing.size()], longest);
}

void SimNetwork::breakAll(Duration longest, Lane lane) {
  for (const auto& [key, connection] : connections_) {
    if (connection.up && std::get<Lane>(key) == lane) breakAndTell(key, longest);
  }
}

void SimNetwork::cut(const Member& from, const Member& to, Duration time,
                     std::optional<Lane> only) {
  for (const Lane lane : {Lane::kControl, Lane::kData}) {
    if (!only || *only == lane) cuts_[{from, to, lane}] = now_ + time;
  }
}

// Messages

bool SimNetwork::transmit(const Member& from, Peer to, const wire::Header& header,
                          const link::PayloadPtr& payload) {
  const Key ours{from, to.slot, to.lane};
  if (isOpen(ours)) return send(ours, /*is_there=*/true, header, payload);
  const auto& routes = nodes_.at(from).routes;
  const auto route = routes.find(to);
  const Incarnation process = route == routes.end() ? 0 : route->second.process;
  return answer(from, {to.slot, process}, to.lane, header, payload);
}

bool SimNetwork::answer(const Member& from, const Member& to, Lane lane, const wire::Header& header,
                        const link::PayloadPtr& payload) {
  const Key key{to, from.slot, lane};
  if (isOpen(key) && connections_.at(key).listener == from)
    return send(key, /*is_there=*/false, header, payload);
  ++counts_.dropped;
  return false;
}

/// On a connection, from who opened it to the other end or back.
bool SimNetwork::send(const Key& key, bool is_there, const wire::Header& header,
                      const link::PayloadPtr& payload) {
  Connection& connection = connections_.at(key);
  const Member& opener = std::get<Member>(key);
  const Member& from = is_there ? opener : connection.listener;
  if (!connection.up || nodes_.at(from).dead) {
    ++counts_.dropped;
    return false;
  }
  const BytesView bytes = link::bytesOf(payload);
  Message message{key,
                  connection.life,
                  from,
                  is_there ? connection.listener : opener,
                  std::get<Lane>(key),
                  wire::encode(header, bytes.size(), payload ? payload->checksum() : 0),
                  payload};
  if (!bytes.empty()) counts_.bytes[{from.slot, header.type}] += bytes.size();
  if (vanishes(message)) return true;
  if (isDrawn(message, faults_.flip)) flip(message);
  const bool comes_twice = isDrawn(message, faults_.duplication);
  counts_.duplicated += comes_twice ? 1U : 0U;
  TimePoint& last = is_there ? connection.last_there : connection.last_back;
  for (int i = 0; i < (comes_twice ? 2 : 1); ++i) {
    const TimePoint leaves = std::max(now_, passesFrom(message));
    last = std::max(last + std::chrono::nanoseconds(1), leaves + between(20, 3000)) +
           onTheWire(message, header.type);
    push(last, [this, message] { arrive(message); });
  }
  return true;
}

link::PayloadPtr SimNetwork::slipped(const wire::Header& header, const link::PayloadPtr& payload) {
  if (header.type != wire::MessageType::kState || !std::exchange(slips_, false)) return payload;
  Bytes other(payload->bytes().begin(), payload->bytes().end());
  other.at(other.size() / 2) ^= std::byte{1};
  return link::makePayload(other);
}

/// How long a message keeps its link busy.
Duration SimNetwork::onTheWire(const Message& message, wire::MessageType type) const {
  if (type == wire::MessageType::kState && state_time_ > Duration::zero()) return state_time_;
  const std::optional<double>& rate = nodes_.at(message.from).bytes_per_second;
  if (!rate || message.lane != Lane::kData) return Duration::zero();
  const std::size_t size = message.header.size() + link::bytesOf(message.payload).size();
  const std::chrono::duration<double> seconds(static_cast<double>(size) / *rate);
  return std::chrono::duration_cast<Duration>(seconds);
}

/// Until when nothing passes from one process to the other.
TimePoint SimNetwork::cutUntil(const Member& from, const Member& to, Lane lane) const {
  const auto cut = cuts_.find({from, to, lane});
  return cut == cuts_.end() ? TimePoint{} : cut->second;
}

/// What meets a cut on a control lane is sent again until it passes, as by TCP. Nobody but the
/// lanes themselves sends again what vanishes on a data lane.
TimePoint SimNetwork::passesFrom(const Message& message) {
  const TimePoint until = cutUntil(message.from, message.to, message.lane);
  if (message.lane == Lane::kData || until <= now_) return now_;
  ++counts_.cut;
  return until;
}

bool SimNetwork::vanishes(const Message& message) {
  const bool is_cut = now_ < cutUntil(message.from, message.to, message.lane);
  if (is_cut && message.lane == Lane::kData) {
    ++counts_.cut;
    return true;
  }
  const bool is_lost = isDrawn(message, faults_.loss);
  counts_.lost += is_lost ? 1U : 0U;
  return is_lost;
}

bool SimNetwork::isDrawn(const Message& message, double probability) {
  if (probability <= 0 || (faults_.lane && *faults_.lane != message.lane)) return false;
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
  Node& node = nodes_.at(message.to);
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

/// Whether the other end takes nothing from there, as in ZmqLink.
bool SimNetwork::isRejected(const Message& message) {
  const Connection& connection = connections_.at(message.key);
  const Peer from{message.from.slot, message.lane};
  if (std::get<Member>(message.key) == message.to) {  // which has closed the connection, perhaps
    const bool is_expected =
        connection.expected == 0 || connection.expected == message.from.incarnation;
    return !connection.open || message.life < connection.first_life || !is_expected;
  }
  return isOpen({message.to, from.slot, from.lane});
}

void SimNetwork::handOver(const Message& message) {
  if (isRejected(message)) return;
  Node& node = nodes_.at(message.to);
  const Peer from{message.from.slot, message.lane};
  const bool we_dialled = std::get<Member>(message.key) == message.to;
  if (!we_dialled) {
    Route& route = node.routes[from];
    if (!route.is_awaited) route.process = message.from.incarnation;
  }
  const BytesView payload = link::bytesOf(message.payload);
  const auto decoded = wire::decode(message.header, payload);
  if (const auto* header = std::get_if<wire::Header>(&decoded)) {
    if (message.is_flipped) throw std::logic_error("a message with another bit was accepted");
    ++counts_.delivered;
    node.lanes->onMessage(from, *header, link::makePayload(payload));  // another process's memory
    return;
  }
  if (!message.is_flipped) throw std::logic_error("a message that came whole was rejected");
  node.lanes->onDamaged(from, we_dialled ? 0 : message.from.incarnation);
}

}  // namespace sumac
