#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <zmq.hpp>

#include "common/base/bytes.h"
#include "common/link/payload.h"
#include "common/wire/header.h"

// What the sources of this folder do with ZeroMQ's sockets; not included elsewhere.

namespace sumac::link {

/// The frames of a message. Frames beyond the most that a message has are counted but not kept.
struct Frames {
  std::vector<zmq::message_t> kept;
  std::size_t count = 0;
};

inline BytesView view(const zmq::message_t& frame) {
  return {static_cast<const std::byte*>(frame.data()), frame.size()};
}

/// The next message that has arrived, if any.
std::optional<Frames> receive(zmq::socket_t& socket);

/// The frame after the header; a message without one has an empty payload.
BytesView payloadOf(const Frames& frames, std::size_t header);

/// Both return whether ZeroMQ accepted it; they never block.
bool sendFrame(zmq::socket_t& socket, BytesView bytes, int flags);
/// The payload is not copied.
bool sendMessage(zmq::socket_t& socket, const wire::Header& header, const PayloadPtr& payload);

void setCommonOptions(zmq::socket_t& socket);

/// A monitor socket for the connections of `socket`; `events` is a sum of ZMQ_EVENT_*. Keep it for
/// as long as `socket` lives.
zmq::socket_t monitorOf(zmq::context_t& context, zmq::socket_t& socket, int events);

/// The next event of a monitor, if any.
std::optional<std::uint16_t> nextEvent(zmq::socket_t& monitor);

}  // namespace sumac::link
