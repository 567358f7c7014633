#pragma once

#include <memory>

namespace zmq {
class context_t;
}

namespace sumac::link {

class Authenticator;

/// ZeroMQ's I/O threads: one object per process, for its whole life. Safe from any thread.
class Context {
 public:
  /// Throws std::system_error where the system refuses threads or files.
  explicit Context(int io_threads = 1);
  /// Waits until sent messages have left, at most the linger time of links, one second. Requires
  /// that all links of this context are destroyed.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// ZeroMQ's own context, for the sources of this folder.
  zmq::context_t& native() const;

  /// Admits peers to the links that have keys. Created, with its thread, on the first call.
  Authenticator& authenticator() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sumac::link
