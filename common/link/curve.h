#pragma once

#include <optional>
#include <string>

#include <zmq.hpp>

#include "common/base/slot.h"
#include "common/keys/keyring.h"

// CURVE (ZeroMQ RFC 26) on the sockets of this folder; nobody else includes it.

namespace sumac::link {

/// Has a socket that others connect to accept only whom the authenticator admits to `domain`. Call
/// before bind(). Without an authenticator nobody is let in.
void secureListener(zmq::socket_t& socket, const Keyring& keys, const std::string& domain);

/// Has a socket connect with our own key, and only to who holds `peer_key`.
void secureDialler(zmq::socket_t& socket, const Keyring& keys, const PublicKey& peer_key);

/// The slot whose key the sender of this frame holds, as the authenticator found it; nothing on a
/// plain connection. Not of a routing id: ZeroMQ 4.3.4 loses it on first frames.
std::optional<Slot> slotOfSender(const zmq::message_t& frame);

}  // namespace sumac::link
