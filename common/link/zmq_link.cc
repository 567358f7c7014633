#include "common/link/zmq_link.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <zmq.hpp>

#include "common/link/authenticator.h"
#include "common/link/curve.h"
#include "common/link/routing_id.h"
#include "common/link/sockets.h"
#include "common/link/wake_up.h"
#include "common/wire/codec.h"

// Invariants: a message counts into a connection's sequence only when ZeroMQ took it; an exception
// of ZeroMQ's leaves no function of this file.

namespace sumac::link {
namespace {

constexpr int kReconnectFirst = 50;   // ms
constexpr int kReconnectLast = 1000;  // ms
// A pod that is gone answers nothing, and its name may stand for another address by now.
constexpr int kConnectTimeout = 2000;  // ms
constexpr int kBatch = 64;             // messages of one socket before the others have their turn

// A connection that failed: the other side has no key of this job, another mechanism, or
// left in the middle.
constexpr int kRefused = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                         ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

/// Counts of one connection.
struct Sequence {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// A peer that we connect to.
struct Dealer {
  Peer peer;
  zmq::socket_t socket;
  zmq::socket_t monitor;  // what becomes of the connection
  std::string endpoint;
  bool up = false;
  bool was_up = false;
  bool refused = false;  // and said so: not again before it was up
  Sequence sequence;
};

/// A peer that connected to us.
struct Route {
  std::string id;
  Sequence sequence;
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
  std::optional<zmq::socket_t> router;
  std::optional<zmq::socket_t> router_monitor;  // with keys: who was refused
  std::string domain;                           // of the authenticator; empty without keys
  std::string endpoint;
  std::vector<std::unique_ptr<Dealer>> dealers;
  std::map<Peer, Dealer*> dealer_of;
  std::map<Peer, Route> route_of;
  std::vector<Watched> watched;
  Statistics statistics;

