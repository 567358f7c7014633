#include "exchange/link/zmq_link.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <poll.h>

#include <zmq.hpp>

#include "base/core/brief_watch.h"
#include "base/core/file.h"
#include "exchange/link/authenticator.h"
#include "exchange/link/curve.h"
#include "exchange/link/dealer.h"
#include "exchange/link/endpoint.h"
#include "exchange/link/routing_id.h"
#include "exchange/link/sockets.h"
#include "exchange/link/wake_up.h"
#include "exchange/wire/codec.h"

// Invariant: an exception of ZeroMQ's leaves no function of this file.

namespace sumac::link {
namespace {

constexpr int kBatch = 64;  // messages of one socket before the others have their turn
// Members send something every 250 ms on each lane.
constexpr Duration kForgotten = std::chrono::seconds(10);
constexpr Duration kLateTick = std::chrono::seconds(1);
// What the next message of an exchange takes on a fast network, or on the same machine.
constexpr Duration kAwake = std::chrono::microseconds(100);

/// Where messages to a peer go that connects to us.
struct Route {
  std::string id;
  TimePoint heard;          // or awaited
  bool is_awaited = false;  // this process, whoever else speaks as the peer
};

struct Watched {
  int fd;
  std::function<void()> onReadable;
};

}  // namespace

struct ZmqLink::State {
  State(Context& owner, const ZmqLinkOptions& given, const Log& to)
      : context(owner), options(given), log(to) {}
  ~State() {
    if (!domain.empty()) context.authenticator().close(domain);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Context& context;  // outlives us
  ZmqLinkOptions options;
  Log log;
  WakeUp wake_up;
  std::atomic<bool> stays_awake = false;  // written by any thread
  SystemClock clock;
  BriefWatch watch{clock, kAwake};
  std::optional<zmq::socket_t> router;
  std::optional<Polled> polled_router;
  std::optional<Monitor> router_monitor;  // with keys: who was refused
  std::string domain;                     // of the authenticator; empty without keys
  std::string endpoint;
  std::vector<std::unique_ptr<Dealer>> dealers;  // also closed ones, which may be being read
  std::map<Peer, Dealer*> dealer_of;             // open ones
  std::map<Peer, Route> route_of;
  std::vector<Watched> watched;
  std::vector<Polled*> polled;      // while it waits
  std::vector<pollfd> descriptors;  // the same, `watched` and wake_up; then without the first
  TimePoint now{};
  Statistics statistics;

  void listen();
  void listenWithKeys();
  void openDealer(Peer peer, const std::string& to, Incarnation expected);
  bool route(const std::string& id, const wire::Header& header, const PayloadPtr& payload);
  bool transmit(Peer to, const wire::Header& header, const PayloadPtr& payload);
  void readRouter(TransportHandler& handler);
  void readRouterMonitor();
  void readDealer(Dealer& dealer, TransportHandler& handler);
  void readMonitor(Dealer& dealer, TransportHandler& handler);
  void onRouted(Frames& frames, TransportHandler& handler);
  std::variant<wire::Header, wire::Rejection> accept(const Frames& frames, std::size_t first);
  void count(const PayloadPtr& payload);
  void countSent(const PayloadPtr& payload);
  void reject(wire::Rejection reason, const std::string& from);
  void readDue(TransportHandler& handler);
  void wait(std::chrono::milliseconds timeout);
  bool areReadable(std::chrono::milliseconds timeout);
  void dispatch(std::chrono::milliseconds timeout, TransportHandler& handler);
};

void ZmqLink::State::listen() {
  if (options.listen.empty()) return;
  router.emplace(context.native(), zmq::socket_type::router);
  setCommonOptions(*router);
  router->set(zmq::sockopt::router_mandatory, 1);
  router->set(zmq::sockopt::router_handover, 1);
  router->set(zmq::sockopt::ipv6, hostKind(options.listen) == HostKind::kV6 ? 1 : 0);
  if (options.keys) listenWithKeys();
  router->bind(options.listen);
  endpoint = router->get(zmq::sockopt::last_endpoint);
  polled_router.emplace(router->handle());
}

void ZmqLink::State::listenWithKeys() {
  domain = context.authenticator().open(options.keys);
  secureListener(*router, *options.keys, domain);
  router_monitor.emplace(context.native(), *router, Dealer::kRefused);
}

void ZmqLink::State::openDealer(Peer peer, const std::string& to, Incarnation expected) {
  DealerOptions wanted{peer, to, RoutingId{options.job, options.self, peer.lane}, expected};
  if (options.keys) {
    const auto key = options.keys->keyOf(peer.slot);
    if (!key) {
      log.error("cannot connect: the job has no key for this peer",
                {{"peer", toString(peer.slot)}});
      return;
    }
    wanted.keys = options.keys.get();
    wanted.key = *key;
  }
  dealers.push_back(std::make_unique<Dealer>(context.native(), std::move(wanted)));
  dealer_of[peer] = dealers.back().get();
}

bool ZmqLink::State::transmit(Peer to, const wire::Header& header, const PayloadPtr& payload) {
  if (const auto dealer = dealer_of.find(to); dealer != dealer_of.end()) {
    if (!dealer->second->up) return false;
    // A connection that breaks still takes messages for a moment, and loses them.
    dealer->second->polled().markDue();
    return sendMessage(dealer->second->socket(), header, payload);
  }
  const auto found = route_of.find(to);
  if (found == route_of.end() || now - found->second.heard > kForgotten) return false;
  return route(found->second.id, header, payload);
}

/// Sends to the process of this routing id, if it has a connection.
bool ZmqLink::State::route(const std::string& id, const wire::Header& header,
                           const PayloadPtr& payload) {
  if (!router) return false;
  polled_router->markDue();
  return sendFrame(*router, asBytes(id), ZMQ_SNDMORE) && sendMessage(*router, header, payload);
}

void ZmqLink::State::reject(wire::Rejection reason, const std::string& from) {
  statistics.reject(reason);
  log.debug("message rejected", {{"reason", wire::toString(reason)}, {"peer", from}});
}

/// The header of a message whose frames begin at `first`, unless it is rejected.
std::variant<wire::Header, wire::Rejection> ZmqLink::State::accept(const Frames& frames,
                                                                   std::size_t first) {
  if (frames.count <= first || frames.count > first + 2) return wire::Rejection::kFrameCount;
  auto decoded = wire::decode(view(frames.kept[first]), payloadOf(frames, first));
  const auto* header = std::get_if<wire::Header>(&decoded);
  if (header != nullptr && header->job != options.job) return wire::Rejection::kJob;
  return decoded;
}

void ZmqLink::State::count(const PayloadPtr& payload) {
  ++statistics.messages_received;
  statistics.bytes_received += wire::kHeaderSize + bytesOf(payload).size();
}

void ZmqLink::State::countSent(const PayloadPtr& payload) {
  ++statistics.messages_sent;
  statistics.bytes_sent += wire::kHeaderSize + bytesOf(payload).size();
}

void ZmqLink::State::onRouted(Frames& frames, TransportHandler& handler) {
  const std::string id = frames.kept.front().to_string();
  const auto from = decodeRoutingId(id);
  const bool is_ours = from && from->job == options.job;
  const std::string name = from ? toString(from->member.slot) : "foreign";
  const auto accepted = accept(frames, /*first=*/1);
  if (const auto* reason = std::get_if<wire::Rejection>(&accepted)) {
    reject(*reason, name);
    const bool is_damage = is_ours && *reason != wire::Rejection::kJob;
    const auto route = is_damage ? route_of.find(from->peer()) : route_of.end();
    if (route != route_of.end() && route->second.id == id)
      handler.onDamaged(from->peer(), from->member.incarnation);
    return;
  }
  const auto& header = std::get<wire::Header>(accepted);
  if (!is_ours || from->member != header.sender) {
    return reject(wire::Rejection::kSender, name);
  }
  if (options.keys && slotOfSender(frames.kept[1]) != from->member.slot) {
    return reject(wire::Rejection::kKey, name);
  }
  // A peer that we connect to ourselves sends on that connection: rejects a false coordinator.
  if (dealer_of.contains(from->peer())) return reject(wire::Rejection::kSender, name);
  Route& to = route_of[from->peer()];
  if (!to.is_awaited) to.id = id;
  if (to.id == id) to.heard = now;
  const PayloadPtr payload = takePayload(frames, 1);
  count(payload);
  handler.onMessage(from->peer(), header, payload);
}

void ZmqLink::State::readRouter(TransportHandler& handler) {
  for (int i = 0; i < kBatch; ++i) {
    auto frames = receive(*router);
    if (!frames) return polled_router->markEmpty();
    onRouted(*frames, handler);
  }
}

void ZmqLink::State::readDealer(Dealer& dealer, TransportHandler& handler) {
  const std::string name = toString(dealer.peer().slot);
  for (int i = 0; i < kBatch && dealer.hasSocket(); ++i) {  // the handler may reopen or close it
    auto frames = receive(dealer.socket());
    if (!frames) return dealer.polled().markEmpty();
    const auto accepted = accept(*frames, /*first=*/0);
    if (const auto* reason = std::get_if<wire::Rejection>(&accepted)) {
      reject(*reason, name);
      if (*reason != wire::Rejection::kJob) handler.onDamaged(dealer.peer(), /*incarnation=*/0);
      continue;
    }
    const auto& header = std::get<wire::Header>(accepted);
    if (!dealer.expects(header.sender)) {
      reject(wire::Rejection::kSender, name);
      continue;
    }
    const PayloadPtr payload = takePayload(*frames, 0);
    count(payload);
    handler.onMessage(dealer.peer(), header, payload);
  }
}

void ZmqLink::State::readRouterMonitor() {
  while (router_monitor->nextEvent()) {
    ++statistics.strangers;
    log.debug("connection refused: the peer has no key of this job", {});
  }
}

void ZmqLink::State::readMonitor(Dealer& dealer, TransportHandler& handler) {
  while (dealer.hasSocket()) {
    const auto event = dealer.nextEvent();
    if (!event) return;
    if ((*event & Dealer::kRefused) != 0) {
      if (!dealer.refused) {
        log.warn("no connection: do both have keys of this job and the same security.transport?",
                 {{"peer", toString(dealer.peer().slot)}});
      }
      dealer.refused = true;
      continue;
    }
    const bool up = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    if (up == dealer.up) continue;
    dealer.up = up;
    if (up) {
      if (dealer.was_up) ++statistics.reconnects;
      dealer.was_up = true;
      dealer.refused = false;
      dealer.noticeConnection();
      handler.onPeerUp(dealer.peer());
    } else {
      handler.onPeerDown(dealer.peer(), "the connection was closed");
    }
  }
}

void ZmqLink::State::readDue(TransportHandler& handler) {
  if (router && polled_router->isDue()) readRouter(handler);
  if (router_monitor && router_monitor->polled().isDue()) readRouterMonitor();
  // A handler may connect() further dealers: they have their turn next time.
  for (std::size_t i = 0, count = dealers.size(); i < count; ++i) {
    Dealer& dealer = *dealers[i];
    if (dealer.hasSocket() && dealer.polledEvents().isDue()) readMonitor(dealer, handler);
    if (dealer.hasSocket() && dealer.polled().isDue()) readDealer(dealer, handler);
  }
}

/// Waits until a descriptor is readable, unless a socket is due, and notes which are.
void ZmqLink::State::wait(std::chrono::milliseconds timeout) {
  polled.clear();
  descriptors.clear();
  const auto add = [this](Polled& one) {
    polled.push_back(&one);
    descriptors.push_back({one.fd(), POLLIN, 0});
  };
  if (router) add(*polled_router);
  if (router_monitor) add(router_monitor->polled());
  for (const auto& dealer : dealers) {
    if (!dealer->hasSocket()) continue;
    add(dealer->polledEvents());
    add(dealer->polled());
  }
  for (const Watched& one : watched)
    descriptors.push_back({one.fd, POLLIN, 0});
  descriptors.push_back({wake_up.fd(), POLLIN, 0});
  const bool is_due = std::ranges::any_of(polled, &Polled::isDue);
  if (!areReadable(is_due ? std::chrono::milliseconds(0) : timeout)) {
    descriptors.clear();
    return;
  }
  for (std::size_t i = 0; i < polled.size(); ++i) {
    if (descriptors[i].revents != 0) polled[i]->markDue();
  }
  descriptors.erase(descriptors.begin(),
                    descriptors.begin() + static_cast<std::ptrdiff_t>(polled.size()));
}

/// Whether some of `descriptors` are, at the latest after `timeout`.
bool ZmqLink::State::areReadable(std::chrono::milliseconds timeout) {
  const auto look = [this](std::chrono::milliseconds most) {
    return ::poll(descriptors.data(), descriptors.size(), static_cast<int>(most.count())) > 0;
  };
  const auto isAwake = [this] { return stays_awake.load(std::memory_order_relaxed); };
  bool are_there = false;
  if (timeout.count() > 0 && isAwake()) {
    watch.watch([&] {
      are_there = look(std::chrono::milliseconds(0));
      return are_there || !isAwake();
    });
  }
  return are_there || look(timeout);
}

void ZmqLink::State::dispatch(std::chrono::milliseconds timeout, TransportHandler& handler) {
  // What was sent since the last turn may have hidden what has come.
  const std::uint64_t before = statistics.messages_received;
  std::erase_if(dealers, [](const auto& dealer) { return dealer->isClosed(); });
  readDue(handler);
  const bool has_read = statistics.messages_received != before;
  wait(has_read ? std::chrono::milliseconds(0) : timeout);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i].revents == 0) continue;
    i < watched.size() ? watched[i].onReadable() : wake_up.lower();
  }
  readDue(handler);
}

