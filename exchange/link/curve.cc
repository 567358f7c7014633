#include "exchange/link/curve.h"

#include "base/keys/job_keys.h"

namespace sumac::link {
namespace {

// ZeroMQ 4.3.4 has this option as a draft: reject everybody when no authenticator is
// there to answer, in place of letting everybody in.
constexpr int kZapEnforceDomain = 93;

template <typename Value>
void set(zmq::socket_t& socket, int option, const Value& value, std::size_t size) {
  if (zmq_setsockopt(socket.handle(), option, value, size) < 0) throw zmq::error_t();
}

void setKeys(zmq::socket_t& socket, const Keyring& keys) {
  set(socket, ZMQ_CURVE_PUBLICKEY, keys.publicKey().data(), kKeySize);
  set(socket, ZMQ_CURVE_SECRETKEY, keys.privateKey().bytes().data(), kKeySize);
}

}  // namespace

void secureListener(zmq::socket_t& socket, const Keyring& keys, const std::string& domain) {
  const int yes = 1;
  set(socket, ZMQ_CURVE_SERVER, &yes, sizeof(yes));
  setKeys(socket, keys);
  set(socket, ZMQ_ZAP_DOMAIN, domain.data(), domain.size());
  set(socket, kZapEnforceDomain, &yes, sizeof(yes));
}

void secureDialler(zmq::socket_t& socket, const Keyring& keys, const PublicKey& peer_key) {
  setKeys(socket, keys);
  set(socket, ZMQ_CURVE_SERVERKEY, peer_key.data(), kKeySize);
}

std::optional<Slot> slotOfSender(const zmq::message_t& frame) {
  const char* name = zmq_msg_gets(frame.handle(), "User-Id");
  if (name == nullptr) return std::nullopt;
  return slotOfKeyName(name);
}

}  // namespace sumac::link