  void listen();
  void listenWithKeys();
  void openDealer(Peer peer, const std::string& to);
  bool trySend(Peer to, wire::Header& header, BytesView payload);
  void readRouter(Handler& handler);
  void readRouterMonitor();
  void readDealer(Dealer& dealer, Handler& handler);
  void readMonitor(Dealer& dealer, Handler& handler);
  void onRouted(const Frames& frames, Handler& handler);
  std::optional<wire::Header> accept(const Frames& frames, std::size_t first,
                                     const std::string& from);
  void count(Sequence& sequence, const wire::Header& header, BytesView payload);
  void reject(wire::Rejection reason, const std::string& from);
  void dispatch(std::chrono::milliseconds timeout, Handler& handler);
};

void ZmqLink::State::listen() {
  if (options.listen.empty()) return;
  router.emplace(context.native(), zmq::socket_type::router);
  setCommonOptions(*router);
  router->set(zmq::sockopt::router_mandatory, 1);
  router->set(zmq::sockopt::router_handover, 1);
  if (options.keys) listenWithKeys();
  router->bind(options.listen);
  endpoint = router->get(zmq::sockopt::last_endpoint);
}

void ZmqLink::State::listenWithKeys() {
  domain = context.authenticator().open(options.keys);
  secureListener(*router, *options.keys, domain);
  router_monitor.emplace(monitorOf(context.native(), *router, kRefused));
}

void ZmqLink::State::openDealer(Peer peer, const std::string& to) {
  auto& zmq_context = context.native();
  zmq::socket_t socket(zmq_context, zmq::socket_type::dealer);
  setCommonOptions(socket);
  socket.set(zmq::sockopt::immediate, 1);
  socket.set(zmq::sockopt::reconnect_ivl, kReconnectFirst);
  socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectLast);
  socket.set(zmq::sockopt::connect_timeout, kConnectTimeout);
  socket.set(zmq::sockopt::routing_id, encode(RoutingId{options.job, options.self, peer.lane}));
  if (options.keys) {
    const auto key = options.keys->keyOf(peer.slot);
    if (!key) {
      log.error("cannot connect: the job has no key for this peer",
                {{"peer", toString(peer.slot)}});
      return;
    }
    secureDialler(socket, *options.keys, *key);
  }
  zmq::socket_t monitor = monitorOf(
      zmq_context, socket, ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | kRefused);
  socket.connect(to);
  auto dealer = std::make_unique<Dealer>(Dealer{peer, std::move(socket), std::move(monitor), to,
                                                /*up=*/false, /*was_up=*/false,
                                                /*refused=*/false, /*sequence=*/{}});
  dealer_of[peer] = dealer.get();
  dealers.push_back(std::move(dealer));
}

bool ZmqLink::State::trySend(Peer to, wire::Header& header, BytesView payload) {
  if (const auto dealer = dealer_of.find(to); dealer != dealer_of.end()) {
    // A connection that breaks still takes messages for a moment, and loses them.
    if (!dealer->second->up) return false;
    Sequence& sequence = dealer->second->sequence;
    header.sequence = sequence.sent + 1;
    if (!sendMessage(dealer->second->socket, header, payload)) return false;
    ++sequence.sent;
    return true;
  }
  const auto route = route_of.find(to);
  if (route == route_of.end() || !router) return false;
  Sequence& sequence = route->second.sequence;
  header.sequence = sequence.sent + 1;
  if (!sendFrame(*router, asBytes(route->second.id), ZMQ_SNDMORE)) return false;
  if (!sendMessage(*router, header, payload)) return false;
  ++sequence.sent;
  return true;
}

void ZmqLink::State::reject(wire::Rejection reason, const std::string& from) {
  statistics.reject(reason);
  log.debug("message rejected", {{"reason", wire::toString(reason)}, {"peer", from}});
}

/// The header of a message whose frames begin at `first`, unless it is rejected.
std::optional<wire::Header> ZmqLink::State::accept(const Frames& frames, std::size_t first,
                                                   const std::string& from) {
  if (frames.count <= first || frames.count > first + 2) {
    reject(wire::Rejection::kFrameCount, from);
    return std::nullopt;
  }
  const auto decoded = wire::decode(view(frames.kept[first]), payloadOf(frames, first));
  if (const auto* reason = std::get_if<wire::Rejection>(&decoded)) {
    reject(*reason, from);
    return std::nullopt;
  }
  const auto& header = std::get<wire::Header>(decoded);
  if (header.job != options.job) {
    reject(wire::Rejection::kJob, from);
    return std::nullopt;
  }
  return header;
}

void ZmqLink::State::count(Sequence& sequence, const wire::Header& header, BytesView payload) {
  if (header.sequence != sequence.received + 1) ++statistics.gaps;
  sequence.received = header.sequence;
  ++statistics.messages_received;
  statistics.bytes_received += wire::kHeaderSize + payload.size();
}

void ZmqLink::State::onRouted(const Frames& frames, Handler& handler) {
  const std::string id = frames.kept.front().to_string();
  const auto from = decodeRoutingId(id);
  const std::string name = from ? toString(from->member.slot) : "foreign";
  const auto header = accept(frames, /*first=*/1, name);
  if (!header) return;
  if (!from || from->job != options.job || from->member != header->sender) {
    return reject(wire::Rejection::kSender, name);
  }
  if (options.keys && slotOfSender(frames.kept[1]) != from->member.slot) {
    return reject(wire::Rejection::kKey, name);
  }
  // A peer that we connect to ourselves sends on that connection: rejects a false coordinator.
  if (dealer_of.contains(from->peer())) return reject(wire::Rejection::kSender, name);
  Route& route = route_of[from->peer()];
  const bool begins = header->sequence == 1;  // on a new connection
  if (route.id != id || begins) route = Route{id, {}};
  const BytesView payload = payloadOf(frames, 1);
  count(route.sequence, *header, payload);
  handler.onMessage(from->peer(), *header, payload);
}

void ZmqLink::State::readRouter(Handler& handler) {
  for (int i = 0; i < kBatch; ++i) {
    const auto frames = receive(*router);
    if (!frames) return;
    onRouted(*frames, handler);
  }
}

void ZmqLink::State::readDealer(Dealer& dealer, Handler& handler) {
  const std::string name = toString(dealer.peer.slot);
  for (int i = 0; i < kBatch; ++i) {
    const auto frames = receive(dealer.socket);
    if (!frames) return;
    const auto header = accept(*frames, /*first=*/0, name);
    if (!header) continue;
    if (header->sender.slot != dealer.peer.slot) {
      reject(wire::Rejection::kSender, name);
      continue;
    }
    const BytesView payload = payloadOf(*frames, 0);
    count(dealer.sequence, *header, payload);
    handler.onMessage(dealer.peer, *header, payload);
  }
}

void ZmqLink::State::readRouterMonitor() {
  while (nextEvent(*router_monitor)) {
    ++statistics.strangers;
    log.debug("connection refused: the peer has no key of this job", {});
  }
}

void ZmqLink::State::readMonitor(Dealer& dealer, Handler& handler) {
  while (const auto event = nextEvent(dealer.monitor)) {
    if ((*event & kRefused) != 0) {
      if (!dealer.refused) {
        log.warn("no connection: do both have keys of this job and the same security.transport?",
                 {{"peer", toString(dealer.peer.slot)}});
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
      dealer.sequence = {};
      // Lets the socket take notice of its connection, so that a first message is not dropped.
      int events = 0;
      std::size_t size = sizeof(events);
      zmq_getsockopt(dealer.socket.handle(), ZMQ_EVENTS, &events, &size);
      handler.onPeerUp(dealer.peer);
    } else {
      handler.onPeerDown(dealer.peer, "the connection was closed");
    }
  }
}

void ZmqLink::State::dispatch(std::chrono::milliseconds timeout, Handler& handler) {
  // A handler may connect() further dealers: they have their turn next time.
  const std::size_t connected = dealers.size();
  std::vector<zmq_pollitem_t> items{{nullptr, wake_up.fd(), ZMQ_POLLIN, 0}};
  for (const Watched& one : watched)
    items.push_back({nullptr, one.fd, ZMQ_POLLIN, 0});
  if (router) items.push_back({router->handle(), 0, ZMQ_POLLIN, 0});
  if (router_monitor) items.push_back({router_monitor->handle(), 0, ZMQ_POLLIN, 0});
  for (const auto& dealer : dealers) {
    items.push_back({dealer->monitor.handle(), 0, ZMQ_POLLIN, 0});
    items.push_back({dealer->socket.handle(), 0, ZMQ_POLLIN, 0});
  }
  if (zmq_poll(items.data(), static_cast<int>(items.size()), timeout.count()) <= 0) return;

  auto item = items.begin();
  const auto isReady = [&item] { return (item++)->revents != 0; };
  if (isReady()) wake_up.lower();
  for (const Watched& one : watched) {
    if (isReady()) one.onReadable();
  }
  if (router && isReady()) readRouter(handler);
  if (router_monitor && isReady()) readRouterMonitor();
  for (std::size_t i = 0; i < connected; ++i) {
    if (isReady()) readMonitor(*dealers[i], handler);
    if (isReady()) readDealer(*dealers[i], handler);
  }
}

Result<std::unique_ptr<ZmqLink>> ZmqLink::open(Context& context, const ZmqLinkOptions& options,
                                               const Log& log) {
  auto state = std::make_unique<State>(context, options, log);
  try {
    state->listen();
  } catch (const zmq::error_t& failure) {
    // ZeroMQ's own words for the first are "No such device".
    const bool is_elsewhere = failure.num() == ENODEV || failure.num() == EADDRNOTAVAIL;
    return Error{ErrorCode::kUnavailable,
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

void ZmqLink::connect(Peer peer, const std::string& endpoint) {
  SUMAC_CHECK(!state_->dealer_of.contains(peer), peer.slot);
  try {
    state_->openDealer(peer, endpoint);
  } catch (const zmq::error_t& failure) {
    // The endpoint came from a peer; an invalid one is treated as one where nothing listens.
    state_->log.error(
        "cannot connect",
        {{"peer", toString(peer.slot)}, {"endpoint", endpoint}, {"error", failure.what()}});
  }
}

void ZmqLink::reconnect(Peer peer) {
  const auto found = state_->dealer_of.find(peer);
  if (found == state_->dealer_of.end()) return;
  Dealer& dealer = *found->second;
  dealer.up = false;
  try {
    dealer.socket.disconnect(dealer.endpoint);
    dealer.socket.connect(dealer.endpoint);
  } catch (const zmq::error_t& failure) {
    state_->log.error(
        "cannot connect again",
        {{"peer", toString(peer.slot)}, {"endpoint", dealer.endpoint}, {"error", failure.what()}});
  }
}

void ZmqLink::send(Peer to, const wire::Header& header, BytesView payload) {
  wire::Header numbered = header;
  if (!state_->trySend(to, numbered, payload)) {
    ++state_->statistics.dropped;
    return;
  }
  ++state_->statistics.messages_sent;
  state_->statistics.bytes_sent += wire::kHeaderSize + payload.size();
}

void ZmqLink::poll(std::chrono::milliseconds timeout, Handler& handler) {
  state_->dispatch(timeout, handler);
}

void ZmqLink::watch(int fd, std::function<void()> onReadable) {
  state_->watched.push_back({fd, std::move(onReadable)});
}

void ZmqLink::wake() {
  state_->wake_up.raise();
}

const Statistics& ZmqLink::statistics() const {
  return state_->statistics;
}

}  // namespace sumac::link