Result<std::unique_ptr<ZmqLink>> ZmqLink::open(Context& context, const ZmqLinkOptions& options,
                                               const Log& log) {
  auto state = std::make_unique<State>(context, options, log);
  try {
    state->listen();
  } catch (const zmq::error_t& failure) {
    // ZeroMQ's own words for the first are "No such device".
    const bool is_elsewhere = failure.num() == ENODEV || failure.num() == EADDRNOTAVAIL;
    return Error{listenErrorCodeOf({failure.num(), std::generic_category()}),
                 "cannot listen at " + options.listen + ": " +
                     (is_elsewhere ? "this machine has no such name or address" : failure.what())};
  }
  return std::unique_ptr<ZmqLink>(new ZmqLink(std::move(state)));
}

ZmqLink::ZmqLink(std::unique_ptr<State> state) : state_(std::move(state)) {}

ZmqLink::~ZmqLink() = default;

const std::string& ZmqLink::endpoint() const {
  return state_->endpoint;
}

void ZmqLink::connect(Peer peer, const std::string& endpoint, Incarnation expected) {
  SUMAC_CHECK(!state_->dealer_of.contains(peer), peer.slot);
  try {
    state_->openDealer(peer, endpoint, expected);
  } catch (const zmq::error_t& failure) {
    // The endpoint came from a peer; an invalid one is treated as one where nothing listens.
    state_->log.error(
        "cannot connect",
        {{"peer", toString(peer.slot)}, {"endpoint", endpoint}, {"error", failure.what()}});
  }
}

