#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <zmq.hpp>

#include "base/core/bytes.h"
#include "exchange/link/payload.h"
#include "exchange/link/polled.h"
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
