#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/core/result.h"
#include "base/keys/keyring.h"
#include "base/log/log.h"
#include "exchange/link/context.h"
#include "exchange/link/statistics.h"
#include "exchange/link/transport.h"

namespace sumac::link {

struct ZmqLinkOptions {
  std::uint64_t job = 0;  // as in wire::Header
  Member self;
  // "tcp://[::1]:0" picks a port; a name: its IPv4 address; empty: does not listen
  std::string listen;
  std::shared_ptr<const Keyring> keys = nullptr;  // of `self`; null: unencrypted and open to all
};

/// Transport over ZeroMQ: a ROUTER for peers that connect to us, a DEALER for each peer that we
/// connect to. The routing id of each process is known from its incarnation, so that what is for an
/// awaited process never goes to another one of its slot. Where none is awaited, messages to a slot
/// go to the process that last sent as this slot. Nothing is sent to one that is silent for 10 s.
///
/// ZeroMQ cannot close a connection that was opened to us: after close(), frames that it still
/// holds for that peer keep their payloads until the peer has read them or TCP gives up.
///
/// With keys, traffic is encrypted (CURVE): only members of the keyring are admitted, each may send
/// only as the slot of its key, and we connect only to the holder of the peer's key.
///
/// Rejected messages are counted and logged, never fatal. Owned by one thread, except for wake()
/// and stayAwake().
class ZmqLink final : public Transport {
 public:
  /// Fails with kDenied when it cannot listen there, with kUnavailable when files or memory are
  /// short.
  static Result<std::unique_ptr<ZmqLink>> open(Context& context, const ZmqLinkOptions& options,
                                               const Log& log);
  ~ZmqLink() override;
  ZmqLink(const ZmqLink&) = delete;
  ZmqLink& operator=(const ZmqLink&) = delete;

  /// The endpoint where it listens, with the port as a number; empty when it does not.
  const std::string& endpoint() const;

  void connect(Peer peer, const std::string& endpoint, Incarnation expected) override;
  void await(Peer peer, Incarnation incarnation) override;
  void reopen(Peer peer) override;
  void close(Peer peer) override;
  bool transmit(Peer to, const wire::Header& header, const PayloadPtr& payload) override;
  bool answer(const Member& to, const wire::Header& header, const PayloadPtr& payload) override;
  void onTick(TimePoint now) override;

  /// Waits for events, at most for `timeout`, and passes all of them to `handler`.
  void poll(std::chrono::milliseconds timeout, TransportHandler& handler);

  /// Calls `onReadable` from poll() whenever `fd` is readable. Call before the first poll().
  void watch(int fd, std::function<void()> onReadable);

  /// Makes the current poll(), or else the next one, return. Safe from any thread.
  void wake();

  /// Whether poll() looks for events for 100 us before it sleeps: where a step waits for messages
  /// and cores are idle meanwhile. Not at first. Safe from any thread.
  void stayAwake(bool is_awake);

  const Statistics& statistics() const;

 private:
  struct State;
  explicit ZmqLink(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace sumac::link
