#pragma once

#include <compare>
#include <cstddef>
#include <string>

#include "base/core/bytes.h"
#include "base/core/slot.h"
#include "exchange/link/payload.h"
#include "exchange/wire/header.h"

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

inline Peer dataLaneOf(Slot slot) {
  return {slot, Lane::kData};
}

/// Sends messages to peers, in order. On a data lane each arrives once, whatever happens to
/// connections, or the peer is suspected (Handler::onSuspected()). On a control lane those under
/// way are lost with a connection.
///
/// The only view of the network that the protocol's state machines have. Owned by one thread, the
/// reactor's or the simulator's. Never blocks.
class Link {
 public:
  virtual ~Link() = default;

  /// Closes all data lanes. Those that are opened from now on are of this term, above any before:
  /// two ends make one only where both are of the same.
  virtual void beginTerm(std::uint32_t term) = 0;

  /// Opens a connection to the process `expected` of this peer, which listens at `endpoint`
  /// ("tcp://127.0.0.1:4711"), and reopens it whenever it breaks. No other process that answers
  /// there is taken for it; 0: any, on a control lane. Nothing happens where the lane to that
  /// process at that endpoint is there already; one to another is closed first.
  virtual void connect(Peer peer, const std::string& endpoint, Incarnation expected) = 0;

  /// The process `incarnation` of this peer dials to us, or has dialled.
  ///
  /// A data lane is that process's alone: what is sent to it waits until it dials. Who dials before
  /// it is awaited gets no answer until then: its hello is kept, the newest one of each slot.
  /// Nothing happens where the lane of that process is there already; one of another is closed
  /// first.
  ///
  /// On a control lane all that is sent to the peer goes to that process from now on; without, to
  /// the one that spoke last. Messages of other processes are handed over all the same.
  virtual void await(Peer peer, Incarnation incarnation) = 0;

  /// Closes the connection of a control lane and opens it again, resolving its name again, for when
  /// another process answers there. Calls onPeerUp(), not onPeerDown().
  virtual void reconnect(Peer peer) = 0;

  /// Ends the lane of this peer: what it keeps is let go, at the latest when the handler's call
  /// returns that we are in; nothing comes from the peer or goes to it any more, and the handler
  /// hears no event of it. Safe within any call of the handler. After it the peer can be connected
  /// or awaited again. Nothing happens where there is no lane.
  ///
  /// A connection that we opened is closed with what is under way. One that a peer opened to us
  /// stays, as ZeroMQ cannot close it; messages that ZeroMQ has taken keep their payloads until it
  /// has sent them or the connection breaks.
  virtual void close(Peer peer) = 0;

  /// Sends one message. The link fills in what belongs to the lane. A message to a peer without a
  /// lane, or without a connection of its control lane, is dropped. The payload is not copied: it
  /// is let go when it has arrived, or its lane is closed, and ZeroMQ has sent it.
  virtual void send(Peer to, const wire::Header& header, const PayloadPtr& payload) = 0;
  /// The same with a payload that is copied before this returns.
  void send(Peer to, const wire::Header& header, BytesView payload) {
    send(to, header, makePayload(payload));
  }

  /// Sends one message to exactly this process, which has dialled a control lane to us, whoever is
  /// awaited for its slot. Dropped where it has no connection.
  virtual void answer(const Member& to, const wire::Header& header, const PayloadPtr& payload) = 0;
  /// The same with a payload that is copied before this returns.
  void answer(const Member& to, const wire::Header& header, BytesView payload) {
    answer(to, header, makePayload(payload));
  }

  /// Whether the credit of a data lane allows a payload of `size` bytes. What is sent without is
  /// kept, and the peer may drop the lane.
  virtual bool hasRoom(Peer to, std::size_t size) const = 0;

  /// Within onMessage(), for a message of a data lane: its payload is kept, so that its credit is
  /// returned by giveBack() and not on return.
  virtual void withhold(Peer from) = 0;
  /// A payload of `size` bytes that was withheld is needed no more.
  virtual void giveBack(Peer from, std::size_t size) = 0;
};

/// Receives a link's events, on the owner's thread.
class Handler {
 public:
  virtual ~Handler() = default;

  /// `from` is verified: the link checked that header.sender owns the connection. The
  /// payload is as it came, not a copy: whoever refers to it keeps it.
  virtual void onMessage(Peer from, const wire::Header& header, const PayloadPtr& payload) = 0;
  /// The connection of a control lane that we opened is up (again): send unanswered messages again.
  virtual void onPeerUp(Peer peer) = 0;
  /// The connection of a control lane that we opened broke; the link tries to reopen it.
  virtual void onPeerDown(Peer peer, const std::string& why) = 0;
  /// Credit of a data lane came back: hasRoom() may have changed.
  virtual void onRoom(Peer peer) = 0;
  /// A data lane that we dialled cannot be used, whatever was tried. It stays so until close().
  virtual void onSuspected(Peer peer, const std::string& why) = 0;
};

}  // namespace sumac::link
