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
  explicit Context(int io_threads = 1);
  /// Waits until what was sent is on its way, at most the second that links let it linger. Requires
  /// that all links of this context are gone.
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// ZeroMQ's own context, for the sources of this folder.
  zmq::context_t& native() const;

  /// Who may connect to the links that have keys; made, with its thread, when first asked for.
  Authenticator& authenticator() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sumac::link
