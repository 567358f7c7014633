#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include <zmq.hpp>

#include "exchange/plan/range_run.h"

namespace sumac::bench {

using BareRuns = std::vector<RangeRun>;

struct BareOptions {
  bool is_ipc = false;
  bool is_encrypted = false;
};

std::string zeroMqVersion();

/// The frames of a step of so many values, cut as our exchange cuts what has one owner.
BareRuns bareRuns(std::int64_t values);

/// Where the server listens, and the keys: what all processes of a measurement share. Made before
/// they are forked; the folder of Unix sockets goes with this object, in the process that made it.
class BarePlace {
 public:
  explicit BarePlace(const BareOptions& options);
  ~BarePlace();
  BarePlace(const BarePlace&) = delete;
  BarePlace& operator=(const BarePlace&) = delete;

  /// Waits until the server has said where it listens. Throws std::runtime_error if it ended.
  std::string awaitEndpoint() const;

 private:
  friend class BareLink;
  using Key = std::array<char, 41>;  // Z85, with its end

  std::string listenEndpoint() const;
  void say(const std::string& endpoint) const;

  BareOptions options_;
  pid_t owner_;
  std::string folder_;         // of Unix sockets; empty: TCP
  std::array<int, 2> pipe_{};  // the server says its endpoint
  Key public_{};
  Key secret_{};  // the server's; workers use the same pair
};

/// A worker's connection. Throws zmq::error_t.
class BareLink {
 public:
  BareLink(const BarePlace& place, const std::string& endpoint);

  /// Sends the frame `run` of `values`, which stay unchanged and outlive us.
  void send(std::uint32_t run, std::uint32_t step, const BareRuns& runs,
            std::span<const float> values) const;
  /// Takes one frame of sums. Throws std::runtime_error unless its first and last are `expected`.
  void receiveSum(float expected) const;

  /// The server's side of so many steps. Returns when all sums have left.
  static void serve(const BarePlace& place, const BareRuns& runs, int workers, int steps);

 private:
  mutable zmq::context_t context_{1};
  mutable zmq::socket_t socket_;
};

}  // namespace sumac::bench
