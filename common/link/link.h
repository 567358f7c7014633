#pragma once

#include <compare>
#include <string>

#include "common/base/bytes.h"
#include "common/base/slot.h"
#include "common/wire/header.h"

namespace sumac::link {

/// Control and heartbeats never queue behind gradients: each has a connection of its own.
enum class Lane : std::uint8_t { kControl = 0, kData = 1 };

/// One end of a connection.
struct Peer {
  Slot slot;
  Lane lane = Lane::kControl;

  auto operator<=>(const Peer&) const = default;
};

/// Sends messages to peers; messages to one peer arrive in order or, when its connection breaks,
/// not at all.
///
/// The protocol's state machines know the network only as this. Owned by one thread, the reactor's
/// (or the simulator's). Never blocks: credits bound what is under way.
class Link {
 public:
  virtual ~Link() = default;

  /// Opens a connection to whom listens at `endpoint` ("tcp://127.0.0.1:4711") and keeps reopening
  /// it; Handler's peerUp() follows each time it stands. Once for each peer.
  virtual void connect(Peer peer, const std::string& endpoint) = 0;

  /// Drops the connection to a peer that we connect to and opens it anew, its name looked up again:
  /// who answers there is not who was meant. Without onPeerDown(); onPeerUp() follows.
  virtual void reconnect(Peer peer) = 0;

  /// Sends one message. `payload` is copied before this returns. The link fills in header.sequence
  /// and the CRCs. A message to a peer without a connection is dropped: the protocol sends again on
  /// peerUp().
  virtual void send(Peer to, const wire::Header& header, BytesView payload) = 0;
};

/// What a link tells its owner, on the owner's thread.
class Handler {
 public:
  virtual ~Handler() = default;

  /// `from` is checked: the link saw that header.sender is who holds the connection. `payload`
  /// lives until return.
  virtual void onMessage(Peer from, const wire::Header& header, BytesView payload) = 0;
  /// A connection that we opened stands (again): what was unanswered must be sent again.
  virtual void onPeerUp(Peer peer) = 0;
  /// A connection that we opened broke; the link goes on trying.
  virtual void onPeerDown(Peer peer, const std::string& why) = 0;
};

}  // namespace sumac::link