void ZmqLink::await(Peer peer, Incarnation incarnation) {
  const RoutingId id{state_->options.job, {peer.slot, incarnation}, peer.lane};
  state_->route_of[peer] = {encode(id), state_->now, /*is_awaited=*/true};
}

void ZmqLink::reopen(Peer peer) {
  const auto found = state_->dealer_of.find(peer);
  if (found == state_->dealer_of.end()) return;
  Dealer& dealer = *found->second;
  try {
    dealer.reopen();
  } catch (const zmq::error_t& failure) {
    state_->log.error("cannot connect again", {{"peer", toString(peer.slot)},
                                               {"endpoint", dealer.endpoint()},
                                               {"error", failure.what()}});
  }
}

// No function of the dealer is running, only we may be between two reads: so its socket can go, and
// the object goes when nobody reads any more.
void ZmqLink::close(Peer peer) {
  state_->route_of.erase(peer);
  const auto found = state_->dealer_of.find(peer);
  if (found == state_->dealer_of.end()) return;
  found->second->close();
  state_->dealer_of.erase(found);
}

bool ZmqLink::transmit(Peer to, const wire::Header& header, const PayloadPtr& payload) {
  const bool is_sent = state_->transmit(to, header, payload);
  if (is_sent) state_->countSent(payload);
  return is_sent;
}

