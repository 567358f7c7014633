#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <zmq.hpp>

#include "base/keys/keyring.h"
#include "exchange/link/endpoint.h"
#include "exchange/link/link.h"
#include "exchange/link/routing_id.h"
#include "exchange/link/sockets.h"

namespace sumac::link {

/// What a connecting socket needs to know.
struct DealerOptions {
  Peer peer;
  std::string endpoint;
  RoutingId self;
  Incarnation expected = 0;       // messages of no other process are taken; 0: of any
  const Keyring* keys = nullptr;  // null: unencrypted
  PublicKey key{};                // of the peer, with keys
};

/// A connection that we open to a peer: a DEALER and the monitor that tells what becomes of it.
///
/// ZeroMQ reconnects by itself when a connection breaks, but never after bytes that it could not
/// decode: reopen() uses a new socket. Throws zmq::error_t. Owned by one thread.
///
/// A name can have IPv6 and IPv4 addresses while the peer listens at one of them: until a
/// connection was up, each reopen() tries the other kind.
class Dealer {
 public:
  /// What a connection that failed tells: the other side has no key of this job or another
  /// mechanism, or left in the middle of the handshake.
  static constexpr int kRefused = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                  ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                  ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

  Dealer(zmq::context_t& context, DealerOptions options);

  /// Drops the connection with all that is under way, and opens another. If that throws there is
  /// none, until reopen() is called again.
  void reopen();
  /// Drops the connection with all that is under way, for good.
  void close();
  bool isClosed() const { return is_closed_; }
  bool hasSocket() const { return monitor_.has_value(); }

  // The rest requires hasSocket().

  /// The next event of the connection, if any: a ZMQ_EVENT_*.
  std::optional<std::uint16_t> nextEvent() { return monitor_->nextEvent(); }
  /// Makes the socket take notice of its connection, so that a first message is not dropped.
  void noticeConnection();

  Peer peer() const { return options_.peer; }
  bool expects(const Member& sender) const {
    const Incarnation expected = options_.expected;
    return sender.slot == peer().slot && (expected == 0 || sender.incarnation == expected);
  }
  const std::string& endpoint() const { return options_.endpoint; }
  zmq::socket_t& socket() { return *socket_; }
  /// When to read the socket, and when to ask for events.
  Polled& polled() { return *polled_; }
  Polled& polledEvents() { return monitor_->polled(); }

  bool up = false;
  bool was_up = false;
  bool refused = false;  // and said so: not again before it was up

 private:
  void open();
  void drop();

  zmq::context_t* context_;  // outlives us
  DealerOptions options_;
  bool is_closed_ = false;
  HostKind host_;
  bool is_v6_;
  std::optional<zmq::socket_t> socket_;
  std::optional<Polled> polled_;    // of socket_
  std::optional<Monitor> monitor_;  // of socket_
};

}  // namespace sumac::link
