#pragma once

#include <compare>
#include <string>

#include "common/base/bytes.h"
#include "common/base/slot.h"
#include "common/wire/header.h"

namespace sumac::link {

/// Control messages and data have connections of their own, so that heartbeats never wait behind
/// gradients.
enum class Lane : std::uint8_t { kControl = 0, kData = 1 };

/// One end of a connection.
struct Peer {
  Slot slot;
  Lane lane = Lane::kControl;

  auto operator<=>(const Peer&) const = default;
};

/// Sends messages to peers. Messages to one peer arrive in order; when its connection breaks, those
/// under way are lost.
///
/// The only view of the network that the protocol's state machines have. Owned by one thread, the
/// reactor's or the simulator's. Never blocks: credit bounds the bytes under way.
class Link {
 public:
  virtual ~Link() = default;

  /// Opens a connection to the peer that listens at `endpoint` ("tcp://127.0.0.1:4711") and reopens
  /// it whenever it breaks; Handler::onPeerUp() is called each time it is up. Call once per peer.
  virtual void connect(Peer peer, const std::string& endpoint) = 0;

  /// Closes the connection to such a peer and opens it again, resolving its name again, for when
  /// another process answers there. Calls onPeerUp(), not onPeerDown().
  virtual void reconnect(Peer peer) = 0;

  /// Sends one message. `payload` is copied before this returns. The link fills in header.sequence
  /// and the CRCs. A message to a peer without a connection is dropped: the protocol sends it again
  /// on onPeerUp().
  virtual void send(Peer to, const wire::Header& header, BytesView payload) = 0;
};

/// Receives a link's events, on the owner's thread.
class Handler {
 public:
  virtual ~Handler() = default;

  /// `from` is verified: the link checked that header.sender owns the connection. `payload` is
  /// valid until this returns.
  virtual void onMessage(Peer from, const wire::Header& header, BytesView payload) = 0;
  /// A connection that we opened is up (again): send unanswered messages again.
  virtual void onPeerUp(Peer peer) = 0;
  /// A connection that we opened broke; the link tries to reopen it.
  virtual void onPeerDown(Peer peer, const std::string& why) = 0;
};

}  // namespace sumac::link
