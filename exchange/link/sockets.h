#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <zmq.hpp>

#include "base/core/bytes.h"
#include "exchange/link/payload.h"
#include "exchange/wire/header.h"

// What the sources of this folder do with ZeroMQ's sockets; not included elsewhere.

namespace sumac::link {

inline constexpr std::size_t kMostFrames = 3;  // routing id, header, payload

/// The frames of a message. Frames beyond the most that a message has are counted but not kept.
struct Frames {
  std::array<zmq::message_t, kMostFrames> kept;
  std::size_t count = 0;
};

inline BytesView view(const zmq::message_t& frame) {
  return {static_cast<const std::byte*>(frame.data()), frame.size()};
}

/// The next message that has arrived, if any.
std::optional<Frames> receive(zmq::socket_t& socket);

/// The frame after the header; a message without one has an empty payload.
BytesView payloadOf(const Frames& frames, std::size_t header);
/// The same without its frame, which the payload keeps.
PayloadPtr takePayload(Frames& frames, std::size_t header);

/// Both return whether ZeroMQ accepted it; they never block.
bool sendFrame(zmq::socket_t& socket, BytesView bytes, int flags);
/// The payload is not copied.
bool sendMessage(zmq::socket_t& socket, const wire::Header& header, const PayloadPtr& payload);

void setCommonOptions(zmq::socket_t& socket);

/// When to read a ZeroMQ socket. zmq_poll() asks every socket whenever it is called, two system
/// calls each, ten times as many as the messages of a step need; with this, one poll() is enough.
///
/// The descriptor of a socket is edge-triggered: it tells of commands for the socket, such as "a
/// message has come", and any call of the socket may take them. So a socket is *due* when its
/// descriptor is readable, and from each send on until it was found empty, which rearms the
/// descriptor.
class Polled {
 public:
  /// `socket` is ZeroMQ's handle. A new socket may have messages already. Throws zmq::error_t.
  explicit Polled(void* socket) {
    std::size_t size = sizeof(fd_);
    if (zmq_getsockopt(socket, ZMQ_FD, &fd_, &size) != 0) throw zmq::error_t();
  }

  int fd() const { return fd_; }
  bool isDue() const { return is_due_; }
  /// The descriptor is readable, or another call of the socket than a receive was made.
  void markDue() { is_due_ = true; }
  /// A receive has just found nothing.
  void markEmpty() { is_due_ = false; }

 private:
  int fd_ = -1;
  bool is_due_ = true;
};

/// Watches the connections of a socket, which outlives it. Owned by one thread.
class Monitor {
 public:
  /// `events` is a sum of ZMQ_EVENT_*. Throws zmq::error_t.
  Monitor(zmq::context_t& context, zmq::socket_t& watched, int events);
  /// ZeroMQ's threads must not tell a monitor that is gone: they would wait for it for ever.
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// The next event, if any.
  std::optional<std::uint16_t> nextEvent();
  /// Says when to ask for events.
  Polled& polled() { return *polled_; }

 private:
  void* watched_;  // ZeroMQ's handle
  zmq::socket_t socket_;
  std::optional<Polled> polled_;  // since it is connected
};

}  // namespace sumac::link
