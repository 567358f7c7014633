#pragma once

#include <string>

#include "base/core/clock.h"
#include "exchange/link/link.h"

namespace sumac::link {

/// Connections to peers, below the lanes: a message may be lost, and then nobody is told.
///
/// Owned by one thread. Never blocks.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Opens a connection to the peer that listens at `endpoint`, and opens it again when it breaks.
  /// Messages of another process than `expected` are rejected; 0: of none. Call once per peer, and
  /// again after close().
  virtual void connect(Peer peer, const std::string& endpoint, Incarnation expected) = 0;
  /// What is for this peer, which dials, goes to this process alone, until close().
  virtual void await(Peer peer, Incarnation incarnation) = 0;
  /// Gives up the connection to such a peer and opens another, resolving its name again. Calls
  /// onPeerUp(), not onPeerDown().
  virtual void reopen(Peer peer) = 0;
  /// Gives up the connection to this peer for good: no event of it comes any more. One that it
  /// opened to us is only forgotten, until something comes on it. Safe within any call of the
  /// handler.
  virtual void close(Peer peer) = 0;
  /// Returns whether there is a connection that took the message: where the peer dials, of the
  /// process that is awaited or else has spoken last.
  virtual bool transmit(Peer to, const wire::Header& header, const PayloadPtr& payload) = 0;
  /// The same on the control lane that this process has dialled.
  virtual bool answer(const Member& to, const wire::Header& header, const PayloadPtr& payload) = 0;
  /// Forgets peers that have been silent for long.
  virtual void onTick(TimePoint now) = 0;
};

/// Receives a transport's events, on the owner's thread.
class TransportHandler {
 public:
  virtual ~TransportHandler() = default;

  /// `from` is verified: header.sender owns the connection. The payload is handed over.
  virtual void onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) = 0;
  /// A message that could not be read came on a connection that we opened to this peer, or that
  /// `incarnation` opened to us (0: we opened it), to which we would send.
  virtual void onDamaged(Peer from, Incarnation incarnation) = 0;
  /// A connection that we opened is up (again), or broke.
  virtual void onPeerUp(Peer peer) = 0;
  virtual void onPeerDown(Peer peer, const std::string& why) = 0;
};

}  // namespace sumac::link
