#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include "base/keys/keyring.h"
#include "exchange/link/wake_up.h"

namespace sumac::link {

/// Decides who may connect (ZeroMQ's ZAP, RFC 27), for all links of a context: peers whose key is
/// in the keyring of the link's domain. Each is admitted as the slot of its key; others are
/// rejected.
///
/// It answers on a thread of its own, so that a busy reactor delays no handshake. Without this
/// object, or its thread, ZeroMQ rejects everybody. Safe from any thread.
class Authenticator {
 public:
  /// Throws zmq::error_t when the context has one already.
  explicit Authenticator(zmq::context_t& context);
  ~Authenticator();
  Authenticator(const Authenticator&) = delete;
  Authenticator& operator=(const Authenticator&) = delete;

  /// Opens a domain for the members of a keyring and returns its name.
  std::string open(std::shared_ptr<const Keyring> keys);
  /// Admits nobody there from now on; open connections stay.
  void close(const std::string& domain);

 private:
  void run();
  void answer();
  std::string nameOf(const std::vector<zmq::message_t>& request);

  zmq::socket_t socket_;  // the thread's, once it runs
  WakeUp stop_;

  // Written by any thread, read by ours.
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Keyring>> keys_of_;
  std::uint64_t domains_ = 0;  // opened so far

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sumac::link
