#include "common/link/zmq_link.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/eventfd.h>
#include <unistd.h>

#include <zmq.hpp>

#include "common/link/routing_id.h"
#include "common/wire/codec.h"

// Invariants: a message counts into a connection's sequence only when ZeroMQ took it; an exception
// of ZeroMQ's leaves no function of this file.

namespace sumac::link {
namespace {

constexpr int kLinger = 1000;            // ms: a goodbye still leaves, a dead peer holds nobody up
constexpr int kReconnectFirst = 50;      // ms
constexpr int kReconnectLast = 1000;     // ms
constexpr int kHandshakeTimeout = 5000;  // ms
constexpr std::int64_t kMaxFrame = static_cast<std::int64_t>(wire::kMaxDataPayload) + 4096;
constexpr std::size_t kMostFrames = 3;  // routing id, header, payload
constexpr int kBatch = 64;              // messages of one socket before the others have their turn

/// A message as its frames; those beyond what a message can have are only counted.
struct Frames {
  std::vector<zmq::message_t> kept;
  std::size_t count = 0;
};

BytesView view(const zmq::message_t& frame) {
  return {static_cast<const std::byte*>(frame.data()), frame.size()};
}

/// The next message that has come, if any.
std::optional<Frames> receive(zmq::socket_t& socket) {
  Frames frames;
  for (bool more = true; more; ++frames.count) {
    zmq::message_t frame;
    if (zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT) < 0) return std::nullopt;
    more = frame.more();
    if (frames.count < kMostFrames) frames.kept.push_back(std::move(frame));
  }
  return frames;
}

/// The frame after the header; a message without one has an empty payload.
BytesView payloadOf(const Frames& frames, std::size_t header) {
  return frames.kept.size() > header + 1 ? view(frames.kept[header + 1]) : BytesView{};
}

bool sendFrame(zmq::socket_t& socket, BytesView bytes, int flags) {
  return zmq_send(socket.handle(), bytes.data(), bytes.size(), flags | ZMQ_DONTWAIT) >= 0;
}

bool sendMessage(zmq::socket_t& socket, const wire::Header& header, BytesView payload) {
  const wire::HeaderBytes bytes = wire::encode(header, payload);
  if (payload.empty()) return sendFrame(socket, bytes, 0);
  return sendFrame(socket, bytes, ZMQ_SNDMORE) && sendFrame(socket, payload, 0);
}

void setCommonOptions(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, kLinger);
  socket.set(zmq::sockopt::maxmsgsize, kMaxFrame);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeTimeout);
  socket.set(zmq::sockopt::sndhwm, 0);  // the protocol's credits bound what is under way
  socket.set(zmq::sockopt::tcp_keepalive, 1);
}

/// An eventfd, closed at the end.
class WakeUp {
 public:
  WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  }
  ~WakeUp() { ::close(fd_); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  int fd() const { return fd_; }
  void raise() const {
    // It fails only when the count is full, and then it is raised already.
    [[maybe_unused]] const int failed = ::eventfd_write(fd_, 1);
  }
  void lower() const {
    eventfd_t count = 0;
    [[maybe_unused]] const int failed = ::eventfd_read(fd_, &count);
  }

 private:
  int fd_;
};

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
  bool up = false;
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

  Context& context;  // outlives us
  ZmqLinkOptions options;
  Log log;
  WakeUp wake_up;
  std::optional<zmq::socket_t> router;
  std::string endpoint;
  std::vector<std::unique_ptr<Dealer>> dealers;
  std::map<Peer, Dealer*> dealer_of;
  std::map<Peer, Route> route_of;
  std::vector<Watched> watched;
  Statistics statistics;

  void listen();
  void openDealer(Peer peer, const std::string& to);
  bool trySend(Peer to, wire::Header& header, BytesView payload);
  void readRouter(Handler& handler);
  void readDealer(Dealer& dealer, Handler& handler);
  void readMonitor(Dealer& dealer, Handler& handler);
  void onRouted(const Frames& frames, Handler& handler);
  std::optional<wire::Header> accept(const Frames& frames, std::size_t first,
                                     const std::string& from);
  void count(Sequence& sequence, const wire::Header& header, BytesView payload);
  void refuse(wire::Rejection reason, const std::string& from);
  void dispatch(std::chrono::milliseconds timeout, Handler& handler);
};

