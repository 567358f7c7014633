#pragma once

#include <optional>
#include <string>

#include <zmq.hpp>

#include "base/core/slot.h"
#include "base/keys/keyring.h"

// CURVE (ZeroMQ RFC 26) on the sockets of this folder; not included elsewhere.

namespace sumac::link {

/// Makes a listening socket accept only peers that the authenticator admits to `domain`. Call
/// before bind(). Without an authenticator nobody is admitted.
void secureListener(zmq::socket_t& socket, const Keyring& keys, const std::string& domain);

/// Makes a connecting socket use our own key and talk only to the holder of `peer_key`.
void secureDialler(zmq::socket_t& socket, const Keyring& keys, const PublicKey& peer_key);

/// The slot of the sender's key, as the authenticator found it; nothing on a plain connection. Do
/// not pass the frame of a routing id: ZeroMQ 4.3.4 loses the slot on first frames.
std::optional<Slot> slotOfSender(const zmq::message_t& frame);

}  // namespace sumac::link
