#include "exchange/link/sockets.h"

#include <atomic>
#include <cstring>
#include <string>

#include "exchange/link/lane_end.h"
#include "exchange/wire/codec.h"

namespace sumac::link {
namespace {

constexpr int kLinger = 1000;            // ms: last messages still leave; a dead peer delays little
constexpr int kHandshakeTimeout = 5000;  // ms
constexpr std::int64_t kMaxFrame = static_cast<std::int64_t>(wire::kMaxDataPayload) + 4096;

// Messages of one peer that wait to be read: all that its credit allows, and some without credit.
constexpr int kMostWaiting = static_cast<int>(LaneEnd::kCredit) + 16;
// Messages to one peer that it does not take: a lane's credit, and what is told without credit. A
// peer that asks for everything again and again and reads nothing gets no more than that.
constexpr int kMostLeaving = 2 * kMostWaiting;

/// Called on a thread of ZeroMQ's.
void release(void* /*data*/, void* hint) {
  delete static_cast<PayloadPtr*>(hint);
}

}  // namespace

std::optional<Frames> receive(zmq::socket_t& socket) {
  Frames frames;
  zmq::message_t beyond;
  for (bool more = true; more; ++frames.count) {
    zmq::message_t& frame = frames.count < kMostFrames ? frames.kept[frames.count] : beyond;
    if (zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT) < 0) return std::nullopt;
    more = frame.more();
  }
  return frames;
}

BytesView payloadOf(const Frames& frames, std::size_t header) {
  return frames.count > header + 1 ? view(frames.kept.at(header + 1)) : BytesView{};
}

PayloadPtr takePayload(Frames& frames, std::size_t header) {
  if (payloadOf(frames, header).empty()) return nullptr;
  auto frame = std::make_shared<const zmq::message_t>(std::move(frames.kept.at(header + 1)));
  const BytesView bytes = view(*frame);
  return sharePayload(bytes, std::move(frame));
}

bool sendFrame(zmq::socket_t& socket, BytesView bytes, int flags) {
  return zmq_send(socket.handle(), bytes.data(), bytes.size(), flags | ZMQ_DONTWAIT) >= 0;
}

bool sendMessage(zmq::socket_t& socket, const wire::Header& header, const PayloadPtr& payload) {
  if (!payload) return sendFrame(socket, wire::encode(header, {}), 0);
  const std::size_t size = payload->bytes().size();
  const wire::HeaderBytes bytes = wire::encode(header, size, payload->checksum());
  zmq_msg_t frame;
  auto* reference = new PayloadPtr(payload);  // release() deletes it
  // ZeroMQ never writes to it, whatever its type says.
  auto* data = const_cast<std::byte*>(payload->bytes().data());
  if (zmq_msg_init_data(&frame, data, size, release, reference) != 0) {
    delete reference;
    return false;
  }
  if (sendFrame(socket, bytes, ZMQ_SNDMORE) &&
      zmq_msg_send(&frame, socket.handle(), ZMQ_DONTWAIT) >= 0) {
    return true;
  }
  zmq_msg_close(&frame);
  return false;
}

void setCommonOptions(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, kLinger);
  socket.set(zmq::sockopt::maxmsgsize, kMaxFrame);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeTimeout);
  socket.set(zmq::sockopt::sndhwm, kMostLeaving);
  socket.set(zmq::sockopt::rcvhwm, kMostWaiting);
  socket.set(zmq::sockopt::tcp_keepalive, 1);
}

Monitor::Monitor(zmq::context_t& context, zmq::socket_t& watched, int events)
    : watched_(watched.handle()), socket_(context, zmq::socket_type::pair) {
  static std::atomic<std::uint64_t> count;  // one of these addresses is used once in a process
  const std::string address = "inproc://sumac-monitor-" + std::to_string(++count);
  if (zmq_socket_monitor(watched_, address.c_str(), events) < 0) throw zmq::error_t();
  socket_.set(zmq::sockopt::linger, 0);
  socket_.connect(address);
  polled_.emplace(socket_.handle());
}

Monitor::~Monitor() {
  zmq_socket_monitor(watched_, nullptr, 0);
}

std::optional<std::uint16_t> Monitor::nextEvent() {
  while (const auto frames = receive(socket_)) {
    if (frames->kept.front().size() < sizeof(std::uint16_t)) continue;
    std::uint16_t event = 0;  // in the machine's byte order
    std::memcpy(&event, frames->kept.front().data(), sizeof(event));
    return event;
  }
  polled_->markEmpty();
  return std::nullopt;
}

}  // namespace sumac::link