void ZmqLink::State::listen() {
  if (options.listen.empty()) return;
  router.emplace(context.native(), zmq::socket_type::router);
  setCommonOptions(*router);
  router->set(zmq::sockopt::router_mandatory, 1);
  router->set(zmq::sockopt::router_handover, 1);
  router->bind(options.listen);
  endpoint = router->get(zmq::sockopt::last_endpoint);
}

void ZmqLink::State::openDealer(Peer peer, const std::string& to) {
  auto& zmq_context = context.native();
  auto dealer = std::make_unique<Dealer>(
      Dealer{peer, zmq::socket_t(zmq_context, zmq::socket_type::dealer),
             zmq::socket_t(zmq_context, zmq::socket_type::pair), /*up=*/false, /*sequence=*/{}});
  setCommonOptions(dealer->socket);
  dealer->socket.set(zmq::sockopt::immediate, 1);
  dealer->socket.set(zmq::sockopt::reconnect_ivl, kReconnectFirst);
  dealer->socket.set(zmq::sockopt::reconnect_ivl_max, kReconnectLast);
  dealer->socket.set(zmq::sockopt::routing_id,
                     encode(RoutingId{options.job, options.self, peer.lane}));

  // Unique in the process: the object is there as long as the socket.
  std::ostringstream address;
  address << "inproc://sumac-monitor-" << dealer.get();
  constexpr int kEvents = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED;
  if (zmq_socket_monitor(dealer->socket.handle(), address.str().c_str(), kEvents) < 0) {
    throw zmq::error_t();
  }
  dealer->monitor.set(zmq::sockopt::linger, 0);
  dealer->monitor.connect(address.str());
  dealer->socket.connect(to);
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

void ZmqLink::State::refuse(wire::Rejection reason, const std::string& from) {
  statistics.reject(reason);
  log.debug("message refused", {{"reason", wire::toString(reason)}, {"peer", from}});
}

/// The header of a message whose frames begin at `first`, unless it is refused.
std::optional<wire::Header> ZmqLink::State::accept(const Frames& frames, std::size_t first,
                                                   const std::string& from) {
  if (frames.count <= first || frames.count > first + 2) {
    refuse(wire::Rejection::kFrameCount, from);
    return std::nullopt;
  }
  const auto decoded = wire::decode(view(frames.kept[first]), payloadOf(frames, first));
  if (const auto* reason = std::get_if<wire::Rejection>(&decoded)) {
    refuse(*reason, from);
    return std::nullopt;
  }
  const auto& header = std::get<wire::Header>(decoded);
  if (header.job != options.job) {
    refuse(wire::Rejection::kJob, from);
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
    return refuse(wire::Rejection::kSender, name);
  }
  // Who we connect to ourselves speaks on that connection: nobody poses as our coordinator here.
  if (dealer_of.contains(from->peer())) return refuse(wire::Rejection::kSender, name);
  Route& route = route_of[from->peer()];
  const bool begins = header->sequence == 1;  // on a connection that was made anew
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
      refuse(wire::Rejection::kSender, name);
      continue;
    }
    const BytesView payload = payloadOf(*frames, 0);
    count(dealer.sequence, *header, payload);
    handler.onMessage(dealer.peer, *header, payload);
  }
}

void ZmqLink::State::readMonitor(Dealer& dealer, Handler& handler) {
  while (const auto frames = receive(dealer.monitor)) {
    if (frames->kept.front().size() < sizeof(std::uint16_t)) continue;
    std::uint16_t event = 0;  // in the machine's byte order
    std::memcpy(&event, frames->kept.front().data(), sizeof(event));
    const bool up = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
    if (up == dealer.up) continue;
    dealer.up = up;
    if (up) {
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
    return Error{ErrorCode::kUnavailable,
                 "cannot listen at " + options.listen + ": " + failure.what()};
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
    // The endpoint came from a peer; one that cannot be is as one where nobody is.
    state_->log.error(
        "cannot connect",
        {{"peer", toString(peer.slot)}, {"endpoint", endpoint}, {"error", failure.what()}});
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