bool ZmqLink::answer(const Member& to, const wire::Header& header, const PayloadPtr& payload) {
  const RoutingId id{state_->options.job, to, Lane::kControl};
  const bool is_sent = state_->route(encode(id), header, payload);
  if (is_sent) state_->countSent(payload);
  return is_sent;
}

void ZmqLink::onTick(TimePoint now) {
  const Duration since = now - state_->now;
  state_->now = now;
  if (since > kLateTick) {  // we did not run ourselves
    for (auto& [peer, route] : state_->route_of)
      route.heard = now;
  }
  std::erase_if(state_->route_of, [now](const auto& entry) {
    return !entry.second.is_awaited && now - entry.second.heard > kForgotten;
  });
}

void ZmqLink::poll(std::chrono::milliseconds timeout, TransportHandler& handler) {
  state_->dispatch(timeout, handler);
}

void ZmqLink::watch(int fd, std::function<void()> onReadable) {
  state_->watched.push_back({fd, std::move(onReadable)});
}

void ZmqLink::wake() {
  state_->wake_up.raise();
}

void ZmqLink::stayAwake(bool is_awake) {
  state_->stays_awake.store(is_awake, std::memory_order_relaxed);
}

const Statistics& ZmqLink::statistics() const {
  return state_->statistics;
}

}  // namespace sumac::link
